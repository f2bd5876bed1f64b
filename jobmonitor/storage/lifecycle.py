"""What counts against postings, and what it makes of them: the statements behind `jobmonitor.crawling.settling`.

Nothing here commits or decides. On a day on which nothing is missed only two short lists are read.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ARRAY, BigInteger, Row, bindparam, func, null, or_, select, text, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.bulk import insert_rows
from jobmonitor.storage.models import Posting, PostingChannel, Presence

#: How many of the newest runs of a channel are its past.
PAST_RUNS = 30


async def missed_before(conn: AsyncConnection, source: str) -> list[Row[Any]]:
    """(posting_id, channel) with counted misses."""
    query = (
        select(PostingChannel.posting_id, PostingChannel.channel)
        .join(Posting, Posting.id == PostingChannel.posting_id)
        .where(Posting.source == source, PostingChannel.misses > 0)
    )
    return list(await conn.execute(query))


async def signalled_before(conn: AsyncConnection, source: str) -> list[int]:
    """Postings with counted closed signals."""
    query = select(Posting.id).where(Posting.source == source, Posting.signals > 0)
    return list((await conn.execute(query)).scalars())


async def count_misses(
    conn: AsyncConnection, channel: str, posting_ids: Collection[int], at: dt.datetime, gap: dt.timedelta
) -> dict[int, int]:
    """Count a miss of each posting in the channel, unless the last one is too near; the new counts."""
    if not posting_ids:
        return {}
    due = or_(PostingChannel.last_missed_at.is_(None), PostingChannel.last_missed_at <= at - gap)
    statement = (
        update(PostingChannel)
        .where(PostingChannel.posting_id.in_(_ids(posting_ids)), PostingChannel.channel == channel, due)
        .values(misses=PostingChannel.misses + 1, last_missed_at=at)
        .returning(PostingChannel.posting_id, PostingChannel.misses)
    )
    return {row.posting_id: row.misses for row in await conn.execute(statement)}


async def note_seen(conn: AsyncConnection, pairs: Collection[tuple[int, str]], at: dt.datetime) -> None:
    """Forget the misses of (posting id, channel) that were seen; the time is kept."""
    if pairs:
        seen = tuple_(PostingChannel.posting_id, PostingChannel.channel).in_(sorted(pairs))
        await conn.execute(update(PostingChannel).where(seen).values(misses=0, last_missed_at=null(), last_seen_at=at))


async def count_signals(conn: AsyncConnection, evidence: Mapping[int, str], at: dt.datetime, gap: dt.timedelta) -> None:
    """Count a closed signal of each posting, unless the last one is too near."""
    if not evidence:
        return
    await conn.execute(
        _COUNT_SIGNALS, {"ids": list(evidence), "words": list(evidence.values()), "at": at, "before": at - gap}
    )


async def forget_signals(conn: AsyncConnection, posting_ids: Collection[int]) -> None:
    """The postings were seen: what the site said against them counts no more."""
    if posting_ids:
        nothing = {"signals": 0, "signalled_at": null(), "signal": null()}
        await conn.execute(update(Posting).where(Posting.id.in_(_ids(posting_ids))).values(nothing))


async def note_probed(conn: AsyncConnection, posting_ids: Collection[int], at: dt.datetime) -> None:
    """The postings' own addresses were asked."""
    if posting_ids:
        await conn.execute(update(Posting).where(Posting.id.in_(_ids(posting_ids))).values(probed_at=at))


async def doubtful(conn: AsyncConnection, source: str) -> list[Row[Any]]:
    """Postings that something counts against: id, reference, state, misses and channels (arrays), signals, signal."""
    return list(await conn.execute(_DOUBTFUL.where(Posting.source == source)))


async def away(conn: AsyncConnection, posting_ids: Collection[int]) -> list[Row[Any]]:
    """Those of the postings that are suspected or gone: id, reference, state."""
    if not posting_ids:
        return []
    query = select(Posting.id, Posting.reference, Posting.state)
    return list(await conn.execute(query.where(Posting.id.in_(_ids(posting_ids)), Posting.state != "active")))


async def set_state(conn: AsyncConnection, posting_ids: Collection[int], state: str) -> None:
    """Give the postings a state."""
    if posting_ids:
        await conn.execute(update(Posting).where(Posting.id.in_(_ids(posting_ids))).values(state=state))


async def close_presences(conn: AsyncConnection, evidence: Mapping[int, str], at: dt.datetime) -> None:
    """End the open presence of each posting, by its evidence."""
    if evidence:
        values = {"ids": list(evidence), "words": list(evidence.values()), "at": at}
        await conn.execute(_CLOSE_PRESENCES, values)


async def open_presences(conn: AsyncConnection, posting_ids: Collection[int], at: dt.datetime) -> None:
    """Open a new presence for postings that came back."""
    if posting_ids:
        rows = [{"posting_id": each, "opened_at": at, "opened_evidence": "listed again"} for each in posting_ids]
        await insert_rows(conn, Presence, rows, skip_present=True)


