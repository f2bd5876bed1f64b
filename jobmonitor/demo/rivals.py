"""Three simpler ways to watch the same market, counted day by day: what each would spend on extraction.

The hash of the raw row is what most crawlers begin with; one extraction per posting per day is what a script does that
keeps no history at all; one call per new posting is what a script does that remembers ids alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from jobmonitor.demo.market import Market
from jobmonitor.demo.truth import PostingId


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalDay:
    """What a rival did on one day."""

    #: Model calls it would make.
    calls: int
    #: Known postings that it takes as changed.
    changed: int
    #: Those of them that were not.
    false_changes: int


class Rival(Protocol):
    """A way to watch."""

    name: str
    title: str
    days: list[RivalDay]

    def observe(self, market: Market) -> None:
        """Look at the market's present day."""


@dataclass(slots=True)
class RawRowHash:
    """Extracts again whenever the row or its detail is not byte for byte what it was."""

    name: str = "raw_row_hash"
    title: str = "hash of the raw row"
    days: list[RivalDay] = field(default_factory=list)
    #: Postings whose raw form differed on the last day.
    differed: frozenset[PostingId] = frozenset()
    _known: dict[PostingId, bytes] = field(default_factory=dict)

    def observe(self, market: Market) -> None:
        """Look at the market's present day."""
        new, differed = 0, set()
        for key, raw in raw_rows(market).items():
            name = hashlib.sha256(orjson.dumps(raw)).digest()
            before = self._known.get(key)
            self._known[key] = name
            if before is None:
                new += 1
            elif before != name:
                differed.add(key)
        self.differed = frozenset(differed)
        false = sum(market.truth[key].kind == "unchanged" for key in differed)
        self.days.append(RivalDay(calls=new + len(differed), changed=len(differed), false_changes=false))


@dataclass(slots=True)
class EveryDay:
    """Extracts each posting each day."""

    name: str = "every_posting_every_day"
    title: str = "one extraction per posting per day"
    days: list[RivalDay] = field(default_factory=list)

    def observe(self, market: Market) -> None:
        """Look at the market's present day."""
        kinds = [row.kind for row in market.truth.values()]
        known = len(kinds) - kinds.count("new")
        self.days.append(RivalDay(calls=len(kinds), changed=known, false_changes=kinds.count("unchanged")))


@dataclass(slots=True)
class NewPostings:
    """Extracts once for each new posting and never looks again: cheap, and blind to every edit."""

    name: str = "each_new_posting"
    title: str = "one call per new posting (blind to edits)"
    days: list[RivalDay] = field(default_factory=list)
    _known: set[PostingId] = field(default_factory=set)

    def observe(self, market: Market) -> None:
        """Look at the market's present day."""
        new = market.truth.keys() - self._known
        self._known |= new
        self.days.append(RivalDay(calls=len(new), changed=0, false_changes=0))


def raw_rows(market: Market) -> dict[PostingId, list[Any]]:
    """Row and detail of each listed posting, as its site sends them on the market's day."""
    return {
        (source, posting.native_id): [board.row(posting), board.detail(posting)]
        for source in market.sources
        for board in (market.board(source),)
        for posting in board.listed()
    }
