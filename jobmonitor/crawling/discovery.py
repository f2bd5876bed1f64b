"""Base spiders that find postings in what a site publishes for machines: sitemaps and feeds.

A feed is a window on the newest: absence from it proves nothing. A sitemap proves nothing either, unless its adapter
says that it lists every open posting (`whole`). `lastmod` is a hint that a page changed, never that it did not: a page
is read again at the latest after DETAIL_MAX_AGE.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from scrapy.http import Request, Response

from jobmonitor.crawling.answers import NoAnswer, html_page
from jobmonitor.crawling.fields import Fields, UnreadableRecord, web_address
from jobmonitor.crawling.spider import JobSpider, Reading, Result, Row
from jobmonitor.domain.charset import decode
from jobmonitor.domain.feeds import UnreadableFeed, read_date, read_feed
from jobmonitor.domain.sitemaps import Sitemap, read_sitemap
from jobmonitor.items import ListPage, PageKind, PostingKey, RawPosting, Section

#: Sitemaps of one site that are read, and levels of indexes.
MOST_SITEMAPS, DEEPEST = 500, 3
#: How a page for people begins, where data is expected.
_HTML = re.compile(
    r"(?>(?:\s+|<!--.*?-->|<\?.*?\?>)*)<(?:!doctype\s+html|html|head|body|title|meta|div|p|h[1-6]|center|script|style)\b",
    re.IGNORECASE | re.DOTALL,
)


class FeedJobSpider(JobSpider):
    """RSS, Atom or JSON Feed. Subclasses set `feed_path`; one whose entries say more, in `other`, overrides `read`."""

    page_kind: ClassVar[PageKind] = "feed"
    #: Address of the feed, below `base_url`.
    feed_path: ClassVar[str] = ""
    not_identity: ClassVar[tuple[str, ...]] = ("list.updated",)
    personal: ClassVar[tuple[str, ...]] = tuple(
        f"list.other.{name}" for name in ("author", "authors", "creator", "contributor", "email")
    )
    #: Fields of `list.other` that are not read on purpose.
    ignored: ClassVar[frozenset[str]] = frozenset()
    #: Zone of dates that state no offset; without it these have no value.
    zone: ClassVar[dt.tzinfo | None] = None

    async def start(self) -> AsyncIterator[Request]:
        """Ask for the feed."""
        yield self.list_request(f"{self.base_url}{self.feed_path}")

    def list_data(self, response: Response) -> Any:
        """The entries.

        Raises:
            NoAnswer: `http_<status>`, `empty`, what a page for people in the place of a feed is (`wall`, `login`,
                `maintenance`, `html`), `success_test` (other JSON) or `unreadable`.
        """
        try:
            return read_feed(_body(response), url=response.url, content_type=_content_type(response))
        except UnreadableFeed as error:
            raise NoAnswer(_instead(response)) from error

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
        published = read_date(entry.maybe_text("published"), cls.zone)
        other = Fields(entry.maybe("other") or {}, "list.other")
        entry.maybe("updated")
        entry.maybe("categories")
        posting = RawPosting(
            key=PostingKey(source=source, native_id=native_id.strip()),
            title=entry.maybe_text("title") or "",
            sections=(Section(body=body, format="html" if html else "text"),) if body else (),
            url=web_address(link),
            posted_at=published,
            **cls.sealed(record),
        )
        return Reading(posting, entry.unread(()) | other.unread(cls.ignored))


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
    #: Hosts, beside that of `base_url`, on which its sitemaps and pages may lie; no other is asked.
    other_hosts: ClassVar[tuple[str, ...]] = ()
    #: Whether the sitemap lists every open posting, by the site's own word or by observation.
    whole: ClassVar[bool] = False
    refetch_hints: ClassVar[tuple[str, ...]] = ("list.lastmod",)
    not_identity: ClassVar[tuple[str, ...]] = ("list.lastmod",)

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._sitemaps: set[str] = set()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host of `base_url` and the others that are declared."""
        own = super().hosts
        return tuple(dict.fromkeys((*own, *self.other_hosts))) if own else ()

    def resume(self, pages: Sequence[ListPage]) -> None:
        """Count the sitemaps that are done already."""
        super().resume(pages)
        self._sitemaps.update(page.url for page in pages)

    async def start(self) -> AsyncIterator[Request]:
        """Ask for the sitemap."""
        yield self._sitemap_request(f"{self.base_url}{self.sitemap_path}", depth=1)

    def list_data(self, response: Response) -> Any:
        """The sitemap.

        Raises:
            NoAnswer: as for a feed.
        """
        try:
            return read_sitemap(_body(response), url=response.url, content_type=_content_type(response))
        except UnreadableFeed as error:
            raise NoAnswer(_instead(response)) from error

    def read_list(self, response: Response, data: Sitemap, *, listing: str, page: int) -> Iterator[Result]:
        """The postings among the pages, and the sitemaps that follow."""
        rows = [{"loc": url, "lastmod": stamp} for url, stamp in data.pages if self.posting_url.search(url)]
        proof = "whole_board" if self.whole else None
        yield from self.read_rows(response, rows, listing=listing, proof=proof)  # type: ignore[arg-type]
        depth = self._depth(response) + 1
        for url in data.sitemaps:
            if url in self._sitemaps or not self.sitemap_url.search(url):
                continue
            if not self._is_ours(url):
                yield self._not_asked(url, listing)
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
        """The page itself.

        Raises:
            UnreadableRecord: it lies on a host that is not the site's, or is no web address.
        """
        url = str(row["loc"])
        if not self._is_ours(url):
            raise UnreadableRecord("list.loc is no address of this site")
        return url

    def detail_data(self, response: Response) -> Any:
        """The page, unless it is something else in the place of one.

        Raises:
            NoAnswer: a wall, a login, maintenance, a shell of scripts, a listing, or a page that says nothing.
        """
        return html_page(response)

    def probe_data(self, response: Response) -> Any:
        """The page again, for a subclass that knows its address (`probe_url`).

        Raises:
            NoAnswer: as for a detail.
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

    def _is_ours(self, url: str) -> bool:
        """Whether an address from outside is one that this run may ask for."""
        if web_address(url) is None:
            return False
        return _host(url) in {_host(self.base_url), *(host.lower() for host in self.other_hosts)}

    def _not_asked(self, url: str, listing: str) -> ListPage:
        self._say_failed(None, "other_host")
        walk = self.walk(listing)
        return ListPage(
            source=self.source, kind=self.page_kind, listing=listing, walk=walk, url=url, failure="other_host"
        )

    def _depth(self, response: Response) -> int:
        return int(response.meta.get("depth_of_index", 1)) if response.request is not None else 1


def _body(response: Response) -> bytes:
    if response.status != 200:
        raise NoAnswer(f"http_{response.status}")
    if not response.body.strip():
        raise NoAnswer("empty")
    return response.body


def _content_type(response: Response) -> str:
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def _host(url: str) -> str:
    """Host and port, the scheme's own port left out."""
    parts = urlsplit(url)
    default = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return parts.netloc.lower().removesuffix(default)


def _instead(response: Response) -> str:
    """What came in the place of XML or JSON."""
    text = decode(response.body[:4096], content_type=_content_type(response)).text.lstrip("\ufeff \t\r\n")
    if text.startswith("{"):
        return "success_test"
    for_people = _HTML.match(text) is not None
    if for_people or not text.startswith("<"):
        try:
            html_page(response)
        except NoAnswer as no_answer:
            if no_answer.reason in {"wall", "login", "maintenance"}:
                return no_answer.reason
    return "html" if for_people else "unreadable"
