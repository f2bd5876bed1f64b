"""The ledger of model calls: one row per request, written before it is sent, settled after. Rows are kept for ever."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.models import ModelCall


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCall:
    """A request that is about to be sent."""

    content_hash: str
    contract: int
    batch_id: int
    config_id: int
    token: uuid.UUID
    purpose: str = "extract"
    #: Worst case at the model's price; None = the price is not known.
    reserved: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a request ended."""

    #: `ok`, the kind of a fault, `late` (another answer was there first) or `lost` (nobody waited for it any more).
    outcome: str
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    #: None = not known; then the reservation keeps counting.
    cost: Decimal | None = None
    currency: str | None = None
    error: str | None = None


async def add(conn: AsyncConnection, calls: Sequence[NewCall]) -> list[int]:
    """Write the requests down; their numbers in order."""
    rows = [
        {
            "content_hash": call.content_hash,
            "contract": call.contract,
            "batch_id": call.batch_id,
            "config_id": call.config_id,
            "lease_token": call.token,
            "purpose": call.purpose,
            "reserved": call.reserved,
            "started_at": func.clock_timestamp(),
        }
        for call in calls
    ]
    statement = insert(ModelCall).returning(ModelCall.id, sort_by_parameter_order=True)
    # clock_timestamp() is the server's, so each row is a statement of its own.
    return [int((await conn.execute(statement.values(**row))).scalar_one()) for row in rows]


async def settle(conn: AsyncConnection, call_id: int, outcome: Outcome) -> None:
    """Write down how a request ended."""
    values: dict[str, Any] = {name: getattr(outcome, name) for name in Outcome.__dataclass_fields__}
    values["error"] = None if outcome.error is None else outcome.error[:2000]
    await conn.execute(
        update(ModelCall).where(ModelCall.id == call_id).values(finished_at=func.clock_timestamp(), **values)
    )


async def lose(conn: AsyncConnection, tokens: Collection[uuid.UUID]) -> None:
    """The holder of these leases is gone: what it asked may have been answered and billed, so it stays reserved."""
    if tokens:
        await conn.execute(
            update(ModelCall)
            .where(ModelCall.outcome.is_(None), ModelCall.lease_token.in_(tokens))
            .values(outcome="lost", finished_at=func.clock_timestamp())
        )


_OWN = text(
    """
    SELECT EXISTS (
        SELECT 1
        FROM model_call failed
        JOIN model_call this ON this.id = :call
        JOIN model_call other ON other.outcome = 'ok' AND other.content_hash <> this.content_hash
            AND other.started_at >= failed.finished_at
        WHERE failed.content_hash = this.content_hash AND failed.contract = this.contract
            AND failed.batch_id = this.batch_id AND failed.id < this.id
            AND failed.outcome IN ('timeout', 'server_error')
    )
    """
)


async def is_own_failure(conn: AsyncConnection, call_id: int) -> bool:
    """Whether another content succeeded between an earlier failure of this call's content in its batch and now.

    Then the provider is well and the content is what makes it fail.
    """
    return bool((await conn.execute(_OWN, {"call": call_id})).scalar_one())


async def count_of(conn: AsyncConnection, content_hash: str, contract: int) -> int:
    """How many requests were ever sent for a content."""
    query = select(func.count()).where(ModelCall.content_hash == content_hash, ModelCall.contract == contract)
    return int((await conn.execute(query)).scalar_one())
