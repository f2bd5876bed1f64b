"""The way to each host: so many requests at a time, and none while it is left alone.

A request waits here and not in the downloader's queue, from where it could not be called back.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Self
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response
from scrapy.utils.httpobj import urlparse_cached

from jobmonitor.crawling.answers import NotAsked
from jobmonitor.crawling.runtime import Runtime
from jobmonitor.domain.backoff import HostState, Limits
from jobmonitor.errors import JobMonitorError

#: Seconds between two looks at whether a waiting crawl is being stopped.
_LOOK = 0.25
#: Statuses of a redirect, whose answer is another request.
_REDIRECTS = range(300, 400)


class HostDown(JobMonitorError):
    """A host has refused to answer for longer than anybody waits."""

    code = "host_down"


class Gate:
    """The way to one host."""

    def __init__(self, limits: Limits, concurrency: int) -> None:
        self.state = HostState(limits=limits)
        self.turn = asyncio.Semaphore(concurrency)


class Gates:
    """The gates of one crawl, shared by the middleware that keeps them and the one that learns from the answers."""

    _of: WeakKeyDictionary[Crawler, Gates] = WeakKeyDictionary()

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._concurrency = max(settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"), 1)
        self.limits = Limits(
            start=settings.getfloat("BACKOFF_START"),
            failures=settings.getint("BREAKER_FAILURES"),
            patience=settings.getfloat("BREAKER_PATIENCE"),
        )
        self._gates: dict[str, Gate] = {}

    @classmethod
    def of(cls, crawler: Crawler) -> Gates:
        """The crawl's own; a replay folder needs no sparing."""
        if crawler.settings.get("REPLAY_DIR"):
            raise NotConfigured
        if crawler not in cls._of:
            cls._of[crawler] = cls(crawler)
        return cls._of[crawler]

    def gate(self, request: Request) -> Gate:
        """The gate that a request has to pass."""
        name = urlparse_cached(request).netloc.lower()
        if name not in self._gates:
            self._gates[name] = Gate(self.limits, self._concurrency)
        return self._gates[name]


class GateKeeper:
    """Downloader middleware, the last before the downloader: lets requests through their gates."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._runtime = Runtime.of(crawler)
        self._gates = Gates.of(crawler)
        self._under_way: set[Request] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build for one crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until the host may be asked.

        Raises:
            NotAsked: the crawl is being stopped, or the host is given up.
        """
        gate = self._gates.gate(request)
        await gate.turn.acquire()
        try:
            await self._until_open(gate.state, request)
        except BaseException:
            gate.turn.release()
            raise
        self._under_way.add(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """The next one may go. A redirect shows that the host answers; all else is judged once it is unpacked."""
        self._leave(request)
        if response.status in _REDIRECTS:
            self._gates.gate(request).state.answered()
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """The next one may go."""
        self._leave(request)

    def _leave(self, request: Request) -> None:
        if request in self._under_way:
            self._under_way.discard(request)
            self._gates.gate(request).turn.release()

    async def _until_open(self, host: HostState, request: Request) -> None:
        while self._crawler.crawling and not self._runtime.is_ending:
            if host.may_ask(monotonic()):
                return
            if host.is_given_up(monotonic()):
                self._give_up(request)
            await asyncio.sleep(min(_LOOK, max(host.until - monotonic(), _LOOK / 10)))
        raise NotAsked("the crawl is being stopped")

    def _give_up(self, request: Request) -> None:
        name, patience = urlparse_cached(request).hostname, self._gates.limits.patience
        self._runtime.abort(
            HostDown(
                f"{name} has refused to answer for more than {patience:.0f} s (BREAKER_PATIENCE). What is left to ask "
                "stays pending: run the same command again later to go on"
            )
        )
        raise NotAsked("the host is given up")
