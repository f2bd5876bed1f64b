"""The diary of runs: begin, heartbeat, finish. No reader decides by a run what is valid."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, delete, func, insert, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain.completeness import ChannelVerdict
from jobmonitor.domain.reference import split_source_key
from jobmonitor.errors import NotFound, RunTooOld
from jobmonitor.storage.leases import Lease
from jobmonitor.storage.models import HostLease, Run, RunChannel, Source, SourceLease
from jobmonitor.storage.pages import has_pages


async def begin(
    conn: AsyncConnection, source: str, observed_at: dt.datetime, hosts: Sequence[str] | None = None
) -> int:
    """Open a run of `source` at its logical time; its number.

    Raises:
        RunTooOld: a newer run of the source exists.
    """
    system, board = split_source_key(source)
    row = {"key": source, "system": system, "board": board}
    await conn.execute(upsert(Source).values(row).on_conflict_do_nothing())
    await _refuse_older(conn, source, observed_at)
    values = {"source": source, "observed_at": observed_at, "hosts": list(hosts) if hosts is not None else None}
    return int((await conn.execute(insert(Run).values(values).returning(Run.id))).scalar_one())


async def claim_time(conn: AsyncConnection, source: str, observed_at: dt.datetime) -> None:
    """Note the run's logical time as the source's newest; called once its lease is held.

    Raises:
        RunTooOld: a newer run has written meanwhile.
    """
    not_newer = or_(Source.newest_observed_at.is_(None), Source.newest_observed_at <= observed_at)
    claimed = await conn.execute(
        update(Source).where(Source.key == source, not_newer).values(newest_observed_at=observed_at)
    )
    if not claimed.rowcount:
        await _refuse_older(conn, source, observed_at)


async def _refuse_older(conn: AsyncConnection, source: str, observed_at: dt.datetime) -> None:
    newest = await conn.scalar(select(Source.newest_observed_at).where(Source.key == source))
    if newest is not None and observed_at < newest:
        raise RunTooOld(
            f"{source} was already crawled at {newest.isoformat()}, later than this run's {observed_at.isoformat()}. "
            "History is written forwards only: leave OBSERVED_AT out or set a later time"
        )


async def adoptable(
    conn: AsyncConnection,
    run_id: int,
    *,
    source: str,
    hosts: Sequence[str],
    observed_at: dt.datetime | None,
    window: float,
) -> Row[Any] | None:
    """The newest run of the source before `run_id`, if it was cut off while it crawled: id, observed_at, ledger.

    The caller holds the source's lease, so that a run that calls itself running is dead.

    Args:
        conn: the transaction.
        run_id: the run that asks.
        source: its source key.
        hosts: the hosts it asks; pages of others cannot be its own.
        observed_at: its logical time if that was set, None if it is the clock's.
        window: seconds since the cut-off run's last heartbeat at most.
    """
    query = (
        select(Run.id, Run.observed_at, Run.state, Run.hosts, Run.ledger, Run.heartbeat_at)
        .where(Run.source == source, Run.id < run_id, Run.state.not_in(("deferred", "failed")))
        .order_by(Run.id.desc())
        .limit(1)
    )
    row = (await conn.execute(query)).first()
    if row is None or row.state not in {"running", "interrupted"} or row.hosts != list(hosts):
        return None
    if observed_at is not None and row.observed_at != observed_at:
        return None
    near = await conn.scalar(select(func.now() - row.heartbeat_at < dt.timedelta(seconds=window)))
    return row if near and await has_pages(conn, row.id) else None


async def adopt(conn: AsyncConnection, lease: Lease, run_id: int) -> None:
    """Take up a run that was cut off: its entry is open again, under this lease, and the new entry is not needed."""
    reopened = {"state": "running", "finished_at": None, "reason": None, "heartbeat_at": func.now()}
    await conn.execute(update(Run).where(Run.id == run_id).values(resumed=Run.resumed + 1, **reopened))
    for table in (SourceLease, HostLease):
        await conn.execute(update(table).where(table.token == lease.token).values(run_id=run_id))
    await conn.execute(delete(Run).where(Run.id == lease.run_id))


async def interrupt_others(conn: AsyncConnection, source: str, run_id: int) -> list[int]:
    """Mark earlier runs of the source that never ended: the caller holds the lease, so they are dead."""
    ended = await conn.execute(
        update(Run)
        .where(Run.source == source, Run.state == "running", Run.id != run_id)
        .values(state="interrupted", finished_at=func.now(), reason="no heartbeat; the lease passed on")
        .returning(Run.id)
    )
    return [row.id for row in ended]


async def observed_at(conn: AsyncConnection, run_id: int | None) -> dt.datetime:
    """A run's logical time; the database's clock where there is no run.

    Raises:
        NotFound: no such run.
    """
    if run_id is None:
        now: dt.datetime = (await conn.execute(select(func.now()))).scalar_one()
        return now
    found = await conn.scalar(select(Run.observed_at).where(Run.id == run_id))
    if found is None:
        raise NotFound(f"There is no run {run_id}. List them with `jobmonitor runs`.")
    return found


async def beat(conn: AsyncConnection, run_id: int, ledger: Mapping[str, Any]) -> None:
    """Write the run's heartbeat, with what it has counted so far."""
    await conn.execute(update(Run).where(Run.id == run_id).values(heartbeat_at=func.now(), ledger=dict(ledger)))


async def state_of(conn: AsyncConnection, run_id: int) -> str | None:
    """A run's state, None if there is no such run."""
    state: str | None = await conn.scalar(select(Run.state).where(Run.id == run_id))
    return state


async def end(
    conn: AsyncConnection,
    run_id: int,
    state: str,
    *,
    reason: str | None = None,
    ledger: Mapping[str, Any] | None = None,
    channels: Sequence[ChannelVerdict] = (),
    missed: Mapping[str, tuple[int, int]] | None = None,
) -> None:
    """Close the run's entry with its state, ledger and what it can say of each channel.

    `missed` holds (missed, newly missed) of each complete channel.
    """
    values: dict[str, Any] = {"state": state, "reason": reason, "finished_at": func.now(), "heartbeat_at": func.now()}
    if ledger is not None:
        values["ledger"] = dict(ledger)
    await conn.execute(update(Run).where(Run.id == run_id).values(**values))
    if channels:
        rows = [_channel_row(run_id, channel, missed or {}) for channel in channels]
        # A run that was stopped and taken up again says it twice: the last word counts.
        statement = upsert(RunChannel)
        said = {name: statement.excluded[name] for name in rows[0]}
        await conn.execute(statement.on_conflict_do_update(index_elements=["run_id", "channel"], set_=said), rows)


def _channel_row(run_id: int, verdict: ChannelVerdict, missed: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    counts = missed.get(verdict.listing, (None, None))
    return {
        "run_id": run_id,
        "channel": verdict.listing,
        "complete": verdict.complete,
        "proof": verdict.proof,
        "total": verdict.total,
        "distinct_ids": verdict.distinct_ids,
        "prevented_by": list(verdict.prevented_by),
        "missed": counts[0],
        "newly_missed": counts[1],
    }
