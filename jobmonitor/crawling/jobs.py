"""What a run's writer is asked to write, what it answers, and what becomes of a job that the database refuses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from jobmonitor.domain.canonical import sha256_hex
from jobmonitor.domain.versioning import KnownPosting
from jobmonitor.items import ChangeKind, FingerprintedPosting, ListPage, PageNote, PostingKey, Rejected


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


Job: TypeAlias = FingerprintedPosting | Listed | Reread | Rejected | ListPage | PageNote
Answer: TypeAlias = Written | None


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
    if isinstance(job, PageNote):
        name, url = job.name, _harmless(job.url)
        return PageNote(name=name, url=url, method=job.method, state=job.state, failure="refused_by_database")
    if isinstance(job, Rejected):
        return replace(job, key=sha256_hex(job.key.encode("utf-8", "replace")), detail=_harmless(reason), record=None)
    key = job.key
    return Rejected(
        source=key.source, channel=key.channel, key=key.native_id, reason="refused_by_database", detail=reason
    )


def _harmless(text: str) -> str:
    """Foreign text in a form that any database takes."""
    return ascii(text)[1:-1][:2000]
