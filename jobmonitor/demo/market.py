"""The simulated job market: the same postings, changes and noise for the same seed and day, anywhere.

A market is walked from day to day; `Market(seed, 5)` equals `Market(seed)` advanced four times. What is true of a day
stands in `truth`, what a site would answer in `board(...)`.
"""

from __future__ import annotations

import datetime as dt

from jobmonitor.demo.board import Board
from jobmonitor.demo.companies import COMPANIES, Company
from jobmonitor.demo.noise import noise_kinds
from jobmonitor.demo.postings import date_of, observed_at
from jobmonitor.demo.schedule import Schedule
from jobmonitor.demo.truth import Ledger, PostingId, TruthRow


class Market:
    """All companies on one day.

    Args:
        seed: picks the market; every part of it follows from the seed.
        day: 1 is the first day.
        scale: factor on the number of postings (1 gives about 760).
        unannounced: let one silent edit in three leave even the change stamp alone. No crawler that saves detail
            requests can see such an edit before it reads the detail again for its age.
        companies: whom to simulate.
    """

    def __init__(
        self,
        seed: int,
        day: int = 1,
        *,
        scale: float = 1.0,
        unannounced: bool = False,
        companies: tuple[Company, ...] = COMPANIES,
    ) -> None:
        self.seed = seed
        self.day = 1
        self._schedule = Schedule(seed, companies)
        self._boards = {
            company.source: Board(company, seed, scale=scale, unannounced=unannounced) for company in companies
        }
        self._ledger = Ledger()
        self._observe()
        while self.day < day:
            self.advance()

    def advance(self) -> None:
        """Let a night pass."""
        self.day += 1
        for source, board in self._boards.items():
            board.advance(self.day, self._schedule.due(source, self.day))
        self._observe()

    @property
    def date(self) -> dt.date:
        """The calendar date of the day."""
        return date_of(self.day)

    @property
    def observed_at(self) -> dt.datetime:
        """When the day's crawl looks."""
        return observed_at(self.day)

    @property
    def sources(self) -> tuple[str, ...]:
        """Source keys, in a fixed order."""
        return tuple(self._boards)

    def board(self, source: str) -> Board:
        """The state of one source."""
        return self._boards[source]

    @property
    def truth(self) -> dict[PostingId, TruthRow]:
        """What is true of each posting that is listed today."""
        return self._ledger.rows

    @property
    def counts(self) -> dict[str, int]:
        """Today's listed postings by true kind."""
        return dict(self._ledger.counts())

    @property
    def distinct_contents(self) -> int:
        """How many different contents were listed up to today."""
        return len(self._ledger.contents)

    @property
    def happenings(self) -> dict[PostingId, tuple[str, ...]]:
        """Today's edits and noise by posting, by the names of their tables."""
        return {
            (source, native_id): names
            for source, board in self._boards.items()
            for native_id, names in board.happenings.items()
        }

    @property
    def noise(self) -> frozenset[str]:
        """Names of all kinds of noise that struck last night."""
        names = {name for each in self.happenings.values() for name in each}
        struck = {name for board in self._boards.values() for name in board.struck}
        return frozenset((names | struck) & noise_kinds().keys())

    def _observe(self) -> None:
        self._ledger.observe([posting for board in self._boards.values() for posting in board.listed()])
