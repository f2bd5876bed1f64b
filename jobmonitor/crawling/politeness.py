"""Waits as long as a host asks for: Crawl-delay in robots.txt, Retry-After on 429 and 503.

AutoThrottle looks at latency alone, so a host that answers "too many" quickly would be asked faster and faster.
The slowest of the source's own delay, AutoThrottle and what the host asks for wins.
"""

from __future__ import annotations

import datetime as dt
import logging
from email.utils import parsedate_to_datetime
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response

logger = logging.getLogger(__name__)

#: Statuses that say "not now".
BUSY = frozenset({429, 503})
#: Seconds that a host may make us wait between two requests; a larger wish counts as this.
LONGEST = 900.0


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
        """Hold the floor against AutoThrottle, and wait as long as a busy host says."""
        host = request.meta.get("download_slot", "")
        wait = self._floors.get(host, 0.0)
        if response.status in BUSY:
            wait = max(wait, retry_after(response, dt.datetime.now(dt.UTC)))
        if wait:
            self._slow_down(host, wait)

    def _slow_down(self, host: str, seconds: float) -> None:
        slot = self._crawler.engine.downloader.slots.get(host)
        if slot is not None:
            # The delay is varied by the jitter, and the shortest variation must be long enough.
            slot.delay = max(slot.delay, seconds / max(1.0 - slot.jitter, 0.1))


def retry_after(response: Response, now: dt.datetime) -> float:
    """Seconds that a Retry-After header asks for, as a number or a date; 0 without one."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isascii() and value.isdigit():
        return min(float(value), LONGEST)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    return min(max((moment - now).total_seconds(), 0.0), LONGEST)
