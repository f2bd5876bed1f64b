"""Group commit: one writer task per run, so that a transaction is paid per group and not per item.

Items wait for their group; a group is cut by a few milliseconds or by size and written in one transaction. A group
with a poison item is halved until the item is alone. A lost connection is waited for. Whatever happens, every waiter
gets its answer: a forgotten one would hang the crawl so that even SIGTERM could not end it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.crawling.patience import Patience
from jobmonitor.errors import JobMonitorError
from jobmonitor.storage.faults import Fault, Undecided, brief, fault_of
from jobmonitor.storage.writes import transaction_id, transaction_status

J = TypeVar("J")
R = TypeVar("R")
logger = logging.getLogger(__name__)

#: Forms of one job that are tried before the writer gives up: the item, its reject, a reject of nothing but hashes.
FORMS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How groups are cut."""

    #: Jobs in a group at most.
    size: int
    #: Seconds that the first job of a group waits for company.
    linger: float


class WriterStopped(JobMonitorError):
    """The writer has stopped; nothing more can be written in this run."""

    code = "writer_stopped"


class GroupWriter(Generic[J, R]):
    """Writes jobs in groups, in order.

    Args:
        engine: where to write.
        apply: writes one group in the given transaction and returns one answer per job; must not commit.
        committed: told the jobs and answers of a group once it is durable.
        poison: turns a job that the database refuses into one that records it; again, into a plainer one.
        patience: waits for a database that is away.
        limits: how groups are cut.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        apply: Callable[[AsyncConnection, Sequence[J]], Awaitable[list[R]]],
        committed: Callable[[Sequence[J], Sequence[R]], None],
        poison: Callable[[J, Exception], J],
        patience: Patience,
        limits: Limits,
    ) -> None:
        self._engine = engine
        self._apply = apply
        self._committed = committed
        self._poison = poison
        self._patience = patience
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

    def note(self, job: J) -> None:
        """Write `job` with some group, without waiting for it: losing it costs work, never a fact."""
        if not self._ended:
            future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
            future.add_done_callback(asyncio.Future.exception)
            self._queue.put_nowait((job, future))

    async def close(self) -> None:
        """Write what is queued, then end the task."""
        self._queue.put_nowait(None)
        await self._task

    async def _run(self) -> None:
        group: list[tuple[J, asyncio.Future[R]]] = []
        try:
            while group := await self._next_group():
                await self._write(group)
        except JobMonitorError as error:
            self._failure = error
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must be told
            logger.error("The writer failed: %s: %s", type(error).__name__, brief(error))
            self._failure = WriterStopped(f"The writer failed: {type(error).__name__}: {brief(error)}")
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

    async def _attempt(self, jobs: list[J], form: int = 1) -> list[R]:
        """Write the jobs, halving on a data error; one answer per job."""
        try:
            return await self._persist(jobs)
        except (DBAPIError, StatementError, ValueError) as error:
            if fault_of(error) is not Fault.DATA or (len(jobs) == 1 and form == FORMS):
                raise
            if len(jobs) == 1:
                logger.warning("The database refuses one item: %s", brief(error))
                return await self._attempt([self._poison(jobs[0], error)], form + 1)
        middle = len(jobs) // 2
        return await self._attempt(jobs[:middle]) + await self._attempt(jobs[middle:])

    async def _persist(self, jobs: Sequence[J]) -> list[R]:
        """One transaction, tried again while the database is away. A commit without an answer is looked up first."""
        sent = _Sent[R]()
        return await self._patience(lambda: self._transaction(jobs, sent))

    async def _transaction(self, jobs: Sequence[J], sent: _Sent[R]) -> list[R]:
        async with self._engine.connect() as conn:
            if not await _arrived(conn, sent.transaction):
                sent.transaction = await transaction_id(conn)
                sent.answers = await self._apply(conn, jobs)
                await conn.commit()
        self._committed(jobs, sent.answers)
        return sent.answers

    def _fail_all(self, waiting: Sequence[tuple[J, asyncio.Future[R]]]) -> None:
        error = self._failure or WriterStopped()
        entries: list[tuple[J, asyncio.Future[R]] | None] = list(waiting)
        while not self._queue.empty():
            entries.append(self._queue.get_nowait())
        for entry in entries:
            if entry is not None and not entry[1].done():
                entry[1].set_exception(error)


class _Sent(Generic[R]):
    """A transaction whose commit may or may not have arrived."""

    def __init__(self) -> None:
        self.transaction: str | None = None
        self.answers: list[R] = []


async def _arrived(conn: AsyncConnection, transaction: str | None) -> bool:
    """Whether the earlier try was committed after all.

    Raises:
        Undecided: the server is still at it, or does not remember.
    """
    if transaction is None:
        return False
    status = await transaction_status(conn, transaction)
    if status not in {"committed", "aborted"}:
        raise Undecided(f"transaction {transaction} is {status or 'unknown'}")
    return status == "committed"
