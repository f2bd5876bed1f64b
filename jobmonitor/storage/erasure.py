"""Erases what a person asked to have erased: the text, its records and its profiles. Hashes and history stay.

One text may stand in several postings: it is erased for all of them. What is left is the tombstone of each text and
record, every version with its hashes, and one event `posting.erased` per posting. Locks come first: a crawl or an
extractor that holds a text is waited for, and what it wrote meanwhile is erased too.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, literal, null, select, update
from sqlalchemy.dialects.postgresql import JSONB, array
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.errors import NotFound
from jobmonitor.storage.columns import ERASED_TITLE, changed, plain
from jobmonitor.storage.effective import effective_values
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.models import (
    Content,
    Erasure,
    Event,
    Extraction,
    ModelCall,
    Object,
    Posting,
    Profile,
    Reject,
    Version,
)
from jobmonitor.storage.objects import ObjectStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What one erasure takes away."""

    #: Content hashes.
    contents: tuple[str, ...]
    #: Hashes of the records behind them, those of rejects of the same postings included.
    records: tuple[str, ...]
    #: References of the postings that ever had one of these texts.
    postings: tuple[str, ...]
    #: Ids of these rejects.
    rejects: tuple[int, ...] = ()
    #: The posting all of whose texts are meant; None = these texts alone.
    posting_id: int | None = None


async def scope_of_posting(conn: AsyncConnection, posting_id: int) -> Scope:
    """Every text that a posting ever had."""
    query = select(Version.content_hash).where(Version.posting_id == posting_id).distinct()
    scope = await scope_of_contents(conn, sorted((await conn.execute(query)).scalars()))
    return replace(scope, posting_id=posting_id)


async def scope_of_contents(conn: AsyncConnection, hashes: Sequence[str]) -> Scope:
    """These texts, with their records and postings."""
    query = (
        select(Version.record_hash, Posting.reference)
        .join(Posting, Posting.id == Version.posting_id)
        .where(Version.content_hash.in_(hashes))
    )
    found = (await conn.execute(query)).all()
    rejects = (await conn.execute(_rejects(hashes))).all()
    records = {row.record_hash for row in found} | {row.record_hash for row in rejects if row.record_hash}
    return Scope(
        contents=tuple(hashes),
        records=tuple(sorted(records)),
        postings=tuple(sorted({row.reference for row in found})),
        rejects=tuple(row.id for row in rejects),
    )


def _rejects(hashes: Sequence[str]) -> Select[int, str | None]:
    """What was rejected of the postings that ever had one of these texts: it may say what the text says."""
    of_posting = (
        select(Version.id)
        .join(Posting, Posting.id == Version.posting_id)
        .where(Posting.source == Reject.source, Posting.native_id == Reject.key, Version.content_hash.in_(hashes))
    )
    return select(Reject.id, Reject.record_hash).where(of_posting.exists()).order_by(Reject.id)


async def erase(conn: AsyncConnection, scope: Scope, *, reason: str, store: ObjectStore) -> Scope:
    """Overwrite all that `scope` names and record it; the caller commits at once.

    Args:
        reason: kept in the record of the erasure; never who asked.
        store: where the files of large objects are. They go before the commit: a failure in between leaves nothing
            readable, and erasing again completes it.

    Returns:
        What was erased: `scope`, and what came to it before it was locked.

    Raises:
        NotFound: there is nothing to erase.
    """
    if not scope.contents:
        raise NotFound("There is no text to erase.")
    scope = await _locked(conn, scope)
    before = await effective_values(conn, scope.postings)
    await _erase_contents(conn, scope.contents)
    await _erase_profiles(conn, scope.contents)
    await _erase_titles(conn, scope)
    await conn.execute(update(Reject).where(Reject.id.in_(scope.rejects)).values(detail=""))
    after = await effective_values(conn, scope.postings)
    events = await _events(conn, scope, {name: changed(before[name], shown) for name, shown in after.items()})
    rows = [{"posting": event.posting, "content_hash": event.content, "reason": reason} for event in events]
    await conn.execute(insert(Erasure), rows or [{"content_hash": each, "reason": reason} for each in scope.contents])
    await _erase_objects(conn, scope.records, store)
    await append(conn, events)
    return scope


async def _locked(conn: AsyncConnection, scope: Scope) -> Scope:
    """The scope as it is once all its texts are locked."""
    held: set[str] = set()
    while missing := sorted(set(scope.contents) - held):
        await _lock(conn, missing)
        held.update(missing)
        # Each look sees what was committed while the locks were waited for; a posting may have a further text by now.
        if scope.posting_id is None:
            scope = await scope_of_contents(conn, scope.contents)
        else:
            scope = await scope_of_posting(conn, scope.posting_id)
    return scope


async def _lock(conn: AsyncConnection, hashes: Sequence[str]) -> None:
    """Contents first: nobody can queue one of them any more. Then extractions: nobody is at work on one."""
    contents = select(Content.hash).where(Content.hash.in_(hashes)).order_by(Content.hash)
    await conn.execute(contents.with_for_update())
    extractions = select(Extraction.contract).where(Extraction.content_hash.in_(hashes))
    await conn.execute(extractions.order_by(Extraction.content_hash, Extraction.contract).with_for_update())


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
    await _overwrite_in_events(conn, hashes, "profile", {})
    await conn.execute(update(ModelCall).where(ModelCall.content_hash.in_(hashes)).values(error=null()))
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
    await _overwrite_in_events(conn, scope.contents, "title", ERASED_TITLE)


async def _overwrite_in_events(conn: AsyncConnection, hashes: tuple[str, ...], name: str, value: Any) -> None:
    """Replace one member of the payloads that have it."""
    await conn.execute(
        update(Event)
        .where(Event.content.in_(hashes), Event.payload.has_key(name))
        .values(payload=func.jsonb_set(Event.payload, array([name]), bindparam("value", value, JSONB)))
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


async def _events(conn: AsyncConnection, scope: Scope, lost: Mapping[str, dict[str, Any]]) -> list[NewEvent]:
    """One event per posting; `lost` is what the text alone had told, by reference."""
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
            payload={"title": ERASED_TITLE, "erased_at": plain(now)} | lost[row.reference]
            if row.valid_to is None
            else {},
        )
        for row in newest.values()
    ]
