"""The extractor: claims contents, asks the model about each once, and stores what it may believe.

What may be asked is decided by the database (jobmonitor.storage.claims), what is believed by `judge`, whose fault a
failure is by the kind of fault that the client raises. docs/extraction.md tells the whole.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.errors import BudgetReached, DatabaseUnavailable, JobMonitorError, UnknownPrice
from jobmonitor.extraction.answers import Judged, judge
from jobmonitor.extraction.asking import Asking
from jobmonitor.extraction.breaker import PAUSES, Breaker
from jobmonitor.extraction.client import ModelClient, ModelReply, ModelRequest
from jobmonitor.extraction.faults import ItemFault, ProviderFault
from jobmonitor.extraction.prompting import repair
from jobmonitor.extraction.settling import Settler
from jobmonitor.storage import batches, budget, claims, profiles
from jobmonitor.storage.batches import OpenBatch
from jobmonitor.storage.claims import Claimed, Claims, Scope, Terms
from jobmonitor.storage.patiently import patiently
from jobmonitor.storage.runs import observed_at

logger = logging.getLogger(__name__)

#: Seconds between two looks: while others hold slots or money, and while a crawl may still bring contents.
POLL, POLL_FED = 0.2, 1.0
#: Seconds that a call may take beyond its time-out before it is cut off here.
GRACE = 5.0
#: Seconds between two heartbeats at most.
HEARTBEAT = 15.0
#: What a batch counts: contents by what became of them, then calls, then values that had no ground in their text.
COUNTS = (
    *("profiles", "empty", "degraded", "skipped", "failed", "late", "released"),
    *("calls", "repairs"),
    "ungrounded",
)
#: Failures whose blame depends on how other contents fare.
_UNCLEAR = {"timeout", "server_error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a batch did."""

    batch: int
    counts: dict[str, int]
    #: Contents of its scope that still wait.
    left: int
    #: Why it stopped before everything was done.
    problem: JobMonitorError | None = None
    #: It was asked to stop.
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Which contents a batch works off, and when it ends."""

    scope: Scope
    #: At most so many contents; None = all.
    limit: int | None = None
    #: Also wait for what other processes hold, and for what a crawl still brings.
    until_idle: bool = False
    #: Set once no more contents come; None = none come.
    fed: asyncio.Event | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """How this process is named in the diary, and how it knows that another one is gone."""

    holder: str = ""
    is_dead: Callable[[str], bool] = lambda _holder: False


class Extractor:
    """One batch.

    Args:
        engine: the database.
        client: the model.
        asking: how it is asked.
        work: which contents.
        process: this process.
        pauses: seconds to wait after the provider's first, second, … fault in a row.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        client: ModelClient,
        asking: Asking,
        work: Work,
        *,
        process: Process | None = None,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        self._engine = engine
        self._client = client
        self._asking = asking
        self._work = work
        self._scope = work.scope
        self._process = process or Process()
        self._breaker = Breaker(pauses)
        self._counts = Counter(dict.fromkeys(COUNTS, 0))
        self._claimed = 0
        self._tasks: dict[asyncio.Task[None], Claimed] = {}
        self._stop = asyncio.Event()
        self._problem: JobMonitorError | None = None

    @property
    def done(self) -> int:
        """Contents that are settled."""
        return self._claimed - len(self._tasks)

    def stop(self) -> None:
        """Claim nothing more; what was sent is waited for."""
        self._stop.set()

    async def run(self) -> Report:
        """Work the contents off.

        Raises:
            UnknownPrice: there is a budget, and nobody knows what a call costs.
            DatabaseUnavailable: the database was lost.
        """
        if self._asking.budget.daily is not None and self._asking.price is None:
            raise UnknownPrice(
                f"No price is known for {self._asking.model}, so JOBMONITOR_LLM_DAILY_BUDGET cannot be kept. State one "
                "as JOBMONITOR_LLM_PRICE=input/output per million tokens (0/0 if it costs nothing), or unset the budget"
            )
        try:
            batch = await self._open()
            keeping = asyncio.create_task(self._keep(batch), name="leases")
            try:
                await self._loop()
            except asyncio.CancelledError:
                for task in self._tasks:
                    task.cancel()
                raise
            finally:
                keeping.cancel()
                await asyncio.gather(keeping, *self._tasks, return_exceptions=True)
            return await self._close(batch)
        except DBAPIError as error:
            raise DatabaseUnavailable(f"The database refuses to work: {error.orig}") from error

    # -- the diary

    async def _open(self) -> OpenBatch:
        asking = self._asking
        async with self._engine.begin() as conn:
            await batches.bury(conn, is_dead=self._process.is_dead)
            config = await profiles.ensure_config(
                conn,
                producer="model",
                model=asking.model,
                prompt=asking.prompt.version,
                parameters=asking.parameters,
            )
            at = await observed_at(conn, self._scope.run_id)
            batch = await batches.begin(conn, run_id=self._scope.run_id, config_id=config, holder=self._process.holder)
        self._scope = replace(self._scope, before=batch.started_at)
        self._terms = Terms(
            batch_id=batch.id,
            config_id=config,
            lease=asking.lease,
            concurrency=asking.concurrency,
            budget=asking.budget,
        )
        self._settler = Settler(
            engine=self._engine,
            contract=asking.contract,
            terms=self._terms,
            at=at,
            counts=self._counts,
            currency=asking.currency,
        )
        return batch

    async def _keep(self, batch: OpenBatch) -> None:
        """Renew the leases of what is under way, and write the heartbeat."""
        while True:
            await asyncio.sleep(min(self._terms.lease / 4, HEARTBEAT))
            tokens = {each.token for each in self._tasks.values()}
            try:
                async with self._engine.begin() as conn:
                    await batches.beat(conn, batch.id, self._counts)
                    held = await claims.renew(conn, tokens, self._terms.lease)
            except DBAPIError as error:
                logger.warning("Leases could not be renewed: %s", error.orig)
            else:
                for lost in tokens & {each.token for each in self._tasks.values()} - held:
                    logger.warning("The lease %s passed on; its answer will be late", lost)

    async def _close(self, batch: OpenBatch) -> Report:
        stopped = self._stop.is_set() and self._problem is None
        state = "failed" if self._problem else "interrupted" if stopped else "finished"
        reason = str(self._problem) if self._problem else "it was asked to stop" if stopped else None
        async with self._engine.begin() as conn:
            await batches.end(conn, batch.id, state, counts=self._counts, reason=reason)
            open_ones = await claims.waiting(conn, self._scope)
        return Report(
            batch=batch.id, counts=dict(self._counts), left=open_ones.pending, problem=self._problem, stopped=stopped
        )

    # -- claiming

    async def _loop(self) -> None:
        while not self._halted():
            room = self._breaker.width(self._asking.concurrency) - len(self._tasks)
            if self._work.limit is not None:
                room = min(room, self._work.limit - self._claimed)
            if room <= 0 and not self._tasks:
                return
            pause = self._breaker.wait(time.monotonic())
            if pause or room <= 0:
                await self._wait(pause or None)
            elif not await self._take(room):
                return
        while self._tasks:
            await self._wait(None)

    def _halted(self) -> bool:
        self._problem = self._problem or self._breaker.given_up
        return self._stop.is_set() or self._problem is not None

    async def _take(self, room: int) -> bool:
        """Claim and begin, or wait for what hinders it; False once nothing is left to do."""
        got = await self._claim(room)
        self._claimed += len(got.claimed) + len(got.needless)
        for each in got.claimed:
            task = asyncio.create_task(self._handle(each), name=f"content {each.content_hash[:12]}")
            self._tasks[task] = each
        if got.claimed or got.needless:
            return True
        if got.short_of == "budget" and not self._tasks and not await self._budget_may_grow():
            self._problem = BudgetReached(
                f"Today's budget of {self._asking.budget.daily} {self._asking.currency} has no room for another call. "
                "It begins anew at midnight (JOBMONITOR_TIMEZONE); JOBMONITOR_LLM_DAILY_BUDGET raises it"
            )
            return True
        if got.short_of is None and not self._tasks and not await self._more_to_come():
            return False
        waits_for_crawl = got.short_of is None and not self._tasks and self._is_fed()
        await self._wait(POLL_FED if waits_for_crawl else POLL)
        return True

    async def _claim(self, room: int) -> Claims:
        async def work(conn: AsyncConnection) -> Claims:
            got = await claims.claim(conn, self._scope, self._terms, want=room, estimate=self._asking.estimate)
            for candidate, reason in got.needless:
                await self._settler.without_call(conn, candidate, reason)
            return got

        return await patiently(self._engine, work)

    async def _budget_may_grow(self) -> bool:
        return await patiently(self._engine, lambda conn: budget.can_free_up(conn, self._asking.budget))

    def _is_fed(self) -> bool:
        return self._work.fed is not None and not self._work.fed.is_set()

    async def _more_to_come(self) -> bool:
        """Whether contents may turn up although none can be claimed now."""
        freed = await patiently(self._engine, lambda conn: batches.bury(conn, is_dead=self._process.is_dead))
        open_ones = await patiently(self._engine, lambda conn: claims.waiting(conn, self._scope))
        if freed or not self._work.until_idle:
            return bool(freed)
        return self._is_fed() or open_ones.leased > 0 or open_ones.pending > 0

    async def _wait(self, seconds: float | None) -> None:
        """Until a call ends, the time is up, or someone says stop. Errors of a call's own code come out here."""
        stop = asyncio.create_task(self._stop.wait())
        waited = {stop, *self._tasks} if not self._stop.is_set() else set(self._tasks)
        done, _ = await asyncio.wait(waited or {stop}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        with suppress(asyncio.CancelledError):
            await stop
        for task in done - {stop}:
            self._tasks.pop(task, None)  # type: ignore[arg-type]
            task.result()

    # -- one content

    async def _handle(self, claimed: Claimed) -> None:
        """Ask, mend once if that may help, and settle."""
        request = self._asking.request(claimed.document)
        call_id = claimed.call_id
        answer = await self._ask(request, claimed)
        if isinstance(answer, ItemFault) and answer.reply is not None and claimed.attempts == 0:
            second = repair(request, answer.reply.text, answer.message)
            repair_id = await self._settler.repair(claimed, call_id, answer, self._asking.most(second))
            if repair_id is None:
                self._claimed -= 1
                return
            self._counts["repairs"] += 1
            call_id, answer = repair_id, await self._ask(second, claimed)
        match answer:
            case (reply, judged):
                await self._settler.succeed(claimed, call_id, judged, reply)
            case ItemFault():
                await self._settler.degrade(claimed, call_id, answer)
            case ProviderFault():
                await self._blame(claimed, call_id, answer)

    async def _ask(
        self, request: ModelRequest, claimed: Claimed
    ) -> tuple[ModelReply, Judged] | ItemFault | ProviderFault:
        """One request, and what its answer is worth."""
        sent = time.monotonic()
        self._counts["calls"] += 1
        try:
            async with asyncio.timeout(self._asking.timeout + GRACE):
                reply = await self._client.complete(request)
            self._breaker.answered()
            return reply, self._judge(reply, claimed)
        except TimeoutError:
            seconds = f"{self._asking.timeout:g} s (JOBMONITOR_LLM_TIMEOUT)"
            return self._note(ProviderFault("timeout", f"The model did not answer within {seconds}"), sent)
        except ProviderFault as fault:
            return self._note(fault, sent)
        except ItemFault as fault:
            self._breaker.answered()
            return fault
        except Exception as error:  # noqa: BLE001 - a client's surprise must not end the batch, nor be charged at once
            logger.warning("A call failed in the client (%s)", type(error).__name__)
            return self._note(ProviderFault("server_error", f"The client failed: {type(error).__name__}"), sent)

    def _judge(self, reply: ModelReply, claimed: Claimed) -> Judged:
        try:
            return judge(reply.text, claimed.document, self._asking.contract)
        except ItemFault as fault:
            fault.reply = reply
            raise
        except Exception as error:
            logger.warning("An answer could not be judged (%s)", type(error).__name__)
            raise ItemFault("malformed", f"The answer cannot be read: {type(error).__name__}", reply=reply) from error

    def _note(self, fault: ProviderFault, sent: float) -> ProviderFault:
        self._breaker.failed(fault, sent=sent, now=time.monotonic())
        return fault

    async def _blame(self, claimed: Claimed, call_id: int, fault: ProviderFault) -> None:
        """A provider's fault, unless other contents fared well between two such failures of this one."""
        if fault.kind in _UNCLEAR and await self._settler.is_own(call_id):
            await self._settler.degrade(claimed, call_id, fault)
        else:
            await self._settler.release(claimed, call_id, fault)
            self._claimed -= 1
