"""Our own numbered change stream. Ids are in commit order, so a reader by cursor never misses an event.

A writer calls `append` last: it takes one advisory transaction lock, inserts the events, whose ids are drawn after
the lock is held, and commits next. Nothing else may come between, not even a question: all other writers wait for
that commit, and a statement that waits for one of them would never end (docs/database.md, "Events").
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.bulk import insert_rows
from jobmonitor.storage.models import Event

#: Key of the advisory lock that orders the writers of events: the letters "jobm".
EVENT_LOCK = 0x6A6F626D


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """An event before it has its number."""

    kind: str
    #: Observed time.
    at: dt.datetime
    posting_id: int | None = None
    #: Reference.
    posting: str | None = None
    source: str | None = None
    version: int | None = None
    #: Content hash.
    content: str | None = None
    #: New value of each `current_posting` column that changed.
    payload: dict[str, Any] = field(default_factory=dict)


async def append(conn: AsyncConnection, events: Sequence[NewEvent]) -> None:
    """Add events in order. The caller commits at once, with no statement between."""
    if not events:
        return
    await conn.execute(select(func.pg_advisory_xact_lock(EVENT_LOCK)))
    await insert_rows(conn, Event, [_row(event) for event in events])


def _row(event: NewEvent) -> dict[str, Any]:
    return {name: getattr(event, name) for name in NewEvent.__dataclass_fields__}
