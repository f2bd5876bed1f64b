"""Opening positions: a fresh text that no other posting has, ids as the systems give them, facts around it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from uuid import UUID

from jobmonitor.demo.companies import CHINESE, Company, System
from jobmonitor.demo.compose import Opening, compose
from jobmonitor.demo.postings import Pay, PayForm, Posting, Stated
from jobmonitor.demo.texts import Text

#: First native id of a system; Tencent counts in 19 digits, Greenhouse in ten, Lever has uuids.
_FIRST_ID: dict[System, int] = {
    "tencent": 1_946_716_678_288_842_752,
    "joinqq": 1_282_032_033_786_619_904,
    "greenhouse": 7_204_311_002,
    "lever": 0x5B0C_47D1_9E3A_4F26_8C75_1D90_E2A4_6B3F,
}
_STEP: dict[System, int] = {
    "tencent": 4_194_304 * 331,
    "joinqq": 4_194_304 * 173,
    "greenhouse": 1_013,
    "lever": 0x0001_6A09_E667_F3BC_C908_B2FB_1366_EA95,
}
#: Labels of recruit projects: graduates, interns, and the talent plan that states its topic instead of duties.
_LABELS = ("应届毕业生", "应届毕业生", "应届毕业生 青云计划", "应届实习", "日常实习")


class Recruiter:
    """Writes a company's openings. Remembers each text, so that no two postings say the same by chance."""

    def __init__(self, company: Company, number: int) -> None:
        self._company = company
        self._ordinal = 0
        self._next_id = _FIRST_ID[company.system] + number * 100_003 * _STEP[company.system]
        self._claimed: set[str] = set()

    def hire(self, rng: Random, day: int, *, group_of: int = 1) -> list[Posting]:
        """Post a new opening, in `group_of` places with an id each."""
        opening = self._fresh(rng)
        posted = day if day > 1 else -rng.randint(0, 90)
        places = rng.sample(self._company.cities, group_of) if group_of > 1 else []
        shared = self._posting(opening, rng, posted, group=f"{self._ordinal}" if places else "")
        if not places:
            return [shared]
        bracketed = self._company.system in CHINESE or rng.random() < 0.5
        return [
            replace(
                shared, native_id=self._id(), bracketed=bracketed, stated=replace(shared.stated, locations=(place,))
            )
            for place in places
        ]

    def repost(self, old: Posting, day: int) -> Posting:
        """The same opening under a new id."""
        return replace(old, native_id=self._id(), posted=day, stamped=day, past=(), dress=(), listed=True)

    def claim(self, text: Text) -> bool:
        """Whether no other posting ever said this; it is taken from now on."""
        if text.content_id in self._claimed:
            return False
        self._claimed.add(text.content_id)
        return True

    def _fresh(self, rng: Random) -> Opening:
        self._ordinal += 1
        while True:
            opening = compose(self._company, rng, self._ordinal - 1)
            if self.claim(opening.text):
                return opening

    def _id(self) -> str:
        self._next_id += _STEP[self._company.system]
        return str(UUID(int=self._next_id % 2**128)) if self._company.system == "lever" else str(self._next_id)

    def _posting(self, opening: Opening, rng: Random, posted: int, *, group: str) -> Posting:
        return Posting(
            source=self._company.source,
            system=self._company.system,
            native_id=self._id(),
            opening_id=110_000 + self._ordinal,
            language=opening.language,
            family=opening.family,
            slots=opening.slots,
            text=opening.text,
            stated=self._stated(opening, rng),
            group=group,
            posted=posted,
            stamped=posted if posted > 0 else min(0, posted + rng.randint(0, 30)),
        )

    def _stated(self, opening: Opening, rng: Random) -> Stated:
        department = rng.choice(self._company.departments)
        if self._company.system == "tencent":
            place = (rng.choice(self._company.cities),)
            return Stated(locations=place, department=department, category=opening.category, years=opening.years)
        places = tuple(rng.sample(self._company.cities, rng.choice((1, 1, 1, 2, 3))))
        if self._company.system == "joinqq":
            label = rng.choice(_LABELS)
            return Stated(locations=places, department=department, category=opening.category, employment_type=label)
        kind = rng.choice(("Full-time", "Full-time", "Full-time", "Part-time", "Contract", None))
        pay = _pay(opening, rng)
        if self._company.system == "lever":
            team, pay = opening.category, pay and replace(pay, form=_FIELDS[pay.form])
            return Stated(locations=places, department=department, category=team, pay=pay, employment_type=kind)
        return Stated(locations=places, department=department, pay=pay, employment_type=kind)


#: How the pay of a board that sends texts is stated on one that sends fields.
_FIELDS: dict[PayForm, PayForm] = {
    "short": "fields",
    "long": "fields",
    "german": "fields",
    "hourly": "hourly_fields",
}


def _pay(opening: Opening, rng: Random) -> Pay | None:
    if rng.random() < 0.4:
        return None
    if opening.language == "de":
        low = rng.randint(42, 85) * 1000
        return Pay(low=low, high=low + rng.randint(5, 25) * 1000, form="german")
    if opening.family == "support" and rng.random() < 0.4:
        low = rng.randint(16, 32)
        return Pay(low=low, high=low + rng.randint(2, 9), form="hourly")
    low = rng.randint(60, 210) * 1000
    return Pay(low=low, high=low + rng.randint(10, 60) * 1000, form=rng.choice(("short", "long")))
