"""The market's truth against a way of reading postings, in one process and without a database.

`read_days` reads what the sites would show; `judge` makes documents and hashes of it as a crawl does, and counts where
they see a change that is none, or miss one that is. Document, redaction and hashes can be replaced, so that a test can
switch a step off and see the counts go wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

from jobmonitor.demo.companies import System
from jobmonitor.demo.market import Market
from jobmonitor.demo.postings import Posting
from jobmonitor.demo.truth import PostingId, TruthRow
from jobmonitor.domain.canonical import content_hash, facts_hash
from jobmonitor.domain.document import build_document
from jobmonitor.domain.redaction import redact
from jobmonitor.items import Facts, RawPosting


class Adapter(Protocol):
    """The pure part of a spider class."""

    @classmethod
    def strip(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The record less its personal fields."""

    @classmethod
    def parse(cls, record: Mapping[str, Any], source: str) -> RawPosting:
        """The posting that a record describes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """What the sites showed on a day, as the adapters read it, beside the truth."""

    number: int
    postings: tuple[tuple[RawPosting, TruthRow], ...]
    #: Different contents up to this day, by the market's truth.
    distinct_contents: int


@dataclass(slots=True)
class Counts:
    """What a reading of several days got right and wrong."""

    seen: int = 0
    #: Changes of known postings that are true.
    true_changes: int = 0
    #: Postings that were not changed and were taken as changed, or as changed in another way.
    false_changes: int = 0
    #: Postings that were changed and were taken as unchanged.
    missed_changes: int = 0
    #: Different contents by the reading's own hashes.
    distinct_contents: int = 0
    #: The same by the market's truth.
    true_contents: int = 0
    #: Documents that are not in the normal form: a blank at a line's end, two empty lines, no line break at the end.
    untidy: int = 0
    #: What went wrong, for a person: posting, day, words.
    mistakes: list[tuple[PostingId, int, str]] = field(default_factory=list)

    @property
    def right(self) -> bool:
        """Nothing went wrong."""
        counts_agree = self.distinct_contents == self.true_contents
        return counts_agree and not (self.false_changes or self.missed_changes or self.untidy)


def read_days(market: Market, days: int, adapters: Mapping[System, type[Adapter]]) -> tuple[Day, ...]:
    """Walk `market` on for `days` days, its present one included, and read every answer."""
    return tuple(_read(market, adapters) for _ in _walk(market, days))


def judge(
    days: Sequence[Day],
    *,
    document: Callable[..., str] = build_document,
    redaction: Callable[[str], str] = lambda text: redact(text).text,
    hash: Callable[[str], str] = content_hash,
    facts: Callable[[Facts], str] = facts_hash,
) -> Counts:
    """Compare what documents and hashes say of the days with the truth. The first day has nothing to compare with."""
    counts, contents = Counts(), set[str]()
    known: dict[PostingId, tuple[RawPosting, tuple[str, str]]] = {}
    for day in days:
        for raw, truth in day.postings:
            key = (truth.source, truth.native_id)
            before = known.get(key)
            if before is not None and _same_input(before[0], raw):
                hashes = before[1]
            else:
                text = redaction(document(raw.title, raw.sections, locations=raw.facts.locations, slogans=raw.slogans))
                hashes = (hash(text), facts(raw.facts))
                counts.untidy += not is_tidy(text)
            contents.add(hashes[0])
            _compare(counts, truth, day.number, before and before[1], hashes)
            known[key] = (raw, hashes)
    counts.distinct_contents, counts.true_contents = len(contents), days[-1].distinct_contents
    return counts


def read_posting(market: Market, posting: Posting, adapters: Mapping[System, type[Adapter]]) -> RawPosting:
    """A posting as its adapter reads the site's answer of the market's day."""
    board = market.board(posting.source)
    detail = board.detail(posting)
    record = {"list": board.row(posting)} if detail is None else {"list": board.row(posting), "detail": detail}
    adapter = adapters[posting.system]
    return adapter.parse(adapter.strip(record), posting.source)


def is_tidy(document: str) -> bool:
    """The layout is the normal form's."""
    lines = document.split("\n")
    if len(lines) < 2 or lines[-1] or not lines[-2]:
        return False
    doubled = any(not line and not after for line, after in pairwise(lines))
    return not doubled and all(line == line.rstrip() for line in lines)


def _walk(market: Market, days: int) -> Iterator[int]:
    for step in range(days):
        if step:
            market.advance()
        yield market.day


def _read(market: Market, adapters: Mapping[System, type[Adapter]]) -> Day:
    listed = [posting for source in market.sources for posting in market.board(source).listed()]
    rows = (
        (read_posting(market, posting, adapters), market.truth[posting.source, posting.native_id]) for posting in listed
    )
    return Day(number=market.day, postings=tuple(rows), distinct_contents=market.distinct_contents)


def _same_input(before: RawPosting, now: RawPosting) -> bool:
    return (before.title, before.sections, before.facts) == (now.title, now.sections, now.facts)


def _compare(counts: Counts, truth: TruthRow, day: int, before: tuple[str, str] | None, now: tuple[str, str]) -> None:
    counts.seen += 1
    if before is None or truth.kind == "new":
        return
    taken = "content" if before[0] != now[0] else "facts" if before[1] != now[1] else "unchanged"
    true = {"reverted": "content", "salary": "facts"}.get(truth.kind, truth.kind)
    counts.true_changes += true != "unchanged"
    if taken == true:
        return
    if taken == "unchanged":
        counts.missed_changes += 1
    else:
        counts.false_changes += 1
    counts.mistakes.append(((truth.source, truth.native_id), day, f"{true} taken as {taken}"))
