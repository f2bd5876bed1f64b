"""A memory for parsers of short fields: `15-30K` and 本科及以上 stand on thousands of postings."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Result = TypeVar("Result")

#: Distinct texts kept per parser, and the longest text that is kept: a bound of a few megabytes.
_TEXTS = 4096
_LONGEST = 200


def remembered(parse: Callable[[str | None], Result]) -> Callable[[str | None], Result]:
    """`parse`, a pure function of a text with an immutable result, that reads the same short text once."""
    cached = lru_cache(_TEXTS)(parse)

    @wraps(parse)
    def call(text: str | None) -> Result:
        return cached(text) if text is None or len(text) <= _LONGEST else parse(text)

    return call
