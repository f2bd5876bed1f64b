"""Numbers as job postings write them: Arabic, full-width, Chinese (两万五) and small English words."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import cache

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_STEPS = {"十": 10, "百": 100, "千": 1000}
_BLOCKS = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_ENGLISH = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
        ]
    )
} | {"twenty": 20}

#: A run of Chinese numerals that starts with a digit or 十 (so that the 万 of 1.5万 is not one).
CHINESE_NUMBER = r"[零〇一二两兩三四五六七八九十][零〇一二两兩三四五六七八九十百千万萬亿億]{0,11}"
#: English number words, to be used with word boundaries.
ENGLISH_NUMBER = "|".join(_ENGLISH)

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−~～〜∼﹣－"), "-")


def normalise(text: str) -> str:
    """Half-width, lower case, every dash and tilde as `-`, curly apostrophes straight, zero-width marks gone."""
    if text.isascii():
        return text.translate(_DASHES).lower()
    folded = unicodedata.normalize("NFKC", text).translate(_DASHES).lower()
    folded = folded.replace("’", "'").replace("‘", "'")
    if folded.isprintable():  # no zero-width mark is
        return folded
    return "".join(c for c in folded if unicodedata.category(c) != "Cf")


@cache
def chinese_number(text: str) -> Decimal | None:
    """Value of a Chinese numeral: 十五 = 15, 两万五 = 25000, 二〇 = 20; None if it is not one."""
    if not re.fullmatch(CHINESE_NUMBER, text):
        return None
    if all(c in _DIGITS for c in text):
        return Decimal("".join(str(_DIGITS[c]) for c in text))
    return _spoken_number(text)


def _spoken_number(text: str) -> Decimal:
    total = section = digit = 0
    last_unit = 1
    for c in text:
        if c in _DIGITS:
            digit = _DIGITS[c]
            last_unit = 1 if c in "零〇" else last_unit
        elif c in _STEPS:
            section += (digit or 1) * _STEPS[c]
            digit, last_unit = 0, _STEPS[c]
        else:
            total += (section + digit) * _BLOCKS[c]
            section = digit = 0
            last_unit = _BLOCKS[c]
    # A trailing digit stands for the next lower step: 一万二 is 12000, 两百五 is 250, 十五 is 15.
    tail = digit * last_unit // 10 if last_unit > 10 else digit
    return Decimal(total + section + tail)


def number(text: str) -> Decimal | None:
    """Value of a plain number in Arabic or full-width digits, Chinese numerals or an English word; else None."""
    folded = normalise(text).strip()
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", folded):
        return Decimal(folded)
    if folded in _ENGLISH:
        return Decimal(_ENGLISH[folded])
    return chinese_number(folded)


def arabic(text: str, *, before: str) -> str:
    """Rewrite Chinese numerals with Arabic digits where they hold a unit (十百千万) or stand before `before`.

    Args:
        text: normalised text.
        before: regular expression of what may follow a numeral without a unit (一 in 一线 stays).
    """
    pattern = re.compile(rf"(?<![\d.])({CHINESE_NUMBER})(?P<next>(?={before}))?")

    def replace(match: re.Match[str]) -> str:
        run = match[1]
        wanted = match["next"] is not None or (len(run) > 1 and any(c in run for c in "十百千万萬"))
        value = chinese_number(run) if wanted else None
        return run if value is None else str(value)

    return pattern.sub(replace, text)
