"""The columns that a posting's state puts into its version row and into the payload of its events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from jobmonitor.domain.canonical import facts_json
from jobmonitor.items import DerivedFacts, FingerprintedPosting, Salary

#: Stands where the title of an erased text stood.
ERASED_TITLE = "(erased)"
#: Facts that `current_posting` shows as stated.
STATED = ("department", "category", "employment_type", "deadline")
#: Columns that are stored as `current_posting` shows them.
STORED = (
    *("title", "url", "employer", "opening_key", "parent", "posted_at", "posted_precision"),
    *("content_hash", "facts_hash", "record_hash", "scheme", "quarantine"),
)
#: Derived columns of a version, as `current_posting` names them.
DERIVED = {
    "locations": "locations",
    "recruit_type": "recruit_type",
    "education_minimum": "education_minimum",
    "full_time_required": "full_time_required",
    "experience_min": "experience_min_years",
    "experience_max": "experience_max_years",
    "salary_min": "salary_min",
    "salary_max": "salary_max",
    "salary_currency": "salary_currency",
    "salary_period": "salary_period",
    "salary_months": "salary_months",
    "head_count": "head_count",
}
#: Columns of `current_posting` for which the text speaks where the site is silent.
EFFECTIVE = (*(name for name in DERIVED.values() if name != "locations"), "salary_unknown")


def derived_columns(derived: DerivedFacts) -> dict[str, Any]:
    """Columns of `version` that the parsers fill."""
    salary = derived.salary
    paid = salary if isinstance(salary, Salary) else Salary()
    return {
        "recruit_type": derived.recruit_type,
        "education_minimum": derived.education.minimum,
        "full_time_required": derived.education.full_time_required,
        "experience_min": derived.experience.min_years,
        "experience_max": derived.experience.max_years,
        "salary_min": paid.min,
        "salary_max": paid.max,
        "salary_currency": paid.currency,
        "salary_period": paid.period,
        "salary_months": paid.months,
        "salary_unknown": None if isinstance(salary, Salary) else salary.reason,
        "head_count": derived.head_count,
    }


def title_of(document: str) -> str:
    """The first line of a document without its heading mark."""
    return document.partition("\n")[0].removeprefix("# ").strip()


def posting_state(item: FingerprintedPosting, version: int, *, title: str, quarantine: str | None) -> dict[str, Any]:
    """The `current_posting` columns that the site's own statement decides, ready for JSON.

    Args:
        title: as shown: an erased text has none.
        quarantine: as it stands: a released text is not held.
    """
    clean = item.clean
    raw = clean.raw
    facts = facts_json(clean.facts)
    columns = derived_columns(clean.derived) | {"locations": list(clean.facts.locations)}
    state = {
        "title": title,
        "url": raw.url,
        "employer": raw.employer or clean.facts.employer,
        "opening_key": raw.opening_key,
        "parent": raw.parent,
        "posted_at": plain(raw.posted_at.value) if raw.posted_at else None,
        "posted_precision": raw.posted_at.precision if raw.posted_at else None,
        "scheme": item.scheme,
        "version": version,
        "content_hash": item.content_hash,
        "facts_hash": item.facts_hash,
        "record_hash": item.record_hash,
        "quarantine": quarantine,
    }
    return state | {name: facts.get(name) for name in STATED} | _named(columns)


def stored_state(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same columns of a version as it is stored: a row of `previous_versions`."""
    facts = row["facts"]
    state = {name: plain(row[name]) for name in STORED}
    return state | {"version": row["number"]} | {name: facts.get(name) for name in STATED} | _named(row)


def changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The columns whose value is another one now, with the new value."""
    return {name: value for name, value in new.items() if old.get(name) != value}


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    """The derived columns as the view shows them while only the site speaks."""
    named = {shown: plain(row[column]) for column, shown in DERIVED.items()}
    named["salary_unknown"] = None if row["salary_unknown"] == "none" else row["salary_unknown"]
    named["head_count"] = named["head_count"] or None
    if named["salary_min"] is None and named["salary_max"] is None:
        named |= dict.fromkeys(("salary_currency", "salary_period", "salary_months"))
    return named


def plain(value: Any) -> Any:
    """A column's value as JSON has it: numbers, and times in UTC."""
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
