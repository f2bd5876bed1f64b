"""Stage 200: a record that says what it said last time is a sighting; nothing of it is read again."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler

from jobmonitor.crawling.runtime import Runtime
from jobmonitor.crawling.stage import count
from jobmonitor.domain.versioning import same_record
from jobmonitor.items import CrawlItem, RawPosting, Sighting

STAGE = "recognise"


class RecognisePipeline:
    """RawPosting → RawPosting, or Sighting where nothing is new."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Share the crawl's runtime."""
        return cls(Runtime.of(crawler))

    async def open_spider(self) -> None:
        """Wait until it is known what is known."""
        await self._runtime.ready()

    async def process_item(self, item: CrawlItem) -> CrawlItem:
        """Let through what may have changed; the first of several twins in a run speaks for all."""
        if not isinstance(item, RawPosting):
            return item
        if not self._runtime.first_in_run(item.key):
            count(self._runtime.stats, STAGE, "twin")
        elif same_record(self._runtime.known.get(item.key.local), item):
            count(self._runtime.stats, STAGE, "same_record")
            self._runtime.reread(item)
        else:
            return item
        return Sighting(key=item.key, listing=item.listing, reason="same_record")
