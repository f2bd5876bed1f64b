"""Money: what a day may still cost. Reserved before a request is sent, settled after it (docs/extraction.md)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

#: Key of the advisory lock that lets one process at a time count slots and money: the letters "jobb".
CLAIM_LOCK = 0x6A6F6262

_TODAY = "date_trunc('day', clock_timestamp() AT TIME ZONE :zone) AT TIME ZONE :zone"
# A call that is under way, or whose answer never came, counts as its worst case.
_SPENT = text(f"SELECT COALESCE(sum(COALESCE(cost, reserved)), 0) FROM model_call WHERE started_at >= {_TODAY}")  # noqa: S608
_UNDER_WAY = text(f"SELECT EXISTS (SELECT 1 FROM model_call WHERE outcome IS NULL AND started_at >= {_TODAY})")  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A cap on what the calls of one day cost, in the currency of the prices."""

    #: None = no cap.
    daily: Decimal | None
    #: IANA name of the zone whose midnight begins the day, by the database's clock.
    zone: str


async def lock(conn: AsyncConnection) -> None:
    """From here to the end of the transaction nobody else takes slots or money."""
    await conn.execute(select(func.pg_advisory_xact_lock(CLAIM_LOCK)))


async def left(conn: AsyncConnection, budget: Budget) -> Decimal | None:
    """What today may still cost; None without a cap. Exact only under `lock`."""
    if budget.daily is None:
        return None
    spent: Decimal = (await conn.execute(_SPENT, {"zone": budget.zone})).scalar_one()
    return budget.daily - spent


async def can_free_up(conn: AsyncConnection, budget: Budget) -> bool:
    """Whether calls are under way that may turn out cheaper than what they reserved."""
    return bool((await conn.execute(_UNDER_WAY, {"zone": budget.zone})).scalar_one())
