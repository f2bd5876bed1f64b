"""Lets a text out of quarantine: it may be sent to a model, indexed and exported from then on."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import Update, func, null, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.errors import NotFound
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.models import Content, Extraction, Posting, Version
from jobmonitor.storage.readers.contents import content_of
from jobmonitor.storage.readers.postings import find_posting
from jobmonitor.storage.readers.rows import Row


async def release(conn: AsyncConnection, reference: str) -> Row:
    """Release the current text of a posting, for every posting that has the same text.

    One event `posting.released` for each; the caller commits at once.

    Raises:
        NotFound: no such posting, or its text is not held.
    """
    key = await find_posting(conn, reference)
    content_hash = await content_of(conn, key["id"])
    held = update(Content).values(released_at=func.now())
    held = held.where(Content.hash == content_hash, Content.quarantine.is_not(None))
    held = held.where(Content.released_at.is_(None), Content.erased_at.is_(None))
    reason = (await conn.execute(held.returning(Content.quarantine))).scalar_one_or_none()
    if reason is None:
        raise NotFound(f"{reference} is not held. `jobmonitor postings --quarantine` lists those that are.")
    await conn.execute(_wanted_again(content_hash))
    events = await _events(conn, content_hash)
    await append(conn, events)
    return {"content_hash": content_hash, "quarantine": reason, "postings": [event.posting for event in events]}


def _wanted_again(content_hash: str) -> Update:
    return (
        update(Extraction)
        .where(Extraction.content_hash == content_hash, Extraction.state == "skipped")
        .where(Extraction.reason == "quarantined")
        .values(state="pending", reason=null(), updated_at=func.now())
    )


async def _events(conn: AsyncConnection, content_hash: str) -> list[NewEvent]:
    now: dt.datetime = (await conn.execute(select(func.now()))).scalar_one()
    query = (
        select(Posting.id, Posting.reference, Posting.source, Version.number)
        .join(Version, Version.posting_id == Posting.id)
        .where(Version.content_hash == content_hash, Version.valid_to.is_(None))
        .order_by(Posting.reference)
    )
    return [
        NewEvent(
            kind="posting.released",
            at=now,
            posting_id=row.id,
            posting=row.reference,
            source=row.source,
            version=row.number,
            content=content_hash,
            payload={"quarantine": None},
        )
        for row in await conn.execute(query)
    ]
