"""Listings in numbered pages that announce a total: the walk, its proof, and what happens when a page fails."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, ClassVar

from scrapy.http import Request, Response

from jobmonitor.crawling.spider import JobSpider, Result
from jobmonitor.domain.completeness import is_total
from jobmonitor.items import ListPage, PageProof, Validator


class NumberedPagesSpider(JobSpider):
    """A system whose list is asked page by page, from 1. Subclasses say how a page is asked for and read."""

    #: Postings asked for per page.
    page_size: ClassVar[int] = 100
    #: What proves the listing whole: its total, or, where it announces none, two walks that show the same.
    proof: ClassVar[PageProof] = "total"
    #: Pages that no real listing reaches.
    page_limit: ClassVar[int] = 400
    #: List pages that may fail before the walk ends.
    failed_pages: ClassVar[int] = 3

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._total = 0
        self._failed_pages = 0

    def resume(self, pages: Sequence[ListPage]) -> None:
        """Take up a run that was cut off."""
        super().resume(pages)
        self._failed_pages = sum(page.failure is not None and page.status is None for page in pages)
        shown = [page for page in pages if page.ids]
        self._total = (shown[-1].total or 0) if shown else 0

    def page_request(self, page: int) -> Request:
        """The request of one page; made with `list_request`."""
        raise NotImplementedError

    def page_total(self, data: Any) -> object:
        """The announced total as sent."""
        raise NotImplementedError

    def page_rows(self, data: Any, page: int) -> Sequence[Any] | None:
        """The rows of a page, None if the answer has no list; `rows_or_none` reads the usual form."""
        raise NotImplementedError

    async def start(self) -> AsyncIterator[Request]:
        """Ask for the first page."""
        yield self.page_request(1)

    def read_list(self, response: Response, data: Any, *, listing: str, page: int) -> Iterator[Result]:
        """One page. A missing list is a fault, an empty one is the end.

        A wrong total must not end the walk: it goes on to an empty page, or to a short one that completes the total.
        """
        total, rows = self.page_total(data), self.page_rows(data, page)
        if rows is None:
            yield self.list_page(response, listing=listing, failure="success_test")
            return
        repeated = self.is_repeated(rows, listing)
        yield from self.read_rows(response, rows, listing=listing, total=total, proof=self.proof)
        if not repeated:
            yield from self._behind(page, listing, rows=len(rows), total=total)

    def after_unmodified(self, page: int, listing: str, validator: Validator) -> Iterator[Result]:
        """The next page, as behind one that was read."""
        yield from self._behind(page, listing, rows=len(validator.ids), total=validator.total)

    def _behind(self, page: int, listing: str, *, rows: int, total: object) -> Iterator[Result]:
        if rows:
            self._total = total if is_total(total) else 0
        yield from self._go_on(page, listing, rows=rows)

    def after_failed_page(self, listing: str, page: int) -> Iterator[Result]:
        """Go on behind a failed page, so that one fault hides a hundred postings and not thousands."""
        self._failed_pages += 1
        if self._failed_pages < self.failed_pages and page > 1:
            yield self.page_request(page + 1)

    def _go_on(self, page: int, listing: str, *, rows: int) -> Iterator[Result]:
        """The next page; at the end of a walk that came out short, one second walk: rows move while paging."""
        shown = self.distinct_ids(listing)
        if 0 < rows < self.page_size and shown == self._total:
            return
        if rows and page < self.page_limit:
            yield self.page_request(page + 1)
        elif rows:
            yield self.unread_page(self.page_request(page + 1), listing, "page_limit", asked=False)
        elif self.walk(listing) == 1 and (shown < self._total or self.proof == "exhausted"):
            self.begin_walk(listing)
            yield self.page_request(1)


def rows_or_none(rows: object, *, present: bool, page: int, total: object) -> list[Any] | None:
    """The rows of a page, None if it has no list. Null is an empty list on a later page or where the total is 0."""
    if rows is None and present and (page > 1 or total == 0):
        return []
    return rows if isinstance(rows, list) else None
