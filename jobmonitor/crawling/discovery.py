"""Base spiders that find postings in what a site publishes for machines: sitemaps and feeds.

A feed is a window on the newest: absence from it proves nothing. A sitemap proves nothing either, unless its adapter
says that it lists every open posting (`whole`). `lastmod` is a hint that a page changed, never that it did not: a page
is read again at the latest after DETAIL_MAX_AGE.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, ClassVar

from scrapy.http import Request, Response

from jobmonitor.crawling.answers import NoAnswer, html_page
from jobmonitor.crawling.fields import Fields, web_address
from jobmonitor.crawling.spider import JobSpider, Reading, Result, Row
from jobmonitor.domain.feeds import UnreadableFeed, read_feed
from jobmonitor.domain.sitemaps import Sitemap, read_sitemap
from jobmonitor.items import PageKind, PostingKey, RawPosting, Section, StatedDate

#: Sitemaps of one site that are read, and levels of indexes.
MOST_SITEMAPS, DEEPEST = 500, 3


class FeedJobSpider(JobSpider):
    """RSS, Atom or JSON Feed. Subclasses set `feed_url`; one whose entries say more overrides `read`."""

    page_kind: ClassVar[PageKind] = "feed"
    #: Address of the feed, below `base_url`.
    feed_path: ClassVar[str] = ""
    not_identity: ClassVar[tuple[str, ...]] = ("list.updated",)

    async def start(self) -> AsyncIterator[Request]:
        """Ask for the feed."""
        yield self.list_request(f"{self.base_url}{self.feed_path}")

    def list_data(self, response: Response) -> Any:
        """The entries.

        Raises:
            NoAnswer: `http_<status>`, `empty`, or a page for people or anything else in the place of a feed.
        """
        try:
            return read_feed(_body(response), url=response.url)
        except UnreadableFeed as error:
            raise NoAnswer(_no_feed(response)) from error

    def read_list(self, response: Response, data: Any, *, listing: str, page: int) -> Iterator[Result]:
        """The window, which proves nothing."""
        yield from self.read_rows(response, data, listing=listing)

    def row_id(self, row: Row) -> str | None:
        """The entry's id, else its link."""
        value = row.get("id") or row.get("link")
        return value.strip() if isinstance(value, str) else None

    @classmethod
    def read(cls, record: Mapping[str, Any], source: str) -> Reading:
        """An entry as a posting: title, text, link, date."""
        entry = Fields(record["list"], "list")
        link = entry.maybe_text("link")
        native_id = entry.maybe_text("id") or link or ""
        html, text = entry.maybe_text("html"), entry.maybe_text("text")
        body = html or text
        published = entry.maybe_text("published")
        entry.maybe("updated")
        entry.maybe("categories")
        posting = RawPosting(
            key=PostingKey(source=source, native_id=native_id.strip()),
            title=entry.maybe_text("title") or "",
            sections=(Section(body=body, format="html" if html else "text"),) if body else (),
            url=web_address(link),
            posted_at=StatedDate(raw=published, value=None, precision=None) if published else None,
            **cls.sealed(record),
        )
        return Reading(posting, entry.unread(()))


class SitemapJobSpider(JobSpider):
    """Pages found in a sitemap. Subclasses set `posting_url` and read a record of {loc, lastmod} and {url, html}.

    Of an index, each sitemap is a page of its own, numbered as it was found.
    """

    page_kind: ClassVar[PageKind] = "sitemap"
    sitemap_path: ClassVar[str] = "/sitemap.xml"
    #: What the address of a posting looks like; its group `id` is the native id.
    posting_url: ClassVar[re.Pattern[str]]
    #: Which sitemaps of an index are worth reading.
    sitemap_url: ClassVar[re.Pattern[str]] = re.compile("")
    #: Whether the sitemap lists every open posting, by the site's own word or by observation.
    whole: ClassVar[bool] = False
    refetch_hints: ClassVar[tuple[str, ...]] = ("list.lastmod",)
    not_identity: ClassVar[tuple[str, ...]] = ("list.lastmod",)

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._sitemaps: set[str] = set()

    async def start(self) -> AsyncIterator[Request]:
        """Ask for the sitemap."""
        yield self._sitemap_request(f"{self.base_url}{self.sitemap_path}", depth=1)

    def list_data(self, response: Response) -> Any:
        """The sitemap.

        Raises:
            NoAnswer: as for a feed.
        """
        try:
            return read_sitemap(_body(response), url=response.url)
        except UnreadableFeed as error:
            raise NoAnswer(_no_feed(response)) from error

    def read_list(self, response: Response, data: Sitemap, *, listing: str, page: int) -> Iterator[Result]:
        """The postings among the pages, and the sitemaps that follow."""
        rows = [{"loc": url, "lastmod": stamp} for url, stamp in data.pages if self.posting_url.search(url)]
        proof = "whole_board" if self.whole else None
        yield from self.read_rows(response, rows, listing=listing, proof=proof)  # type: ignore[arg-type]
        depth = self._depth(response) + 1
        for url in data.sitemaps:
            if url in self._sitemaps or not self.sitemap_url.search(url):
                continue
            request = self._sitemap_request(url, depth=depth)
            if depth > DEEPEST or len(self._sitemaps) > MOST_SITEMAPS:
                yield self.unread_page(request, listing, "page_limit", asked=False)
                return
            yield request

    def row_id(self, row: Row) -> str | None:
        """What the address says."""
        found = self.posting_url.search(str(row.get("loc", "")))
        return found["id"] if found else None

    def detail_url(self, row: Row) -> str | None:
        """The page itself."""
        return str(row["loc"])

    def detail_data(self, response: Response) -> Any:
        """The page, unless it is something else in the place of one.

        Raises:
            NoAnswer: a wall, a login, maintenance, a shell of scripts, a listing, or a page that says nothing.
        """
        return html_page(response)

    def closed_signal(self, response: Response) -> str | None:
        """A status, or a closed text on a page with status 200."""
        evidence = super().closed_signal(response)
        if evidence is not None or response.status != 200:
            return evidence
        try:
            html_page(response)
        except NoAnswer as no_answer:
            led_away = no_answer.reason == "listing" and (no_answer.evidence or "").startswith("redirected")
            return no_answer.evidence if led_away or no_answer.reason in {"closed", "not_found"} else None
        return None

    def _sitemap_request(self, url: str, *, depth: int) -> Request:
        self._sitemaps.add(url)
        request = self.list_request(url, page=len(self._sitemaps))
        request.meta["depth_of_index"] = depth
        return request

    def _depth(self, response: Response) -> int:
        return int(response.meta.get("depth_of_index", 1)) if response.request is not None else 1


def _body(response: Response) -> bytes:
    if response.status != 200:
        raise NoAnswer(f"http_{response.status}")
    if not response.body.strip():
        raise NoAnswer("empty")
    return response.body


def _no_feed(response: Response) -> str:
    """What came in the place of XML or JSON."""
    try:
        html_page(response)
    except NoAnswer as no_answer:
        return no_answer.reason if no_answer.reason in {"wall", "login", "maintenance"} else "html"
    return "html"
