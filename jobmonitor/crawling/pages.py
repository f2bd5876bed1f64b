"""The page ledger of one run: which pages were asked for, which are done, and how to ask for the rest after a kill.

A page is pending once another page (or the start) leads to it, fetched when its answer is there, extracted when the
spider has read all of it, and done when everything it showed is durable. Its states reach the database in groups, in
order, beside the items; so a page that is done there never has to be fetched again, and what it leads to is known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, Protocol

from scrapy import Spider
from scrapy.http import Request, Response
from scrapy.utils.request import fingerprint, request_from_dict

from jobmonitor.domain.canonical import sha256_hex
from jobmonitor.items import (
    CrawlItem,
    ListPage,
    PageKind,
    PageName,
    PageNote,
    PageRead,
    Rejected,
    Sighting,
    Validator,
    Withdrawn,
)

#: Where a request carries the name of its page.
PAGE = "jobmonitor_page"
#: Reasons that say that a posting's own page gave no posting.
NO_DETAIL = "detail_failed"


def name_page(
    request: Request,
    kind: PageKind,
    *,
    listing: str = "",
    walk: int = 1,
    number: int | None = None,
    about: str | None = None,
) -> Request:
    """Give a request the name of its page; `about` is the native id that a detail or a probe asks for."""
    name = PageName(kind=kind, listing=listing, walk=walk, number=number, fingerprint=fingerprint(request).hex())
    request.meta[PAGE] = (name, about)
    return request


def page_name(request: Request | None) -> PageName | None:
    """The name of the page that a request asks for; None where it is none of the ledger's."""
    named = request.meta.get(PAGE) if request is not None else None
    return named[0] if named else None


class Learn(Protocol):
    """What `ValidatorBook.learn` does."""

    def __call__(
        self, response: Response, shown: ListPage | None, about: str | None, *, keep: bool
    ) -> Validator | None:
        """The validator of an answered page."""


class PageBook:
    """The pages of one run.

    Args:
        spider: whose requests they are.
        note: writes a note with some group, in order, without waiting.
        asked: identities of the pages that the run asked for before it was cut off.
        learn: told of each answered page what it showed; gives the validator to keep.
    """

    def __init__(
        self,
        spider: Spider,
        note: Callable[[PageNote], None],
        asked: Collection[tuple[str, int, str]] = (),
        learn: Learn | None = None,
    ) -> None:
        self._spider = spider
        self._note = note
        self._learn = learn
        self._asked = set(asked)
        #: Items that the spider has emitted so far.
        self.emitted = 0

    def follow(self, request: Request) -> PageNote | None:
        """The note of a page that is asked for, None if the run has asked for it already."""
        name = page_name(request)
        assert name is not None
        if name.identity in self._asked:
            return None
        self._asked.add(name.identity)
        return replace(_named(request, name), state="pending", request=stored(request, self._spider))

    def start(self, request: Request) -> Request | None:
        """A first request, noted; None if the run has asked for it already."""
        if page_name(request) is None:
            return request
        note = self.follow(request)
        if note is None:
            return None
        self._note(note)
        return request

    def read(
        self,
        results: Iterable[CrawlItem | Request],
        request: Request,
        *,
        response: Response | None = None,
        failure: str | None = None,
    ) -> Iterator[CrawlItem | Request]:
        """Pass on what a callback yields, follow the page through it, and end it with a `PageRead`."""
        name = page_name(request)
        assert name is not None
        note = replace(_named(request, name), failure=failure, **_received(request, response))
        self._note(note)
        follow: list[PageNote] = []
        shown: ListPage | None = None
        whole = True
        try:
            for result in results:
                if isinstance(result, Request):
                    if page_name(result) is not None:
                        pending = self.follow(result)
                        if pending is None:
                            continue
                        follow.append(pending)
                else:
                    self.emitted += 1
                    shown = result if isinstance(result, ListPage) else shown
                    whole = whole and not isinstance(result, Rejected)
                    note = _learned(note, result, response)
                yield result
        except Exception:
            self._note(replace(note, state="failed", failure="callback"))
            raise
        self._note(replace(note, state="extracted"))
        failed = note.failure or (shown.failure if shown is not None else None) or note.evidence
        keep = whole and not failed and all(each.name.kind != "detail" for each in follow)
        validator = self._validator(request, response, shown, keep=keep)
        done = replace(note, state="done", validator=validator)
        yield PageRead(note=done, follow=tuple(follow), emitted=self.emitted)

    def _validator(
        self, request: Request, response: Response | None, shown: ListPage | None, *, keep: bool
    ) -> Validator | None:
        name = page_name(request)
        if self._learn is None or response is None or name is None or name.kind == "probe":
            return None
        return self._learn(response, shown, request.meta[PAGE][1], keep=keep)


def stored(request: Request, spider: Spider) -> str | None:
    """A request as JSON text, None where it cannot be one. Bytes stand as Latin-1, which keeps every one of them."""
    try:
        plain = request.to_dict(spider=spider)
        plain["meta"] = {}
        plain["body"] = plain["body"].decode("latin-1")
        plain["headers"] = {_text(key): [_text(each) for each in values] for key, values in plain["headers"].items()}
        return json.dumps(plain)
    except (TypeError, ValueError, RecursionError):
        return None


def restored(text: str, name: PageName, about: str | None, spider: Spider) -> Request | None:
    """The request of a stored page; None where this version of the adapter does not know its callback."""
    plain: dict[str, Any] = json.loads(text)
    plain["body"] = plain["body"].encode("latin-1")
    try:
        request: Request = request_from_dict(plain, spider=spider)
    except (ValueError, AttributeError):
        return None
    request.meta[PAGE] = (name, about)
    return request


def _named(request: Request, name: PageName) -> PageNote:
    about = request.meta[PAGE][1]
    return PageNote(
        name=name, url=request.url, method=request.method, state="fetched", ids=(about,) if about is not None else ()
    )


def _received(request: Request, response: Response | None) -> dict[str, Any]:
    if response is None:
        return {}
    asked = (request.meta.get("redirect_urls") or [request.url])[0]
    return {
        "url": asked,
        "status": response.status,
        "body_hash": sha256_hex(response.body) if response.body else None,
        "etag": header(response, "ETag"),
        "last_modified": header(response, "Last-Modified"),
        "redirected_to": response.url if response.url != asked else None,
    }


def header(response: Response, name: str) -> str | None:
    """A response header as text, None without it."""
    value = response.headers.get(name)
    return value.decode("latin-1").strip() or None if value is not None else None


def _learned(note: PageNote, item: CrawlItem, response: Response | None) -> PageNote:
    """What an item of a posting's own page says of the page."""
    if isinstance(item, Withdrawn):
        return replace(note, evidence=item.evidence)
    if isinstance(item, Sighting | Rejected) and item.reason == NO_DETAIL:
        unread = f"http_{response.status}" if response is not None and response.status != 200 else NO_DETAIL
        return replace(note, failure=note.failure or unread)
    return note


def _text(value: bytes | str) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
