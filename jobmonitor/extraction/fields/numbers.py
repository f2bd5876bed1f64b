"""Small numbers as postings write them: 3, 3.5, 三, 十二, three."""

from __future__ import annotations

import re

CHINESE = "一二两三四五六七八九十"
_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
#: One number: Arabic with up to two digits, Chinese, or an English word.
NUMBER = rf"(?:\d{{1,2}}(?:\.\d)?|[{CHINESE}]{{1,3}}|\b(?:{'|'.join(_ENGLISH[1:])})\b)"
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}


def read_number(text: str) -> float | None:
    """The value of one small number, None if it is none.

    >>> read_number("十二")
    12.0
    """
    text = text.strip().casefold()
    if re.fullmatch(r"\d+(?:\.\d+)?", text, re.ASCII):
        return float(text)
    if text in _ENGLISH:
        return float(_ENGLISH.index(text))
    return _chinese(text)


def _chinese(text: str) -> float | None:
    tens, ten, ones = text.rpartition("十")
    if any(part and part not in _DIGITS for part in (tens, ones)):
        return None
    if not ten:
        return float(_DIGITS[ones]) if ones else None
    return float((_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0))


def plain(number: float) -> int | float:
    """A whole number as int, so that JSON says 3 and not 3.0."""
    return int(number) if number == int(number) else round(number, 2)
