"""The statements of a group commit. Nothing here commits or decides; rows are written in one fixed order.

Contents and objects are inserted in the order of their hashes, so that two runs that meet the same content never
wait for each other in a circle.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from operator import itemgetter
from typing import Any

from sqlalchemy import bindparam, case, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.bulk import Rows, insert_rows
from jobmonitor.storage.models import (
    Content,
    Extraction,
    Object,
    Posting,
    PostingChannel,
    Presence,
    Reject,
    Version,
)


async def previous_versions(conn: AsyncConnection, posting_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """The open version of each posting with its facts and derived columns, by posting id."""
    if not posting_ids:
        return {}
    quarantine = case((Content.released_at.is_(None), Content.quarantine)).label("quarantine")
    shown = (Posting.title, Posting.url, Posting.employer, Posting.opening_key, Posting.parent)
    posted = (Posting.posted_at, Posting.posted_precision)
    query = (
        select(*Version.__table__.c, *shown, *posted, Content.scheme, quarantine)
        .join(Posting, Posting.id == Version.posting_id)
        .join(Content, Content.hash == Version.content_hash)
        .where(Version.posting_id.in_(posting_ids), Version.valid_to.is_(None))
    )
    return {row.posting_id: dict(row._mapping) for row in await conn.execute(query)}


async def contents_seen(conn: AsyncConnection, pairs: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
    """Which (posting id, content hash) an earlier version already had."""
    if not pairs:
        return set()
    ids, hashes = {posting_id for posting_id, _ in pairs}, {content for _, content in pairs}
    query = select(Version.posting_id, Version.content_hash).where(
        Version.posting_id.in_(ids), Version.content_hash.in_(hashes)
    )
    return {(row.posting_id, row.content_hash) for row in await conn.execute(query)} & set(pairs)


async def add_objects(conn: AsyncConnection, rows: Rows) -> None:
    """Store objects that are not there yet."""
    await _insert_missing(conn, Object, rows, key="hash")


async def add_tombstones(conn: AsyncConnection, rows: Rows) -> None:
    """Name objects of erased contents without keeping them."""
    if rows:
        await conn.execute(upsert(Object).values(erased_at=func.now()).on_conflict_do_nothing(), rows)


async def add_contents(conn: AsyncConnection, rows: Rows) -> set[str]:
    """Store contents that are not there yet; the first document under a hash stays. The hashes that are new."""
    unique = {row["hash"]: row for row in reversed(rows)}
    if not unique:
        return set()
    ordered = [unique[name] for name in sorted(unique)]
    return set((await insert_rows(conn, Content, ordered, skip_present=True, returning=("hash",))).scalars())


async def add_postings(conn: AsyncConnection, rows: Rows) -> list[int]:
    """Insert postings never seen before; their ids in the order of `rows`."""
    if not rows:
        return []
    inserted = await insert_rows(conn, Posting, rows, returning=("reference", "id"))
    ids: dict[str, int] = {row.reference: row.id for row in inserted}
    return [ids[row["reference"]] for row in rows]


async def refresh_postings(conn: AsyncConnection, rows: Rows) -> None:
    """Update what postings show of their newest record; keys `posting` and `new_<column>` as in `_REFRESHED`."""
    if rows:
        await conn.execute(_REFRESH, rows)


async def note_details(conn: AsyncConnection, row_hashes: Mapping[int, str], at: dt.datetime) -> None:
    """Note that the details of these postings were read, with the hash of each one's list row, by posting id."""
    if row_hashes:
        values = {"ids": list(row_hashes), "hashes": list(row_hashes.values()), "at": at}
        await conn.execute(_NOTE_DETAILS, values)


async def close_versions(conn: AsyncConnection, posting_ids: Collection[int], at: dt.datetime) -> None:
    """End the open version of each posting."""
    if posting_ids:
        open_ones = Version.posting_id.in_(posting_ids) & Version.valid_to.is_(None)
        await conn.execute(update(Version).where(open_ones).values(valid_to=at))


async def add_versions(conn: AsyncConnection, rows: Rows) -> None:
    """Open versions."""
    if rows:
        await insert_rows(conn, Version, rows)


async def open_presences(conn: AsyncConnection, posting_ids: Collection[int], at: dt.datetime, evidence: str) -> None:
    """Open a presence for each posting that has none open."""
    rows = [{"posting_id": each, "opened_at": at, "opened_evidence": evidence} for each in posting_ids]
    if rows:
        await insert_rows(conn, Presence, rows, skip_present=True)


async def note_listings(conn: AsyncConnection, rows: Rows) -> None:
    """Note the first time that a listing channel showed a posting."""
    if rows:
        await insert_rows(conn, PostingChannel, rows, skip_present=True)


async def queue_extractions(conn: AsyncConnection, rows: Rows) -> set[str]:
    """One extraction row per (content, contract); the hashes that were never queued before and are pending now."""
    if not rows:
        return set()
    ordered = sorted(rows, key=itemgetter("content_hash"))
    added = await insert_rows(conn, Extraction, ordered, skip_present=True, returning=("content_hash", "state"))
    return {row.content_hash for row in added if row.state == "pending"}


async def note_rejects(conn: AsyncConnection, rows: Rows) -> None:
    """Write rejects, or count them once more."""
    if not rows:
        return
    statement = upsert(Reject)
    again = {
        "last_at": statement.excluded.last_at,
        "count": Reject.count + 1,
        "detail": statement.excluded.detail,
        "run_id": statement.excluded.run_id,
    }
    ordered = sorted(rows, key=itemgetter("key", "reason", "hash"))
    await conn.execute(
        statement.on_conflict_do_update(index_elements=["source", "key", "reason", "hash"], set_=again), ordered
    )


async def transaction_id(conn: AsyncConnection) -> str:
    """Name of the running transaction, to ask for its fate after a lost connection."""
    return str(await conn.scalar(text("SELECT pg_current_xact_id()::text")))


async def transaction_status(conn: AsyncConnection, transaction: str) -> str | None:
    """Fate of a transaction whose answer never came: committed, aborted, in progress, or None if forgotten."""
    status: str | None = await conn.scalar(text("SELECT pg_xact_status(CAST(:name AS xid8))"), {"name": transaction})
    return status


async def _insert_missing(conn: AsyncConnection, table: Any, rows: Rows, *, key: str) -> None:
    unique = {row[key]: row for row in reversed(rows)}
    if unique:
        await insert_rows(conn, table, [unique[name] for name in sorted(unique)], skip_present=True)


_REFRESHED = (
    "title",
    "url",
    "employer",
    "opening_key",
    "parent",
    "posted_raw",
    "posted_at",
    "posted_precision",
    "identity_hash",
    "row_hash",
    "detail_observed_at",
)
_REFRESH = (
    update(Posting)
    .where(Posting.id == bindparam("posting"))
    .values({name: bindparam(f"new_{name}") for name in _REFRESHED})
)
_NOTE_DETAILS = text(
    "UPDATE posting SET row_hash = read.row_hash, detail_observed_at = CAST(:at AS timestamptz) "
    "FROM unnest(CAST(:ids AS bigint[]), CAST(:hashes AS text[])) AS read (id, row_hash) WHERE posting.id = read.id"
)
