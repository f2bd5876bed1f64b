"""One source of the simulated market: its postings, and what a night does to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from jobmonitor.demo import greenhouse_shape, joinqq_shape, lever_shape, tencent_shape
from jobmonitor.demo.companies import COMPANIES, WESTERN, Company
from jobmonitor.demo.edits import EDITS
from jobmonitor.demo.noise import NoiseKind, board_noise, noise_kinds, posting_noise
from jobmonitor.demo.openings import Recruiter
from jobmonitor.demo.postings import Posting
from jobmonitor.demo.schedule import MOVES
from jobmonitor.demo.texts import digest

#: Share of the listed postings that leave, and that come, in a night (sites/ats.md section 0: a few a day on 50).
LEAVING = 0.012
RETURNING = 0.12
#: Share of Greenhouse's edits that leave updated_at alone (silent edits exist: sites/ats.md section 0).
UNSTAMPED = 0.1
#: Kinds that are not put on one posting: a list that is run together at invisible characters reads as prose.
UNLIKELY: dict[str, tuple[str, ...]] = {
    "glued_numbers": ("zero_width", "bidi_marks"),
    "glued_bullets": ("zero_width", "bidi_marks", "bullets"),
    "zero_width": ("glued_numbers", "glued_bullets"),
    "bidi_marks": ("glued_numbers", "glued_bullets"),
    "bullets": ("glued_bullets",),
}


class Board:
    """The postings of one company, listed and not, walked from day to day."""

    def __init__(self, company: Company, seed: int, *, scale: float, unannounced: bool) -> None:
        self.company = company
        self.day = 1
        #: Names of edits, moves and noise of the last night, by native id.
        self.happenings: dict[str, tuple[str, ...]] = {}
        self._seed = seed
        self._unannounced = unannounced
        self._recruiter = Recruiter(company, COMPANIES.index(company) if company in COMPANIES else len(COMPANIES))
        self._postings: dict[str, Posting] = {}
        #: The last day on which each noise of layer "board" struck; 0 = never.
        self._struck: dict[str, int] = {}
        self._shown: tuple[int, list[Posting]] = (0, [])
        rng = self._rng()
        while len(self._postings) < round(company.size * scale):
            self._open(self._recruiter.hire(rng, 1, group_of=5 if rng.random() < 0.01 else 1))

    # What a site shows

    def listed(self) -> list[Posting]:
        """Today's postings in the order in which the site prints them: twins stand in random order."""
        if self._shown[0] != self.day:
            self._shown = (self.day, self._in_order())
        return self._shown[1]

    def _in_order(self) -> list[Posting]:
        shuffled = self._struck.get("shuffled", 0)
        shown = [posting for posting in self._postings.values() if posting.listed]
        by_title = self.company.system in WESTERN
        return sorted(
            shown,
            key=lambda each: (each.text.title if by_title else -each.stamped, digest([each.native_id, shuffled])),
        )

    def find(self, native_id: str) -> Posting | None:
        """A posting that is listed today."""
        posting = self._postings.get(native_id)
        return posting if posting is not None and posting.listed else None

    def row(self, posting: Posting) -> dict[str, object]:
        """What the site's list says about a posting today."""
        arrived = bool(self._struck.get("key_arrived"))
        match self.company.system:
            case "tencent":
                return tencent_shape.list_row(posting, self.day, key_arrived=arrived)
            case "joinqq":
                return joinqq_shape.list_row(posting, key_arrived=arrived)
            case "lever":
                return lever_shape.job(self.company, posting, self.day, key_arrived=arrived)
        touched = self._struck.get("board_touched", 0)
        return greenhouse_shape.job(self.company, posting, self.day, stamped=touched, key_arrived=arrived)

    def detail(self, posting: Posting) -> dict[str, object] | None:
        """What the posting's own address answers; None for a system without details."""
        match self.company.system:
            case "tencent":
                return tencent_shape.detail(posting, self.day, key_arrived=bool(self._struck.get("key_arrived")))
            case "joinqq":
                return joinqq_shape.detail(posting, self.day)
        return None

    # What a night does

    def advance(self, day: int, due: Sequence[str]) -> None:
        """One night: what is due happens, the rest by the rates of the tables."""
        self.day = day
        self.happenings = {}
        rng = self._rng()
        self._move([name for name in due if name in MOVES], rng)
        self._edit([name for name in due if name in EDITS], rng)
        self._disturb([name for name in due if name in noise_kinds()], rng)

    @property
    def struck(self) -> tuple[str, ...]:
        """Kinds of noise that moved the whole answer last night."""
        return tuple(name for name, day in self._struck.items() if day == self.day)

    def _rng(self) -> Random:
        return Random(f"{self._seed}/{self.company.source}/{self.day}")

    def _note(self, native_id: str, name: str) -> None:
        self.happenings[native_id] = (*self.happenings.get(native_id, ()), name)

    def _open(self, postings: Iterable[Posting], name: str | None = None) -> None:
        for posting in postings:
            self._postings[posting.native_id] = posting
            if name:
                self._note(posting.native_id, name)

    def _move(self, due: list[str], rng: Random) -> None:
        listed = [posting.native_id for posting in self._postings.values() if posting.listed]
        away = [posting.native_id for posting in self._postings.values() if not posting.listed]
        leaving = [each for each in listed if rng.random() < LEAVING / 2]
        coming = sum(rng.random() < LEAVING / 2 for _ in listed)
        for native_id in rng.sample(listed, min(len(listed), len(leaving) + due.count("removed"))):
            self._put(replace(self._postings[native_id], listed=False), "removed")
        for native_id in rng.sample(away, _some(len(away), "reopened" in due, RETURNING, rng)):
            self._put(replace(self._postings[native_id], listed=True, stamped=self.day), "reopened")
        for _ in range(coming + due.count("added")):
            self._open(self._recruiter.hire(rng, self.day), "added")
        if "cross_posted" in due or rng.random() < 0.1:
            self._open(self._recruiter.hire(rng, self.day, group_of=5), "cross_posted")
        if "reposted" in due or rng.random() < 0.1:
            self._repost(rng)

    def _put(self, posting: Posting, name: str) -> None:
        self._postings[posting.native_id] = posting
        self._note(posting.native_id, name)

    def _repost(self, rng: Random) -> None:
        """A new id for the same opening: 12 % of the additions on real boards (sites/ats.md section 0)."""
        old = next((each for each in self._quiet(rng) if not each.group), None)
        if old is not None:
            self._put(replace(old, listed=False), "removed")
            self._open([self._recruiter.repost(old, self.day)], "reposted")

    def _quiet(self, rng: Random) -> list[Posting]:
        """Listed postings that nothing has happened to tonight, in random order."""
        quiet = [each for each in self._postings.values() if each.listed and each.native_id not in self.happenings]
        rng.shuffle(quiet)
        return quiet

    def _edit(self, due: list[str], rng: Random) -> None:
        for name in due:
            any(self._try_edit(posting, name, rng) for posting in self._quiet(rng))
        rates = {name: edit.rate for name, edit in EDITS.items() if self.company.system in edit.within}
        for native_id, name in _struck(self._quiet(rng), rates, rng):
            if native_id not in self.happenings:
                self._try_edit(self._postings[native_id], name, rng)

    def _try_edit(self, posting: Posting, name: str, rng: Random) -> bool:
        changed = EDITS[name].apply(posting, self.company, rng)
        if changed is None:
            return False
        if changed.text == posting.text:
            self._put(replace(changed, stamped=self._stamp(posting, name, rng)), name)
            return True
        if changed.text not in posting.past and not self._recruiter.claim(changed.text):
            return False
        for each in self._siblings(posting):
            stamped = self._stamp(each, name, rng)
            self._put(replace(each.edited(changed.text, self.day), stamped=stamped), name)
        return True

    def _stamp(self, posting: Posting, name: str, rng: Random) -> int:
        quiet = self._unannounced and name == "silent" and rng.random() < 1 / 3
        if self.company.system == "greenhouse":
            quiet = rng.random() < UNSTAMPED
        return posting.stamped if quiet else self.day

    def _siblings(self, posting: Posting) -> list[Posting]:
        """The posting and those cross-posted with it that say the same: an employer edits them together."""
        if not posting.group:
            return [posting]
        members = (each for each in self._postings.values() if each.group == posting.group and each.listed)
        return [each for each in members if each.text == posting.text]

    def _disturb(self, due: list[str], rng: Random) -> None:
        system = self.company.system
        for kind in board_noise(system):
            if kind.name in due or rng.random() < kind.rate:
                self._struck[kind.name] = self.day
        for name in due:
            if noise_kinds()[name].layer != "board":
                any(self._try_noise(posting, name) for posting in self._quiet(rng))
        for native_id, name in _struck(self._quiet(rng), _rates(posting_noise(system)), rng):
            if native_id not in self.happenings:
                self._try_noise(self._postings[native_id], name)

    def _try_noise(self, posting: Posting, name: str) -> bool:
        """Switch a noise on or off where it shows."""
        if any(posting.wears(other) for other in UNLIKELY.get(name, ())):
            return False
        noisy = replace(posting, stamped=self.day) if name == "touched" else posting.toggled(name, self.day)
        if self.row(noisy) == self.row(posting) and self.detail(noisy) == self.detail(posting):
            return False
        self._put(noisy, name)
        return True


def _rates(kinds: Iterable[NoiseKind]) -> dict[str, float]:
    return {kind.name: kind.rate for kind in kinds}


def _struck(postings: list[Posting], rates: dict[str, float], rng: Random) -> list[tuple[str, str]]:
    """Which postings are struck tonight, and by what: one draw a posting."""
    total, names, weights = sum(rates.values()), list(rates), list(rates.values())
    hit = [each.native_id for each in postings if rng.random() < total]
    return [(native_id, rng.choices(names, weights)[0]) for native_id in hit]


def _some(among: int, at_least_one: bool, rate: float, rng: Random) -> int:
    drawn = sum(rng.random() < rate for _ in range(among))
    return min(among, max(drawn, int(at_least_one)))