async def past_shares(conn: AsyncConnection, source: str, channel: str) -> list[float]:
    """Share of the channel that vanished in each of its newest complete runs."""
    values = {"source": source, "channel": channel, "limit": PAST_RUNS}
    return [float(row.share) for row in await conn.execute(_PAST_SHARES, values)]


async def successors(conn: AsyncConnection, source: str, missing: Collection[int], at: dt.datetime) -> list[Row[Any]]:
    """Missing postings whose opening stands in a posting first seen now: id, reference, successor."""
    if not missing:
        return []
    return list(await conn.execute(_SUCCESSORS, {"source": source, "ids": list(missing), "at": at}))


async def set_successors(conn: AsyncConnection, pairs: Sequence[tuple[int, str]]) -> None:
    """Link postings to those they moved to, by reference."""
    if pairs:
        statement = update(Posting).where(Posting.id == bindparam("posting")).values(successor=bindparam("new"))
        await conn.execute(statement, [{"posting": each, "new": reference} for each, reference in pairs])


async def unseen_since(
    conn: AsyncConnection, posting_ids: Collection[int], channels: Collection[str], since: dt.datetime, limit: int
) -> list[int]:
    """Those of the postings that no page of the channels showed after `since`, those not asked for longest first."""
    if not posting_ids or limit <= 0:
        return []
    values = {"ids": list(posting_ids), "channels": list(channels), "since": since, "limit": limit}
    return list((await conn.execute(_UNSEEN, values)).scalars())


async def stale_active(conn: AsyncConnection) -> int:
    """Postings still active that a complete crawl of their channel did not show."""
    query = select(func.count(func.distinct(Posting.id))).join(PostingChannel, PostingChannel.posting_id == Posting.id)
    return int(await conn.scalar(query.where(Posting.state == "active", PostingChannel.misses > 0)) or 0)


def _ids(posting_ids: Collection[int]) -> Any:
    """One array parameter, however many ids there are."""
    return select(func.unnest(bindparam(None, list(posting_ids), ARRAY(BigInteger), unique=True)))


_DOUBTFUL = (
    select(
        Posting.id,
        Posting.reference,
        Posting.state,
        Posting.signals,
        Posting.signal,
        func.array_agg(PostingChannel.misses).label("misses"),
        func.array_agg(PostingChannel.channel).label("channels"),
    )
    .join(PostingChannel, PostingChannel.posting_id == Posting.id)
    .where(Posting.state != "gone")
    .group_by(Posting.id)
    .having(or_(func.min(PostingChannel.misses) > 0, Posting.signals > 0))
    .order_by(Posting.id)
)
_COUNT_SIGNALS = text(
    "UPDATE posting SET signals = signals + 1, signalled_at = CAST(:at AS timestamptz), signal = told.word "
    "FROM unnest(CAST(:ids AS bigint[]), CAST(:words AS text[])) AS told (id, word) "
    "WHERE posting.id = told.id AND (signalled_at IS NULL OR signalled_at <= CAST(:before AS timestamptz))"
)
_CLOSE_PRESENCES = text(
    "UPDATE presence SET closed_at = CAST(:at AS timestamptz), closed_evidence = told.word "
    "FROM unnest(CAST(:ids AS bigint[]), CAST(:words AS text[])) AS told (id, word) "
    "WHERE presence.posting_id = told.id AND closed_at IS NULL"
)
_PAST_SHARES = text(
    "SELECT c.newly_missed::float / greatest(c.distinct_ids + c.newly_missed, 1) AS share "
    "FROM run_channel c JOIN run r ON r.id = c.run_id "
    "WHERE r.source = :source AND c.channel = :channel AND c.complete AND c.newly_missed IS NOT NULL "
    "ORDER BY c.run_id DESC LIMIT :limit"
)
_SUCCESSORS = text(
    "SELECT DISTINCT ON (old.id) old.id, old.reference, new.reference AS successor FROM posting old "
    "JOIN posting new ON new.source = old.source AND new.opening_key = old.opening_key AND new.id <> old.id "
    "WHERE old.id = ANY(CAST(:ids AS bigint[])) AND old.successor IS NULL AND old.source = :source "
    "AND new.first_observed_at = CAST(:at AS timestamptz) ORDER BY old.id, new.id"
)
_UNSEEN = text(
    "SELECT p.id FROM posting p WHERE p.id = ANY(CAST(:ids AS bigint[])) AND p.state <> 'gone' "
    "AND NOT EXISTS (SELECT 1 FROM posting_channel c WHERE c.posting_id = p.id AND c.last_seen_at > :since) "
    "AND NOT EXISTS (SELECT 1 FROM page g WHERE g.source = p.source AND g.channel = ANY(CAST(:channels AS text[])) "
    "AND g.observed_at > :since AND g.kind <> 'probe' AND g.ids @> ARRAY[p.native_id COLLATE \"C\"]) "
    "ORDER BY p.probed_at NULLS FIRST, p.id LIMIT :limit"
)
