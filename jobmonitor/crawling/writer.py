"""Group commit: one writer task per run, so that a transaction is paid per group and not per item.

Items wait for their group; a group is cut by a few milliseconds or by size and written in one transaction. A group
with a poison item is halved until the item is alone. A lost connection is waited for. Whatever happens, every waiter
gets its answer: a forgotten one would hang the crawl so that even SIGTERM could not end it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.errors import DatabaseUnavailable, JobMonitorError
from jobmonitor.storage.faults import Fault, fault_of
from jobmonitor.storage.writes import transaction_id, was_committed

J = TypeVar("J")
R = TypeVar("R")
logger = logging.getLogger(__name__)

#: Seconds between two tries to reach a database that is away.
RETRY_PAUSE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How groups are cut and how long a database may be away."""

    #: Jobs in a group at most.
    size: int = 500
    #: Seconds that the first job of a group waits for company.
    linger: float = 0.005
    #: Seconds that a lost database is waited for.
    patience: float = 60.0


class WriterStopped(JobMonitorError):
    """The writer has stopped; nothing more can be written in this run."""

    code = "writer_stopped"


class GroupWriter(Generic[J, R]):
    """Writes jobs in groups, in order.

    Args:
        engine: where to write.
        apply: writes one group in the given transaction and returns one answer per job; must not commit.
        committed: told the jobs and answers of a group once it is durable.
        poison: turns a job that the database refuses into one that records it.
        reconnect: brings the database back before another try (starts an embedded server).
    """

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        apply: Callable[[AsyncConnection, Sequence[J]], Awaitable[list[R]]],
        committed: Callable[[Sequence[J], Sequence[R]], None],
        poison: Callable[[J, Exception], J],
        reconnect: Callable[[], Awaitable[None]],
        limits: Limits,
    ) -> None:
        self._engine = engine
        self._apply = apply
        self._committed = committed
        self._poison = poison
        self._reconnect = reconnect
        self._limits = limits
        self._queue: asyncio.Queue[tuple[J, asyncio.Future[R]] | None] = asyncio.Queue()
        self._ended = False
        self._failure: JobMonitorError | None = None
        self._task = asyncio.create_task(self._run(), name="group-writer")

    @property
    def failure(self) -> JobMonitorError | None:
        """Why the writer stopped before its time, or None."""
        return self._failure

    async def submit(self, job: J) -> R:
        """Write `job` with its group; returns once it is durable.

        Raises:
            JobMonitorError: the writer cannot write any more.
        """
        if self._ended:
            raise self._failure or WriterStopped()
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((job, future))
        return await future

    async def close(self) -> None:
        """Write what is queued, then end the task."""
        self._queue.put_nowait(None)
        await self._task

    async def _run(self) -> None:
        group: list[tuple[J, asyncio.Future[R]]] = []
        try:
            while group := await self._next_group():
                await self._write(group)
        except (JobMonitorError, DBAPIError, StatementError, ValueError) as error:
            self._failure = error if isinstance(error, JobMonitorError) else WriterStopped(_brief(error))
        finally:
            self._ended = True
            self._fail_all(group)

    async def _next_group(self) -> list[tuple[J, asyncio.Future[R]]]:
        """The next jobs; an empty list at the end."""
        first = await self._queue.get()
        if first is None:
            return []
        group = [first]
        if self._queue.empty():
            await asyncio.sleep(self._limits.linger)
        while len(group) < self._limits.size and not self._queue.empty():
            entry = self._queue.get_nowait()
            if entry is None:
                self._queue.put_nowait(None)
                break
            group.append(entry)
        return group

    async def _write(self, entries: Sequence[tuple[J, asyncio.Future[R]]]) -> None:
        for (_, future), answer in zip(entries, await self._attempt([job for job, _ in entries]), strict=True):
            if not future.done():
                future.set_result(answer)

    async def _attempt(self, jobs: list[J]) -> list[R]:
        """Write the jobs, halving on a data error; one answer per job."""
        try:
            return await self._persist(jobs)
        except (DBAPIError, StatementError, ValueError) as error:
            if fault_of(error) is not Fault.DATA:
                raise
            if len(jobs) == 1:
                logger.warning("The database refuses one item: %s", _brief(error))
                return await self._persist([self._poison(jobs[0], error)])
        middle = len(jobs) // 2
        return await self._attempt(jobs[:middle]) + await self._attempt(jobs[middle:])

    async def _persist(self, jobs: Sequence[J]) -> list[R]:
        """One transaction, tried again while the database is away, at most `patience` seconds."""
        deadline = time.monotonic() + self._limits.patience
        attempt = _Attempt[R]()
        while True:
            try:
                return await self._transaction(jobs, attempt)
            except DBAPIError as error:
                if fault_of(error) in {Fault.DATA, Fault.PROGRAM}:
                    raise
                if time.monotonic() > deadline:
                    raise DatabaseUnavailable(_gone(error, self._limits.patience)) from error
                logger.warning("The database does not take writes, trying again: %s", _brief(error))
            await self._come_back()

    async def _come_back(self) -> None:
        await asyncio.sleep(RETRY_PAUSE)
        try:
            await self._reconnect()
        except DatabaseUnavailable as error:
            logger.warning("%s", error)

    async def _transaction(self, jobs: Sequence[J], attempt: _Attempt[R]) -> list[R]:
        async with self._engine.connect() as conn:
            if attempt.transaction and await was_committed(conn, attempt.transaction):
                answers = attempt.answers
            else:
                attempt.transaction = ""
                answers = await self._apply(conn, jobs)
                attempt.transaction, attempt.answers = await transaction_id(conn), answers
                await conn.commit()
        self._committed(jobs, answers)
        return answers

    def _fail_all(self, waiting: Sequence[tuple[J, asyncio.Future[R]]]) -> None:
        error = self._failure or WriterStopped()
        entries: list[tuple[J, asyncio.Future[R]] | None] = list(waiting)
        while not self._queue.empty():
            entries.append(self._queue.get_nowait())
        for entry in entries:
            if entry is not None and not entry[1].done():
                entry[1].set_exception(error)


class _Attempt(Generic[R]):
    """What is known of a transaction whose commit may or may not have arrived."""

    def __init__(self) -> None:
        self.transaction = ""
        self.answers: list[R] = []


def _brief(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]


def _gone(error: DBAPIError, patience: float) -> str:
    if fault_of(error) is Fault.FULL:
        return (
            f"The database has no room left ({_brief(error)}) and got none within {patience:.0f} s. Free disk space, "
            "then run the same command again: what was written stays, the rest is read again"
        )
    return (
        f"The database went away ({_brief(error)}) and did not come back within {patience:.0f} s (DB_PATIENCE). Start "
        "it, then run the same command again: what was written stays, the rest is read again"
    )
