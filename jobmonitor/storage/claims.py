"""Claims: who may ask a model about which content. The database decides, before money is spent.

A claim is one short transaction under one advisory lock: expired leases are taken back, live ones counted against the
global concurrency, contents picked, their worst case reserved, their calls written down. What follows needs the lease's
token: a fencing token, so that an answer which comes after its lease passed on cannot displace another.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, bindparam, case, func, null, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage import budget, calls
from jobmonitor.storage.budget import Budget
from jobmonitor.storage.calls import NewCall
from jobmonitor.storage.models import Content, Extraction

Upgrade = Literal["rules", "degraded"]
Shortage = Literal["slots", "budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which contents are meant."""

    contract: int
    #: Only contents that this run was the first to see.
    run_id: int | None = None
    #: Not pending contents, but those whose current profile is of this kind.
    upgrade: Upgrade | None = None
    #: With `upgrade`: only rows that were not touched since, so that one batch asks once a content.
    before: dt.datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a claim must keep to."""

    batch_id: int
    config_id: int
    #: Seconds that a lease lives without renewal.
    lease: float
    #: Live leases at a time, over all processes.
    concurrency: int
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A content that may be claimed; locked until the transaction ends."""

    content_hash: str
    document: str
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A content that this process alone may ask about, for as long as the lease lives."""

    content_hash: str
    document: str
    #: Failures of its own before this claim.
    attempts: int
    token: uuid.UUID
    #: The request that was written down with the claim.
    call_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What asking about a document would mean."""

    #: Money, at most; None = the price is not known.
    worst_case: Decimal | None = None
    #: Why it should not be asked about; None = it should.
    needless: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What one claim gave."""

    claimed: Sequence[Claimed] = ()
    #: Contents that are not asked about, and why; still locked: the caller settles them in the same transaction.
    needless: Sequence[tuple[Candidate, str]] = ()
    #: Why it was less than wanted although contents wait; None = nothing else waits.
    short_of: Shortage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Where a content's extraction stands; locked until the transaction ends."""

    state: str
    token: uuid.UUID | None
    profile_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How much of a scope is open."""

    pending: int
    leased: int


async def claim(
    conn: AsyncConnection,
    scope: Scope,
    terms: Terms,
    *,
    want: int,
    estimate: Callable[[str], Estimate],
) -> Claims:
    """Claim up to `want` contents. The caller commits, then sends the requests."""
    await budget.lock(conn)
    await _take_back_expired(conn)
    free = terms.concurrency - await _live_leases(conn)
    if free <= 0:
        return Claims(short_of="slots")
    found = await _candidates(conn, scope, min(want, free))
    judged = [(each, estimate(each.document)) for each in found]
    needless = [(each, about.needless) for each, about in judged if about.needless]
    priced = [(each, about.worst_case) for each, about in judged if not about.needless]
    affordable = _affordable(priced, await budget.left(conn, terms.budget))
    claimed = await _lease(conn, scope.contract, terms, affordable)
    short: Shortage | None = None
    if len(affordable) < len(priced):
        short = "budget"
    elif len(found) == free < want:
        short = "slots"
    return Claims(claimed=claimed, needless=needless, short_of=short)


async def reserve_repair(
    conn: AsyncConnection, claimed: Claimed, contract: int, terms: Terms, worst_case: Decimal | None
) -> int | None:
    """Write down a second request for a claimed content; its number, or None if the budget has no room for it."""
    await budget.lock(conn)
    left = await budget.left(conn, terms.budget)
    if left is not None and (worst_case is None or worst_case > left):
        return None
    call = _new_call(claimed.content_hash, contract, terms, claimed.token, worst_case, purpose="repair")
    return (await calls.add(conn, [call]))[0]


async def renew(conn: AsyncConnection, tokens: Collection[uuid.UUID], lease: float) -> set[uuid.UUID]:
    """Extend leases by `lease` seconds from now; those that are still ours."""
    renewed = await conn.execute(
        update(Extraction)
        .where(Extraction.lease_token.in_(tokens))
        .values(lease_expires_at=_expiry(lease))
        .returning(Extraction.lease_token)
    )
    return set(renewed.scalars())


async def hold(conn: AsyncConnection, contract: int, content_hash: str) -> Held:
    """Lock a content's extraction until the transaction ends."""
    query = select(Extraction.state, Extraction.lease_token, Extraction.profile_id).where(
        Extraction.content_hash == content_hash, Extraction.contract == contract
    )
    row = (await conn.execute(query.with_for_update())).one()
    return Held(state=row.state, token=row.lease_token, profile_id=row.profile_id)


async def charge(conn: AsyncConnection, contract: int, content_hash: str) -> None:
    """Count one failure that is the content's own."""
    await conn.execute(
        update(Extraction)
        .where(Extraction.content_hash == content_hash, Extraction.contract == contract)
        .values(attempts=Extraction.attempts + 1)
    )


async def free(conn: AsyncConnection, tokens: Collection[uuid.UUID]) -> None:
    """Give leases back: the contents are as they were before, those that wait at the end of the queue."""
    if tokens:
        await conn.execute(update(Extraction).where(Extraction.lease_token.in_(tokens)).values(**_FREED))


async def degrade_current(conn: AsyncConnection, contract: int, content_hash: str, reason: str) -> None:
    """A content that has a profile keeps it, marked as degraded; the lease ends."""
    await conn.execute(
        update(Extraction)
        .where(Extraction.content_hash == content_hash, Extraction.contract == contract)
        .values(**_FREED | {"degraded": True, "reason": reason[:2000], "updated_at": func.clock_timestamp()})
    )


