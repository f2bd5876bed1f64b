"""The rows of a group commit: a decided posting, a reject or a page as the storage wants it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobmonitor.domain.canonical import clean_text, facts_json, sha256_hex
from jobmonitor.domain.versioning import VERSIONED, KnownPosting
from jobmonitor.items import ChangeKind, FingerprintedPosting, ListPage, PageNote, RawPosting, Record, Rejected
from jobmonitor.storage.columns import ERASED_TITLE, derived_columns, title_of
from jobmonitor.storage.leases import Lease
from jobmonitor.storage.pages import COLUMNS
from jobmonitor.storage.standing import StoredText


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A posting of the group with its decision."""

    item: FingerprintedPosting
    known: KnownPosting | None
    change: ChangeKind
    previous: Mapping[str, Any] | None
    #: How its text stands; None where this group is the first to have it.
    text: StoredText | None = None

    @property
    def raw(self) -> RawPosting:
        return self.item.clean.raw

    @property
    def erased(self) -> bool:
        return self.text is not None and self.text.erased

    @property
    def title(self) -> str:
        return ERASED_TITLE if self.erased else title_of(self.item.clean.document)

    @property
    def quarantine(self) -> str | None:
        return self.item.clean.quarantine if self.text is None else self.text.quarantine

    @property
    def unwanted(self) -> str | None:
        """Why its text gets no profile, or None."""
        return "erased" if self.erased else "quarantined" if self.quarantine else None

    @property
    def number(self) -> int:
        if self.known is None:
            return 1
        return self.known.version + (self.change in VERSIONED)


class Rows:
    """Builds the rows of one run.

    Args:
        lease: whose run and source the rows belong to.
        observed_at: the run's logical time.
        contract: number of the contract that new contents are queued for.
    """

    def __init__(self, lease: Lease, observed_at: dt.datetime, contract: int) -> None:
        self._lease = lease
        self._at = observed_at
        self._contract = contract

    def _shown(self, each: Decided) -> dict[str, Any]:
        raw = each.raw
        date = raw.posted_at
        return {
            "title": each.title,
            "url": raw.url,
            "employer": raw.employer or each.item.clean.facts.employer,
            "opening_key": raw.opening_key,
            "parent": raw.parent,
            "posted_raw": date.raw if date else None,
            "posted_at": date.value if date else None,
            "posted_precision": date.precision if date else None,
            "identity_hash": raw.identity_hash,
            "row_hash": raw.row_hash,
            "detail_observed_at": self._at,
        }

    def posting_row(self, each: Decided) -> dict[str, Any]:
        """A posting never seen before."""
        key = each.raw.key
        names = {"source": key.source, "channel": key.channel, "native_id": key.native_id, "reference": key.reference}
        return names | self._shown(each) | {"first_observed_at": self._at}

    def refresh_row(self, each: Decided) -> dict[str, Any]:
        """What a known posting shows of its newest record."""
        assert each.known is not None
        return {f"new_{name}": value for name, value in self._shown(each).items()} | {"posting": each.known.posting_id}

    def version_row(self, each: Decided, posting_id: int) -> dict[str, Any]:
        """The version that the decision opens."""
        item = each.item
        return {
            "posting_id": posting_id,
            "number": each.number,
            "kind": each.change,
            "content_hash": item.content_hash,
            "facts_hash": item.facts_hash,
            "facts": facts_json(item.clean.facts),
            "record_hash": item.record_hash,
            "cleaning": each.raw.cleaning,
            "valid_from": self._at,
            "run_id": self._lease.run_id,
            "locations": list(item.clean.facts.locations),
        } | derived_columns(item.clean.derived)

    def extraction_rows(self, versioned: Sequence[Decided]) -> list[dict[str, Any]]:
        """One row per content that may want a profile."""
        rows = {each.item.content_hash: each.unwanted for each in versioned}
        return [
            {
                "content_hash": content,
                "contract": self._contract,
                "state": "skipped" if reason else "pending",
                "reason": reason,
                "run_id": self._lease.run_id,
            }
            for content, reason in rows.items()
        ]

    def listing_row(self, posting_id: int, listing: str) -> dict[str, Any]:
        """A listing channel that shows a posting for the first time."""
        return {"posting_id": posting_id, "channel": listing, "first_seen_at": self._at, "last_seen_at": self._at}

    def reject_row(self, each: Rejected) -> dict[str, Any]:
        """A reject, counted under its reason."""
        body = each.record.body if each.record else b""
        return {
            "source": self._lease.source,
            "key": clean_text(each.key),
            "reason": each.reason,
            "hash": sha256_hex(body),
            "detail": clean_text(each.detail)[:2000],
            "record_hash": sha256_hex(body) if each.record else None,
            "first_at": self._at,
            "last_at": self._at,
            "run_id": self._lease.run_id,
        }

    def page_row(self, page: ListPage) -> dict[str, Any]:
        """What a list page shows. The page's end is noted apart, unless nobody follows the page."""
        followed = page.fingerprint is not None
        return {
            **self._page(page.url, page.method),
            "channel": page.listing,
            "kind": page.kind,
            "walk": page.walk,
            "number": page.number,
            "request_hash": page.fingerprint,
            "state": "fetched" if followed else "failed" if page.failure else "done",
            "failure": page.failure,
            "status": page.status,
            "ids": [clean_text(each) for each in page.ids],
            "total": page.total,
            "proof": page.proof,
            "body_hash": page.body_hash,
        }

    def note_row(self, note: PageNote) -> dict[str, Any]:
        """What is to be noted of a page."""
        name = note.name
        return {
            **self._page(note.url, note.method),
            "channel": name.listing,
            "kind": name.kind,
            "walk": name.walk,
            "number": name.number,
            "request_hash": name.fingerprint,
            "request": note.request,
            "state": note.state,
            "failure": note.failure,
            "status": note.status,
            "attempts": int(note.state == "fetched"),
            "ids": [clean_text(each) for each in note.ids],
            "body_hash": note.body_hash,
            "etag": _header(note.etag),
            "last_modified": _header(note.last_modified),
            "redirected_to": _header(note.redirected_to),
            "evidence": _header(note.evidence),
        }

    def _page(self, url: str, method: str) -> dict[str, Any]:
        row = dict.fromkeys(COLUMNS)
        place = {"run_id": self._lease.run_id, "source": self._lease.source, "observed_at": self._at}
        return row | place | {"url": clean_text(url), "method": method, "attempts": 0, "ids": [], "walk": 1}


def _header(value: str | None) -> str | None:
    return clean_text(value)[:2000] if value is not None else None


def tombstone(record: Record) -> dict[str, Any]:
    """The name of a record whose content was erased: the site still shows it, we do not keep it again."""
    return {"hash": sha256_hex(record.body), "media_type": record.media_type, "size": 0}


def content_row(item: FingerprintedPosting) -> dict[str, Any]:
    """A content under its name."""
    return {
        "hash": item.content_hash,
        "scheme": item.scheme,
        "document": item.clean.document,
        "quarantine": item.clean.quarantine,
    }


def unique(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reject rows, one of each name: the database takes each once in a statement."""
    return list({(row["key"], row["reason"], row["hash"]): row for row in rows}.values())
