"""Erases what a person asked to have erased: the text, its records and its profiles. Hashes and history stay.

One text may stand in several postings: it is erased for all of them. What is left is the tombstone of each text and
record, every version with its hashes, and one event `posting.erased` per posting.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import bindparam, func, insert, literal, null, select, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.errors import NotFound
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.models import Content, Erasure, Event, Extraction, Object, Posting, Profile, Version
from jobmonitor.storage.objects import ObjectStore

#: Stands where a title stood.
ERASED_TITLE = "(erased)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What one erasure takes away."""

    #: Content hashes.
    contents: tuple[str, ...]
    #: Hashes of the records behind them.
    records: tuple[str, ...]
    #: References of the postings that ever had one of these texts.
    postings: tuple[str, ...]


async def scope_of_posting(conn: AsyncConnection, posting_id: int) -> Scope:
    """Every text that a posting ever had."""
    query = select(Version.content_hash).where(Version.posting_id == posting_id).distinct()
    return await scope_of_contents(conn, sorted((await conn.execute(query)).scalars()))


async def scope_of_contents(conn: AsyncConnection, hashes: list[str]) -> Scope:
    """These texts, with their records and postings."""
    query = (
        select(Version.record_hash, Posting.reference)
        .join(Posting, Posting.id == Version.posting_id)
        .where(Version.content_hash.in_(hashes))
    )
    found = (await conn.execute(query)).all()
    return Scope(
        contents=tuple(hashes),
        records=tuple(sorted({row.record_hash for row in found})),
        postings=tuple(sorted({row.reference for row in found})),
    )


async def erase(conn: AsyncConnection, scope: Scope, *, reason: str, store: ObjectStore) -> None:
    """Overwrite all that `scope` names and record it; the caller commits at once.

    Args:
        reason: kept in the record of the erasure; never who asked.
        store: where the files of large objects are. They go before the commit: a failure in between leaves nothing
            readable, and erasing again completes it.

    Raises:
        NotFound: there is nothing to erase.
    """
    if not scope.contents:
        raise NotFound("There is no text to erase.")
    await _erase_contents(conn, scope.contents)
    await _erase_profiles(conn, scope.contents)
    await _erase_titles(conn, scope)
    events = await _events(conn, scope)
    rows = [{"posting": event.posting, "content_hash": event.content, "reason": reason} for event in events]
    await conn.execute(insert(Erasure), rows or [{"content_hash": each, "reason": reason} for each in scope.contents])
    await _erase_objects(conn, scope.records, store)
    await append(conn, events)


async def _erase_contents(conn: AsyncConnection, hashes: tuple[str, ...]) -> None:
    await conn.execute(
        update(Content)
        .where(Content.hash.in_(hashes))
        .values(document=null(), simhash=null(), erased_at=func.coalesce(Content.erased_at, func.now()))
    )


async def _erase_profiles(conn: AsyncConnection, hashes: tuple[str, ...]) -> None:
    """Profiles quote the text: their rows stay as diary, emptied; nothing is asked about the text again."""
    empty = literal({}, JSONB)
    await conn.execute(
        update(Profile).where(Profile.content_hash.in_(hashes)).values(profile=empty, evidence=empty, ungrounded=0)
    )
    await conn.execute(
        update(Extraction)
        .where(Extraction.content_hash.in_(hashes))
        .values(
            state="skipped",
            reason="erased",
            profile_id=null(),
            lease_token=null(),
            lease_expires_at=null(),
            updated_at=func.now(),
        )
    )


async def _erase_titles(conn: AsyncConnection, scope: Scope) -> None:
    """A title is the first line of its document: where the current text goes, the title goes, in old events too."""
    current = select(Version.posting_id).where(Version.content_hash.in_(scope.contents), Version.valid_to.is_(None))
    await conn.execute(update(Posting).where(Posting.id.in_(current)).values(title=ERASED_TITLE))
    await conn.execute(
        update(Event)
        .where(Event.content.in_(scope.contents), Event.payload.has_key("title"))
        .values(payload=func.jsonb_set(Event.payload, text("'{title}'"), bindparam("title", ERASED_TITLE, JSONB)))
    )


async def _erase_objects(conn: AsyncConnection, hashes: tuple[str, ...], store: ObjectStore) -> None:
    query = select(Object.hash).where(Object.hash.in_(hashes), Object.path.is_not(None))
    for name in (await conn.execute(query)).scalars():
        store.remove(name)
    await conn.execute(
        update(Object)
        .where(Object.hash.in_(hashes))
        .values(data=null(), path=null(), erased_at=func.coalesce(Object.erased_at, func.now()))
    )


async def _events(conn: AsyncConnection, scope: Scope) -> list[NewEvent]:
    now: dt.datetime = (await conn.execute(select(func.now()))).scalar_one()
    query = (
        select(Posting.id, Posting.reference, Posting.source, Version.number, Version.content_hash, Version.valid_to)
        .join(Version, Version.posting_id == Posting.id)
        .where(Version.content_hash.in_(scope.contents))
        .order_by(Posting.reference, Version.number)
    )
    newest = {row.reference: row for row in await conn.execute(query)}
    return [
        NewEvent(
            kind="posting.erased",
            at=now,
            posting_id=row.id,
            posting=row.reference,
            source=row.source,
            version=row.number,
            content=row.content_hash,
            payload={"title": ERASED_TITLE, "erased_at": now.isoformat()} if row.valid_to is None else {},
        )
        for row in newest.values()
    ]
