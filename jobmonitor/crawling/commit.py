"""What one group of a run's items becomes: decisions from the domain, rows for the storage, answers for the stages."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.crawling.naming import Rederive, compared_fairly
from jobmonitor.domain.canonical import clean_text, facts_json, sha256_hex
from jobmonitor.domain.versioning import VERSIONED, KnownPosting, change_kind
from jobmonitor.items import ChangeKind, FingerprintedPosting, ListPage, PostingKey, RawPosting, Record, Rejected
from jobmonitor.storage import writes
from jobmonitor.storage.columns import changed, derived_columns, posting_state, stored_state, title_of
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.leases import Lease, guard
from jobmonitor.storage.objects import ObjectStore, object_rows

#: Event of each change kind that opens a version.
EVENT_OF: dict[ChangeKind, str] = {
    "new": "posting.new",
    "reverted": "posting.reverted",
    "content": "posting.content_changed",
    "salary": "posting.salary_changed",
    "facts": "posting.facts_changed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A known posting was shown by a listing channel that never showed it before."""

    key: PostingKey
    posting_id: int
    listing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """The detail of a known posting was read again and says what it said."""

    key: PostingKey
    posting_id: int
    row_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of a posting: its change kind, and what is known of it from now on."""

    change: ChangeKind
    known: KnownPosting
    wants_profile: bool


Job: TypeAlias = FingerprintedPosting | Listed | Reread | Rejected | ListPage
Answer: TypeAlias = Written | None
LocalKey: TypeAlias = tuple[str, str]


def local_key(key: PostingKey) -> LocalKey:
    """A posting's name inside its source."""
    return key.channel, key.native_id


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
    """A posting of the group with its decision."""

    item: FingerprintedPosting
    known: KnownPosting | None
    change: ChangeKind
    previous: Mapping[str, Any] | None

    @property
    def raw(self) -> RawPosting:
        return self.item.clean.raw

    @property
    def number(self) -> int:
        if self.known is None:
            return 1
        return self.known.version + (self.change in VERSIONED)


