"""What one group of a run's items becomes: decisions from the domain, rows for the storage, answers for the stages."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import Any, TypeAlias

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.crawling.naming import Rederive, compared_fairly
from jobmonitor.domain.canonical import clean_text, facts_json, sha256_hex
from jobmonitor.domain.reference import LocalKey
from jobmonitor.domain.versioning import VERSIONED, KnownPosting, change_kind
from jobmonitor.items import ChangeKind, FingerprintedPosting, ListPage, PostingKey, RawPosting, Record, Rejected
from jobmonitor.storage import writes
from jobmonitor.storage.columns import (
    ERASED_TITLE,
    changed,
    derived_columns,
    posting_state,
    stored_state,
    title_of,
)
from jobmonitor.storage.effective import effective_values
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.leases import Lease, guard
from jobmonitor.storage.objects import ObjectStore, object_rows
from jobmonitor.storage.standing import Standing, StoredText, lock_standing

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
Effective: TypeAlias = Mapping[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
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
        standing = await self._store_texts(conn, decided, jobs)
        decided = [replace(each, text=standing.texts.get(each.item.content_hash)) for each in decided]
        versioned = [each for each in decided if each.change in VERSIONED]
        before = await effective_values(conn, [each.raw.key.reference for each in versioned if each.known])
        written = await self._write_postings(conn, decided)
        await self._write_diary(conn, jobs, standing.silenced)
        after = await effective_values(conn, [each.raw.key.reference for each in versioned if each.known or each.text])
        made = {each.raw.key: answer.known.posting_id for each, answer in zip(decided, written, strict=True)}
        await append(conn, [self._event(each, made[each.raw.key], before, after) for each in versioned])
        answers = iter(written)
        return [next(answers) if isinstance(job, FingerprintedPosting) else None for job in jobs]

    async def _decide(self, conn: AsyncConnection, read: Sequence[FingerprintedPosting]) -> list[_Decided]:
        known = [self._known.get(item.clean.raw.key.local) for item in read]
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

    async def _store_texts(self, conn: AsyncConnection, decided: Sequence[_Decided], jobs: Sequence[Job]) -> Standing:
        """Store the texts that are new, then see how the others stand."""
        new = await writes.add_contents(conn, [_content_row(each.item) for each in decided if each.change in VERSIONED])
        known = {each.item.content_hash for each in decided} - new
        rejected = {clean_text(job.key) for job in jobs if isinstance(job, Rejected)}
        return await lock_standing(conn, self._lease.source, known, rejected)

    async def _write_postings(self, conn: AsyncConnection, decided: Sequence[_Decided]) -> list[Written]:
        versioned = [each for each in decided if each.change in VERSIONED]
        await self._store_records(conn, [(each.raw.record, each.erased) for each in versioned])
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

    async def _store_records(self, conn: AsyncConnection, records: Sequence[tuple[Record, bool]]) -> None:
        """Keep records; of one whose text was erased only the name."""
        kept = [each for each, erased in records if not erased]
        if kept:
            await writes.add_objects(conn, await asyncio.to_thread(object_rows, kept, self._objects))
        await writes.add_tombstones(conn, [_tombstone(each) for each, erased in records if erased])

    async def _write_diary(self, conn: AsyncConnection, jobs: Sequence[Job], silenced: Collection[str]) -> None:
        await self._write_rejects(conn, [job for job in jobs if isinstance(job, Rejected)], silenced)
        await writes.add_pages(conn, [self._page_row(job) for job in jobs if isinstance(job, ListPage)])
        reread = [job for job in jobs if isinstance(job, Reread)]
        await writes.note_details(conn, [self._reread_row(each) for each in reread])
        listed = [job for job in jobs if isinstance(job, Listed)]
        await writes.note_listings(conn, [self._listing_row(each.posting_id, each.listing) for each in listed])

    async def _write_rejects(
        self, conn: AsyncConnection, rejects: Sequence[Rejected], silenced: Collection[str]
    ) -> None:
        """Write the rejects; of a posting whose text was erased without what the site sent."""
        rows = [self._reject_row(each) for each in rejects]
        for row in rows:
            row["detail"] = "" if row["key"] in silenced else row["detail"]
        pairs = zip(rejects, rows, strict=True)
        await self._store_records(conn, [(each.record, row["key"] in silenced) for each, row in pairs if each.record])
        await writes.note_rejects(conn, _unique(rows))

    def _moved(self, each: _Decided) -> bool:
        return each.known is not None and each.change != "unchanged"

    def _event(self, each: _Decided, posting_id: int, before: Effective, after: Effective) -> NewEvent:
        reference = each.raw.key.reference
        old = stored_state(each.previous) | before.get(reference, {}) if each.previous else {}
        state = posting_state(each.item, each.number, title=each.title, quarantine=each.quarantine)
        return NewEvent(
            kind=EVENT_OF[each.change],
            at=self._at,
            posting_id=posting_id,
            posting=reference,
            source=each.raw.key.source,
            version=each.number,
            content=each.item.content_hash,
            payload=changed(old, state | after.get(reference, {})),
        )

    def _answer(self, each: _Decided, posting_id: int, wanted: set[str]) -> Written:
        raw, item = each.raw, each.item
        listings = each.known.listings if each.known else frozenset[str]()
        known = KnownPosting(
            posting_id=posting_id,
            state=each.known.state if each.known else "active",
            title=each.title,
            url=raw.url,
            version=each.number,
            content_hash=item.content_hash,
            facts_hash=intern(item.facts_hash),
            identity_hash=raw.identity_hash,
            row_hash=raw.row_hash,
            detail_observed_at=self._at,
            scheme=item.scheme,
            cleaning=raw.cleaning,
            salary=item.clean.facts.salary,
            listings=listings | {raw.listing},
            quarantine=each.quarantine,
        )
        return Written(change=each.change, known=known, wants_profile=item.content_hash in wanted)

    def _shown(self, each: _Decided) -> dict[str, Any]:
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
