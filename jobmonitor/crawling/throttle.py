"""AutoThrottle that learns from a 304 too: for Scrapy's, only a 200 may make a crawl faster again."""

from __future__ import annotations

from scrapy.core.downloader import Slot
from scrapy.extensions.throttle import AutoThrottle as ScrapyAutoThrottle
from scrapy.http import Response


class AutoThrottle(ScrapyAutoThrottle):
    """A body that has not changed is as good an answer as any."""

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        good = response.replace(status=200) if response.status == 304 else response
        super()._adjust_delay(slot, latency, good)
