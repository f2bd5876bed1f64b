"""Stage 300: from what the site sent to the canonical document and folded facts."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from jobmonitor.crawling.stage import attempt
from jobmonitor.domain.derivation import clean
from jobmonitor.items import CleanPosting, CrawlItem, RawPosting

STAGE = "clean"


class CleanPipeline:
    """RawPosting → CleanPosting."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from the crawl's stats."""
        assert crawler.stats is not None
        return cls(crawler.stats)

    async def process_item(self, item: CrawlItem) -> CrawlItem | CleanPosting:
        """Clean what was read in full."""
        if not isinstance(item, RawPosting):
            return item
        return attempt(STAGE, item, lambda: clean(item), self._stats)
