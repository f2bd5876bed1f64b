"""What the database knows of a source's postings, read once when a run starts."""

from __future__ import annotations

from collections import defaultdict
from sys import intern
from typing import Any

from sqlalchemy import Row, case, select
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain.reference import LocalKey
from jobmonitor.domain.versioning import KnownPosting
from jobmonitor.storage.models import Content, Posting, PostingChannel, Version


async def load_known(conn: AsyncConnection, source: str) -> dict[LocalKey, KnownPosting]:
    """Every posting of the source with its open version, by (channel, native id)."""
    listings = await _listings(conn, source)
    rows = await conn.execute(_known_query(source))
    return {(row.channel, row.native_id): _known(row, listings[row.id]) for row in rows}


async def _listings(conn: AsyncConnection, source: str) -> dict[int, frozenset[str]]:
    names: defaultdict[int, set[str]] = defaultdict(set)
    shared: dict[frozenset[str], frozenset[str]] = {}
    query = (
        select(PostingChannel.posting_id, PostingChannel.channel)
        .join(Posting, Posting.id == PostingChannel.posting_id)
        .where(Posting.source == source)
    )
    for posting_id, channel in await conn.execute(query):
        names[posting_id].add(channel)
    frozen = {key: frozenset(value) for key, value in names.items()}
    # Most postings share one set of channels: keep one object for each set.
    return defaultdict(frozenset, {key: shared.setdefault(value, value) for key, value in frozen.items()})


def _known_query(source: str) -> Any:
    return (
        select(
            Posting.id,
            Posting.channel,
            Posting.native_id,
            Posting.state,
            Posting.title,
            Posting.url,
            Posting.identity_hash,
            Posting.row_hash,
            Posting.detail_observed_at,
            Version.number,
            Version.content_hash,
            Version.facts_hash,
            Version.cleaning,
            Version.facts["salary"].astext.label("salary"),
            Content.scheme,
            case((Content.released_at.is_(None), Content.quarantine)).label("quarantine"),
        )
        .join(Version, (Version.posting_id == Posting.id) & Version.valid_to.is_(None))
        .join(Content, Content.hash == Version.content_hash)
        .where(Posting.source == source)
    )


def _known(row: Row[Any], listings: frozenset[str]) -> KnownPosting:
    return KnownPosting(
        posting_id=row.id,
        # Thousands share one spelling of these: keep one object for each.
        state=intern(row.state),
        title=row.title,
        url=row.url,
        version=row.number,
        content_hash=row.content_hash,
        facts_hash=intern(row.facts_hash),
        identity_hash=row.identity_hash,
        row_hash=row.row_hash,
        detail_observed_at=row.detail_observed_at,
        scheme=intern(row.scheme),
        cleaning=row.cleaning,
        salary=row.salary,
        listings=listings,
        quarantine=row.quarantine,
    )
