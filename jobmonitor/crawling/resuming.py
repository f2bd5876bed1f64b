"""Begins a crawl with what a cut-off run left, and follows the first requests in the page ledger."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.http import Request

from jobmonitor.crawling.runtime import Runtime


class ResumingMiddleware:
    """Spider middleware: pages that wait from before, then the spider's own first requests that are not done yet."""

    def __init__(self, runtime: Runtime, jitter: float) -> None:
        self._runtime = runtime
        self._jitter = jitter

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Share the crawl's runtime."""
        return cls(Runtime.of(crawler), crawler.settings.getfloat("START_JITTER"))

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Asked for its first request once the run is open."""
        await asyncio.sleep(random.uniform(0, self._jitter))  # noqa: S311 - so that not all crawls begin at once
        book = self._runtime.book
        for request in self._runtime.unfinished():
            yield request
        async for each in start:
            if book is None or not isinstance(each, Request):
                yield each
            elif (first := book.start(each)) is not None:
                yield first
