"""The validators of one run: which request may be conditional, and what an answered one teaches.

A validator is used only where all that its body showed is known and need not be read again, so that a 304 withholds
nothing. It is kept only if everything on the page became durable without a reject or a detail to be read.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping

from scrapy.http import Request, Response
from scrapy.utils.request import fingerprint

from jobmonitor.crawling.pages import header, page_name
from jobmonitor.domain.canonical import sha256_hex
from jobmonitor.domain.validators import contradiction, is_read_in_full
from jobmonitor.items import ListPage, Validator

logger = logging.getLogger(__name__)

#: Where a request carries the validator that it was asked with.
ASKED_WITH = "jobmonitor_validator"
#: Where the request of a detail says that its list row has not moved: only then does a 304 confirm the posting.
CONFIRMS = "jobmonitor_confirms"


class ValidatorBook:
    """The validators that a run knows.

    Args:
        known: by fingerprint of the request.
        at: the run's logical time.
        nothing_to_read: whether all postings of these native ids in a listing are known, and their details young.
    """

    def __init__(
        self,
        known: Mapping[str, Validator],
        *,
        at: dt.datetime,
        nothing_to_read: Callable[[str, tuple[str, ...]], bool],
    ) -> None:
        self._known = dict(known)
        self._at = at
        self._nothing_to_read = nothing_to_read
        #: Why the source's validators cannot be trusted, once a full read contradicted one.
        self.distrusted: str | None = None

    def for_request(self, request: Request) -> Validator | None:
        """The validator that a request may be asked with; None = ask for the whole body."""
        name = page_name(request)
        if name is None or name.kind == "probe" or request.method != "GET" or not self._known or self.distrusted:
            return None
        validator = self._known.get(fingerprint(request).hex())
        if validator is None or is_read_in_full(validator.fingerprint, self._at):
            return None
        if name.kind == "detail":
            return validator if request.meta.get(CONFIRMS) else None
        if name.kind == "sitemap" and not validator.ids:
            return None  # it may be an index: a 304 would withhold the sitemaps that it lists
        return validator if self._nothing_to_read(name.listing, validator.ids) else None

    def learn(self, response: Response, shown: ListPage | None, about: str | None, *, keep: bool) -> Validator | None:
        """What a body that came in full is called; without names where it must not be asked for conditionally."""
        request = response.request
        if request is None or response.status != 200 or request.method != "GET":
            return None
        name = fingerprint(request).hex()
        now = Validator(
            fingerprint=name,
            url=response.url,
            etag=header(response, "ETag"),
            last_modified=header(response, "Last-Modified"),
            body_hash=sha256_hex(response.body),
            ids=shown.ids if shown is not None else (about,) if about is not None else (),
            total=shown.total if shown is not None else None,
            proof=shown.proof if shown is not None else None,
        )
        known = self._known.get(name)
        if known is not None:
            self._compare(known, now)
        if now.names_a_body and keep and not self.distrusted:
            return now
        return Validator(fingerprint=name, url=response.url) if known is not None else None

    def _compare(self, known: Validator, now: Validator) -> None:
        why = contradiction(known, now)
        if why is not None and self.distrusted is None:
            self.distrusted = why
            logger.warning("The source is read without conditions from now on: %s", why)


def asked_with(response: Response) -> Validator | None:
    """The validator that a 304 confirms; None where none was asked with."""
    request: Request | None = response.request
    found: Validator | None = request.meta.get(ASKED_WITH) if request is not None else None
    return found
