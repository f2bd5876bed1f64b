"""Makes profiles by rules beside a crawl, in a thread, so that the crawl never waits for one.

Without a model this is the product's extractor: the same rows, events and views as with one.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.extraction.by_rules import answer_by_rules
from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.rules import RULES_VERSION
from jobmonitor.storage import profiles
from jobmonitor.storage.faults import brief
from jobmonitor.storage.profiles import Answered, Pending

logger = logging.getLogger(__name__)

#: Contents profiled in one transaction at most.
BATCH = 200
#: Seconds after which a batch is left to the next run: nothing but a stalled database takes so long.
BATCH_PATIENCE = 300.0
#: Seconds that the batch at work has left when the crawl is interrupted.
INTERRUPTED_PATIENCE = 10.0

Lock = Callable[[AsyncConnection], Awaitable[list[Pending]]]


class RulesWorker:
    """Profiles contents as they are announced, and on `drain` whatever still waits.

    Args:
        engine: the database.
        contract: number of the contract to fill.
        observed_at: logical time of the events.
    """

    def __init__(self, engine: AsyncEngine, *, contract: int, observed_at: dt.datetime) -> None:
        self._engine = engine
        self._contract = load_contract(contract)
        self._at = observed_at
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._run(), name="rules-worker")
        self._interrupted = False
        self.made = 0
        self.empty = 0
        self.failed = 0

    def announce(self, content_hash: str) -> None:
        """A content wants its profile. Returns at once."""
        self._queue.put_nowait(content_hash)

    async def wait(self, *, interrupted: bool) -> None:
        """Finish what was announced; after an interruption only what is at work, the next run takes the rest."""
        self._interrupted = interrupted
        if not self._task.done():
            self._queue.put_nowait(None)
        await asyncio.wait([self._task], timeout=INTERRUPTED_PATIENCE if interrupted else None)
        self._task.cancel()

    async def drain(self, source: str, *, interrupted: bool) -> int:
        """One batch of what waits from earlier runs of the source; the number of contents taken, 0 = all is done."""
        if interrupted:
            return 0
        of_source = partial(profiles.lock_pending_of, contract=self._contract.number, source=source, limit=BATCH)
        return await self._work(of_source)

    def counts(self) -> dict[str, int]:
        """What was made in this run."""
        return {"profiles": self.made, "profiles_empty": self.empty, "profiles_failed": self.failed}

    async def _run(self) -> None:
        while (batch := await self._next_batch()) and not self._interrupted:
            try:
                async with asyncio.timeout(BATCH_PATIENCE):
                    await self._work(partial(profiles.lock_pending, contract=self._contract.number, hashes=batch))
            except (SQLAlchemyError, TimeoutError) as error:
                # Nothing is lost: the rows stay pending, and the drain or the next run takes them.
                logger.warning("Profiles wait for the database: %s", brief(error) or "no answer")

    async def _next_batch(self) -> list[str]:
        """The next contents; an empty list at the end."""
        first = await self._queue.get()
        batch: list[str] = []
        while first is not None:
            batch.append(first)
            if len(batch) == BATCH or self._queue.empty():
                return batch
            first = self._queue.get_nowait()
        if batch:
            self._queue.put_nowait(None)
        return batch

    async def _work(self, lock: Lock) -> int:
        """One transaction: lock, profile in a thread, store. The number of contents taken."""
        async with self._engine.begin() as conn:
            pending = await lock(conn)
            if not pending:
                return 0
            answers = await asyncio.to_thread(self._answer, pending)
            for each, answer in zip(pending, answers, strict=True):
                if isinstance(answer, str):
                    await profiles.fail(conn, self._contract.number, each.content_hash, answer)
            good = [answer for answer in answers if isinstance(answer, Answered)]
            config = await self._config(conn)
            await profiles.store(
                conn, good, contract=self._contract.number, producer="rules", config_id=config, at=self._at
            )
        self.made += len(good)
        self.empty += sum(answer.empty for answer in good)
        self.failed += len(answers) - len(good)
        return len(pending)

    async def _config(self, conn: AsyncConnection) -> int:
        return await profiles.ensure_config(conn, producer="rules", model=RULES_VERSION, parameters={})

    def _answer(self, pending: Sequence[Pending]) -> list[Answered | str]:
        return [answer_by_rules(self._contract, each.content_hash, each.document) for each in pending]
