"""One transaction, tried again while the database is away: a paid answer must not be lost to a restart."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.errors import DatabaseUnavailable
from jobmonitor.storage.faults import Fault, brief, fault_of

T = TypeVar("T")
logger = logging.getLogger(__name__)

#: Seconds that a database is waited for, and between two tries.
PATIENCE, RETRY = 60.0, 1.0
#: Faults that time may heal.
PASSING = frozenset({Fault.CONNECTION, Fault.FULL, Fault.CONFLICT})


async def patiently(engine: AsyncEngine, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
    """Do `work` in a transaction of its own. It must be safe to do again where the answer to a commit was lost.

    Raises:
        DatabaseUnavailable: the database did not come back in time.
        DBAPIError: no time would heal it.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE
    while True:
        try:
            async with engine.begin() as conn:
                return await work(conn)
        except (DBAPIError, PoolTimeout) as error:
            if fault_of(error) not in PASSING:
                raise
            if loop.time() > deadline:
                raise DatabaseUnavailable(f"The database does not answer any more: {brief(error)}") from error
            logger.warning("The database does not work, trying again: %s", brief(error))
        await asyncio.sleep(RETRY)
