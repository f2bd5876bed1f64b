"""Stage 300: from what the site sent to the canonical document and folded facts."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from jobmonitor.crawling.stage import attempt
from jobmonitor.domain.canonical import fold_facts, tidy_facts
from jobmonitor.domain.document import build_document
from jobmonitor.domain.facts import derive
from jobmonitor.items import CleanPosting, CrawlItem, RawPosting

STAGE = "clean"


def clean(raw: RawPosting) -> CleanPosting:
    """The posting's document, facts and what the facts mean."""
    facts = tidy_facts(raw.facts)
    document = build_document(raw.title, raw.sections, locations=raw.facts.locations, slogans=raw.slogans)
    return CleanPosting(raw=raw, document=document, facts=facts, derived=derive(fold_facts(facts)))


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
