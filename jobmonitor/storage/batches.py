"""The diary of batches: one execution of the extractor each. No reader decides by a batch what is valid."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage import calls, claims
from jobmonitor.storage.models import Batch, Extraction, ModelCall

#: Seconds without a heartbeat after which a batch counts as interrupted, wherever it runs.
SILENCE = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBatch:
    """A batch that is being worked on."""

    id: int
    #: By the database's clock.
    started_at: dt.datetime


async def begin(conn: AsyncConnection, *, run_id: int | None, config_id: int, holder: str) -> OpenBatch:
    """Open a batch; `holder` names the process that runs it."""
    statement = insert(Batch).values(run_id=run_id, config_id=config_id, holder=holder)
    row = (await conn.execute(statement.returning(Batch.id, Batch.started_at))).one()
    return OpenBatch(id=row.id, started_at=row.started_at)


async def beat(conn: AsyncConnection, batch_id: int, counts: Mapping[str, int]) -> None:
    """Write the batch's heartbeat and what it did so far."""
    await conn.execute(
        update(Batch).where(Batch.id == batch_id).values(heartbeat_at=func.clock_timestamp(), counts=dict(counts))
    )


async def end(
    conn: AsyncConnection, batch_id: int, state: str, *, counts: Mapping[str, int], reason: str | None = None
) -> None:
    """Close the batch's entry."""
    now = func.clock_timestamp()
    values = {"state": state, "counts": dict(counts), "reason": reason, "finished_at": now, "heartbeat_at": now}
    await conn.execute(update(Batch).where(Batch.id == batch_id).values(**values))


async def bury(conn: AsyncConnection, *, is_dead: Callable[[str], bool]) -> list[int]:
    """Mark batches that ended without a word; give back the leases of those whose process is known to be dead.

    Args:
        is_dead: tells whether the process that a holder names is gone for certain.
    """
    silent = Batch.heartbeat_at < func.clock_timestamp() - func.make_interval(0, 0, 0, 0, 0, 0, SILENCE)
    query = select(Batch.id, Batch.holder, silent.label("silent")).where(Batch.state == "running").order_by(Batch.id)
    buried = []
    for row in await conn.execute(query.with_for_update(skip_locked=True)):
        dead = bool(row.holder) and is_dead(row.holder)
        if dead:
            await _give_back(conn, row.id)
        if dead or row.silent:
            buried.append(row.id)
    gone = Batch.id.in_(buried)
    values = {"state": "interrupted", "finished_at": func.clock_timestamp(), "reason": "it ended without a word"}
    if buried:
        await conn.execute(update(Batch).where(gone).values(**values))
    return buried


async def _give_back(conn: AsyncConnection, batch_id: int) -> None:
    under_way = select(ModelCall.lease_token).where(ModelCall.batch_id == batch_id, ModelCall.outcome.is_(None))
    held = select(Extraction.lease_token).where(
        Extraction.state == "leased", Extraction.lease_token.in_(under_way.distinct())
    )
    tokens = list((await conn.execute(held.with_for_update(skip_locked=True))).scalars())
    await claims.free(conn, tokens)
    await calls.lose(conn, tokens)
