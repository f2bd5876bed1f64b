"""Periods and due times of the sources: `run-due` claims what is due, and notes when it is due again.

A source is claimed by moving its due time in one statement, so that two rounds at the same time share the work. One
that is being crawled, by whoever, is not due.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy import Row, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain.duty import Due
from jobmonitor.domain.reference import split_source_key
from jobmonitor.storage.models import Extraction, Run, Source

#: Seconds within which a claimed source must have begun; afterwards it is due again.
CLAIM = 300


async def enable(conn: AsyncConnection, source: str, period: dt.timedelta) -> None:
    """Crawl a source on duty from now on, at once for the first time."""
    system, board = split_source_key(source)
    seconds = int(period.total_seconds())
    row = {"key": source, "system": system, "board": board, "period": seconds}
    statement = upsert(Source).values(row)
    await conn.execute(statement.on_conflict_do_update(index_elements=["key"], set_={"period": seconds}))


async def disable(conn: AsyncConnection, source: str) -> bool:
    """Crawl it no more on duty; whether it was."""
    off = {"period": None, "due_at": None, "failures": 0}
    done = await conn.execute(update(Source).where(Source.key == source, Source.period.is_not(None)).values(off))
    return bool(done.rowcount)


async def due(conn: AsyncConnection, now: dt.datetime) -> list[Due]:
    """Sources that are due and not being crawled, with the hosts of their newest run."""
    rows = await conn.execute(_DUE, {"now": now})
    return [Due(source=row.key, since=row.due_at, hosts=tuple(row.hosts or ())) for row in rows]


async def claim(conn: AsyncConnection, source: str, now: dt.datetime) -> bool:
    """Take a due source for this round; False if another round was quicker."""
    statement = (
        update(Source)
        .where(Source.key == source, Source.period.is_not(None), (Source.due_at.is_(None)) | (Source.due_at <= now))
        .values(due_at=now + dt.timedelta(seconds=CLAIM))
    )
    return bool((await conn.execute(statement)).rowcount)


async def standing(conn: AsyncConnection, source: str) -> Row[int | None, int] | None:
    """Period and failures of a source on duty, None if it is not any more."""
    query = select(Source.period, Source.failures).where(Source.key == source, Source.period.is_not(None))
    return (await conn.execute(query)).first()


async def note(conn: AsyncConnection, source: str, due_at: dt.datetime, failures: int) -> None:
    """When it is due again."""
    await conn.execute(update(Source).where(Source.key == source).values(due_at=due_at, failures=failures))


async def newest_state(conn: AsyncConnection, source: str) -> str | None:
    """State of the source's newest run."""
    state: str | None = await conn.scalar(
        select(Run.state).where(Run.source == source).order_by(Run.id.desc()).limit(1)
    )
    return state


async def on_duty(conn: AsyncConnection) -> list[dict[str, Any]]:
    """Every source on duty: source, period, due_at, failures, running_since."""
    return [dict(row._mapping) for row in await conn.execute(_ON_DUTY)]


async def waiting_profiles(conn: AsyncConnection) -> int:
    """Contents that wait for a profile."""
    query = select(func.count()).select_from(Extraction).where(Extraction.state == "pending")
    return int(await conn.scalar(query) or 0)


_DUE = text(
    "SELECT s.key, s.due_at, (SELECT r.hosts FROM run r WHERE r.source = s.key ORDER BY r.id DESC LIMIT 1) AS hosts "
    "FROM source s WHERE s.period IS NOT NULL AND (s.due_at IS NULL OR s.due_at <= CAST(:now AS timestamptz)) "
    "AND NOT EXISTS (SELECT FROM source_lease l WHERE l.source = s.key AND l.expires_at > clock_timestamp()) "
    "ORDER BY s.due_at NULLS FIRST, s.key"
)
_ON_DUTY = text(
    "SELECT s.key AS source, s.period, s.due_at, s.failures, (SELECT r.started_at FROM source_lease l "
    "JOIN run r ON r.id = l.run_id WHERE l.source = s.key AND l.expires_at > clock_timestamp()) AS running_since "
    "FROM source s WHERE s.period IS NOT NULL ORDER BY s.key"
)
