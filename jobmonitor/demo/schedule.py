"""What must happen within the first five days, whatever the seed: each kind of edit, noise and coming and going."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from jobmonitor.demo.companies import Company, System
from jobmonitor.demo.edits import EDITS
from jobmonitor.demo.noise import noise_kinds

#: The days that a short demonstration shows; the first has nothing to compare with.
DAYS = range(2, 6)

#: Comings and goings, and the days on which they may fall due (a return needs a leave before it).
MOVES: dict[str, range] = {
    "added": DAYS,
    "cross_posted": DAYS,
    "removed": range(2, 4),
    "reopened": range(4, 6),
    "reposted": DAYS,
}


class Schedule:
    """Names of kinds that fall due, by source and day. Beyond it the rates of the tables decide."""

    def __init__(self, seed: int, companies: tuple[Company, ...]) -> None:
        self._due: dict[tuple[str, int], list[str]] = defaultdict(list)
        rng = Random(f"{seed}/schedule")
        systems: dict[System, list[Company]] = defaultdict(list)
        for company in companies:
            systems[company.system].append(company)
        for system, members in systems.items():
            self._plan(system, [company.source for company in members], rng)

    def due(self, source: str, day: int) -> tuple[str, ...]:
        """Kinds that must happen at a source on a day."""
        return tuple(self._due.get((source, day), ()))

    def _plan(self, system: System, sources: list[str], rng: Random) -> None:
        for name, edit in EDITS.items():
            if system in edit.within and edit.effect != "reverted":
                self._due[rng.choice(sources), rng.choice(DAYS)].append(name)
        for kind in noise_kinds().values():
            if system in kind.within:
                self._due[rng.choice(sources), rng.choice(DAYS)].append(kind.name)
        for source in sources:
            for move, days in MOVES.items():
                self._due[source, rng.choice(days)].append(move)
            # A revert needs an edit before it on the same board.
            self._due[source, 3].append("reworded")
            self._due[source, rng.choice((4, 5))].append("reverted")
