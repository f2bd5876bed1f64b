"""Numbers inside a quote: which values may words such as 15-30K, 三年以上 or 2025/26届 stand for?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from jobmonitor.extraction.fields.numbers import CHINESE, read_number

_ARABIC = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?", re.ASCII)
#: 18.000 is eighteen thousand in half of Europe.
_DOTTED = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{3})+(?![\d.])", re.ASCII)
_CHINESE = re.compile(rf"[{CHINESE}]{{1,3}}")
_ENGLISH = re.compile(r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE)
#: Units that multiply an amount of money, by what the quote must hold for them.
_MONEY = (
    (1_000, re.compile(r"\d\s*[kK千]")),
    (10_000, re.compile(r"[\d一二两三四五六七八九十]\s*[wW万]")),
    (1_000_000, re.compile(r"\d\s*(?:[mM]\b|百万)")),
)
_NONE_NEEDED = re.compile(r"应届|不限|无需|不需要|不要求|毕业生|\bno\b|\bentry|graduate", re.IGNORECASE)
_MONTHS = re.compile(r"月|month", re.IGNORECASE)


def numbers_in(words: str) -> Iterator[float]:
    """Every number of a text: Arabic, Chinese, English; 半 as a half."""
    for match in _ARABIC.finditer(words):
        yield float(match[0].replace(",", ""))
    for match in _DOTTED.finditer(words):
        yield float(match[0].replace(".", ""))
    for pattern in (_CHINESE, _ENGLISH):
        for match in pattern.finditer(words):
            if (number := read_number(match[0])) is not None:
                yield number
    if "半" in words:
        yield 0.5


def says_number(words: str, value: float, *, unit: str) -> bool:
    """True if the words contain the number that a field states.

    Args:
        words: the quote as it stands in the document, under NFKC.
        value: the number.
        unit: the field's JSON pointer; it decides which units may multiply (万 for money, 月 for years).
    """
    return any(math.isclose(value, number, rel_tol=1e-9, abs_tol=1e-9) for number in _values(words, unit)) or (
        unit == "/graduation_years" and _within_range(words, value)
    )


def _values(words: str, unit: str) -> Iterator[float]:
    numbers = list(numbers_in(words))
    yield from numbers
    if unit.startswith("/salary/m") and unit != "/salary/months":
        for factor, sign in _MONEY:
            if sign.search(words):
                yield from (number * factor for number in numbers)
    elif unit.startswith("/experience"):
        if _MONTHS.search(words):
            yield from (round(number / 12, 2) for number in numbers)
        if _NONE_NEEDED.search(words):
            yield 0.0
    elif unit == "/graduation_years":
        yield from (2000 + number for number in numbers if number < 100)


def _within_range(words: str, year: float) -> bool:
    """2024-2026届 says 2025 too."""
    years = [number if number >= 100 else 2000 + number for number in numbers_in(words)]
    years = [number for number in years if 2000 <= number <= 2100]
    return bool(years) and min(years) <= year <= max(years) and re.search(r"[-–—~～至到]|to", words) is not None
