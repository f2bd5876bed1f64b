"""Spiders that read pages from a file: adapters, items and page ledger as in a real crawl, and no network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import orjson
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import Request, Response

from jobmonitor.crawling.spider import JobSpider
from jobmonitor.items import ListPage, RawPosting, Rejected
from spiders.greenhouse import GreenhouseSpider
from spiders.tencent import TencentSpider


class PageHandler(BaseDownloadHandler):
    """Answers `page://<number>` with that line of the file BENCH_PAGES."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._file = Path(crawler.settings["BENCH_PAGES"]).open("rb")  # noqa: SIM115 - open as long as the crawl

    async def download_request(self, request: Request) -> Response:
        """The next page; they are asked for in order."""
        return Response(request.url, body=self._file.readline())

    async def close(self) -> None:
        """Nothing is asked any more."""
        self._file.close()


class PagesSpider(JobSpider):
    """Reads all pages; a record holds the list row and, where the system has one, the detail."""

    hosts = ()

    async def start(self) -> AsyncIterator[Request]:
        """Ask for each page."""
        for number in range(self.settings.getint("BENCH_PAGE_COUNT")):
            yield Request(f"page://{number}", callback=self.read_page, dont_filter=True)

    def read_page(self, response: Response) -> Iterator[ListPage | RawPosting | Rejected]:
        """The page, then its postings, read by the system's own adapter."""
        records = orjson.loads(response.body)
        yield self.list_page(response, ids=self.row_ids(record["list"] for record in records))
        for record in records:
            yield from self.posting(record["list"], record.get("detail"))


class TencentPages(PagesSpider, TencentSpider):
    """List row and detail, 2.5 kB of Chinese."""

    name = "tencent-pages"


class GreenhousePages(PagesSpider, GreenhouseSpider):
    """One row with everything, 8 kB of escaped HTML."""

    name = "greenhouse-pages"
    board = "bench"


SPIDERS: dict[str, type[PagesSpider]] = {"tencent": TencentPages, "greenhouse": GreenhousePages}
