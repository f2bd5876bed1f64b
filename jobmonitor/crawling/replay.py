"""The download handler of REPLAY_DIR: answers from a folder, so that every middleware runs as on the network."""

from __future__ import annotations

import asyncio
from typing import Self

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError
from scrapy.http import Headers, Request, Response
from scrapy.responsetypes import responsetypes

from jobmonitor.crawling.exchanges import Exchange, Exchanges, load_exchanges

#: Headers that described the bytes on the wire, not the bytes in the file.
WIRE_HEADERS = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})


class ReplayHandler(BaseDownloadHandler):
    """Never touches the network."""

    lazy = False

    def __init__(self, crawler: Crawler, exchanges: Exchanges) -> None:
        super().__init__(crawler)
        self._exchanges = exchanges

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the folder that the settings name; http and https share what is left to serve."""
        return cls(crawler, shared_exchanges(crawler))

    async def download_request(self, request: Request) -> Response:
        """The recorded answer; a robots.txt without one is 404, anything else fails like a dead network."""
        exchange = self._exchanges.answer(request.method, request.url, request.body)
        if exchange is not None:
            body = await asyncio.to_thread(exchange.path.read_bytes) if exchange.path else b""
            return recorded_response(request, exchange, body)
        if is_robots_txt(request):
            return Response(request.url, status=404)
        raise DownloadFailedError(f"no recorded answer to {request.method} {request.url}")


def shared_exchanges(crawler: Crawler) -> Exchanges:
    """One set of exchanges per crawl, whatever the number of handlers."""
    found = getattr(crawler, "replayed_exchanges", None)
    if not isinstance(found, Exchanges):
        found = load_exchanges(crawler.settings["REPLAY_DIR"])
        crawler.replayed_exchanges = found  # type: ignore[attr-defined]
    return found


def is_robots_txt(request: Request) -> bool:
    """Whether a request asks for a host's robots.txt."""
    return request.method == "GET" and request.url.partition("://")[2].partition("/")[2] == "robots.txt"


def recorded_response(request: Request, exchange: Exchange, body: bytes) -> Response:
    """The response that an exchange recorded, of the class that its type and body call for."""
    headers = Headers(dict(exchange.headers))
    for name in WIRE_HEADERS:
        headers.pop(name, None)
    kind = responsetypes.from_args(headers=headers, url=request.url, body=body)
    return kind(url=request.url, status=exchange.status, headers=headers, body=body)
