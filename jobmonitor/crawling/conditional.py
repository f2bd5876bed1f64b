"""Conditional requests: a server is asked only for a body that differs from the newest one that was processed.

Scrapy's own HTTP cache would hand the old body to the callback as if it were new; here a 304 is an outcome of its own
(`JobSpider`). The headers belong to one address: each hop of a redirect gets its own, or none.
"""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.http import Request

from jobmonitor.crawling.runtime import Runtime
from jobmonitor.crawling.validating import ASKED_WITH

#: Header that asks by each part of a validator.
HEADERS = {"etag": "If-None-Match", "last_modified": "If-Modified-Since"}


class ConditionalMiddleware:
    """Downloader middleware: sets or clears the conditions of each request, whatever redirect it comes from."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Share the crawl's runtime."""
        return cls(Runtime.of(crawler))

    def process_request(self, request: Request) -> None:
        """Ask for a newer body alone where one is known and all that it showed is known too."""
        request.meta.pop(ASKED_WITH, None)
        for name in HEADERS.values():
            request.headers.pop(name, None)
        validator = self._runtime.validator_for(request)
        if validator is None:
            return
        request.meta[ASKED_WITH] = validator
        for part, name in HEADERS.items():
            value = getattr(validator, part)
            if value is not None:
                request.headers[name] = value.encode("latin-1")