async def skip(conn: AsyncConnection, contract: int, content_hash: str, reason: str) -> None:
    """A content that has the rules' profile and is not worth a call: the profile stays current."""
    await conn.execute(
        update(Extraction)
        .where(Extraction.content_hash == content_hash, Extraction.contract == contract)
        .values(state="skipped", reason=reason, updated_at=func.clock_timestamp())
    )


async def waiting(conn: AsyncConnection, scope: Scope) -> Waiting:
    """How many contents of the scope may still be claimed, and how many are being asked about."""
    query = (
        select(
            func.count().filter(_open(scope)).label("pending"),
            func.count().filter(Extraction.state == "leased").label("leased"),
        )
        .select_from(Extraction)
        .join(Content, Content.hash == Extraction.content_hash)
        .where(or_(Extraction.state == "leased", _open(scope)), *_within(scope))
    )
    row = (await conn.execute(query)).one()
    return Waiting(pending=row.pending, leased=row.leased)


async def documents(conn: AsyncConnection, scope: Scope, limit: int | None) -> list[Candidate]:
    """The contents that a batch would ask about, in order, without claiming them."""
    return [_candidate(row) for row in await conn.execute(_choice(scope).limit(limit))]


_AS_BEFORE = case((Extraction.profile_id.is_(None), "pending"), else_="succeeded")
_LAST_IN_LINE = case((Extraction.profile_id.is_(None), func.clock_timestamp()), else_=Extraction.updated_at)
_FREED: dict[str, Any] = {
    "state": _AS_BEFORE,
    "lease_token": null(),
    "lease_expires_at": null(),
    "updated_at": _LAST_IN_LINE,
}


def _expiry(lease: float) -> ColumnElement[Any]:
    return func.clock_timestamp() + func.make_interval(0, 0, 0, 0, 0, 0, lease)


async def _take_back_expired(conn: AsyncConnection) -> None:
    expired = select(Extraction.lease_token).where(
        Extraction.state == "leased", Extraction.lease_expires_at < func.clock_timestamp()
    )
    tokens = list((await conn.execute(expired.with_for_update(skip_locked=True))).scalars())
    await free(conn, tokens)
    await calls.lose(conn, tokens)


async def _live_leases(conn: AsyncConnection) -> int:
    query = select(func.count()).select_from(Extraction).where(Extraction.state == "leased")
    return int((await conn.execute(query)).scalar_one())


async def _candidates(conn: AsyncConnection, scope: Scope, limit: int) -> list[Candidate]:
    query = _choice(scope).limit(limit).with_for_update(of=Extraction, skip_locked=True)
    return [_candidate(row) for row in await conn.execute(query)]


def _candidate(row: Any) -> Candidate:
    return Candidate(content_hash=row.content_hash, document=row.document, attempts=row.attempts)


def _choice(scope: Scope) -> Select[str, str | None, int]:
    return (
        select(Extraction.content_hash, Content.document, Extraction.attempts)
        .join(Content, Content.hash == Extraction.content_hash)
        .where(_open(scope), *_within(scope))
        .order_by(Extraction.updated_at, Extraction.content_hash)
    )


def _open(scope: Scope) -> ColumnElement[bool]:
    if scope.upgrade is None:
        return Extraction.state == "pending"
    chosen = Extraction.degraded.is_(scope.upgrade == "degraded")
    wanted = (Extraction.state == "succeeded") & (Extraction.producer == "rules") & chosen
    return wanted if scope.before is None else wanted & (Extraction.updated_at < scope.before)


def _within(scope: Scope) -> list[ColumnElement[bool]]:
    # A held text is not sent, and of an erased one nothing is left to send.
    conditions: list[ColumnElement[bool]] = [
        Extraction.contract == scope.contract,
        Content.document.is_not(None),
        or_(Content.quarantine.is_(None), Content.released_at.is_not(None)),
    ]
    return conditions if scope.run_id is None else [*conditions, Extraction.run_id == scope.run_id]


def _affordable(
    priced: Sequence[tuple[Candidate, Decimal | None]], left: Decimal | None
) -> list[tuple[Candidate, Decimal | None]]:
    """The first contents whose worst cases fit together into what is left. A price that is not known never fits."""
    if left is None:
        return list(priced)
    fitting: list[tuple[Candidate, Decimal | None]] = []
    for each, cost in priced:
        if cost is None or cost > left:
            break
        left -= cost
        fitting.append((each, cost))
    return fitting


async def _lease(
    conn: AsyncConnection, contract: int, terms: Terms, chosen: Sequence[tuple[Candidate, Decimal | None]]
) -> list[Claimed]:
    if not chosen:
        return []
    tokens = [uuid.uuid4() for _ in chosen]
    await conn.execute(
        update(Extraction)
        .where(Extraction.content_hash == bindparam("chosen"), Extraction.contract == contract)
        .values(state="leased", lease_token=bindparam("token"), lease_expires_at=_expiry(terms.lease)),
        [{"chosen": each.content_hash, "token": token} for (each, _), token in zip(chosen, tokens, strict=True)],
    )
    new = [
        _new_call(each.content_hash, contract, terms, token, cost)
        for (each, cost), token in zip(chosen, tokens, strict=True)
    ]
    return [
        Claimed(
            content_hash=each.content_hash,
            document=each.document,
            attempts=each.attempts,
            token=token,
            call_id=call_id,
        )
        for (each, _), token, call_id in zip(chosen, tokens, await calls.add(conn, new), strict=True)
    ]


def _new_call(
    content_hash: str, contract: int, terms: Terms, token: uuid.UUID, cost: Decimal | None, purpose: str = "extract"
) -> NewCall:
    return NewCall(
        content_hash=content_hash,
        contract=contract,
        batch_id=terms.batch_id,
        config_id=terms.config_id,
        token=token,
        purpose=purpose,
        reserved=cost,
    )
