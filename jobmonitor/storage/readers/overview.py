"""Counts of everything, and the sources: what `status` and `sources` show."""

from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain.duty import alarms
from jobmonitor.storage.duty import on_duty
from jobmonitor.storage.lifecycle import stale_active
from jobmonitor.storage.readers.rows import Row, first, rows
from jobmonitor.storage.readers.run_state import RUNS

_COUNTS = """
SELECT
    (SELECT count(*) FROM content) AS contents,
    (SELECT count(*) FROM version) AS versions,
    (SELECT COALESCE(max(id), 0) FROM event) AS cursor
"""

_POSTINGS = "SELECT state, count(*) AS count FROM posting GROUP BY state"

_PROFILES = """
SELECT
    count(*) FILTER (WHERE state = 'pending') AS pending,
    count(*) FILTER (WHERE state = 'leased') AS leased,
    count(*) FILTER (WHERE state = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE state = 'skipped') AS skipped,
    count(*) FILTER (WHERE state = 'succeeded' AND degraded) AS degraded,
    count(*) FILTER (WHERE state = 'succeeded' AND empty) AS empty,
    count(*) FILTER (WHERE state = 'succeeded' AND producer = 'rules') AS rules
FROM extraction WHERE contract = :contract
"""

_CALLS = """
SELECT
    count(*) AS total,
    count(*) FILTER (WHERE started_at >= :day) AS today,
    COALESCE(sum(cost), 0) AS cost_total,
    COALESCE(sum(cost) FILTER (WHERE started_at >= :day), 0) AS cost_today,
    max(currency) AS currency
FROM model_call
"""

_SOURCES = f"""
SELECT
    s.key AS source, s.system, s.board, s.newest_observed_at, s.period, s.due_at, s.failures, s.unconditional,
    array(SELECT h.channel || CASE WHEN h.channel = '' THEN '' ELSE ': ' END || h.reason FROM hold h
        WHERE h.source = s.key AND h.released_at IS NULL ORDER BY h.channel) AS held,
    COALESCE(p.active, 0) AS active, COALESCE(p.suspected, 0) AS suspected, COALESCE(p.gone, 0) AS gone,
    r.id AS run, r.state AS run_state, r.observed_at AS run_observed_at, r.reason AS run_reason
FROM source s
LEFT JOIN (
    SELECT source,
        count(*) FILTER (WHERE state = 'active') AS active,
        count(*) FILTER (WHERE state = 'suspected') AS suspected,
        count(*) FILTER (WHERE state = 'gone') AS gone
    FROM posting GROUP BY source
) p ON p.source = s.key
LEFT JOIN LATERAL (
    SELECT id, state, observed_at, reason FROM {RUNS} AS runs WHERE runs.source = s.key ORDER BY id DESC LIMIT 1
) r ON true
ORDER BY s.key
"""  # noqa: S608


async def status(conn: AsyncConnection, *, contract: int, day: dt.datetime) -> Row:
    """The counts of `status`: postings, contents, versions, profiles of `contract`, calls since `day`."""
    counts = await first(conn, _COUNTS) or {}
    states = {row["state"]: row["count"] for row in await rows(conn, _POSTINGS)}
    profiles: dict[str, Any] = await first(conn, _PROFILES, contract=contract) or {}
    calls = await first(conn, _CALLS, day=day) or {}
    subsets = {name: profiles.pop(name) for name in ("degraded", "empty", "rules")}
    return {
        "postings": {state: states.get(state, 0) for state in ("active", "suspected", "gone")},
        "contents": counts["contents"],
        "versions": counts["versions"],
        "profiles": {**profiles, "of_which": subsets},
        "model_calls": {"total": calls["total"], "today": calls["today"]},
        "cost": {"today": calls["cost_today"], "total": calls["cost_total"], "currency": calls["currency"] or "USD"},
        "cursor": counts["cursor"],
        "stale_active": await stale_active(conn),
        "alarms": alarms(await on_duty(conn), dt.datetime.now(dt.UTC)),
    }


async def sources(conn: AsyncConnection) -> list[Row]:
    """Every source that was ever crawled, with its postings by state and its last run."""
    return await rows(conn, _SOURCES)
