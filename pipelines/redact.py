"""Stage 400: no credentials and no private persons in the document; what cannot be redacted is quarantined."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from jobmonitor.crawling.stage import attempt, count
from jobmonitor.domain.derivation import redacted
from jobmonitor.items import CleanPosting, CrawlItem, Rejected

STAGE = "redact"


class RedactPipeline:
    """CleanPosting → CleanPosting."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from the crawl's stats."""
        assert crawler.stats is not None
        return cls(crawler.stats)

    async def process_item(self, item: CrawlItem | CleanPosting) -> CrawlItem | CleanPosting | Rejected:
        """Redact the document."""
        if not isinstance(item, CleanPosting):
            return item
        outcome = attempt(STAGE, item.raw, lambda: redacted(item), self._stats)
        if isinstance(outcome, CleanPosting):
            for finding in outcome.findings:
                count(self._stats, STAGE, finding.kind)
        return outcome
