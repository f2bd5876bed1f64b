"""The base of every spider: source keys, list pages, details, and what becomes of each when it fails.

An adapter declares what its system is like and says how to ask and how to read; docs/add-a-source.md
shows one. What goes wrong here is always an item: a page that could not be read, a row that could not
be parsed, a detail that did not come. So the run's ledger closes to the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypedDict

from scrapy.http import Request, Response
from twisted.python.failure import Failure

from jobmonitor.crawling.answers import NoAnswer, NotAsked, failure_reason, json_body
from jobmonitor.crawling.fields import UnreadableRecord
from jobmonitor.crawling.listing import ListingSpider
from jobmonitor.crawling.pages import name_page, page_name
from jobmonitor.crawling.reservations import reservation
from jobmonitor.crawling.validating import CONFIRMS, asked_with
from jobmonitor.domain.canonical import bounded, canonical_json, identity_hash, without_fields
from jobmonitor.domain.reference import encode_part
from jobmonitor.items import (
    CrawlItem,
    PageProof,
    PostingKey,
    RawPosting,
    Record,
    Rejected,
    Sighting,
    Validator,
    Withdrawn,
)

Row: TypeAlias = Mapping[str, Any]
Result: TypeAlias = CrawlItem | Request

#: What a wrong record makes a `read` raise; anything else is a defect of ours, and is said so in the log.
PARSE_ERRORS = (UnreadableRecord, KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)
#: Status of an answer that confirms what is known (RFC 9110, section 15.4.5).
NOT_MODIFIED = 304
#: Distinct unread fields reported in one run; a hostile site could send millions.
UNREAD_LIMIT = 50


class Reading(NamedTuple):
    """A posting as an adapter read it, and the fields of its record that nobody read."""

    posting: RawPosting
    unread: frozenset[str] = frozenset()


class Sealed(TypedDict):
    """The parts of a RawPosting that follow from its record and the adapter's declarations alone."""

    record: Record
    identity_hash: str
    row_hash: str | None
    slogans: tuple[str, ...]
    cleaning: int


