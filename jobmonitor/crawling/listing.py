"""What a spider knows of its listings while it walks through them: walks, pages, ids, and what failed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from scrapy.http import Request, Response

from jobmonitor.crawling.pages import PageBook, page_name
from jobmonitor.crawling.source import SourceSpider
from jobmonitor.domain.canonical import sha256_hex
from jobmonitor.domain.completeness import is_total
from jobmonitor.items import ListPage, PageKind, PageProof

#: Failures of a first page that say that there is no such board.
UNKNOWN_BOARD = frozenset({"http_404", "http_410", "unknown_board"})
#: What to do about a failed list page, by its reason.
ADVICE: Mapping[str, str] = {
    "http_401": "the site wants a login, which is never used; leave this source out",
    "http_403": "the site refuses to answer us; run it again later, and slower (DOWNLOAD_DELAY)",
    "http_429": "the site asks for fewer requests; run it again later, and slower (DOWNLOAD_DELAY)",
    "robots_unreachable": "robots.txt cannot be read, which forbids everything (RFC 9309); run it again later",
    "not_allowed": "robots.txt forbids it, and it is obeyed",
    "dns": "the host's name is not known: check base_url and the network",
    "refused": "nothing answers at this address: check base_url and the network",
    "timeout": "no answer came in time (DOWNLOAD_TIMEOUT); run it again later",
    "success_test": "the answer is not the one this system gives: check the board, else the adapter needs a look",
    "wall": "the site asks whether we are a machine, and we are; run it again later, and slower (DOWNLOAD_DELAY)",
    "login": "the site wants a login, which is never used; leave this source out",
    "maintenance": "the site is being repaired; run it again later",
    "html": "a page for people came in place of data: maintenance, a wall, or another address",
}


class ListingSpider(SourceSpider):
    """Reports each list page for the page ledger, and says in the log which of them failed."""

    #: What its list pages are.
    page_kind: ClassVar[PageKind] = "list"
    #: The run's page ledger; set by the runtime.
    pages: PageBook | None = None

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._walk: defaultdict[str, int] = defaultdict(lambda: 1)
        self._pages: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
        self._shown: defaultdict[str, set[str]] = defaultdict(set)

    def distinct_ids(self, listing: str = "") -> int:
        """Distinct ids that this walk of the listing has shown so far, rejects included."""
        return len(self._shown[listing])

    def walk(self, listing: str = "") -> int:
        """Number of the walk through a listing, from 1."""
        return self._walk[listing]

    def begin_walk(self, listing: str = "") -> None:
        """Start another walk of a listing: it counts anew, and its pages may show again what the first one saw."""
        self._walk[listing] += 1
        self._pages[listing].clear()
        self._shown[listing].clear()

    def resume(self, pages: Sequence[ListPage]) -> None:
        """Take up a run that was cut off: these list pages, in order, are done already."""
        for page in pages:
            if page.walk > self._walk[page.listing]:
                self._walk[page.listing] = page.walk
                self._pages[page.listing].clear()
                self._shown[page.listing].clear()
            self._pages[page.listing].add(frozenset(page.ids))
            self._shown[page.listing].update(page.ids)

    def list_page(
        self,
        response: Response,
        *,
        listing: str = "",
        ids: Sequence[str] = (),
        total: object = None,
        proof: PageProof | None = None,
        failure: str | None = None,
    ) -> ListPage:
        """A page of a listing for the page ledger. A total that cannot be one is an obstacle, not a number."""
        request = response.request
        announced = total if is_total(total) else None
        if total is not None and announced is None:
            failure = failure or "bad_total"
        if failure:
            self._say_failed(request, failure)
        return ListPage(
            source=self.source,
            kind=self.page_kind,
            listing=listing,
            **self._position(request, listing),
            url=request.url if request else response.url,
            status=response.status,
            ids=tuple(ids),
            total=announced,
            proof=None if failure else proof,
            body_hash=sha256_hex(response.body),
            failure=failure,
        )

    def unread_page(self, request: Request, listing: str, failure: str, *, asked: bool = True) -> ListPage:
        """A page for the ledger that no answer came from, or that is not asked for any more."""
        self._say_failed(request, failure)
        position = self._position(request, listing)
        if not asked:
            position["fingerprint"] = None
        return ListPage(
            source=self.source, kind=self.page_kind, listing=listing, url=request.url, failure=failure, **position
        )

    def _position(self, request: Request | None, listing: str) -> dict[str, Any]:
        """Where a page stands among the pages of its listing."""
        name = page_name(request)
        return {
            "walk": name.walk if name else self.walk(listing),
            "number": name.number if name else None,
            "method": request.method if request else "GET",
            "fingerprint": name.fingerprint if name else None,
        }

    def _say_failed(self, request: Request | None, failure: str) -> None:
        """One warning per page: a board that is missing must not look like one that is empty."""
        page = request.cb_kwargs.get("page") if request else None
        advice = ADVICE.get(failure, "the listing is incomplete, and absence from it counts for nothing")
        if failure in UNKNOWN_BOARD and page == 1 and self.board:
            advice = f"the site does not know this board: check its spelling ({self.board!r})"
        self.logger.warning("%s: list page %s failed (%s): %s", self.source, page or "?", failure, advice)
