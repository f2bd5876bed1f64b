"""What a newly read posting is, compared with what is known of it: pure decisions, no storage.

The change kinds and their order are those of docs/architecture.md: an item has one kind, the first that applies.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from jobmonitor.domain.canonical import SCHEME
from jobmonitor.domain.salary import parse_salary
from jobmonitor.items import ChangeKind, FingerprintedPosting, RawPosting

#: Kinds that open a version and have one event.
VERSIONED: frozenset[ChangeKind] = frozenset({"new", "reverted", "content", "salary", "facts"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPosting:
    """What the database knows of a posting when a run starts; kept in memory for the run."""

    posting_id: int
    state: str
    title: str
    url: str | None
    #: Number of the open version.
    version: int
    content_hash: str
    facts_hash: str
    #: The newest record less the fields that are not identity.
    identity_hash: str
    row_hash: str | None
    detail_observed_at: dt.datetime | None
    #: Names of the fold and of the source's cleaning that made the hashes.
    scheme: str
    cleaning: int
    #: Salary as stated, to tell a change of pay from other facts.
    salary: str | None
    #: Listing channels that ever showed it.
    listings: frozenset[str]
    quarantine: str | None = None


def same_record(known: KnownPosting | None, raw: RawPosting) -> bool:
    """The record says what it said last time, so nothing needs to be read again.

    Hashes are compared only where the fold and the source's cleaning are the same.
    """
    return known is not None and known.identity_hash == raw.identity_hash and same_naming(known, raw)


def same_naming(known: KnownPosting, raw: RawPosting) -> bool:
    """What is known was named under the fold and the source's cleaning of now."""
    return known.scheme == SCHEME and known.cleaning == raw.cleaning


def under_known_names(
    current: FingerprintedPosting, known: KnownPosting, again: FingerprintedPosting
) -> FingerprintedPosting:
    """The posting as read now, each part under the name it is known by where the rules of now find no edit.

    Args:
        current: the posting as read now.
        known: what was known, named under other rules.
        again: the known version's record, derived under the rules of now.
    """
    if again.facts_hash == current.facts_hash:
        current = replace(current, facts_hash=known.facts_hash)
    if again.content_hash == current.content_hash:
        raw = replace(current.clean.raw, cleaning=known.cleaning)
        clean = replace(current.clean, raw=raw)
        current = replace(current, clean=clean, content_hash=known.content_hash, scheme=known.scheme)
    return current


def change_kind(
    known: KnownPosting | None, current: FingerprintedPosting, *, content_seen_before: bool = False
) -> ChangeKind:
    """The kind of a posting that was read in full.

    Args:
        known: what was known before, None for a posting never seen.
        current: the posting as read now.
        content_seen_before: an earlier version of this posting had this content.
    """
    if known is None:
        return "new"
    if known.content_hash != current.content_hash:
        return "reverted" if content_seen_before else "content"
    if known.facts_hash != current.facts_hash:
        changed_pay = parse_salary(known.salary) != parse_salary(current.clean.facts.salary)
        return "salary" if changed_pay else "facts"
    return "unchanged" if known.identity_hash == current.clean.raw.identity_hash else "source_only"
