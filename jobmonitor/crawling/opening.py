"""Opening a run: database, schema, leases and known state, in this order, before the first request."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from scrapy.settings import BaseSettings
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.config import Config, load_config
from jobmonitor.crawling.adopting import Resumed, load_resumed
from jobmonitor.crawling.clock import observed_at
from jobmonitor.crawling.holder import is_dead, this_process
from jobmonitor.domain.reference import LocalKey
from jobmonitor.domain.versioning import KnownPosting
from jobmonitor.errors import DatabaseUnavailable, JobMonitorError, LeaseHeld
from jobmonitor.extraction.contract import load_contract
from jobmonitor.items import Validator
from jobmonitor.storage import leases, runs
from jobmonitor.storage.engine import create_engine, database_url
from jobmonitor.storage.faults import brief
from jobmonitor.storage.known import load_known
from jobmonitor.storage.leases import Holder, Lease
from jobmonitor.storage.migrate import require_head
from jobmonitor.storage.objects import ObjectStore
from jobmonitor.storage.validators import load_validators

logger = logging.getLogger(__name__)

#: Seconds between two looks at a host that another source is crawling.
HOST_POLL = 0.5


#: A logical time further ahead is worth a warning: history is written forwards only.
FUTURE = dt.timedelta(days=1)

#: Why a run ended that was stopped before it began to crawl.
STOPPED = "It was stopped before its first request. Run the same command again"


class HostBusy(JobMonitorError):
    """Another source is crawling the same host."""

    code = "host_busy"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run that may write."""

    config: Config
    observed_at: dt.datetime
    engine: AsyncEngine
    lease: Lease
    objects: ObjectStore
    known: dict[LocalKey, KnownPosting]
    #: What the run did before it was cut off; None for a new one.
    resumed: Resumed | None = None
    #: Names of the newest bodies, by fingerprint of their requests.
    validators: dict[str, Validator] = field(default_factory=dict)


async def open_run(source: str, hosts: Sequence[str], settings: BaseSettings) -> OpenRun:
    """Open a run of `source` that will ask `hosts`. Cancelling it closes the run's entry in the diary.

    Raises:
        JobMonitorError: it cannot be opened; the message says what to do. A run that got its number is closed again.
    """
    config = load_config()
    load_contract(config.contract)
    moment = observed_at(settings.get("OBSERVED_AT"), config.timezone)
    if moment - dt.datetime.now(tz=dt.UTC) > FUTURE:
        logger.warning("OBSERVED_AT %s lies in the future: until then, runs of %s are refused", moment, source)
    engine = create_engine(await asyncio.to_thread(database_url, config))
    try:
        await require_head(engine, embedded=config.database_url is None)
        lease = await _begin(engine, source, moment, _places(hosts, settings))
        taken = await _take_or_abandon(engine, lease, hosts, moment, settings)
    except DBAPIError as error:
        await engine.dispose()
        raise DatabaseUnavailable(f"The database refuses to work: {brief(error)}") from None
    except BaseException:
        await engine.dispose()
        raise
    objects = ObjectStore(config.object_store)
    return OpenRun(
        config=config,
        observed_at=taken.observed_at,
        engine=engine,
        lease=taken.lease,
        objects=objects,
        known=taken.known,
        resumed=taken.resumed,
        validators=taken.validators,
    )


class _Taken(NamedTuple):
    lease: Lease
    observed_at: dt.datetime
    known: dict[LocalKey, KnownPosting]
    resumed: Resumed | None
    validators: dict[str, Validator]


def _places(hosts: Sequence[str], settings: BaseSettings) -> list[str]:
    """Where a run reads: hosts, or the folder that answers for them."""
    replayed = settings.get("REPLAY_DIR")
    return [str(Path(replayed).resolve())] if replayed else sorted(hosts)


async def _begin(engine: AsyncEngine, source: str, moment: dt.datetime, places: Sequence[str]) -> Lease:
    async with engine.begin() as conn:
        run_id = await runs.begin(conn, source, moment, places)
    return Lease(source=source, run_id=run_id, token=uuid.uuid4(), holder=this_process())