class JobSpider(ListingSpider):
    """One system. Subclasses declare the attributes below and define `start`, `read_list`, `row_id` and `read`."""

    #: Listing channels that are enumerated on their own; ("",) = one listing.
    listings: ClassVar[tuple[str, ...]] = ("",)
    #: Dotted paths in the record that change without the posting changing ("list.updated_at").
    not_identity: ClassVar[tuple[str, ...]] = ()
    #: Those of them in the list row whose move is the only sign that a detail changed.
    refetch_hints: ClassVar[tuple[str, ...]] = ()
    #: Dotted paths of personal data, dropped before anything is stored.
    personal: ClassVar[tuple[str, ...]] = ()
    #: Whole lines of the employer's that are cut from every text.
    slogans: ClassVar[tuple[str, ...]] = ()
    #: Number of the declarations above, raised when one of them changes what a text becomes.
    cleaning: ClassVar[int] = 1
    #: Statuses of a detail that say "closed". A system with its own code overrides `closed_signal`.
    closed_statuses: ClassVar[frozenset[int]] = frozenset({404, 410})
    #: Whether its validators (ETag, Last-Modified) may be used to ask for newer bodies alone.
    conditional: ClassVar[bool] = True
    #: Fewest and most postings that are believable; outside it a disappearance is held back.
    plausible: tuple[int, int] = (0, 20_000)
    #: Statuses that say "not now". A system that says so inside a good answer overrides `is_busy`.
    busy_statuses: ClassVar[frozenset[int]] = frozenset({429, 503})
    # Statuses are answers to judge here, not errors to be dropped on the way.
    custom_settings = {"HTTPERROR_ALLOW_ALL": True}

    #: (channel, native id) of each posting known before the run; set by the runtime.
    known: Container[tuple[str, str]] = frozenset()
    #: Whether the stored detail of (channel, native id) may be trusted for this row hash; set by the runtime.
    detail_is_fresh: Callable[[tuple[str, str], str], bool] | None = None
    #: The hash of the list row for which the detail of (channel, native id) was read last; set by the runtime.
    stored_row_hash: Callable[[tuple[str, str]], str | None] | None = None

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._asked: set[tuple[str, str]] = set()
        self._unread: set[str] = set()

    # -- what an adapter says --------------------------------------------------------------------------------

    def is_answer(self, response: Response, data: Any) -> bool:
        """The system's success test: whether `data` answers the question. Status 200 and JSON are checked before."""
        return isinstance(data, dict)

    def is_posting_answer(self, response: Response, data: Any) -> bool:
        """The success test of an answer for one posting; where it differs from a list's, the adapter says how."""
        return self.is_answer(response, data)

    def read_list(self, response: Response, data: Any, *, listing: str, page: int) -> Iterator[Result]:
        """Items and requests of one answered list page; usually `read_rows` and the next page."""
        raise NotImplementedError

    def row_id(self, row: Row) -> str | None:
        """The native id in a list row, None if it has none."""
        raise NotImplementedError

    def detail_url(self, row: Row) -> str | None:
        """Address of the row's detail, None for a system whose list says all."""
        return None

    def is_detail_of(self, row: Row, data: Any) -> bool:
        """Whether an answered detail is the one of this row."""
        return True

    def probe_url(self, native_id: str) -> str | None:
        """Address that answers for one posting alone, None where the system has none: its absence is unverifiable."""
        return None

    def shows(self, data: Any, native_id: str) -> bool:
        """Whether an answer to a probe, which passed the success test, is this posting's."""
        return True

    def closed_signal(self, response: Response) -> str | None:
        """The site's word that a posting is closed, None if the response does not say so."""
        return str(response.status) if response.status in self.closed_statuses else None

    def is_busy(self, response: Response) -> bool:
        """Whether the site asks for fewer requests; what it refused is asked again, later."""
        return response.status in self.busy_statuses

    def failure_of(self, response: Response, reason: str) -> str:
        """Short code of a list page that is no answer; a system whose errors say more than `http_404` reads them."""
        return reason

    def after_unmodified(self, page: int, listing: str, validator: Validator) -> Iterator[Result]:
        """What to ask next behind a list page that the site confirmed without sending it."""
        yield from ()

    def after_failed_page(self, listing: str, page: int) -> Iterator[Result]:
        """What to ask next when a list page could not be read. The channel is incomplete in any case."""
        yield from ()

    @classmethod
    def read(cls, record: Mapping[str, Any], source: str) -> Reading:
        """Read a stripped record `{"list": row, "detail": answer}`. Pure: no network, clock or state.

        Raises:
            UnreadableRecord: the record does not have the known shape.
        """
        raise NotImplementedError

    @classmethod
    def strip(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The record less its personal fields: the only form that is stored, hashed or parsed."""
        stripped: Mapping[str, Any] = without_fields(record, frozenset(cls.personal))
        return stripped

    @classmethod
    def parse(cls, record: Mapping[str, Any], source: str) -> RawPosting:  # type: ignore[override]
        """The posting that a stored record describes; the same for a crawl and for reprocessing. Pure.

        Raises:
            UnreadableRecord: the record does not have the known shape.
        """
        return cls.read(record, source).posting

    @classmethod
    def sealed(cls, record: Mapping[str, Any]) -> Sealed:
        """The parts of a RawPosting that need no reading."""
        return Sealed(
            record=_record(record),
            identity_hash=identity_hash(record, cls.not_identity),
            row_hash=cls.row_hash(record["list"]) if record.get("detail") is not None else None,
            slogans=cls.slogans,
            cleaning=cls.cleaning,
        )

    @classmethod
    def row_hash(cls, row: Row) -> str:
        """Hash of a stripped list row. Refetch hints are part of it: one that moves asks for the detail again."""
        return identity_hash({"list": row}, frozenset(cls.not_identity) - frozenset(cls.refetch_hints))

    # -- list pages ------------------------------------------------------------------------------------------

    def list_request(self, url: str, *, listing: str = "", page: int = 1, **options: Any) -> Request:
        """The request of one list page, numbered from 1; `options` as scrapy.Request takes them.

        Lists go before details: the shorter the walk, the fewer rows move from page to page meanwhile.
        """
        request = Request(
            url,
            callback=self._list_answered,
            errback=self._list_failed,
            cb_kwargs={"listing": listing, "page": page},
            dont_filter=True,
            priority=1,
            **options,
        )
        return name_page(request, self.page_kind, listing=listing, walk=self.walk(listing), number=page)

    def read_rows(
        self,
        response: Response,
        rows: Sequence[Any],
        *,
        listing: str = "",
        total: object = None,
        proof: PageProof | None = None,
    ) -> Iterator[Result]:
        """Report a page and read its rows; `total` is what the site announces, as it sent it.

        A page that shows the postings of an earlier one proves nothing, and neither does one with a row
        without an id: that row may be any of the postings that seem to be missing.
        """
        ids = self.row_ids(rows)
        failure = "repeated_page" if self.is_repeated(rows, listing) else None
        if any(self._id_of(row) is None for row in rows):
            failure = failure or "row_without_id"
        yield self.list_page(response, listing=listing, ids=ids, total=total, proof=proof, failure=failure)
        self._pages[listing].add(frozenset(ids))
        self._shown[listing].update(ids)
        for row in rows:
            yield from self._guarded(self._read_row(response, row, listing), row, listing)

    def row_ids(self, rows: Iterable[Any]) -> tuple[str, ...]:
        """Distinct ids in page order."""
        return tuple(dict.fromkeys(key for row in rows if (key := self._id_of(row)) is not None))

    def is_repeated(self, rows: Iterable[Any], listing: str = "") -> bool:
        """Whether these are exactly the postings of an earlier page: the site ignores a parameter."""
        page = frozenset(self.row_ids(rows))
        return bool(page) and page in self._pages[listing]

    def _list_answered(self, response: Response, listing: str, page: int) -> Iterator[Result]:
        yield from self._followed(self._read_list_page(response, listing, page), response)

    def _read_list_page(self, response: Response, listing: str, page: int) -> Iterator[Result]:
        validator = asked_with(response)
        if response.status == NOT_MODIFIED and validator is not None:
            yield from self._read_unmodified(response, validator, listing, page)
            return
        try:
            data = self.list_data(response)
        except NoAnswer as no_answer:
            reason = self.failure_of(response, no_answer.reason)
            yield self.list_page(response, listing=listing, failure=reason)
            yield from self.after_failed_page(listing, page)
        else:
            yield from self.read_list(response, data, listing=listing, page=page)

    def _read_unmodified(self, response: Response, validator: Validator, listing: str, page: int) -> Iterator[Result]:
        """A list page that says what it said: all its postings are seen, and nothing more is known."""
        ids, total = validator.ids, validator.total
        failure = "repeated_page" if ids and frozenset(ids) in self._pages[listing] else None
        yield self.list_page(response, listing=listing, ids=ids, total=total, proof=validator.proof, failure=failure)
        self._pages[listing].add(frozenset(ids))
        self._shown[listing].update(ids)
        for native_id in ids:
            yield Sighting(key=self._listed_key(listing, native_id), listing=listing, reason="not_modified")
        if failure is None:
            yield from self.after_unmodified(page, listing, validator)

    def _listed_key(self, listing: str, native_id: str) -> PostingKey:
        """The key of a known posting that a listing shows."""
        channel = listing if (listing, native_id) in self.known else ""
        return PostingKey(source=self.source, channel=channel, native_id=native_id)

    def _list_failed(self, failure: Failure) -> Iterator[Result]:
        request: Request = failure.request  # type: ignore[attr-defined]
        if isinstance(failure.value, NotAsked):
            return
        yield from self._followed(self._miss_list_page(request, failure_reason(failure.value)), failure)

    def _miss_list_page(self, request: Request, reason: str) -> Iterator[Result]:
        listing, page = request.cb_kwargs["listing"], request.cb_kwargs["page"]
        yield self.unread_page(request, listing, reason)
        yield from self.after_failed_page(listing, page)

    def _followed(self, results: Iterable[Result], answer: Response | Failure) -> Iterator[Result]:
        """What a page gives, with the page ledger looking on."""
        response = answer if isinstance(answer, Response) else None
        request: Request | None = getattr(answer, "request", None)
        if self.pages is None or request is None or page_name(request) is None:
            yield from results
            return
        failure = failure_reason(answer.value) if isinstance(answer, Failure) else None
        yield from self.pages.read(results, request, response=response, failure=failure)

    # -- rows and details ------------------------------------------------------------------------------------

    def is_known(self, key: PostingKey) -> bool:
        """Whether an earlier run stored this posting."""
        return key.local in self.known

    def key_of(self, row: Row) -> PostingKey:
        """The posting's key. A system whose ids collide across channels extends it."""
        return PostingKey(source=self.source, native_id=self._id_of(row) or "")

    def posting(self, row: Row, detail: Any = None, listing: str = "") -> Iterator[RawPosting | Rejected]:
        """The posting of a row and its detail, or a reject with its record; the crawl goes on."""
        sent = {"list": row} if detail is None else {"list": row, "detail": detail}
        try:
            reading = self.read(self.strip(sent), self.source)
        except Exception as error:  # noqa: BLE001 - the outer edge of a row
            yield self._unparsable(sent, listing, error)
            return
        self._report_unread(reading.unread)
        yield replace(reading.posting, listing=listing) if listing else reading.posting

    def _guarded(self, results: Iterator[Result], row: Any, listing: str) -> Iterator[Result]:
        """The outer edge of a row: whatever it makes our code do, its record is kept and the rest goes on."""
        try:
            yield from results
        except Exception as error:  # noqa: BLE001 - see above
            yield self._unparsable({"list": row}, listing, error)

    def _unparsable(self, sent: Mapping[str, Any], listing: str, error: Exception) -> Rejected:
        kind = type(error).__name__
        if not isinstance(error, PARSE_ERRORS):
            name = encode_part(self._id_of(sent["list"]) or "")[:80]
            self.logger.warning("%s: the adapter fails on row %s (%s)", self.source, name, kind)
        return self._rejected(sent, "unparsable", f"{kind}: {error}", listing)

    def _read_row(self, response: Response, row: Any, listing: str) -> Iterator[Result]:
        native_id = self._id_of(row)
        if native_id is None:
            yield replace(self._rejected({"list": row}, "no_id", "", listing), key=response.url)
            return
        url = self.detail_url(row)
        if url is None:
            yield from self.posting(row, listing=listing)
        elif (listing, native_id) in self._asked:
            self.crawler.stats.inc_value("jobmonitor/spider/duplicate")
        elif self._detail_is_fresh(row):
            yield Sighting(key=self.key_of(row), listing=listing, reason="row_unchanged")
        else:
            self._asked.add((listing, native_id))
            yield self._detail_request(url, self.strip({"list": row})["list"], listing)

    def _detail_is_fresh(self, row: Row) -> bool:
        if self.detail_is_fresh is None:
            return False
        return self.detail_is_fresh(self.key_of(row).local, self._stripped_hash(row))

    def _stripped_hash(self, row: Row) -> str:
        return self.row_hash(self.strip({"list": row})["list"])

    def _detail_request(self, url: str, row: Row, listing: str) -> Request:
        request = Request(
            url,
            callback=self._detail_answered,
            errback=self._detail_failed,
            cb_kwargs={"row": row, "listing": listing},
            dont_filter=True,
        )
        if self.stored_row_hash is not None:
            request.meta[CONFIRMS] = self.stored_row_hash(self.key_of(row).local) == self._stripped_hash(row)
        return name_page(request, "detail", listing=listing, about=self._id_of(row))

    def _detail_answered(self, response: Response, row: Row, listing: str) -> Iterator[Result]:
        results = self._guarded(self._read_detail(response, row, listing), row, listing)
        yield from self._followed(results, response)

    def _read_detail(self, response: Response, row: Row, listing: str) -> Iterator[Result]:
        if response.status == NOT_MODIFIED and asked_with(response) is not None:
            row_hash = self._stripped_hash(row)
            yield Sighting(key=self.key_of(row), listing=listing, reason="not_modified", row_hash=row_hash)
            return
        evidence = self.closed_signal(response)
        if evidence is not None:
            yield self._closed(row, listing, evidence)
            return
        reserved = reservation(response, self.settings["USER_AGENT"])
        if reserved is not None:
            yield self._reserved(row, listing, reserved)
            return
        try:
            data = self.detail_data(response)
            if not self.is_detail_of(row, data):
                raise NoAnswer("other_posting")
        except NoAnswer as no_answer:
            yield self._half(row, listing, no_answer.reason)
        else:
            yield from self.posting(row, data, listing)

    def _detail_failed(self, failure: Failure) -> Iterator[Result]:
        arguments = failure.request.cb_kwargs  # type: ignore[attr-defined]
        if isinstance(failure.value, NotAsked):
            return
        half = self._half(arguments["row"], arguments["listing"], failure_reason(failure.value))
        yield from self._followed((half,), failure)

    # -- probes

    def probe_request(self, key: PostingKey) -> Request | None:
        """Ask for a posting that no list has shown lately."""
        url = self.probe_url(key.native_id)
        if url is None:
            return None
        request = Request(url, callback=self._probe_answered, cb_kwargs={"key": key}, dont_filter=True)
        return name_page(request, "probe", listing=key.channel, about=key.native_id)

    def _probe_answered(self, response: Response, key: PostingKey) -> Iterator[Result]:
        yield from self._followed(self._read_probe(response, key), response)

    def _read_probe(self, response: Response, key: PostingKey) -> Iterator[Result]:
        listing = key.channel
        evidence = self.closed_signal(response)
        if evidence is not None:
            yield Withdrawn(key=key, listing=listing, evidence=evidence)
            return
        try:
            data = self.probe_data(response)
        except NoAnswer:
            return
        if self.is_posting_answer(response, data) and self.shows(data, key.native_id):
            yield Sighting(key=key, listing=listing, reason="probed")

    def _closed(self, row: Row, listing: str, evidence: str) -> Withdrawn | Rejected:
        """The site's word that a posting is closed; of one that nobody knows, its row is kept instead."""
        key = self.key_of(row)
        if self.is_known(key):
            return Withdrawn(key=key, listing=listing, evidence=evidence)
        return self._rejected({"list": row}, "closed", evidence, listing)

    def _half(self, row: Row, listing: str, reason: str) -> Sighting | Rejected:
        """Half a posting is never one: known, it was seen; new, its row is kept and the next run asks again."""
        key = self.key_of(row)
        if self.is_known(key):
            return Sighting(key=key, listing=listing, reason="detail_failed")
        return self._rejected({"list": row}, "detail_failed", reason, listing)

    def _reserved(self, row: Row, listing: str, reason: str) -> Sighting | Rejected:
        """A page that must not be kept: of a new posting its row alone is; a known one was seen."""
        key = self.key_of(row)
        if self.is_known(key):
            return Sighting(key=key, listing=listing, reason="reserved")
        return self._rejected({"list": row}, reason, "the site asks that the page is not kept", listing)

    def _rejected(self, sent: Mapping[str, Any], reason: str, detail: str, listing: str) -> Rejected:
        """A reject with its record, cut to a depth that every adapter can strip of what is personal."""
        return Rejected(
            source=self.source,
            channel=self._channel_of(sent["list"]),
            key=self._id_of(sent["list"]) or "",
            reason=reason,
            detail=detail,
            record=_record(self.strip(bounded(sent))),
            listing=listing,
        )

    def _id_of(self, row: Any) -> str | None:
        try:
            return (self.row_id(row) or None) if isinstance(row, Mapping) else None
        except PARSE_ERRORS:
            return None  # reported as a row without an id

    def _channel_of(self, row: Any) -> str:
        try:
            return self.key_of(row).channel if isinstance(row, Mapping) else ""
        except PARSE_ERRORS:
            return ""

    def list_data(self, response: Response) -> Any:
        """What a list page says; JSON that passes the success test.

        Raises:
            NoAnswer: it is no answer.
        """
        return self._answer(response)

    def detail_data(self, response: Response) -> Any:
        """What a detail says; JSON that passes the success test.

        Raises:
            NoAnswer: it is no answer.
        """
        return self._answer(response)

    def probe_data(self, response: Response) -> Any:
        """What an answer to a probe says; JSON, whose success test comes later.

        Raises:
            NoAnswer: it is no answer.
        """
        return json_body(response)

    def _answer(self, response: Response) -> Any:
        data = json_body(response)
        if not self.is_answer(response, data):
            raise NoAnswer("success_test")
        return data

    def _report_unread(self, unread: frozenset[str]) -> None:
        for field in sorted(unread - self._unread):
            if len(self._unread) >= UNREAD_LIMIT:
                return
            self._unread.add(field)
            name = encode_part(field)[:80]
            self.crawler.stats.inc_value(f"jobmonitor/spider/unread/{name}")
            self.logger.warning("%s sends a field that is neither read nor ignored: %s", self.source, name)


def _record(record: Mapping[str, Any]) -> Record:
    return Record(body=canonical_json(record))
