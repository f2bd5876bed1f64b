"""Stage 700: a content never seen before asks for its profile; the crawl does not wait for the answer."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler

from jobmonitor.crawling.runtime import Runtime
from jobmonitor.crawling.stage import count
from jobmonitor.items import VersionedPosting

STAGE = "extract"


class ExtractPipeline:
    """VersionedPosting → VersionedPosting."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Share the crawl's runtime."""
        return cls(Runtime.of(crawler))

    async def process_item(self, item: VersionedPosting) -> VersionedPosting:
        """Announce a content that has no profile yet."""
        if item.wants_profile and item.content_hash is not None:
            count(self._runtime.stats, STAGE, "announced")
            self._runtime.profiles.announce(item.content_hash)
        return item
