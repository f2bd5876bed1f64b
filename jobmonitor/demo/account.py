"""The demonstration's account: what the product made of each day, beside the truth and the rivals."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from jobmonitor.demo.market import Market
from jobmonitor.demo.rivals import EveryDay, NewPostings, RawRowHash, Rival
from jobmonitor.demo.truth import CHANGES
from jobmonitor.domain.lifecycle import GONE_AFTER
from jobmonitor.storage.demo_counts import DayCounts, TotalCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class DayAccount:
    """One day: what was seen, ignored and versioned, and where that differs from the truth."""

    day: int
    date: str
    seen: int
    #: Known postings whose raw form differed and that were rightly or wrongly not versioned.
    noise: int
    new: int
    #: Versions opened for known postings, by kind.
    changed: dict[str, int]
    unchanged: int
    rejected: int
    true_changes: int
    false_changes: int
    missed_changes: int
    #: Postings whose kind is not the true one, new ones included.
    wrong_kinds: int
    true_seen: int
    #: Contents so far, which is also the number of profiles asked for.
    contents: int
    profiles: int
    #: Requests that the model server saw on this day, by its own log.
    model_calls: int
    #: Listed postings that are taken for gone, and those that left so many runs ago and are not.
    wrongly_gone: int
    missed_gone: int


@dataclass(slots=True)
class Account:
    """All days so far."""

    days: list[DayAccount] = field(default_factory=list)
    raw: RawRowHash = field(default_factory=RawRowHash)
    daily: EveryDay = field(default_factory=EveryDay)
    newcomers: NewPostings = field(default_factory=NewPostings)
    totals: TotalCounts | None = None
    true_contents: int = 0
    #: Days in a row on which a posting that was listed once was not.
    absent: dict[tuple[str, str], int] = field(default_factory=dict)
    _listed: set[tuple[str, str]] = field(default_factory=set)
    #: A posting of each telling kind, as (source, native id).
    examples: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """Who judges the same days."""
        return self.newcomers, self.raw, self.daily

    def add(self, market: Market, found: DayCounts, totals: TotalCounts, *, calls: int) -> DayAccount:
        """Enter one day: what the database and the model server's own log say, against what is true.

        Args:
            calls: requests that the model server has seen so far.
        """
        for rival in self.rivals:
            rival.observe(market)
        kinds = Counter(found.versions.values())
        true = {key: row.kind for key, row in market.truth.items() if row.kind != "unchanged"}
        false = [key for key, kind in found.versions.items() if kind != "new" and key not in true]
        missed = [key for key, kind in true.items() if kind != "new" and key not in found.versions]
        self._note_absence(market)
        left = {key for key, days in self.absent.items() if days >= GONE_AFTER}
        changed: dict[str, int] = {kind: kinds[kind] for kind in CHANGES}
        day = DayAccount(
            day=market.day,
            date=market.date.isoformat(),
            seen=found.seen,
            noise=len(self.raw.differed - found.versions.keys()),
            new=kinds["new"],
            changed=changed,
            unchanged=found.seen - found.rejected - kinds["new"] - sum(changed.values()),
            rejected=found.rejected,
            true_changes=sum(kind != "new" for kind in true.values()),
            false_changes=len(false),
            missed_changes=len(missed),
            wrong_kinds=sum(found.versions.get(key) != kind for key, kind in true.items()) - len(missed),
            true_seen=len(market.truth),
            contents=totals.contents,
            profiles=totals.profiles,
            model_calls=calls - sum(each.model_calls for each in self.days),
            wrongly_gone=len(found.gone & market.truth.keys()),
            missed_gone=len(left - found.gone),
        )
        self.days.append(day)
        self.totals, self.true_contents = totals, market.distinct_contents
        self.examples.update({kind: key for key, kind in sorted(found.versions.items())})
        return day

    def _note_absence(self, market: Market) -> None:
        self.absent = {key: days + 1 for key, days in self.absent.items() if key not in market.truth}
        self.absent |= dict.fromkeys(self._listed - market.truth.keys() - self.absent.keys(), 1)
        self._listed |= market.truth.keys()

    @property
    def problems(self) -> list[str]:
        """Where counts differ from the truth, in words; empty when all is right."""
        found = [problem for day in self.days for problem in _problems(day)]
        if self.totals is not None and self.totals.contents != self.true_contents:
            found.append(f"{self.totals.contents} contents instead of {self.true_contents}")
        if self.totals is not None and self.totals.profiles != self.totals.contents:
            found.append(f"{self.totals.contents - self.totals.profiles} contents have no profile")
        if self.calls != self.true_contents:
            found.append(f"{self.calls} model calls for {self.true_contents} contents")
        return found

    @property
    def calls(self) -> int:
        """Requests that the model server saw, by its own log."""
        return sum(day.model_calls for day in self.days)

    def as_json(self) -> dict[str, Any]:
        """The `data` of `jobmonitor demo --json`."""
        return {
            "days": [asdict(day) for day in self.days],
            "totals": {
                "seen": sum(day.seen for day in self.days),
                "true_changes": sum(day.true_changes for day in self.days),
                "false_changes": sum(day.false_changes for day in self.days),
                "missed_changes": sum(day.missed_changes for day in self.days),
                "wrongly_gone": sum(day.wrongly_gone for day in self.days),
                "missed_gone": sum(day.missed_gone for day in self.days),
                "model_calls": self.calls,
                "distinct_contents": self.totals.contents if self.totals else 0,
                "naive_calls": sum(day.calls for day in self.daily.days),
            },
            "rivals": [{"name": each.name, "days": [asdict(day) for day in each.days]} for each in self.rivals],
            "problems": self.problems,
        }


def _problems(day: DayAccount) -> list[str]:
    checks = {
        "false changes": day.false_changes,
        "missed changes": day.missed_changes,
        "changes of another kind than the true one": day.wrong_kinds,
        "rejected postings": day.rejected,
        "listed postings taken for gone": day.wrongly_gone,
        "postings that left and are not gone": day.missed_gone,
        "postings more or less than there were": abs(day.seen - day.true_seen),
    }
    return [f"day {day.day}: {count} {name}" for name, count in checks.items() if count]
