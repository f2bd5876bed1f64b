"""The state of one simulated posting on one day, and what is true about it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias
from uuid import UUID

from jobmonitor.demo.companies import System
from jobmonitor.demo.compose import YEARS
from jobmonitor.demo.texts import Language, Text, digest

#: Date of day 1, a Monday.
FIRST_DATE = dt.date(2026, 9, 7)

PayForm: TypeAlias = Literal["short", "long", "german", "hourly", "fields", "hourly_fields"]


def date_of(day: int) -> dt.date:
    """The calendar date of a simulated day; day 1 is the first."""
    return FIRST_DATE + dt.timedelta(days=day - 1)


def observed_at(day: int) -> dt.datetime:
    """When a day's crawl looks: six in the morning UTC."""
    return dt.datetime.combine(date_of(day), dt.time(6), dt.UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pay:
    """A stated pay range, in whole units of its currency."""

    low: int
    high: int
    form: PayForm

    def __str__(self) -> str:
        return _PAY_FORMS[self.form].format(low=self.low, high=self.high, k=self.low // 1000, kk=self.high // 1000)

    @property
    def by_the_hour(self) -> bool:
        """Whether the amounts are wages of an hour."""
        return self.form in {"hourly", "hourly_fields"}

    @property
    def value(self) -> tuple[int, int, bool]:
        """What a parser should read: low, high, in euros."""
        return self.low, self.high, self.form == "german"


_PAY_FORMS = {
    "short": "${k}k–${kk}k",
    "long": "${low:,}–${high:,}",
    "german": "{k}.000 € – {kk}.000 € pro Jahr",
    "hourly": "${low}/hour – ${high}/hour",
    # Lever sends fields and no text.
    "fields": "{low} {high} per-year-salary",
    "hourly_fields": "{low} {high} per-hour-wage",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the site states as fields. Two are the same facts exactly when their `facts_id` is equal."""

    #: In the order in which the site prints them, which means nothing.
    locations: tuple[str, ...]
    department: str
    category: str = ""
    #: Tencent's RequireWorkYearsName, as a number.
    years: int | None = None
    pay: Pay | None = None
    #: On join.qq.com the label of the recruit project.
    employment_type: str | None = None

    @property
    def experience(self) -> str | None:
        """The years as Tencent words them."""
        return None if self.years is None else YEARS[self.years]

    @property
    def facts_id(self) -> str:
        """Hex digest of what is stated, order of places left out."""
        pay = str(self.pay) if self.pay else None
        places = sorted(set(self.locations))
        return digest([places, self.department, self.category, self.years, pay, self.employment_type])


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """One advertisement of one source, as it stands on one day."""

    source: str
    system: System
    native_id: str
    #: The opening behind it; a repost has another native id and the same opening.
    opening_id: int
    language: Language
    family: str
    slots: tuple[tuple[str, str], ...]
    text: Text
    stated: Stated
    #: The place stands in brackets behind the title, as in cross-posted advertisements.
    bracketed: bool = False
    #: Name of the cross-posted group it belongs to, "" for none.
    group: str = ""
    #: Day of first publication, below 1 for what was there before the first day.
    posted: int
    #: Day on which the site's change stamp last moved.
    stamped: int
    #: Texts it had before, oldest first.
    past: tuple[Text, ...] = ()
    #: Noise that is on, by kind: the day on which it came.
    dress: tuple[tuple[str, int], ...] = ()
    listed: bool = True

    @property
    def number(self) -> int:
        """The native id as a number; a uuid is one of 128 bits."""
        return int(self.native_id) if self.native_id.isdigit() else UUID(self.native_id).int

    @property
    def content_id(self) -> str:
        """The logical content."""
        return self.text.content_id

    def wears(self, kind: str) -> int:
        """The day since which this noise is on; 0 when it is off."""
        return next((day for name, day in self.dress if name == kind), 0)

    def toggled(self, kind: str, day: int) -> Posting:
        """The same posting with one kind of noise switched."""
        rest = tuple(pair for pair in self.dress if pair[0] != kind)
        return replace(self, dress=rest if len(rest) < len(self.dress) else (*rest, (kind, day)))

    def edited(self, text: Text, day: int) -> Posting:
        """The same posting saying something else."""
        return replace(self, text=text, past=(*self.past, self.text), stamped=day)
