"""What is true of the simulated market on a day: the measure for whoever watches it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from jobmonitor.demo.postings import Posting

TrueKind: TypeAlias = Literal["new", "reverted", "content", "salary", "facts", "unchanged"]
#: Source key and native id.
PostingId: TypeAlias = tuple[str, str]

#: The kinds that are changes of a posting known before.
CHANGES: tuple[TrueKind, ...] = ("reverted", "content", "salary", "facts")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthRow:
    """One listed posting on one day."""

    source: str
    native_id: str
    content_id: str
    facts_id: str
    #: Against the last day on which it was listed.
    kind: TrueKind
    #: Versions that a perfect observer has opened so far.
    versions: int


@dataclass(slots=True)
class _Known:
    content_id: str
    facts_id: str
    pay: object
    contents: set[str]
    versions: int = 1


@dataclass(slots=True)
class Ledger:
    """A perfect observer: reads the logical ids of each day's listed postings and remembers."""

    rows: dict[PostingId, TruthRow] = field(default_factory=dict)
    contents: set[str] = field(default_factory=set)
    _known: dict[PostingId, _Known] = field(default_factory=dict)

    def observe(self, postings: list[Posting]) -> None:
        """Take in one more day: `rows` are that day's truth, `contents` all contents so far."""
        self.rows = {}
        for posting in postings:
            key = (posting.source, posting.native_id)
            kind = self._judge(key, posting)
            self.contents.add(posting.content_id)
            self.rows[key] = TruthRow(
                source=posting.source,
                native_id=posting.native_id,
                content_id=posting.content_id,
                facts_id=posting.stated.facts_id,
                kind=kind,
                versions=self._known[key].versions,
            )

    def counts(self) -> Counter[str]:
        """The day's postings by true kind."""
        return Counter(row.kind for row in self.rows.values())

    def _judge(self, key: PostingId, posting: Posting) -> TrueKind:
        content, facts = posting.content_id, posting.stated.facts_id
        pay = posting.stated.pay.value if posting.stated.pay else None
        known = self._known.get(key)
        if known is None:
            self._known[key] = _Known(content, facts, pay, {content})
            return "new"
        kind = _kind(known, content, facts, pay)
        if kind != "unchanged":
            known.versions += 1
        known.content_id, known.facts_id, known.pay = content, facts, pay
        known.contents.add(content)
        return kind


def _kind(known: _Known, content: str, facts: str, pay: object) -> TrueKind:
    if content != known.content_id:
        return "reverted" if content in known.contents else "content"
    if facts != known.facts_id:
        return "salary" if pay != known.pay else "facts"
    return "unchanged"