async def _take_or_abandon(
    engine: AsyncEngine,
    lease: Lease,
    hosts: Sequence[str],
    moment: dt.datetime,
    settings: BaseSettings,
) -> _Taken:
    try:
        ttl = settings.getfloat("LEASE_TTL")
        await _take_source(engine, lease, ttl)
        for host in sorted(hosts):
            await _take_host(engine, lease, host, ttl, settings.getfloat("HOST_PATIENCE"))
        lease = replace(lease, hosts=tuple(sorted(hosts)))
        return await _know(engine, lease, moment, settings)
    except BaseException as error:
        await asyncio.shield(abandon(engine, lease, error))
        raise


async def _know(engine: AsyncEngine, lease: Lease, moment: dt.datetime, settings: BaseSettings) -> _Taken:
    async with engine.begin() as conn:
        await leases.guard(conn, lease)
        lease, moment, resumed = await _take_up(conn, lease, moment, settings)
        await runs.claim_time(conn, lease.source, moment)
        for each in await runs.interrupt_others(conn, lease.source, lease.run_id):
            logger.info("Run %d of %s ended without a word; this run does its work", each, lease.source)
        validators = await load_validators(conn, lease.source)
        return _Taken(lease, moment, await load_known(conn, lease.source), resumed, validators)


async def _take_up(
    conn: AsyncConnection, lease: Lease, moment: dt.datetime, settings: BaseSettings
) -> tuple[Lease, dt.datetime, Resumed | None]:
    """The run of before, if it was cut off not long ago; otherwise the new one."""
    found = await runs.adoptable(
        conn,
        lease.run_id,
        source=lease.source,
        hosts=_places(lease.hosts, settings),
        observed_at=moment if settings.get("OBSERVED_AT") else None,
        window=settings.getfloat("RESUME_WINDOW") * 3600,
    )
    if found is None:
        return lease, moment, None
    await runs.adopt(conn, lease, found.id)
    logger.info("Run %d of %s was cut off; it is taken up again", found.id, lease.source)
    return replace(lease, run_id=found.id), found.observed_at, await load_resumed(conn, found.id, found.ledger)


async def _take_source(engine: AsyncEngine, lease: Lease, ttl: float) -> None:
    async with engine.begin() as conn:
        held = await leases.acquire_source(conn, lease, ttl=ttl, is_dead=is_dead)
    if held:
        raise LeaseHeld(
            f"{lease.source} is being crawled by run {held.run_id} (its lease ends at {held.expires_at:%H:%M:%S} "
            "unless renewed). Wait for it or stop it first; a crashed run frees its source by itself"
        )


async def _take_host(engine: AsyncEngine, lease: Lease, host: str, ttl: float, patience: float) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    told = False
    while held := await _host_held(engine, lease, host, ttl):
        if loop.time() > deadline:
            raise HostBusy(
                f"{host} has been crawled by run {held.run_id} for more than {patience:.0f} s (HOST_PATIENCE). "
                "One source at a time asks a host, so this run is deferred: run it again later"
            )
        if not told:
            logger.info("Waiting for %s, which run %d is crawling", host, held.run_id)
            told = True
        await asyncio.sleep(HOST_POLL)


async def _host_held(engine: AsyncEngine, lease: Lease, host: str, ttl: float) -> Holder | None:
    async with engine.begin() as conn:
        await leases.renew(conn, lease, ttl=ttl)
        return await leases.acquire_host(conn, host, lease, ttl=ttl, is_dead=is_dead)


async def abandon(engine: AsyncEngine, lease: Lease, error: BaseException) -> None:
    """Close the diary's entry of a run that never started to crawl, and give back what it holds."""
    state = "deferred" if isinstance(error, HostBusy) else "failed"
    reason = str(error) if isinstance(error, JobMonitorError) else f"{type(error).__name__}: {error}"
    if isinstance(error, asyncio.CancelledError):
        state, reason = "interrupted", STOPPED
    try:
        async with engine.begin() as conn:
            await runs.end(conn, lease.run_id, state, reason=reason)
            await leases.release(conn, lease)
    except DBAPIError as lost:
        logger.warning("The run's end could not be written: %s", brief(lost))
