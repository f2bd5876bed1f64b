"""One runtime per crawl: the open run, its writer, its profiles and its counters, whatever stage asks first.

Scrapy opens and closes pipelines side by side, so order lives here and not in the stages. A run is `finished` only
by the last commit of `close`; everything else leaves it interrupted, failed or deferred, and the next run goes on.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import orjson
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.statscollectors import StatsCollector
from sqlalchemy.exc import DBAPIError

from jobmonitor.crawling.commit import Answer, Committer, Job, Listed, Written, local_key, poison
from jobmonitor.crawling.extracting import profile_maker
from jobmonitor.crawling.opening import HostBusy, OpenRun, open_run
from jobmonitor.crawling.tally import Tally
from jobmonitor.crawling.writer import GroupWriter, Limits
from jobmonitor.domain.completeness import judge_listing
from jobmonitor.domain.derivation import derive_posting
from jobmonitor.domain.versioning import KnownPosting
from jobmonitor.errors import JobMonitorError, LeaseLost
from jobmonitor.items import FingerprintedPosting, ListPage, PostingKey, RawPosting, Rejected, Sighting, Withdrawn
from jobmonitor.storage import leases, runs
from jobmonitor.storage.engine import database_url
from jobmonitor.storage.known import LocalKey

logger = logging.getLogger(__name__)


class CrawlsOneSource(Protocol):
    """What the runtime needs of a spider."""

    #: Source key.
    source: str
    #: Network locations it will ask.
    hosts: Sequence[str]
    #: Set by the runtime: (channel, native id) of every posting known before the run.
    known: Any

    def parse(self, record: Mapping[str, Any], source: str) -> RawPosting:
        """The posting that a stored record describes."""


class Runtime:
    """Everything that the stages of one crawl share."""

    _of: WeakKeyDictionary[Crawler, Runtime] = WeakKeyDictionary()

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._opening: asyncio.Task[None] | None = None
        self._run: OpenRun | None = None
        self._failure: JobMonitorError | None = None
        self._closing: asyncio.Future[None] | None = None
        self._idle = False
        self._troubles: list[str] = []
        self._met: set[LocalKey] = set()
        self._pages: defaultdict[str, list[ListPage]] = defaultdict(list)
        self._early: dict[LocalKey, Sighting | Withdrawn] = {}
        self.tally = Tally()
        crawler.signals.connect(self._on_idle, signals.spider_idle)
        crawler.signals.connect(self._on_spider_error, signals.spider_error)

    @classmethod
    def of(cls, crawler: Crawler) -> Runtime:
        """The crawl's one runtime."""
        if crawler not in cls._of:
            cls._of[crawler] = cls(crawler)
        return cls._of[crawler]

    # -- opening

    async def ready(self) -> None:
        """Open everything, once; every stage that needs the database waits here.

        Raises:
            CloseSpider: the crawl cannot start; the reason is logged and stands in the stats.
        """
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        try:
            await asyncio.shield(self._opening)
        except JobMonitorError as error:
            raise CloseSpider(error.code) from error

    async def _open(self) -> None:
        spider = self._spider
        try:
            self._run = await open_run(spider.source, spider.hosts, self._crawler.settings)
        except JobMonitorError as error:
            self._note_state("deferred" if isinstance(error, HostBusy) else "failed", str(error))
            logger.error("%s", error)
            raise
        spider.known = self.known.keys()
        self._start_work(self._run)

    def _start_work(self, run: OpenRun) -> None:
        committer = Committer(
            lease=run.lease,
            observed_at=run.observed_at,
            contract=run.config.contract,
            known=run.known,
            objects=run.objects,
            rederive=self._rederive,
        )
        self._writer: GroupWriter[Job, Answer] = GroupWriter(
            run.engine,
            apply=committer.apply,
            committed=self._remember,
            poison=poison,
            reconnect=self._reconnect,
            limits=self._limits(),
        )
        self.profiles = profile_maker(run, self._crawler.settings)
        self._beating = asyncio.create_task(self._beat(), name="heartbeat")

    def _limits(self) -> Limits:
        settings = self._crawler.settings
        return Limits(
            size=settings.getint("GROUP_SIZE"),
            linger=settings.getfloat("GROUP_LINGER"),
            patience=settings.getfloat("DB_PATIENCE"),
        )

    def _rederive(self, body: bytes) -> FingerprintedPosting:
        """A stored record of this source under the rules of now."""
        spider = self._spider
        return derive_posting(spider.parse(orjson.loads(body), spider.source))

    # -- during the crawl

    def first_in_run(self, key: PostingKey) -> bool:
        """Whether this is the first item of the posting in this run; later ones are twins."""
        name = local_key(key)
        if name in self._met:
            return False
        self._met.add(name)
        return True

    async def write(self, item: FingerprintedPosting) -> Written | None:
        """Write a posting that was read in full, with its group; None if the database refused it."""
        key = item.clean.raw.key
        answer = await self._submit(item)
        if answer is None:
            self.tally.reject(local_key(key), "refused_by_database")
        else:
            self.tally.posting(local_key(key), answer.change)
        return answer

    async def sight(self, item: Sighting | Withdrawn) -> KnownPosting | None:
        """Note that a posting is there; None where it is still on its way or was rejected."""
        key = local_key(item.key)
        known = self.known.get(key)
        if known is None:
            self._early[key] = item
            return None
        self.tally.posting(key, "unchanged")
        if item.listing not in known.listings:
            await self._submit(Listed(key=item.key, posting_id=known.posting_id, listing=item.listing))
        return known

    async def reject(self, item: Rejected) -> None:
        """Write a reject with its record."""
        self.tally.reject(("", item.key), item.reason)
        await self._submit(item)

    async def page(self, item: ListPage) -> None:
        """Write a page into the ledger."""
        self._pages[item.listing].append(item)
        await self._submit(item)

    async def _submit(self, job: Job) -> Answer:
        try:
            return await self._writer.submit(job)
        except JobMonitorError as error:
            self._abort(error)
            raise

    def _remember(self, jobs: Sequence[Job], answers: Sequence[Answer]) -> None:
        """A group is durable: from now on this is what is known."""
        for job, answer in zip(jobs, answers, strict=True):
            if isinstance(job, FingerprintedPosting) and answer is not None:
                self.known[local_key(job.clean.raw.key)] = answer.known
            elif isinstance(job, Listed):
                known = self.known[local_key(job.key)]
                self.known[local_key(job.key)] = replace(known, listings=known.listings | {job.listing})

    def _abort(self, error: JobMonitorError) -> None:
        """Nothing can be written any more: close the spider, once."""
        if self._failure is not None:
            return
        self._failure = error
        logger.error("%s", error)
        engine = self._crawler.engine
        if engine is not None and engine.spider is not None:
            self._closing = asyncio.ensure_future(engine.close_spider_async(reason=error.code))

    async def _beat(self) -> None:
        run, ttl = self.run, self._crawler.settings.getfloat("LEASE_TTL")
        while True:
            await asyncio.sleep(ttl / 3)
            try:
                async with run.engine.begin() as conn:
                    await leases.renew(conn, run.lease, ttl=ttl)
                    await runs.beat(conn, run.lease.run_id)
            except LeaseLost as error:
                self._abort(error)
                return
            except DBAPIError as error:
                logger.warning("No heartbeat: %s", error.orig)

    async def _reconnect(self) -> None:
        """Bring an embedded database back; an external one is waited for."""
        await self.run.engine.dispose()
        if self.run.config.database_url is None:
            await asyncio.to_thread(database_url, self.run.config)

    # -- closing

    async def close(self) -> None:
        """Flush, judge completeness, drain the profiles and finish the run, in this order."""
        if self._run is None:
            return
        try:
            await self._flush()
            state, _ = self._final_state()
            await self.profiles.drain(self.run.lease.source, interrupted=state != "finished")
            await self._finish()
        except (JobMonitorError, DBAPIError) as error:
            logger.error("The run could not be finished: %s", error)
            await self._end_quietly(str(self._failure or error))
        finally:
            self._beating.cancel()
            await self.run.engine.dispose()

    async def _flush(self) -> None:
        """Settle sightings that came before their posting, then write everything that waits."""
        if self._failure is None:
            for key, item in self._early.items():
                await self._settle(key, item)
        await self._writer.close()
        self._failure = self._failure or self._writer.failure

    async def _settle(self, key: LocalKey, item: Sighting | Withdrawn) -> None:
        if key in self.known:
            await self.sight(item)
        elif key not in self._met:
            detail = "the spider reported a sighting of a posting that is not known"
            await self.reject(Rejected(source=item.key.source, key=item.key.native_id, reason="unknown", detail=detail))

    async def _finish(self) -> None:
        state, reason = self._final_state()
        troubles = self._troubles + ([] if state == "finished" else ["the run was interrupted"])
        verdicts = [judge_listing(name, pages, troubles=troubles) for name, pages in self._pages.items()]
        self.tally.duplicates(self.stats.get_value("jobmonitor/spider/duplicate", 0))
        ledger = self.tally.ledger() | self.profiles.counts()
        async with self.run.engine.begin() as conn:
            if state == "finished":
                await leases.guard(conn, self.run.lease)
            await runs.end(conn, self.run.lease.run_id, state, reason=reason, ledger=ledger, channels=verdicts)
            await leases.release(conn, self.run.lease)
        self._note_state(state, reason)

    def _final_state(self) -> tuple[str, str | None]:
        if self._failure is not None:
            return "interrupted", str(self._failure)
        if self._idle and self._crawler.crawling:
            return "finished", None
        return "interrupted", "It was stopped before the last page was read. Run the same command again to go on"

    async def _end_quietly(self, reason: str) -> None:
        """Write the end into the diary if the database can still be reached."""
        self._note_state("interrupted", reason)
        try:
            async with self.run.engine.begin() as conn:
                await runs.end(conn, self.run.lease.run_id, "interrupted", reason=reason, ledger=self.tally.ledger())
                await leases.release(conn, self.run.lease)
        except DBAPIError as error:
            logger.warning("The run's end could not be written: %s", error.orig)

    # -- small things

    @property
    def run(self) -> OpenRun:
        """The open run."""
        assert self._run is not None, "ready() first"
        return self._run

    @property
    def known(self) -> dict[LocalKey, KnownPosting]:
        """What is known by (channel, native id), up to the last durable group."""
        return self.run.known

    @property
    def observed_at(self) -> dt.datetime:
        """The run's logical time."""
        return self.run.observed_at

    @property
    def stats(self) -> StatsCollector:
        """The crawl's stats."""
        assert self._crawler.stats is not None
        return self._crawler.stats

    @property
    def _spider(self) -> CrawlsOneSource:
        spider: Any = self._crawler.spider
        assert spider is not None
        checked: CrawlsOneSource = spider
        return checked

    def _note_state(self, state: str, reason: str | None) -> None:
        self.stats.set_value("jobmonitor/run/state", state)
        if reason:
            self.stats.set_value("jobmonitor/run/reason", reason)

    def _on_idle(self) -> None:
        self._idle = True

    def _on_spider_error(self, failure: Any) -> None:
        self._troubles.append(f"a callback failed: {failure.type.__name__}")
