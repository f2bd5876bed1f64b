"""The market's truth against a way of reading postings, in one process and without a database.

`judge` reads each listed posting of several days as a crawl would (parse, document, redaction, hashes) and counts where
the reading sees a change that is none, or misses one that is. The steps can be replaced, so that a test can switch one
off and see the counts go wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from jobmonitor.demo.companies import System
from jobmonitor.demo.market import Market
from jobmonitor.demo.postings import Posting
from jobmonitor.demo.truth import PostingId, TruthRow
from jobmonitor.domain.canonical import content_hash, facts_hash
from jobmonitor.domain.document import build_document
from jobmonitor.items import RawPosting


class Adapter(Protocol):
    """The pure part of a spider class."""

    @classmethod
    def strip(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The record less its personal fields."""

    @classmethod
    def parse(cls, record: Mapping[str, Any], source: str) -> RawPosting:
        """The posting that a record describes."""


@dataclass(slots=True)
class Counts:
    """What a reading of several days got right and wrong."""

    seen: int = 0
    #: Changes of known postings that are true.
    true_changes: int = 0
    #: Postings that were not changed and were taken as changed.
    false_changes: int = 0
    #: Postings that were changed and were taken as unchanged.
    missed_changes: int = 0
    #: Different contents by the reading's own hashes.
    distinct_contents: int = 0
    #: The same by the market's truth.
    true_contents: int = 0
    #: Documents that are not in the normal form: blanks at a line's end, two blank lines, a loose list.
    untidy: int = 0
    #: What went wrong, for a person: posting, day, words.
    mistakes: list[tuple[PostingId, int, str]] = field(default_factory=list)

    @property
    def right(self) -> bool:
        """Nothing went wrong."""
        counts_agree = self.distinct_contents == self.true_contents
        return counts_agree and not (self.false_changes or self.missed_changes or self.untidy)


def redacted(document: str) -> str:
    """The document after redaction, as stage 400 leaves it."""
    from jobmonitor.domain.redaction import redact

    return redact(document).text


def judge(
    market: Market,
    days: int,
    *,
    adapters: Mapping[System, type[Adapter]],
    document: Callable[..., str] = build_document,
    redaction: Callable[[str], str] = redacted,
    hash: Callable[[str], str] = content_hash,
    facts: Callable[..., str] = facts_hash,
) -> Counts:
    """Walk `market` on to day `days` and judge each day from the market's present one on."""
    counts, known, contents = Counts(), {}, set()
    while True:
        for posting in _listed(market):
            key = (posting.source, posting.native_id)
            raw = read_posting(market, posting, adapters)
            text = redaction(document(raw.title, raw.sections, locations=raw.facts.locations, slogans=raw.slogans))
            hashes = (hash(text), facts(raw.facts))
            contents.add(hashes[0])
            counts.untidy += not is_tidy(text)
            _compare(counts, market.truth[key], market.day, known.get(key), hashes)
            known[key] = hashes
        if market.day >= days:
            break
        market.advance()
    counts.distinct_contents, counts.true_contents = len(contents), market.distinct_contents
    return counts


def read_posting(market: Market, posting: Posting, adapters: Mapping[System, type[Adapter]]) -> RawPosting:
    """A posting as its adapter reads the site's answer of the market's day."""
    board = market.board(posting.source)
    detail = board.detail(posting)
    record = {"list": board.row(posting)} if detail is None else {"list": board.row(posting), "detail": detail}
    adapter = adapters[posting.system]
    return adapter.parse(adapter.strip(record), posting.source)


def is_tidy(document: str) -> bool:
    """The document's layout is the normal form's: it ends in one line break and no line in blanks."""
    lines = document.split("\n")
    if len(lines) < 2 or lines[-1] or not lines[-2]:
        return False
    doubled = any(not line and not after for line, after in zip(lines[:-1], lines[1:], strict=True))
    return not doubled and all(line == line.rstrip() for line in lines)


def _listed(market: Market) -> Iterable[Posting]:
    return (posting for source in market.sources for posting in market.board(source).listed())


def _compare(counts: Counts, truth: TruthRow, day: int, before: tuple[str, str] | None, now: tuple[str, str]) -> None:
    counts.seen += 1
    if before is None or truth.kind == "new":
        return
    taken = "content" if before[0] != now[0] else "facts" if before[1] != now[1] else "unchanged"
    true = {"reverted": "content", "salary": "facts"}.get(truth.kind, truth.kind)
    counts.true_changes += true != "unchanged"
    if taken == true:
        return
    if true == "unchanged":
        counts.false_changes += 1
    else:
        counts.missed_changes += 1
    counts.mistakes.append(((truth.source, truth.native_id), day, f"{true} taken as {taken}"))
