"""Keeps the distance between two requests that a host asks for in robots.txt.

The slowest of the source's own delay, AutoThrottle and the host's Crawl-delay wins. What a host says while it is busy
is the matter of `jobmonitor.crawling.guarding`.
"""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response

from jobmonitor.domain.backoff import LONGEST

logger = logging.getLogger(__name__)


class Politeness:
    """Keeps each host's delay at or above what the host asks for."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._user_agent: str = crawler.settings["USER_AGENT"]
        self._floors: dict[str, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to robots.txt and to every answer; a replay folder needs no sparing."""
        if crawler.settings.get("REPLAY_DIR"):
            raise NotConfigured
        politeness = cls(crawler)
        crawler.signals.connect(politeness.robots_parsed, signals.robots_parsed)
        crawler.signals.connect(politeness.answered, signals.response_downloaded)
        return politeness

    def robots_parsed(self, robotparser: Any, request: Request) -> None:
        """Take over the host's Crawl-delay for us."""
        rules = getattr(robotparser, "rp", None)
        asked = rules.crawl_delay(self._user_agent) if rules is not None else None
        if asked:
            host = self._crawler.engine.downloader.get_slot_key(request)
            self._floors[host] = min(float(asked), LONGEST)
            self._slow_down(host, self._floors[host])
            logger.info("%s asks for %.1f s between requests", host, self._floors[host])

    def answered(self, response: Response, request: Request) -> None:
        """Hold the floor against AutoThrottle."""
        host = request.meta.get("download_slot", "")
        if host in self._floors:
            self._slow_down(host, self._floors[host])

    def _slow_down(self, host: str, seconds: float) -> None:
        slot = self._crawler.engine.downloader.slots.get(host)
        if slot is not None:
            # The delay is varied by the jitter, and the shortest variation must be long enough.
            slot.delay = max(slot.delay, seconds / max(1.0 - slot.jitter, 0.1))
