"""Runs, and the numbered stream of events."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.errors import NotFound
from jobmonitor.storage.readers.rows import Row, first, rows
from jobmonitor.storage.readers.run_state import RUNS

_RUN = f"SELECT id AS run, source, state, observed_at, started_at, finished_at, reason, ledger FROM {RUNS} AS r"  # noqa: S608

_EVENTS = """
SELECT id, kind, posting, source, at, recorded_at, version, content, payload
FROM event WHERE id > :after ORDER BY id LIMIT :most
"""

_PAGES = """
SELECT channel, kind, count(*) AS pages, count(*) FILTER (WHERE failure IS NOT NULL) AS failed,
    COALESCE(sum(cardinality(ids)), 0) AS ids, min(total) AS total
FROM page WHERE run_id = :id GROUP BY channel, kind ORDER BY channel, kind
"""


async def runs(conn: AsyncConnection, *, source: str | None, limit: int) -> list[Row]:
    """The newest runs, newest first."""
    where = "WHERE source = :source" if source else ""
    asked = {"source": source} if source else {}
    return await rows(conn, f"{_RUN} {where} ORDER BY id DESC LIMIT :most", **asked, most=limit)


async def run(conn: AsyncConnection, number: int) -> Row:
    """One run with its channels, what its pages showed, and the pages that failed.

    Raises:
        NotFound: no such run.
    """
    found = await first(conn, f"{_RUN} WHERE id = :id", id=number)
    if found is None:
        raise NotFound(f"There is no run {number}. List them with `jobmonitor runs`.")
    channels = await rows(
        conn,
        "SELECT channel, complete, proof, total, distinct_ids, prevented_by FROM run_channel"
        " WHERE run_id = :id ORDER BY channel",
        id=number,
    )
    failures = await rows(
        conn,
        "SELECT url, status, failure FROM page WHERE run_id = :id AND failure IS NOT NULL ORDER BY id LIMIT 20",
        id=number,
    )
    return {**found, "channels": channels, "pages": await rows(conn, _PAGES, id=number), "failures": failures}


async def events(conn: AsyncConnection, *, after: int, limit: int) -> tuple[list[Row], int]:
    """Up to `limit` events with ids above `after`, and the number to go on after.

    `version` and `content` are left out where an event has none.
    """
    found = await rows(conn, _EVENTS, after=after, most=limit)
    for event in found:
        for name in ("version", "content"):
            if event[name] is None:
                del event[name]
    return found, (found[-1]["id"] if found else after)
