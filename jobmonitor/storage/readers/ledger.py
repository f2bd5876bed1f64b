"""What the model calls took, by day and by model, and the diary of the batches."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.errors import NotFound
from jobmonitor.storage.readers.rows import Row, first, rows

# `unsettled`: reserved by calls that are under way, or whose answer never came, so that nobody knows what they cost.
# `unpriced`: calls that were answered at a price that nobody knows. They are counted, never taken for free.
_SUMS = """
    count(*) AS calls,
    count(*) FILTER (WHERE c.outcome = 'ok') AS answered,
    count(*) FILTER (WHERE c.purpose = 'repair') AS repairs,
    COALESCE(sum(c.input_tokens), 0) AS input_tokens,
    COALESCE(sum(c.cached_tokens), 0) AS cached_tokens,
    COALESCE(sum(c.output_tokens), 0) AS output_tokens,
    COALESCE(sum(c.cost), 0) AS cost,
    COALESCE(sum(c.reserved) FILTER (WHERE c.cost IS NULL), 0) AS unsettled,
    count(*) FILTER (WHERE c.cost IS NULL AND c.output_tokens IS NOT NULL) AS unpriced
"""

_DAYS = f"""
SELECT to_char(c.started_at AT TIME ZONE :zone, 'YYYY-MM-DD') AS day, {_SUMS}
FROM model_call c
GROUP BY 1 ORDER BY 1 DESC LIMIT :most
"""  # noqa: S608

_TODAY = f"""
SELECT {_SUMS} FROM model_call c
WHERE c.started_at >= date_trunc('day', clock_timestamp() AT TIME ZONE :zone) AT TIME ZONE :zone
"""  # noqa: S608

_MODELS = f"""
SELECT g.model, g.prompt, {_SUMS}
FROM model_call c JOIN extraction_config g ON g.id = c.config_id
GROUP BY g.model, g.prompt ORDER BY min(c.id) DESC
"""  # noqa: S608

_OUTCOMES = """
SELECT COALESCE(outcome, 'under way') AS outcome, count(*) AS calls
FROM model_call GROUP BY 1 ORDER BY 2 DESC, 1
"""

_BATCH = """
SELECT b.id AS batch, b.run_id AS run, b.state, g.model, g.prompt, g.parameters, b.started_at, b.heartbeat_at,
    b.finished_at, b.reason, b.counts
FROM batch b LEFT JOIN extraction_config g ON g.id = b.config_id
"""

_BATCH_OUTCOMES = """
SELECT COALESCE(outcome, 'under way') AS outcome, count(*) AS calls, max(error) AS example
FROM model_call WHERE batch_id = :id GROUP BY 1 ORDER BY 2 DESC, 1
"""


async def costs(conn: AsyncConnection, *, zone: str, days: int) -> Row:
    """Sums of all calls, of today, of the newest days that had calls, and by model and prompt.

    Args:
        zone: IANA name of the zone whose midnight begins a day.
    """
    currency = await first(conn, "SELECT max(currency) AS currency FROM model_call")
    return {
        "currency": (currency or {}).get("currency") or "USD",
        "today": await first(conn, _TODAY, zone=zone),
        "total": await first(conn, f"SELECT {_SUMS} FROM model_call c"),  # noqa: S608
        "days": await rows(conn, _DAYS, zone=zone, most=days),
        "models": await rows(conn, _MODELS),
        "outcomes": {row["outcome"]: row["calls"] for row in await rows(conn, _OUTCOMES)},
    }


async def batches(conn: AsyncConnection, *, limit: int) -> list[Row]:
    """The newest batches, newest first."""
    return await rows(conn, f"{_BATCH} ORDER BY b.id DESC LIMIT :most", most=limit)


async def batch(conn: AsyncConnection, number: int) -> Row:
    """One batch with how its calls ended.

    Raises:
        NotFound: no such batch.
    """
    found = await first(conn, f"{_BATCH} WHERE b.id = :id", id=number)
    if found is None:
        raise NotFound(f"There is no batch {number}. List them with `jobmonitor batches`.")
    return {**found, "calls": await rows(conn, _BATCH_OUTCOMES, id=number)}


async def newest_batch(conn: AsyncConnection, run_id: int) -> Row | None:
    """The newest batch that worked for a run."""
    return await first(conn, f"{_BATCH} WHERE b.run_id = :id ORDER BY b.id DESC LIMIT 1", id=run_id)