class Committer:
    """Writes groups for one run.

    Args:
        lease: proven in every transaction.
        observed_at: the run's logical time.
        contract: number of the contract that new contents are queued for.
        known: what is known by (channel, native id); read here, updated by the caller once a group is durable.
        objects: where records are stored.
        rederive: derives a stored record again, after an upgrade of fold or cleaning.
    """

    def __init__(
        self,
        *,
        lease: Lease,
        observed_at: dt.datetime,
        contract: int,
        known: Mapping[LocalKey, KnownPosting],
        objects: ObjectStore,
        rederive: Rederive,
    ) -> None:
        self._lease = lease
        self._at = observed_at
        self._contract = contract
        self._known = known
        self._objects = objects
        self._rederive = rederive

    async def apply(self, conn: AsyncConnection, jobs: Sequence[Job]) -> list[Answer]:
        """Write one group; one answer per job, in order. The caller commits."""
        await guard(conn, self._lease)
        postings = [job for job in jobs if isinstance(job, FingerprintedPosting)]
        decided = await self._decide(conn, postings)
        written = await self._write_postings(conn, decided)
        await self._write_diary(conn, jobs)
        await append(
            conn, [event for each, answer in zip(decided, written, strict=True) for event in self._events(each, answer)]
        )
        answers = iter(written)
        return [next(answers) if isinstance(job, FingerprintedPosting) else None for job in jobs]

    async def _decide(self, conn: AsyncConnection, read: Sequence[FingerprintedPosting]) -> list[_Decided]:
        known = [self._known.get(local_key(item.clean.raw.key)) for item in read]
        items = await compared_fairly(conn, known, read, rederive=self._rederive, objects=self._objects)
        moved = {
            each.posting_id: item.content_hash
            for each, item in zip(known, items, strict=True)
            if each is not None and (each.content_hash, each.facts_hash) != (item.content_hash, item.facts_hash)
        }
        previous = await writes.previous_versions(conn, moved.keys())
        seen = await writes.contents_seen(conn, set(moved.items()))
        return [
            _Decided(
                item=item,
                known=each,
                change=change_kind(
                    each,
                    item,
                    content_seen_before=each is not None and (each.posting_id, item.content_hash) in seen,
                ),
                previous=previous.get(each.posting_id) if each else None,
            )
            for each, item in zip(known, items, strict=True)
        ]

    async def _write_postings(self, conn: AsyncConnection, decided: Sequence[_Decided]) -> list[Written]:
        versioned = [each for each in decided if each.change in VERSIONED]
        await self._store_texts(conn, versioned)
        newcomers = [each for each in versioned if each.known is None]
        ids = await writes.add_postings(conn, [self._posting_row(each) for each in newcomers])
        posting_ids = {each.raw.key: new_id for each, new_id in zip(newcomers, ids, strict=True)}
        posting_ids |= {each.raw.key: each.known.posting_id for each in decided if each.known}
        await writes.refresh_postings(conn, [self._refresh_row(each) for each in decided if self._moved(each)])
        await writes.close_versions(conn, [each.known.posting_id for each in versioned if each.known], self._at)
        await writes.add_versions(conn, [self._version_row(each, posting_ids[each.raw.key]) for each in versioned])
        await writes.open_presences(conn, ids, self._at, "listed")
        await writes.note_listings(
            conn, [self._listing_row(posting_ids[each.raw.key], each.raw.listing) for each in decided]
        )
        wanted = await writes.queue_extractions(conn, self._extraction_rows(versioned))
        return [self._answer(each, posting_ids[each.raw.key], wanted) for each in decided]

    async def _store_texts(self, conn: AsyncConnection, versioned: Sequence[_Decided]) -> None:
        erased = await writes.erased_contents(conn, {each.item.content_hash for each in versioned})
        kept = [each.raw.record for each in versioned if each.item.content_hash not in erased]
        await writes.add_objects(conn, await asyncio.to_thread(object_rows, kept, self._objects))
        gone = [each.raw.record for each in versioned if each.item.content_hash in erased]
        await writes.add_tombstones(conn, [_tombstone(record) for record in gone])
        await writes.add_contents(conn, [_content_row(each.item) for each in versioned])

    async def _write_diary(self, conn: AsyncConnection, jobs: Sequence[Job]) -> None:
        rejects = [job for job in jobs if isinstance(job, Rejected)]
        records = [each.record for each in rejects if each.record]
        if records:
            await writes.add_objects(conn, await asyncio.to_thread(object_rows, records, self._objects))
        await writes.note_rejects(conn, _unique([self._reject_row(each) for each in rejects]))
        await writes.add_pages(conn, [self._page_row(job) for job in jobs if isinstance(job, ListPage)])
        reread = [job for job in jobs if isinstance(job, Reread)]
        await writes.note_details(conn, [self._reread_row(each) for each in reread])
        listed = [job for job in jobs if isinstance(job, Listed)]
        await writes.note_listings(conn, [self._listing_row(each.posting_id, each.listing) for each in listed])

    def _moved(self, each: _Decided) -> bool:
        return each.known is not None and each.change != "unchanged"

    def _events(self, each: _Decided, answer: Written) -> list[NewEvent]:
        if each.change not in VERSIONED:
            return []
        state = posting_state(each.item, each.number)
        payload = changed(stored_state(each.previous) if each.previous else {}, state)
        return [
            NewEvent(
                kind=EVENT_OF[each.change],
                at=self._at,
                posting_id=answer.known.posting_id,
                posting=each.raw.key.reference,
                source=each.raw.key.source,
                version=each.number,
                content=each.item.content_hash,
                payload=payload,
            )
        ]

    def _answer(self, each: _Decided, posting_id: int, wanted: set[str]) -> Written:
        raw, item = each.raw, each.item
        listings = each.known.listings if each.known else frozenset[str]()
        known = KnownPosting(
            posting_id=posting_id,
            state=each.known.state if each.known else "active",
            title=title_of(item.clean.document),
            url=raw.url,
            version=each.number,
            content_hash=item.content_hash,
            facts_hash=item.facts_hash,
            identity_hash=raw.identity_hash,
            row_hash=raw.row_hash,
            detail_observed_at=self._at,
            scheme=item.scheme,
            cleaning=raw.cleaning,
            salary=item.clean.facts.salary,
            listings=listings | {raw.listing},
            quarantine=item.clean.quarantine,
        )
        return Written(change=each.change, known=known, wants_profile=item.content_hash in wanted)

    def _shown(self, each: _Decided) -> dict[str, Any]:
        raw = each.raw
        date = raw.posted_at
        return {
            "title": title_of(each.item.clean.document),
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

    def _posting_row(self, each: _Decided) -> dict[str, Any]:
        key = each.raw.key
        names = {"source": key.source, "channel": key.channel, "native_id": key.native_id, "reference": key.reference}
        return names | self._shown(each) | {"first_observed_at": self._at}

    def _refresh_row(self, each: _Decided) -> dict[str, Any]:
        assert each.known is not None
        return {f"new_{name}": value for name, value in self._shown(each).items()} | {"posting": each.known.posting_id}

    def _version_row(self, each: _Decided, posting_id: int) -> dict[str, Any]:
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

    def _extraction_rows(self, versioned: Sequence[_Decided]) -> list[dict[str, Any]]:
        rows = {each.item.content_hash: each.item.clean.quarantine for each in versioned}
        return [
            {
                "content_hash": content,
                "contract": self._contract,
                "state": "skipped" if quarantine else "pending",
                "reason": "quarantined" if quarantine else None,
                "run_id": self._lease.run_id,
            }
            for content, quarantine in rows.items()
        ]

    def _listing_row(self, posting_id: int, listing: str) -> dict[str, Any]:
        return {"posting_id": posting_id, "channel": listing, "first_seen_at": self._at, "last_seen_at": self._at}

    def _reread_row(self, each: Reread) -> dict[str, Any]:
        return {"posting": each.posting_id, "new_row_hash": each.row_hash, "new_detail_observed_at": self._at}

    def _reject_row(self, each: Rejected) -> dict[str, Any]:
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
        }

    def _page_row(self, page: ListPage) -> dict[str, Any]:
        return {
            "run_id": self._lease.run_id,
            "source": self._lease.source,
            "channel": page.listing,
            "kind": page.kind,
            "method": page.method,
            "url": clean_text(page.url),
            "state": "failed" if page.failure else "done",
            "failure": page.failure,
            "status": page.status,
            "attempts": 1,
            "ids": [clean_text(each) for each in page.ids],
            "total": page.total,
            "body_hash": page.body_hash,
            "observed_at": self._at,
        }


