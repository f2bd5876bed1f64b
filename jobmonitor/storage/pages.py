"""The page ledger: one row per page of a run, written in groups, read again when a run is taken up.

A row only ever moves forwards: a page that is noted as pending once more keeps what it has reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.bulk import Rows, encoded
from jobmonitor.storage.models import Page, Posting, Reject, Version

#: Every column that a note sets; NULL and empty arrays say nothing new.
COLUMNS = (
    "run_id",
    "source",
    "channel",
    "kind",
    "method",
    "url",
    "request_hash",
    "request",
    "walk",
    "number",
    "state",
    "failure",
    "status",
    "attempts",
    "ids",
    "total",
    "proof",
    "body_hash",
    "etag",
    "last_modified",
    "redirected_to",
    "evidence",
    "observed_at",
)
#: Columns of which the newest stated value counts.
_LATEST = (
    "failure",
    "status",
    "total",
    "proof",
    "body_hash",
    "etag",
    "last_modified",
    "redirected_to",
    "evidence",
    "number",
)
Name = tuple[str, int, str]


async def note_pages(conn: AsyncConnection, rows: Rows) -> None:
    """Write notes into the ledger; several of one page in a group count in their order."""
    if rows:
        await conn.execute(_NOTE, {"rows": encoded(merged(rows))})


def merged(rows: Rows) -> list[dict[str, Any]]:
    """One row for each page, in the order of their first notes; the database takes each once in a statement."""
    pages: dict[Name | int, dict[str, Any]] = {}
    for number, row in enumerate(rows):
        name = (row["channel"], row["walk"], row["request_hash"]) if row["request_hash"] else number
        pages[name] = _after(pages[name], row) if name in pages else dict(row)
    for row in pages.values():
        if row["state"] == "done" and row["failure"]:
            row["state"] = "failed"
    return list(pages.values())


def _after(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    latest = {name: old[name] if new[name] is None else new[name] for name in _LATEST}
    return {
        **old,
        **latest,
        "state": old["state"] if new["state"] == "pending" else new["state"],
        "request": old["request"] or new["request"],
        "ids": new["ids"] or old["ids"],
        "attempts": old["attempts"] + new["attempts"],
    }


async def pages_of(conn: AsyncConnection, run_id: int) -> Sequence[Row[Any]]:
    """Every page of a run, in the order in which they were first noted."""
    return (await conn.execute(select(*Page.__table__.c).where(Page.run_id == run_id).order_by(Page.id))).all()


async def kinds_of(conn: AsyncConnection, run_id: int) -> dict[tuple[str, str], str]:
    """Change kind of each posting that a run wrote a version of, by (channel, native id); its first one."""
    query = (
        select(Posting.channel, Posting.native_id, Version.kind)
        .join(Posting, Posting.id == Version.posting_id)
        .where(Version.run_id == run_id)
        .order_by(Version.number.desc())
    )
    return {(row.channel, row.native_id): row.kind for row in await conn.execute(query)}


async def rejects_of(conn: AsyncConnection, run_id: int) -> dict[str, str]:
    """Reason of each reject that a run met, by key."""
    rows = await conn.execute(select(Reject.key, Reject.reason).where(Reject.run_id == run_id))
    return {row.key: row.reason for row in rows}


async def has_pages(conn: AsyncConnection, run_id: int) -> bool:
    """Whether a run got as far as to ask for a page."""
    return await conn.scalar(select(Page.id).where(Page.run_id == run_id).limit(1)) is not None


_NAMES = ", ".join(COLUMNS)
_NEWEST = ", ".join(f"{name} = coalesce(excluded.{name}, page.{name})" for name in _LATEST)
_NOTE = text(
    f"INSERT INTO page ({_NAMES}) SELECT {_NAMES} "  # noqa: S608 - our own names
    "FROM json_populate_recordset(NULL::page, CAST(:rows AS json)) "
    "ON CONFLICT (run_id, channel, walk, request_hash) DO UPDATE SET "
    f"{_NEWEST}, "
    "state = CASE WHEN excluded.state = 'pending' THEN page.state "
    "WHEN excluded.state = 'done' AND coalesce(excluded.failure, page.failure) IS NOT NULL THEN 'failed' "
    "ELSE excluded.state END, "
    "request = CASE WHEN excluded.state IN ('done', 'failed') THEN NULL "
    "ELSE coalesce(page.request, excluded.request) END, "
    "ids = CASE WHEN cardinality(excluded.ids) > 0 THEN excluded.ids ELSE page.ids END, "
    "attempts = page.attempts + excluded.attempts, observed_at = excluded.observed_at"
)
