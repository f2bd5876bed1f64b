"""The items that flow through the pipelines, one frozen type per state of a posting.

A stage accepts one of these types, passes the others through and returns the next type; the table
in docs/architecture.md shows the whole way. None of them is ever changed: a stage makes a new one.

A channel as it is walked is `listing` here; `channel` stands in keys alone, and only where ids collide across channels.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from jobmonitor.domain.reference import LocalKey, posting_reference

SectionFormat: TypeAlias = Literal["html", "text"]
SightingReason: TypeAlias = Literal[
    "row_unchanged", "not_modified", "same_record", "detail_failed", "reserved", "probed"
]
ChangeKind: TypeAlias = Literal["new", "reverted", "content", "salary", "facts", "source_only", "unchanged"]
DatePrecision: TypeAlias = Literal["year", "month", "day", "minute", "second"]
Degree: TypeAlias = Literal[
    "none", "middle_school", "high_school", "vocational", "associate", "bachelor", "master", "doctor"
]
PageKind: TypeAlias = Literal["list", "detail", "sitemap", "feed", "probe"]
PageProof: TypeAlias = Literal["total", "whole_board", "exhausted"]
PageState: TypeAlias = Literal["pending", "fetched", "extracted", "done", "failed"]
SalaryPeriod: TypeAlias = Literal["hour", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingKey:
    """What names a posting for ever: source, channel where ids collide, and the site's own id."""

    #: Source key, `<system>` or `<system>:<board>`.
    source: str
    #: The site's stable id, as a string.
    native_id: str
    #: Channel, only where the site's ids collide across channels; otherwise "".
    channel: str = ""

    @property
    def reference(self) -> str:
        """`<source key>/[<channel>:]<native id>`, each part percent-encoded."""
        return posting_reference(self.source, self.channel, self.native_id)

    @property
    def local(self) -> LocalKey:
        """The posting's name inside its source."""
        return self.channel, self.native_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a posting's text as the site keeps it apart."""

    #: Heading in the document ("岗位职责"), or None for a text that brings its own headings.
    heading: str | None = None
    #: HTML fragment or plain text, as the site sent it (entities undone once if it was escaped twice).
    body: str
    format: SectionFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the site states as fields, as stated strings. Hashed as `facts/1`; None or () = not stated."""

    locations: tuple[str, ...] = ()
    salary: str | None = None
    department: str | None = None
    category: str | None = None
    recruit_type: str | None = None
    employment_type: str | None = None
    education: str | None = None
    experience: str | None = None
    head_count: str | None = None
    deadline: str | None = None
    remote: str | None = None
    employer: str | None = None
    project: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDate:
    """A date of the site: raw text, value in the site's zone, and how exact it is."""

    raw: str
    value: dt.datetime | None
    precision: DatePrecision | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the site sent for one posting, less the personal fields that the adapter names."""

    #: Canonical JSON of `{"list": row, "detail": answer}`, or the HTML body.
    body: bytes
    #: "application/json" or "text/html".
    media_type: str = "application/json"
    #: Declared charset of an HTML body, else None.
    charset: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPosting:
    """A whole posting as an adapter's `parse` read it. Half a posting (no detail) is never one."""

    key: PostingKey
    #: Listing channel that showed it ("social", "campus", …); "" for a source with one listing.
    listing: str = ""
    title: str
    sections: tuple[Section, ...] = ()
    facts: Facts = Facts()
    #: Page for people, absolute http(s) URL, or None.
    url: str | None = None
    posted_at: StatedDate | None = None
    #: Employer where it differs from the source's own (an aggregator), else None.
    employer: str | None = None
    #: Id of the opening that several postings may share (internal_job_id, refNumber).
    opening_key: str | None = None
    #: Reference of the notice that holds this posting, else None.
    parent: str | None = None
    record: Record
    #: SHA-256 of the record less the adapter's `not_identity` fields, 64 hex digits.
    identity_hash: str
    #: SHA-256 of the list row less `not_identity`, refetch hints included; None where the list says all.
    row_hash: str | None = None
    #: Slogans the adapter declares: whole lines cut from the text.
    slogans: tuple[str, ...] = ()
    #: Number of the adapter's own cleaning declarations, stored on the version.
    cleaning: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """The posting is there; its content was not read again."""

    key: PostingKey
    listing: str = ""
    reason: SightingReason
    #: Hash of the list row for which the site confirmed the stored detail without sending it, else None.
    row_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The site said that the posting is closed."""

    key: PostingKey
    listing: str = ""
    #: The closed signal in the site's words ("404", "岗位已下架").
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """An item that could not become a posting; a row with its reason and its record, never a hole."""

    source: str
    #: Channel of the key, where ids collide across channels.
    channel: str = ""
    #: Native id, or the page URL where there is none.
    key: str
    #: Short code ("detail_failed", "no_title", "test_posting").
    reason: str
    #: What was found, for a person.
    detail: str = ""
    record: Record | None = None
    listing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Salary:
    """A parsed pay statement. Every part is None when not stated; nothing is defaulted."""

    #: Amounts in whole currency units per period, at most two decimals (15K = 15000).
    min: Decimal | None = None
    max: Decimal | None = None
    #: ISO 4217.
    currency: str | None = None
    period: SalaryPeriod | None = None
    #: Monthly salaries paid a year (14薪 = 14).
    months: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownSalary:
    """Why a pay text gave no numbers."""

    reason: Literal["negotiable", "none", "unparsed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """Years of work asked for; None = not stated or unbounded."""

    min_years: Decimal | None = None
    max_years: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Education:
    """Degree asked for. `minimum` "none" means the text says that none is required (不限)."""

    minimum: Degree | None = None
    full_time_required: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedFacts:
    """Parsed values of the stated facts: columns of a version, outside every hash."""

    salary: Salary | UnknownSalary
    experience: Experience
    education: Education
    #: Contract 1 vocabulary: campus | experienced | intern.
    recruit_type: Literal["campus", "experienced", "intern"] | None = None
    head_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One redacted span: half-open character range [start, end) of the text before redaction."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanPosting:
    """A posting with its canonical document and folded facts."""

    raw: RawPosting
    #: Cleaned Markdown; redacted after stage 400.
    document: str
    #: As stated, tidied; hashed in their fold.
    facts: Facts
    derived: DerivedFacts
    findings: tuple[Finding, ...] = ()
    #: Why it must not be sent, indexed or exported until released, else None.
    quarantine: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintedPosting:
    """A posting whose content, facts and record have their names."""

    clean: CleanPosting
    #: SHA-256 hex of the folded document under `scheme`.
    content_hash: str
    #: SHA-256 hex of the facts as `facts/1`.
    facts_hash: str
    #: SHA-256 hex of the record's bytes: the object's name.
    record_hash: str
    #: "canonical/1".
    scheme: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionedPosting:
    """What became of a posting in this run: flat scalars, one row per sighting in a feed export."""

    posting: str
    source: str
    channel: str
    native_id: str
    listing: str
    change: ChangeKind
    observed_at: dt.datetime
    title: str | None
    url: str | None
    #: Number of the current version, 1..n.
    version: int | None
    content_hash: str | None
    facts_hash: str | None
    #: The content has no profile yet and none is in the making: the extract stage's cue.
    wants_profile: bool = False
    quarantine: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageName:
    """What names a page, the smallest unit of crawling, inside its run."""

    kind: PageKind
    #: Listing channel that it belongs to.
    listing: str = ""
    #: Number of the walk through the listing that asked for it; a second one starts anew.
    walk: int = 1
    #: Number of a list page, from 1.
    number: int | None = None
    #: Scrapy's fingerprint of the request: method, canonical URL and body, hex.
    fingerprint: str

    @property
    def identity(self) -> tuple[str, int, str]:
        """What the ledger tells pages apart by."""
        return self.listing, self.walk, self.fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Validator:
    """The validators of one request, with what the body that they name showed. Without both names: forget it."""

    #: Scrapy's fingerprint of the request that was answered: the last one of a redirect.
    fingerprint: str
    url: str
    etag: str | None = None
    last_modified: str | None = None
    body_hash: str | None = None
    ids: tuple[str, ...] = ()
    total: int | None = None
    proof: PageProof | None = None

    @property
    def names_a_body(self) -> bool:
        """Whether a server could be asked by it."""
        return self.etag is not None or self.last_modified is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageNote:
    """What is to be noted of a page; None says nothing new."""

    name: PageName
    url: str
    method: str = "GET"
    state: PageState
    #: How to ask for it again after a kill: the request as JSON text, of a pending page alone.
    request: str | None = None
    failure: str | None = None
    status: int | None = None
    #: Native ids that it shows; of a detail or a probe the one it is about.
    ids: tuple[str, ...] = ()
    body_hash: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    redirected_to: str | None = None
    #: The site's words that the page's posting is closed.
    evidence: str | None = None
    #: What the server calls the body, once all that it showed is durable.
    validator: Validator | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRead:
    """The last item of a page: everything that it showed is on its way, and these pages follow from it."""

    note: PageNote
    #: Pages that it leads to, in the order in which they are asked for.
    follow: tuple[PageNote, ...] = ()
    #: Items that the spider has emitted so far; the page is done once as many have arrived.
    emitted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """One page of a listing, for the page ledger: what it showed, or why it could not be read.

    "Last seen" is derived from the ids; a channel is complete only if its pages prove it.
    """

    source: str
    #: "list", "sitemap" or "feed".
    kind: PageKind = "list"
    listing: str = ""
    #: Number of the walk through the listing that asked for it; a second one starts anew.
    walk: int = 1
    #: Number of the page, from 1, where its listing numbers them.
    number: int | None = None
    method: str = "GET"
    url: str
    #: Scrapy's fingerprint of the request, hex; None for a page that was not asked for any more.
    fingerprint: str | None = None
    status: int | None = None
    #: Native ids in page order, rejects included; twins once.
    ids: tuple[str, ...] = ()
    #: Total number of postings that this page announced for the listing; None also where the number cannot be one.
    total: int | None = None
    #: How this page takes part in a proof of completeness; None = it proves nothing.
    proof: PageProof | None = None
    #: SHA-256 of the body as received.
    body_hash: str | None = None
    #: Why the page could not be read ("http_503", "success_test", "timeout"), else None.
    failure: str | None = None


CrawlItem: TypeAlias = RawPosting | Sighting | Withdrawn | Rejected | ListPage | PageRead