def poison(job: Job, error: Exception) -> Job:
    """A job that the database refuses, as a reject with its record."""
    reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    if isinstance(job, FingerprintedPosting):
        raw = job.clean.raw
        return Rejected(
            source=raw.key.source,
            channel=raw.key.channel,
            key=raw.key.native_id,
            reason="refused_by_database",
            detail=reason,
            record=raw.record,
            listing=raw.listing,
        )
    if isinstance(job, ListPage):
        return replace(job, ids=(), total=None, proof=None, url=_harmless(job.url), failure="refused_by_database")
    if isinstance(job, Rejected):
        return replace(job, key=sha256_hex(job.key.encode("utf-8", "replace")), detail=_harmless(reason), record=None)
    key = job.key
    return Rejected(
        source=key.source, channel=key.channel, key=key.native_id, reason="refused_by_database", detail=reason
    )


def _harmless(text: str) -> str:
    """Foreign text in a form that any database takes."""
    return ascii(text)[1:-1][:2000]


def _tombstone(record: Record) -> dict[str, Any]:
    """The name of a record whose content was erased: the site still shows it, we do not keep it again."""
    return {"hash": sha256_hex(record.body), "media_type": record.media_type, "size": 0}


def _content_row(item: FingerprintedPosting) -> dict[str, Any]:
    return {
        "hash": item.content_hash,
        "scheme": item.scheme,
        "document": item.clean.document,
        "quarantine": item.clean.quarantine,
    }


def _unique(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({(row["key"], row["reason"], row["hash"]): row for row in rows}.values())
