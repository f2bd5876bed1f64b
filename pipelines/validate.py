"""Stage 100: what can be a posting, and what is a reject with its reason."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from jobmonitor.crawling.stage import count
from jobmonitor.domain.validation import MAX_ID, check
from jobmonitor.items import CrawlItem, RawPosting, Rejected

STAGE = "validate"


class ValidatePipeline:
    """RawPosting → RawPosting or Rejected."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from the crawl's stats."""
        assert crawler.stats is not None
        return cls(crawler.stats)

    async def process_item(self, item: CrawlItem) -> CrawlItem:
        """Name what cannot be a posting; everything else passes."""
        if not isinstance(item, RawPosting):
            return item
        problem = check(item)
        if problem is None:
            return item
        count(self._stats, STAGE, problem.reason)
        return Rejected(
            source=item.key.source,
            channel=item.key.channel,
            key=item.key.native_id[:MAX_ID],
            reason=problem.reason,
            detail=problem.detail,
            record=item.record,
            listing=item.listing,
        )
