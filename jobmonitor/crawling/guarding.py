"""Leaves a host alone that says "not now" or does not answer, and asks again what it refused.

AutoThrottle looks at latency alone, so a host that answers "too many" quickly would be asked faster and faster. Here
requests of a blocked host wait before they reach the downloader, one goes as a probe after the wait, and a host that
refuses for `BREAKER_PATIENCE` ends the run as interrupted: its pages stay pending, the next run goes on with them.
"""

from __future__ import annotations

import datetime as dt
import logging
import random
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import Self

from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Request, Response
from scrapy.utils.httpobj import urlparse_cached

from jobmonitor.crawling.answers import failure_reason
from jobmonitor.crawling.gates import Gates
from jobmonitor.crawling.spider import JobSpider
from jobmonitor.domain.backoff import LONGEST, HostState

logger = logging.getLogger(__name__)

#: Errors that speak against a host.
UNANSWERED = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
#: How often a request that was refused is asked again.
BUSY_TIMES = 8
#: Where a request carries how often it was refused.
REFUSED = "jobmonitor_refused"


class HostGuard:
    """Downloader middleware between the retries and the unpacking of answers."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._gates = Gates.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build for one crawl."""
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Learn from an answer; what was refused is asked again later."""
        host, spider = self._gates.gate(request).state, self._crawler.spider
        if isinstance(spider, JobSpider) and spider.closed_signal(response) is None:
            if spider.is_busy(response):
                asked = retry_after(response, dt.datetime.now(dt.UTC))
                self._say(request, host.busy(monotonic(), asked, random.random()), str(response.status))  # noqa: S311
                return self._again(request) or response
            if response.status >= 500:
                return self._failed(host, request, str(response.status)) or response
        host.answered()
        return response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """No answer at all counts against the host; a request that was never sent does not."""
        host = self._gates.gate(request).state
        if isinstance(exception, UNANSWERED):
            return self._failed(host, request, failure_reason(exception))
        if not isinstance(exception, IgnoreRequest):
            host.unanswered()
        return None

    def _failed(self, host: HostState, request: Request, why: str) -> Request | None:
        """One failure is the request's own; while the host is down, it is the host's."""
        wait = host.failed(monotonic(), random.random())  # noqa: S311
        self._say(request, wait, why)
        return self._again(request) if wait else None

    def _again(self, request: Request) -> Request | None:
        """The request once more; None when it was refused too often, which is an answer then."""
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value("jobmonitor/host/refused")
        times = request.meta.get(REFUSED, 0) + 1
        if times > BUSY_TIMES:
            request.meta["dont_retry"] = True
            return None
        again = request.replace(dont_filter=True)
        again.meta[REFUSED] = times
        return again

    def _say(self, request: Request, wait: float, why: str) -> None:
        if wait:
            logger.info("%s is left alone for %.0f s (%s)", urlparse_cached(request).hostname, wait, why)


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
