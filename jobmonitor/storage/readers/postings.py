"""Postings: the list, one posting whole, its versions, its presence, and when it was last seen."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.errors import NotFound
from jobmonitor.storage.readers.rows import Row, first, like, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingFilter:
    """Which postings to list; None asks nothing."""

    #: Source key, or a system, whose boards are all meant.
    source: str | None = None
    #: active | suspected | gone
    state: str | None = None
    #: Part of the title, whatever the letter case.
    title: str | None = None
    #: Only those whose current version began at or after this time.
    changed_since: dt.datetime | None = None
    #: True: only those held in quarantine.
    quarantine: bool = False
    limit: int = 50


_CONDITIONS = {
    "source": "(source = :source OR system = :source)",
    "state": "state = :state",
    "title": "title ILIKE :title",
    "changed_since": "changed_at >= :changed_since",
}

_VERSIONS = """
SELECT v.number, v.kind, v.valid_from, v.valid_to, v.content_hash, v.facts_hash, v.record_hash, v.facts,
    v.run_id AS run, c.scheme, c.erased_at, v.cleaning
FROM version v JOIN content c ON c.hash = v.content_hash
WHERE v.posting_id = :id ORDER BY v.number
"""

_SEEN = """
SELECT channel, min(first_at) AS first_seen_at, max(last_at) AS last_seen_at
FROM (
    SELECT channel, min(observed_at) AS first_at, max(observed_at) AS last_at FROM page
    WHERE source = :source AND kind <> 'probe' AND ids @> ARRAY[:native_id]::text[]
        AND (:channel = '' OR channel = :channel)
    GROUP BY channel
    UNION ALL
    SELECT channel, first_seen_at, last_seen_at FROM posting_channel WHERE posting_id = :id
) seen
GROUP BY channel ORDER BY channel
"""

_NEAR = """
SELECT reference FROM posting
WHERE native_id = :native_id OR reference ILIKE :pattern
ORDER BY (native_id = :native_id) DESC, reference LIMIT 5
"""


async def postings(conn: AsyncConnection, wanted: PostingFilter) -> tuple[list[Row], bool]:
    """Rows of `current_posting`, last changed first, and whether there are more than `wanted.limit`."""
    asked = {name: getattr(wanted, name) for name in _CONDITIONS if getattr(wanted, name) is not None}
    conditions = [_CONDITIONS[name] for name in asked]
    if wanted.quarantine:
        conditions.append("quarantine IS NOT NULL")
    if wanted.title is not None:
        asked["title"] = like(wanted.title)
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    # Only the fixed conditions above become SQL; what was asked for is bound.
    sql = f"SELECT * FROM current_posting {where} ORDER BY changed_at DESC, posting LIMIT :most"  # noqa: S608
    found = await rows(conn, sql, **asked, most=wanted.limit + 1)
    return found[: wanted.limit], len(found) > wanted.limit


async def find_posting(conn: AsyncConnection, reference: str) -> Row:
    """The posting row (id, reference, source, channel, native_id) of a reference.

    Raises:
        NotFound: no such posting; the message names near ones, or how to list.
    """
    found = await first(
        conn,
        "SELECT id, reference, source, channel, native_id FROM posting WHERE reference = :reference",
        reference=reference,
    )
    if found is None:
        raise NotFound(f"There is no posting {reference!r}. {await _hint(conn, reference)}")
    return found


async def _hint(conn: AsyncConnection, reference: str) -> str:
    native_id = reference.rpartition("/")[2].rpartition(":")[2]
    if native_id:
        near = await rows(conn, _NEAR, native_id=native_id, pattern=like(native_id))
        if near:
            return f"Did you mean {' or '.join(row['reference'] for row in near)}?"
    sources = await rows(conn, "SELECT key FROM source ORDER BY key LIMIT 8")
    if not sources:
        return "The database holds no postings yet: crawl a source first, for example `scrapy crawl tencent`."
    source = reference.partition("/")[0]
    if any(row["key"] == source for row in sources):
        return f"List them with `jobmonitor postings --source {source}`."
    known = ", ".join(row["key"] for row in sources)
    return f"A reference looks like greenhouse:stripe/123; list them with `jobmonitor postings`. Sources: {known}."


async def posting(conn: AsyncConnection, reference: str) -> Row:
    """One posting whole: its `current_posting` row, document, facts, versions, presence and last sightings.

    Raises:
        NotFound: see `find_posting`.
    """
    key = await find_posting(conn, reference)
    row = await first(conn, "SELECT * FROM current_posting WHERE posting = :reference", reference=reference)
    if row is None:
        raise NotFound(f"{reference} has no version yet.")
    document = await first(conn, "SELECT document FROM content WHERE hash = :hash", hash=row["content_hash"])
    history = await versions(conn, key["id"])
    seen = await last_seen(conn, key)
    return {
        **row,
        "last_seen_at": max((each["last_seen_at"] for each in seen), default=None),
        "facts": history[-1]["facts"],
        "document": document["document"] if document else None,
        "versions": [{name: each[name] for name in each if name != "facts"} for each in history],
        "presence": await presences(conn, key["id"]),
        "seen": seen,
    }


async def versions(conn: AsyncConnection, posting_id: int) -> list[Row]:
    """Every version of a posting, oldest first."""
    return await rows(conn, _VERSIONS, id=posting_id)


async def presences(conn: AsyncConnection, posting_id: int) -> list[Row]:
    """The spans in which a posting was open, oldest first."""
    return await rows(
        conn,
        "SELECT opened_at, opened_evidence, closed_at, closed_evidence FROM presence"
        " WHERE posting_id = :id ORDER BY opened_at, id",
        id=posting_id,
    )


async def last_seen(conn: AsyncConnection, key: Row) -> list[Row]:
    """Per listing channel when a posting was first and last shown, derived from the page ledger.

    Pages are pruned after a while; what they knew by then stands in `posting_channel`.
    """
    return await rows(
        conn,
        _SEEN,
        id=key["id"],
        source=key["source"],
        channel=key["channel"],
        native_id=key["native_id"],
    )
