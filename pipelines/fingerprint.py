"""Stage 500: content, facts and record get their SHA-256 names."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from jobmonitor.crawling.stage import attempt
from jobmonitor.domain.derivation import fingerprint
from jobmonitor.items import CleanPosting, CrawlItem, FingerprintedPosting, Rejected

STAGE = "fingerprint"


class FingerprintPipeline:
    """CleanPosting → FingerprintedPosting."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from the crawl's stats."""
        assert crawler.stats is not None
        return cls(crawler.stats)

    async def process_item(self, item: CrawlItem | CleanPosting) -> CrawlItem | FingerprintedPosting | Rejected:
        """Hash what was cleaned."""
        if not isinstance(item, CleanPosting):
            return item
        return attempt(STAGE, item.raw, lambda: fingerprint(item), self._stats)
