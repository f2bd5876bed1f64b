"""Waiting for a database that is away, stalled or full, for as long as the run may wait and no longer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from jobmonitor.errors import DatabaseUnavailable
from jobmonitor.storage.faults import Fault, Undecided, brief, fault_of

T = TypeVar("T")
logger = logging.getLogger(__name__)

#: Seconds between two tries.
RETRY_PAUSE = 0.5
#: Faults that time may heal.
PASSING = frozenset({Fault.CONNECTION, Fault.FULL, Fault.CONFLICT})


class Patience:
    """Does a piece of database work, again and again while the database is away.

    Args:
        seconds: DB_PATIENCE.
        reconnect: brings the database back before another try (starts an embedded server).
    """

    def __init__(self, seconds: float, reconnect: Callable[[], Awaitable[None]]) -> None:
        self._seconds = seconds
        self._reconnect = reconnect

    async def __call__(self, work: Callable[[], Awaitable[T]]) -> T:
        """The answer of `work`, which must be safe to try again.

        Raises:
            DatabaseUnavailable: the database did not come back in time; the message says what to do.
            DBAPIError: no time would heal it.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._seconds
        trouble: Exception | None = None
        while loop.time() <= deadline:
            try:
                async with asyncio.timeout_at(deadline):
                    return await work()
            except TimeoutError:
                break
            except (DBAPIError, PoolTimeout, Undecided) as error:
                if fault_of(error) not in PASSING:
                    raise
                trouble = error
            logger.warning("The database does not work, trying again: %s", brief(trouble))
            await self._come_back()
        raise DatabaseUnavailable(_gone(trouble, self._seconds) if trouble else _stalled(self._seconds))

    async def _come_back(self) -> None:
        await asyncio.sleep(RETRY_PAUSE)
        try:
            await self._reconnect()
        except DatabaseUnavailable as error:
            logger.warning("%s", error)


_AGAIN = "then run the same command again: what was written stays, the rest is read again"


def _stalled(seconds: float) -> str:
    return (
        f"The database did not answer within {seconds:.0f} s (DB_PATIENCE): something locks it, or the network is "
        f"silent. See to it, {_AGAIN}"
    )


def _gone(error: Exception, seconds: float) -> str:
    if fault_of(error) is Fault.FULL:
        room = f"The database has no room left ({brief(error)}) and got none within {seconds:.0f} s"
        return f"{room}. Free disk space, {_AGAIN}"
    return (
        f"The database went away ({brief(error)}) and did not come back within {seconds:.0f} s (DB_PATIENCE). "
        f"Start it, {_AGAIN}"
    )
