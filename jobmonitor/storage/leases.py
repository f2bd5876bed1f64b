"""Leases: who may write for a source and ask a host, by the database's clock.

Rows, not session locks, so that they work behind a transaction pooler and survive a lost connection. A holder
that is known to be dead on this very machine is replaced at once; any other keeps its lease until it expires.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.errors import LeaseLost
from jobmonitor.storage.models import HostLease, SourceLease

#: Tells whether the process that an opaque holder string names is known to be dead.
IsDead = Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A run's right to write, proven by its token in every transaction."""

    source: str
    run_id: int
    token: uuid.UUID
    #: Opaque name of the holding process.
    holder: str
    #: Hosts it asks, whose leases it holds too once it is open.
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a lease that could not be had."""

    run_id: int
    holder: str | None
    expires_at: dt.datetime


def _expiry(ttl: float) -> object:
    return func.clock_timestamp() + func.make_interval(0, 0, 0, 0, 0, 0, ttl)


async def acquire_source(conn: AsyncConnection, lease: Lease, *, ttl: float, is_dead: IsDead) -> Holder | None:
    """Take the source's lease for `ttl` seconds; on refusal, who holds it."""
    values = {"run_id": lease.run_id, "token": lease.token, "holder": lease.holder, "expires_at": _expiry(ttl)}
    statement = insert(SourceLease).values(source=lease.source, **values)
    free = SourceLease.expires_at < func.clock_timestamp()
    held = await _held_source(conn, lease.source)
    if held and held.holder and is_dead(held.holder):
        free = or_(free, SourceLease.holder == held.holder)
    taken = await conn.execute(
        statement.on_conflict_do_update(index_elements=["source"], set_=values, where=free).returning(
            SourceLease.run_id
        )
    )
    return None if taken.first() else await _held_source(conn, lease.source)


async def acquire_host(conn: AsyncConnection, host: str, lease: Lease, *, ttl: float, is_dead: IsDead) -> Holder | None:
    """Take a host's lease for `ttl` seconds; on refusal, who holds it."""
    values = {"run_id": lease.run_id, "token": lease.token, "holder": lease.holder, "expires_at": _expiry(ttl)}
    statement = insert(HostLease).values(host=host, **values)
    free = or_(HostLease.expires_at < func.clock_timestamp(), HostLease.token == lease.token)
    held = await _held_host(conn, host)
    if held and held.holder and is_dead(held.holder):
        free = or_(free, HostLease.holder == held.holder)
    taken = await conn.execute(
        statement.on_conflict_do_update(index_elements=["host"], set_=values, where=free).returning(HostLease.run_id)
    )
    return None if taken.first() else await _held_host(conn, host)


async def renew(conn: AsyncConnection, lease: Lease, *, ttl: float) -> None:
    """Extend everything the run holds by `ttl` seconds from now.

    Raises:
        LeaseLost: another run has taken the source or one of the lease's hosts over.
    """
    renewed = await conn.execute(
        update(SourceLease)
        .where(SourceLease.source == lease.source, SourceLease.token == lease.token)
        .values(expires_at=_expiry(ttl))
    )
    if not renewed.rowcount:
        raise LeaseLost
    hosts = await conn.execute(update(HostLease).where(HostLease.token == lease.token).values(expires_at=_expiry(ttl)))
    if hosts.rowcount < len(lease.hosts):
        raise LeaseLost("Another run has taken over a host of this one; two runs must not ask one host")


async def guard(conn: AsyncConnection, lease: Lease) -> None:
    """Prove inside a writer's transaction that the lease is still ours; a take-over has to wait for its end.

    Raises:
        LeaseLost: it is not.
    """
    row = await conn.execute(_GUARD, {"source": lease.source, "token": lease.token})
    if row.first() is None:
        raise LeaseLost


async def release(conn: AsyncConnection, lease: Lease) -> None:
    """Give back everything the run holds."""
    await conn.execute(delete(HostLease).where(HostLease.token == lease.token))
    await conn.execute(delete(SourceLease).where(SourceLease.source == lease.source, SourceLease.token == lease.token))


_GUARD = (
    select(SourceLease.run_id)
    .where(SourceLease.source == bindparam("source"), SourceLease.token == bindparam("token"))
    .with_for_update(read=True)
)


async def _held_source(conn: AsyncConnection, source: str) -> Holder | None:
    query = select(SourceLease.run_id, SourceLease.holder, SourceLease.expires_at).where(SourceLease.source == source)
    row = (await conn.execute(query)).first()
    return Holder(run_id=row.run_id, holder=row.holder, expires_at=row.expires_at) if row else None


async def _held_host(conn: AsyncConnection, host: str) -> Holder | None:
    query = select(HostLease.run_id, HostLease.holder, HostLease.expires_at).where(HostLease.host == host)
    row = (await conn.execute(query)).first()
    return Holder(run_id=row.run_id, holder=row.holder, expires_at=row.expires_at) if row else None
