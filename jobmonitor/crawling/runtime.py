"""One runtime per crawl: the open run, its writer, its profiles and its counters, whatever stage asks first.

Scrapy opens and closes pipelines side by side, so order lives here and not in the stages. A run is `finished` only
by the last commit of `close`; everything else leaves it interrupted, failed or deferred, and the next run goes on.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import orjson
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Request
from scrapy.statscollectors import StatsCollector
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.crawling.adopting import Resumed
from jobmonitor.crawling.arrivals import Arrivals
from jobmonitor.crawling.closing import traffic, unaccounted
from jobmonitor.crawling.commit import Committer
from jobmonitor.crawling.extracting import profile_maker
from jobmonitor.crawling.jobs import Answer, Job, Listed, Reread, Written, poison
from jobmonitor.crawling.opening import STOPPED, HostBusy, OpenRun, open_run
from jobmonitor.crawling.pages import PageBook
from jobmonitor.crawling.patience import Patience
from jobmonitor.crawling.probing import Prober
from jobmonitor.crawling.process import before_shutdown, spare_the_collector
from jobmonitor.crawling.settling import Settled, Settling
from jobmonitor.crawling.sights import Sights
from jobmonitor.crawling.stage import Kept
from jobmonitor.crawling.tally import Tally
from jobmonitor.crawling.validating import ValidatorBook
from jobmonitor.crawling.writer import GroupWriter, Limits
from jobmonitor.domain.completeness import ChannelVerdict
from jobmonitor.domain.derivation import derive_posting
from jobmonitor.domain.freshness import detail_is_fresh
from jobmonitor.domain.reference import LocalKey
from jobmonitor.domain.versioning import KnownPosting
from jobmonitor.errors import JobMonitorError, LeaseLost
from jobmonitor.items import (
    FingerprintedPosting,
    ListPage,
    PageRead,
    PostingKey,
    RawPosting,
    Rejected,
    Sighting,
    Validator,
    Withdrawn,
)
from jobmonitor.storage import leases, runs
from jobmonitor.storage.engine import database_url
from jobmonitor.storage.events import append
from jobmonitor.storage.faults import brief
from jobmonitor.storage.validators import distrust

logger = logging.getLogger(__name__)


class CrawlsOneSource(Protocol):
    """What the runtime needs of a spider."""

    #: Source key.
    source: str
    #: Network locations it will ask.
    hosts: Sequence[str]
    #: Set by the runtime: (channel, native id) of every posting known before the run.
    known: Any
    #: Set by the runtime: whether the detail of (channel, native id) may be trusted for a row hash.
    detail_is_fresh: Any
    #: Set by the runtime: the hash of the list row for which the detail of (channel, native id) was read last.
    stored_row_hash: Any
    #: Fewest and most postings that are believable.
    plausible: tuple[int, int]

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
        self._met: set[LocalKey] = set()
        self._twins = 0
        self._sights = Sights()
        self._early: defaultdict[LocalKey, list[Sighting | Withdrawn]] = defaultdict(list)
        self.tally = Tally()
        #: The run's page ledger; None while there is no run.
        self.book: PageBook | None = None
        self._arrivals = Arrivals()
        self._prober = Prober(crawler, self)
        crawler.signals.connect(self._on_idle, signals.spider_idle)
        crawler.signals.connect(self._on_spider_error, signals.spider_error)
        crawler.signals.connect(self._on_item_lost, signals.item_error)
        crawler.signals.connect(self._on_item_lost, signals.item_dropped)

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
            before_shutdown(self._opening)
        try:
            await asyncio.shield(self._opening)
        except JobMonitorError as error:
            raise CloseSpider(error.code) from error

    async def _open(self) -> None:
        spider, settings = self._spider, self._crawler.settings
        try:
            run = await open_run(spider.source, spider.hosts, settings)
        except JobMonitorError as error:
            self._note_state("deferred" if isinstance(error, HostBusy) else "failed", str(error))
            logger.error("%s", error)
            raise
        except asyncio.CancelledError:
            self._note_state("interrupted", STOPPED)
            raise
        spare_the_collector()
        self._start_work(run)
        self._run = run
        spider.known = run.known.keys()
        spider.detail_is_fresh = self._detail_is_fresh
        spider.stored_row_hash = self._stored_row_hash
        self._take_up(run.resumed)

    def _take_up(self, resumed: Resumed | None) -> None:
        """Open the page ledger, with what the run did before it was cut off."""
        spider: Any = self._spider
        self._validators = ValidatorBook(
            self.run.validators if spider.conditional else {},
            at=self.observed_at,
            nothing_to_read=self._nothing_to_read,
        )
        learn = self._validators.learn if spider.conditional else None
        asked = resumed.asked() if resumed else ()
        self.book = spider.pages = PageBook(spider, self._writer.note, asked, learn)
        if resumed is None:
            return
        known = self.known.keys()
        resumed.recount(self.tally, known)
        self._met.update(self.tally.keys)
        spider.resume(self._sights.restore(resumed, known))

    def unfinished(self) -> Iterator[Request]:
        """Pages that a run asked for before it was cut off and did not read to their end."""
        if self._run is not None and self._run.resumed is not None:
            yield from self._run.resumed.requests(self._crawler.spider)  # type: ignore[arg-type]

    def _start_work(self, run: OpenRun) -> None:
        settings = self._crawler.settings
        self._patience = Patience(settings.getfloat("DB_PATIENCE"), lambda: _reconnect(run))
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
            patience=self._patience,
            limits=Limits(size=settings.getint("GROUP_SIZE"), linger=settings.getfloat("GROUP_LINGER")),
        )
        self.profiles = profile_maker(run, self._crawler.settings)
        self._beating = asyncio.create_task(self._beat(), name="heartbeat")

    def _rederive(self, body: bytes) -> FingerprintedPosting:
        """A stored record of this source under the rules of now."""
        spider = self._spider
        return derive_posting(spider.parse(orjson.loads(body), spider.source))

    def _detail_is_fresh(self, key: LocalKey, row_hash: str) -> bool:
        """Whether a posting's detail need not be asked for: its list row says what it said when it was last read."""
        age = dt.timedelta(days=self._crawler.settings.getfloat("DETAIL_MAX_AGE"))
        return detail_is_fresh(self.known.get(key), row_hash, now=self.observed_at, max_age=age)

    def _stored_row_hash(self, key: LocalKey) -> str | None:
        known = self.known.get(key)
        return known.row_hash if known is not None else None

    def validator_for(self, request: Request) -> Validator | None:
        """The validator that a request may be asked with; None = ask for the whole body."""
        return self._validators.for_request(request) if self.book is not None else None

    def _nothing_to_read(self, listing: str, native_ids: tuple[str, ...]) -> bool:
        """Whether a page with these postings withholds nothing: all are known, and no detail is due again."""
        for native_id in native_ids:
            key = (listing, native_id) if (listing, native_id) in self.known else ("", native_id)
            known = self.known.get(key)
            if known is None or listing not in known.listings:
                return False
            if known.row_hash is not None and not self._detail_is_fresh(key, known.row_hash):
                return False
        return True

    # -- during the crawl

    def first_in_run(self, key: PostingKey) -> bool:
        """Whether this is the first item of the posting in this run; later ones are twins."""
        name = key.local
        if name in self._met:
            self._twins += 1
            return False
        self._met.add(name)
        return True

    async def write(self, item: FingerprintedPosting) -> Written | None:
        """Write a posting that was read in full, with its group; None if the database refused it."""
        key = item.clean.raw.key
        answer = await self._submit(item)
        if answer is None:
            self.tally.reject(key.local, "refused_by_database")
        else:
            self.tally.posting(key.local, answer.change)
        return answer

    def reread(self, raw: RawPosting) -> None:
        """Note that a detail was read again and says the same, so that it is not asked for again tomorrow."""
        if raw.row_hash is not None:
            self._note_read(raw.key, raw.row_hash)

    def _note_read(self, key: PostingKey, row_hash: str) -> None:
        known = self.known[key.local]
        if known.detail_observed_at != self.observed_at:
            self._writer.note(Reread(key=key, posting_id=known.posting_id, row_hash=row_hash))

    async def sight(self, item: Sighting | Withdrawn) -> KnownPosting | None:
        """Note that a posting is there; None where it is still on its way or was rejected."""
        key = item.key.local
        known = self.known.get(key)
        if known is None:
            self._early[key].append(item)
            return None
        self.tally.posting(key, "unchanged")
        if isinstance(item, Sighting) and item.reason == "row_unchanged":
            self.stats.inc_value("jobmonitor/pages/skipped")
        if isinstance(item, Sighting) and item.row_hash is not None:
            self._note_read(item.key, item.row_hash)
        if isinstance(item, Withdrawn):
            self._sights.withdrawn[key] = item.evidence
        elif item.reason == "probed":
            self._sights.alive.add(key)
        if item.listing not in known.listings:
            await self._submit(Listed(key=item.key, posting_id=known.posting_id, listing=item.listing))
        return known

    def unproven(self) -> list[str]:
        """Listing channels that this run could not prove to be whole, once its pages are read."""
        if self._run is None or self._failure is not None:
            return []
        return self._sights.unproven()

    def unseen(self, channels: Collection[str]) -> dict[int, PostingKey]:
        """Known postings of these channels, not gone, that no page of this run showed, by id."""
        return self._sights.unseen(self.known, channels, self.run.lease.source)

    def probing(self, key: PostingKey, request: Request) -> Request:
        """Note that a posting's own address is asked; the request."""
        self._sights.probed.add(key.local)
        return request

    async def reject(self, item: Rejected) -> None:
        """Write a reject with its record."""
        self.tally.reject((item.channel, item.key), item.reason)
        await self._submit(item)

    async def page(self, item: ListPage) -> None:
        """Write what a list page shows into the ledger."""
        self._sights.page(item)
        await self._submit(item)

    def arrived(self) -> None:
        """An item has come to where it is written."""
        self._arrivals.count()

    async def page_read(self, item: PageRead) -> None:
        """Note a page as done, behind everything that it showed, and the pages that it leads to."""
        await self._arrivals.reach(item.emitted)
        for note in (*item.follow, item.note):
            self._writer.note(note)

    async def _submit(self, job: Job) -> Answer:
        try:
            return await self._writer.submit(job)
        except JobMonitorError as error:
            self.abort(error)
            raise

    def _remember(self, jobs: Sequence[Job], answers: Sequence[Answer]) -> None:
        """A group is durable: from now on this is what is known."""
        for job, answer in zip(jobs, answers, strict=True):
            if isinstance(job, FingerprintedPosting) and answer is not None:
                self.known[job.clean.raw.key.local] = answer.known
            elif isinstance(job, Reread):
                known = self.known[job.key.local]
                renewed = replace(known, row_hash=job.row_hash, detail_observed_at=self.observed_at)
                self.known[job.key.local] = renewed
            elif isinstance(job, Listed):
                known = self.known[job.key.local]
                self.known[job.key.local] = replace(known, listings=known.listings | {job.listing})

    @property
    def is_ending(self) -> bool:
        """Whether the run will not be finished by this process."""
        return self._failure is not None

    def abort(self, error: JobMonitorError) -> None:
        """The run cannot go on: close the spider, once."""
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
                    await runs.beat(conn, run.lease.run_id, self._counts())
            except LeaseLost as error:
                self.abort(error)
                return
            except SQLAlchemyError as error:
                logger.warning("No heartbeat: %s", brief(error))

    # -- closing

    async def close(self) -> None:
        """Flush, judge completeness, drain the profiles and finish the run, in this order."""
        if self._run is None:
            return
        try:
            await self._flush()
            await self._complete_profiles()
            await self._patience(self._finish)
        except Exception as error:  # noqa: BLE001 - the run's outer edge: whatever it is, the diary must tell
            logger.error("The run could not be finished: %s: %s", type(error).__name__, brief(error))
            await self._end_quietly(str(self._failure or f"{type(error).__name__}: {brief(error)}"))
        finally:
            self._beating.cancel()
            await self.run.engine.dispose()

    async def _complete_profiles(self) -> None:
        """What this run announced, then what earlier runs left; an interrupted run leaves it to the next."""
        interrupted = self._final_state()[0] != "finished"
        await self.profiles.wait(interrupted=interrupted)
        source = self.run.lease.source
        while await self._patience(lambda: self.profiles.drain(source, interrupted=interrupted)):
            continue

    async def _flush(self) -> None:
        """Settle sightings that came before their posting, then write everything that waits."""
        if self._failure is None:
            for key, items in self._early.items():
                for item in items:
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
        verdicts = self._sights.verdicts(finished=state == "finished")
        self.tally.duplicates = self._twins + self.stats.get_value("jobmonitor/spider/duplicate", 0)
        ledger = self._counts()
        if state == "finished":
            self._account(ledger)
        async with self.run.engine.begin() as conn:
            if await runs.state_of(conn, self.run.lease.run_id) == "running":
                await self._end(conn, state, reason, ledger, verdicts)
        self._note_state(state, reason)
        for verdict in verdicts:
            if not verdict.complete:
                name = verdict.listing or "the listing"
                logger.warning("Not complete: %s (%s)", name, "; ".join(verdict.prevented_by))

    async def _end(
        self,
        conn: AsyncConnection,
        state: str,
        reason: str | None,
        ledger: Mapping[str, Any],
        verdicts: Sequence[ChannelVerdict],
    ) -> None:
        lease, settled = self.run.lease, Settled()
        if state == "finished":
            await leases.guard(conn, lease)
            settled = await self._settling(conn, verdicts).settle()
        await runs.end(
            conn, lease.run_id, state, reason=reason, ledger=ledger, channels=verdicts, missed=settled.missed
        )
        if self._validators.distrusted is not None:
            await distrust(conn, lease.source, self._validators.distrusted)
        await leases.release(conn, lease)
        await append(conn, settled.events)
        for channel, held in settled.held.items():
            logger.warning("Held back: %s (%s)", channel or "the listing", held)

    def _counts(self) -> dict[str, Any]:
        resumed = self.run.resumed
        asked = traffic(self.stats, resumed.ledger if resumed is not None else {})
        return self.tally.ledger() | self.profiles.counts() | asked

    def _account(self, ledger: dict[str, Any]) -> None:
        """A ledger that does not close is an error in itself: something that a page showed was lost on the way."""
        lost = unaccounted(self._sights.pages, self.tally)
        if lost:
            ledger["unaccounted"] = len(lost)
            self.stats.set_value("jobmonitor/run/unaccounted", len(lost))
            names = ", ".join(native_id for _, native_id in lost[:5])
            logger.error("The ledger does not close: %d ids were shown and nothing came of them (%s)", len(lost), names)

    def _settling(self, conn: AsyncConnection, verdicts: Sequence[ChannelVerdict]) -> Settling:
        gap = dt.timedelta(hours=self._crawler.settings.getfloat("CONFIRM_GAP"))
        return Settling(
            conn,
            lease=self.run.lease,
            at=self.observed_at,
            known=self.known,
            looks=self._sights.looks(verdicts),
            gap=gap,
            least=self._spider.plausible[0],
        )

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
                await runs.end(conn, self.run.lease.run_id, "interrupted", reason=reason, ledger=self._counts())
                await leases.release(conn, self.run.lease)
        except DBAPIError as error:
            logger.warning("The run's end could not be written: %s", brief(error))

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

    def _on_item_lost(self, exception: BaseException | None = None) -> None:
        """An item that never came to the version stage: no page may wait for it."""
        if not isinstance(exception, Kept):
            self._arrivals.count()

    def _on_spider_error(self, failure: Any) -> None:
        self._sights.troubles.append(f"a callback failed: {failure.type.__name__}")


async def _reconnect(run: OpenRun) -> None:
    """Bring an embedded database back; an external one is waited for."""
    await run.engine.dispose()
    if run.config.database_url is None:
        await asyncio.to_thread(database_url, run.config)
