"""Stage 600: what is new becomes a version, in a group commit; what is not flows on, marked so."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler

from jobmonitor.crawling.runtime import Runtime
from jobmonitor.crawling.stage import Kept, count
from jobmonitor.domain.versioning import KnownPosting
from jobmonitor.errors import JobMonitorError
from jobmonitor.items import (
    ChangeKind,
    CrawlItem,
    FingerprintedPosting,
    ListPage,
    PageRead,
    PostingKey,
    Rejected,
    Sighting,
    VersionedPosting,
    Withdrawn,
)

STAGE = "version"


class VersionPipeline:
    """FingerprintedPosting, Sighting or Withdrawn → VersionedPosting; pages and rejects end here, written."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Share the crawl's runtime."""
        return cls(Runtime.of(crawler))

    async def open_spider(self) -> None:
        """Open the run, or close the spider before its first request."""
        await self._runtime.ready()

    async def close_spider(self) -> None:
        """Flush, judge, drain and finish the run."""
        await self._runtime.close()

    async def process_item(self, item: CrawlItem | FingerprintedPosting) -> VersionedPosting:
        """Write what must be written.

        Raises:
            Kept: a page, a reject, or the sighting of a posting that is not versioned.
        """
        if not isinstance(item, PageRead):
            self._runtime.arrived()
        try:
            return await self._write(item)
        except JobMonitorError as error:
            # The runtime has said it and closes the spider; the next run reads the item again.
            raise Kept(f"not written, the run is ending ({error.code})", log_level="DEBUG") from None

    async def _write(self, item: CrawlItem | FingerprintedPosting) -> VersionedPosting:
        match item:
            case FingerprintedPosting():
                return await self._version(item)
            case Sighting() | Withdrawn():
                return await self._sight(item)
            case Rejected():
                await self._runtime.reject(item)
                raise Kept(item.reason, log_level="DEBUG")
            case ListPage():
                await self._runtime.page(item)
                raise Kept("it is in the ledger", log_level="DEBUG")
            case PageRead():
                await self._runtime.page_read(item)
                raise Kept("it is in the ledger", log_level="DEBUG")
        raise TypeError(f"{type(item).__name__} does not belong into the version stage")

    async def _version(self, item: FingerprintedPosting) -> VersionedPosting:
        raw = item.clean.raw
        written = await self._runtime.write(item)
        if written is None:
            raise Kept("refused by the database, kept as a reject", log_level="WARNING")
        count(self._runtime.stats, STAGE, written.change)
        return self._outcome(raw.key, raw.listing, written.known, written.change, wants_profile=written.wants_profile)

    async def _sight(self, item: Sighting | Withdrawn) -> VersionedPosting:
        known = await self._runtime.sight(item)
        if known is None:
            raise Kept("seen, but not versioned", log_level="DEBUG")
        count(self._runtime.stats, STAGE, "withdrawn" if isinstance(item, Withdrawn) else "sighted")
        return self._outcome(item.key, item.listing, known, "unchanged")

    def _outcome(
        self, key: PostingKey, listing: str, known: KnownPosting, change: ChangeKind, *, wants_profile: bool = False
    ) -> VersionedPosting:
        return VersionedPosting(
            posting=key.reference,
            source=key.source,
            channel=key.channel,
            native_id=key.native_id,
            listing=listing,
            change=change,
            observed_at=self._runtime.observed_at,
            title=known.title,
            url=known.url,
            version=known.version,
            content_hash=known.content_hash,
            facts_hash=known.facts_hash,
            wants_profile=wants_profile,
            quarantine=known.quarantine,
        )
