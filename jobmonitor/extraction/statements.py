"""Values that no single word stands for (campus, hybrid, a benefit): their quote must at least speak of the matter.

Grounding asks only that such a quote occurs. A posting that orders the model about would pass: its order does occur.
So the quote must hold one of the words by which people say such a thing, see vocabulary/statements.toml.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Any

from jobmonitor.domain.currencies import CURRENCY
from jobmonitor.extraction.fields.languages import LANGUAGE_WORDS
from jobmonitor.extraction.matching import match_form
from jobmonitor.extraction.pointers import clear, get, keep_items, quote_for
from jobmonitor.extraction.vocabulary import read_table

_SINGLE = (
    "/recruit_type",
    "/new_graduates",
    "/education/full_time_required",
    "/remote",
    "/seniority",
    "/people_management",
    "/salary/currency",
)
_LISTS = ("/graduation_years", "/benefits", "/languages")


def clear_unsaid(profile: dict[str, Any], evidence: dict[str, str]) -> list[str]:
    """Clear, in place, the values whose quote speaks of something else.

    Args:
        profile: grounded; valid under contract 1.
        evidence: quotes by JSON pointer; quotes of cleared values go with them.

    Returns:
        The pointers of the cleared values, as they were numbered before.
    """
    unsaid = []
    for pointer in _SINGLE:
        value = get(profile, pointer)
        if value is not None and not _says(evidence, pointer, _pattern(pointer, value)):
            clear(profile, evidence, pointer)
            unsaid.append(pointer)
    for pointer in _LISTS:
        unsaid += keep_items(profile, evidence, pointer, partial(_item_says, evidence, pointer))
    return unsaid


def _item_says(evidence: dict[str, str], pointer: str, index: int, item: Any) -> bool:
    value = item["language"] if isinstance(item, dict) else item
    return _says(evidence, f"{pointer}/{index}", _pattern(pointer, value))


def _says(evidence: dict[str, str], pointer: str, pattern: str | None) -> bool:
    """True if the quote of a value matches, with or without its blanks. Without a pattern nothing does."""
    quote = quote_for(evidence, pointer)
    if quote is None or pattern is None:
        return False
    return any(re.search(pattern, words, re.IGNORECASE) for words in (quote, match_form(quote)))


def _pattern(pointer: str, value: Any) -> str | None:
    table = _tables()[pointer]
    return table.get(value if isinstance(value, str) else str(value).lower()) or table.get("any")


@cache
def _tables() -> dict[str, dict[str, str]]:
    """Patterns by pointer and value."""
    tables = dict(read_table("statements"))
    tables["/languages"] = {**tables["/languages"], **LANGUAGE_WORDS}
    # 25-40K·16薪 is Chinese pay, though it shows no sign; every other currency must be written out.
    tables["/salary/currency"] = {"any": CURRENCY, "CNY": rf"{CURRENCY}|元|万|千|[kw]|薪"}
    return tables
