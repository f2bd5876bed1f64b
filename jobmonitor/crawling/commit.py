"""What one group of a run's items becomes: decisions from the domain, rows for the storage, answers for the stages."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from sys import intern
from typing import Any, TypeAlias

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.crawling.jobs import Answer, Job, Listed, Reread, Written
from jobmonitor.crawling.naming import Rederive, compared_fairly
from jobmonitor.crawling.rows import Decided, Rows, content_row, tombstone, unique
from jobmonitor.domain.canonical import clean_text
from jobmonitor.domain.reference import LocalKey
from jobmonitor.domain.versioning import VERSIONED, KnownPosting, change_kind
from jobmonitor.items import ChangeKind, FingerprintedPosting, ListPage, PageNote, Record, Rejected
from jobmonitor.storage import writes
from jobmonitor.storage.columns import (
    changed,
    posting_state,
    stored_state,
)
from jobmonitor.storage.effective import effective_values
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.leases import Lease, guard
from jobmonitor.storage.objects import ObjectStore, object_rows
from jobmonitor.storage.pages import note_pages
from jobmonitor.storage.profile_changes import changes_of_postings
from jobmonitor.storage.standing import Standing, lock_standing
from jobmonitor.storage.validators import note_validators

#: Event of each change kind that opens a version.
EVENT_OF: dict[ChangeKind, str] = {
    "new": "posting.new",
    "reverted": "posting.reverted",
    "content": "posting.content_changed",
    "salary": "posting.salary_changed",
    "facts": "posting.facts_changed",
}


#: Kinds that may give a posting another text, whose profile may be there already.
RETEXTED: frozenset[ChangeKind] = frozenset({"reverted", "content"})

Effective: TypeAlias = Mapping[str, dict[str, Any]]


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
        self._rows = Rows(lease, observed_at, contract)
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
        retold = [made[each.raw.key] for each in versioned if each.known and each.change in RETEXTED]
        changed = await changes_of_postings(conn, self._contract, retold, self._at)
        await append(conn, [*(self._event(each, made[each.raw.key], before, after) for each in versioned), *changed])
        answers = iter(written)
        return [next(answers) if isinstance(job, FingerprintedPosting) else None for job in jobs]

    async def _decide(self, conn: AsyncConnection, read: Sequence[FingerprintedPosting]) -> list[Decided]:
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
            Decided(
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

    async def _store_texts(self, conn: AsyncConnection, decided: Sequence[Decided], jobs: Sequence[Job]) -> Standing:
        """Store the texts that are new, then see how the others stand."""
        new = await writes.add_contents(conn, [content_row(each.item) for each in decided if each.change in VERSIONED])
        known = {each.item.content_hash for each in decided} - new
        rejected = {clean_text(job.key) for job in jobs if isinstance(job, Rejected)}
        return await lock_standing(conn, self._lease.source, known, rejected)

    async def _write_postings(self, conn: AsyncConnection, decided: Sequence[Decided]) -> list[Written]:
        versioned = [each for each in decided if each.change in VERSIONED]
        await self._store_records(conn, [(each.raw.record, each.erased) for each in versioned])
        newcomers = [each for each in versioned if each.known is None]
        ids = await writes.add_postings(conn, [self._rows.posting_row(each) for each in newcomers])
        posting_ids = {each.raw.key: new_id for each, new_id in zip(newcomers, ids, strict=True)}
        posting_ids |= {each.raw.key: each.known.posting_id for each in decided if each.known}
        await writes.refresh_postings(conn, [self._rows.refresh_row(each) for each in decided if self._moved(each)])
        await writes.close_versions(conn, [each.known.posting_id for each in versioned if each.known], self._at)
        await writes.add_versions(conn, [self._rows.version_row(each, posting_ids[each.raw.key]) for each in versioned])
        await writes.open_presences(conn, ids, self._at, "listed")
        await writes.note_listings(
            conn, [self._rows.listing_row(posting_ids[each.raw.key], each.raw.listing) for each in decided]
        )
        wanted = await writes.queue_extractions(conn, self._rows.extraction_rows(versioned))
        return [self._answer(each, posting_ids[each.raw.key], wanted) for each in decided]

    async def _store_records(self, conn: AsyncConnection, records: Sequence[tuple[Record, bool]]) -> None:
        """Keep records; of one whose text was erased only the name."""
        kept = [each for each, erased in records if not erased]
        if kept:
            await writes.add_objects(conn, await asyncio.to_thread(object_rows, kept, self._objects))
        await writes.add_tombstones(conn, [tombstone(each) for each, erased in records if erased])

    async def _write_diary(self, conn: AsyncConnection, jobs: Sequence[Job], silenced: Collection[str]) -> None:
        await self._write_rejects(conn, [job for job in jobs if isinstance(job, Rejected)], silenced)
        pages = [job for job in jobs if isinstance(job, ListPage | PageNote)]
        await note_pages(conn, [self._page_row(job) for job in pages])
        found = [job.validator for job in pages if isinstance(job, PageNote) and job.validator is not None]
        await note_validators(conn, self._lease.source, found, self._at)
        reread = {job.posting_id: job.row_hash for job in jobs if isinstance(job, Reread)}
        await writes.note_details(conn, reread, self._at)
        listed = [job for job in jobs if isinstance(job, Listed)]
        await writes.note_listings(conn, [self._rows.listing_row(each.posting_id, each.listing) for each in listed])

    def _page_row(self, job: ListPage | PageNote) -> dict[str, Any]:
        return self._rows.page_row(job) if isinstance(job, ListPage) else self._rows.note_row(job)

    async def _write_rejects(
        self, conn: AsyncConnection, rejects: Sequence[Rejected], silenced: Collection[str]
    ) -> None:
        """Write the rejects; of a posting whose text was erased without what the site sent."""
        rows = [self._rows.reject_row(each) for each in rejects]
        for row in rows:
            row["detail"] = "" if row["key"] in silenced else row["detail"]
        pairs = zip(rejects, rows, strict=True)
        await self._store_records(conn, [(each.record, row["key"] in silenced) for each, row in pairs if each.record])
        await writes.note_rejects(conn, unique(rows))

    def _moved(self, each: Decided) -> bool:
        return each.known is not None and each.change != "unchanged"

    def _event(self, each: Decided, posting_id: int, before: Effective, after: Effective) -> NewEvent:
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

    def _answer(self, each: Decided, posting_id: int, wanted: set[str]) -> Written:
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
