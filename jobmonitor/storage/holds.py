"""Disappearances that are held back until a second complete run, or a person, releases them."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.models import Hold


async def open_holds(conn: AsyncConnection, source: str) -> dict[str, dt.datetime]:
    """Observed time of each open hold of the source, by channel."""
    query = select(Hold.channel, Hold.observed_at).where(Hold.source == source, Hold.released_at.is_(None))
    return {row.channel: row.observed_at for row in await conn.execute(query)}


async def hold(
    conn: AsyncConnection,
    source: str,
    channel: str,
    *,
    run_id: int,
    at: dt.datetime,
    missing: int,
    known: int,
    reason: str,
) -> None:
    """Hold a disappearance; a hold that is open already is renewed."""
    await release(conn, source, channel, by="run")
    row = {"source": source, "channel": channel, "run_id": run_id, "observed_at": at}
    await conn.execute(insert(Hold).values(**row, missing=missing, known=known, reason=reason))


async def release(conn: AsyncConnection, source: str, channel: str | None = None, *, by: str) -> list[str]:
    """Release the open holds of a source, or of one channel; the channels that were held."""
    statement = update(Hold).where(Hold.source == source, Hold.released_at.is_(None))
    if channel is not None:
        statement = statement.where(Hold.channel == channel)
    released = statement.values(released_at=func.now(), released_by=by).returning(Hold.channel)
    return sorted((await conn.execute(released)).scalars())
