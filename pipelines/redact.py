"""Stage 400: no credentials and no private persons in the document; what cannot be redacted is quarantined."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from jobmonitor.crawling.stage import attempt, count
from jobmonitor.domain.redaction import redact
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
        redacted = attempt(STAGE, item.raw, lambda: redact(item.document), self._stats)
        if isinstance(redacted, Rejected):
            return redacted
        for finding in redacted.findings:
            count(self._stats, STAGE, finding.kind)
        if not redacted.findings and redacted.quarantine is None:
            return item
        return replace(item, document=redacted.text, findings=redacted.findings, quarantine=redacted.quarantine)
