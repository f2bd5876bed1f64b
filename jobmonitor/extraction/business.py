"""Business rules of a profile: what a valid JSON may still say wrongly. A violation clears its value and is counted."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from jobmonitor.extraction.pointers import clear, get, keep_items

MAX_YEARS = 50
CLASS_YEARS = range(2000, 2101)
MAX_HEAD_COUNT = 100_000
MAX_TEXT = 80
#: Yearly pay above this, in any currency but those with small units, is a misread number.
MAX_YEARLY = 1_000_000_000
_YEARLY = {"hour": 2_000, "day": 250, "week": 52, "month": 12, "year": 1, None: 1}
MONTHS = range(1, 37)

_TEXT_LISTS = ("/locations", "/certificates", "/education/majors")


def apply_business_rules(profile: dict[str, Any], evidence: dict[str, str]) -> list[str]:
    """Clear what breaks a rule, in place.

    Args:
        profile: valid under contract 1.
        evidence: quotes by JSON pointer; quotes of cleared values go with them.

    Returns:
        The pointers of the cleared values, as they were numbered before.
    """
    broken: list[str] = []
    for rule in (_years, _salary, _head_count):
        for pointer in rule(profile):
            clear(profile, evidence, pointer)
            broken.append(pointer)
    for pointer in _TEXT_LISTS:
        broken += keep_items(profile, evidence, pointer, _unique(_text_key))
    broken += keep_items(
        profile, evidence, "/graduation_years", _unique(lambda year: year if year in CLASS_YEARS else None)
    )
    broken += keep_items(profile, evidence, "/benefits", _unique(lambda word: word))
    broken += keep_items(profile, evidence, "/skills", _unique(lambda skill: _text_key(skill["name"])))
    broken += keep_items(profile, evidence, "/languages", _unique(lambda spoken: spoken["language"]))
    return broken


def _years(profile: dict[str, Any]) -> list[str]:
    low, high = get(profile, "/experience/min_years"), get(profile, "/experience/max_years")
    pointers = {"/experience/min_years": low, "/experience/max_years": high}
    wrong = [pointer for pointer, years in pointers.items() if years is not None and not 0 <= years <= MAX_YEARS]
    return wrong or (list(pointers) if low is not None and high is not None and low > high else [])


def _salary(profile: dict[str, Any]) -> list[str]:
    """Amounts that cannot be a pay take the whole statement with them; a wrong number of months goes alone."""
    salary = profile["salary"]
    if salary is None:
        return []
    amounts = [salary[end] for end in ("min", "max") if salary[end] is not None]
    most = MAX_YEARLY / _YEARLY[salary["period"]]
    if not amounts or any(not 0 < amount <= most for amount in amounts) or amounts != sorted(amounts):
        return ["/salary"]
    months = salary["months"]
    return ["/salary/months"] if months is not None and not MONTHS.start <= months < MONTHS.stop else []


def _head_count(profile: dict[str, Any]) -> list[str]:
    count = profile["head_count"]
    return ["/head_count"] if count is not None and not 1 <= count <= MAX_HEAD_COUNT else []


def _text_key(text: str) -> str | None:
    """What makes two texts the same; None for one that is blank or too long to be a name."""
    key = "".join(text.split()).casefold()
    return key if key and len(text) <= MAX_TEXT else None


def _unique(key: Callable[[Any], Hashable | None]) -> Callable[[int, Any], bool]:
    """Keep the first item of each key and none whose key is None."""
    seen: set[Hashable] = set()

    def keep(_: int, item: Any) -> bool:
        name = key(item)
        fresh = name is not None and name not in seen
        seen.add(name)
        return fresh

    return keep
