"""Noise inside a line and lines that say nothing: the same words, spelled and framed differently."""

from __future__ import annotations

import re
from collections.abc import Callable

from jobmonitor.demo.postings import Posting, date_of

_CJK = "\u3400-\u4dbf\u4e00-\u9fff"
_CJK_LATIN = re.compile(rf"(?<=[{_CJK}])(?=[A-Za-z])|(?<=[A-Za-z])(?=[{_CJK}])")
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'"})
_ALPHANUMERIC = (*range(0x30, 0x3A), *range(0x41, 0x5B), *range(0x61, 0x7B))
_WIDE = str.maketrans({chr(code): chr(code + 0xFEE0) for code in _ALPHANUMERIC})
_NARROW = str.maketrans({"（": "(", "）": ")", "，": ",", "；": ";", "：": ":"})
_DASHES = ("–", "—", "‑", "−")


def _white_space(line: str, variant: int) -> str:
    blank = ("  ", "\u00a0", " \u2009")[variant % 3]
    return line.replace(" ", blank) + "  "


def _zero_width(line: str, variant: int) -> str:
    mark = ("\u200b", "\ufeff", "\u2060")[variant % 3]
    middle = len(line) // 2
    return f"{line[:middle]}{mark}{line[middle:]}{mark}"


def _bidi_marks(line: str, variant: int) -> str:
    return f"\u202a{line}\u202c" if variant % 2 else f"{line}\u200e"


def _width_forms(line: str, variant: int) -> str:
    return line.translate(_WIDE if variant % 2 else _NARROW)


def _dashes(line: str, variant: int) -> str:
    return re.sub("[-–]", _DASHES[variant % len(_DASHES)], line)


def _quotes(line: str, variant: int) -> str:
    if any(mark in line for mark in "“”‘’"):
        return line.translate(_STRAIGHT)
    return line.replace("'", "’" if variant % 2 else "‘")


def _dots(line: str, variant: int) -> str:
    return line.replace("·", "・‧"[variant % 2]).replace("……", "…").replace("…", "...")


def _punctuation(line: str, _variant: int) -> str:
    return re.sub(r"(?<=\w) \(", "(", line.replace(", ", " ,"))


def _references(line: str, _variant: int) -> str:
    return line.replace(" ", "&nbsp;").replace("“", "&ldquo;").replace("”", "&amp;rdquo;")


def _latin_spacing(line: str, _variant: int) -> str:
    return _CJK_LATIN.sub(" ", line)


#: Noise of layer "line", applied in this order; the day it came picks the variant.
LINE_NOISE: dict[str, Callable[[str, int], str]] = {
    "latin_spacing": _latin_spacing,
    "width_forms": _width_forms,
    "dashes": _dashes,
    "quotes": _quotes,
    "dots": _dots,
    "punctuation": _punctuation,
    "references": _references,
    "white_space": _white_space,
    "zero_width": _zero_width,
    "bidi_marks": _bidi_marks,
}


def dress_line(posting: Posting, line: str) -> str:
    """A line as this posting's page spells it."""
    line = line.replace("{phone}", f"138{(posting.number + posting.wears('contact') * 7919) % 10**8:08d}")
    for kind, apply in LINE_NOISE.items():
        since = posting.wears(kind)
        if since:
            line = apply(line, since)
    return line


def _counter(posting: Posting, day: int) -> str:
    count = (posting.number + day * 37) % 4000 + day
    return f"浏览次数：{count}" if posting.language == "zh" else f"{count} views"


def _updated_line(posting: Posting, day: int) -> str:
    date = date_of(max(posting.stamped, day))
    if posting.language == "zh":
        return f"更新于 {date:%Y年%m月%d日}"
    return f"Updated on {date:%B} {date.day}, {date.year}"


def _relative_date(posting: Posting, day: int) -> str:
    age = max(day - posting.posted, 1)
    return f"{age}天前发布" if posting.language == "zh" else f"{age + 1} days ago"


def _mixed_line(posting: Posting, day: int) -> str:
    return f"{_relative_date(posting, day)} | {_counter(posting, day)}"


def _tracking_line(posting: Posting, day: int) -> str:
    return "#LI-Hybrid" if day % 2 else f"utm_source=board{posting.opening_id}"


def _ruler(_posting: Posting, day: int) -> str:
    return ("——————————", "==========", "* * * * *")[day % 3]


#: Noise of layer "extra": a whole line that moves by itself from day to day.
EXTRA_LINES: dict[str, Callable[[Posting, int], str]] = {
    "counter": _counter,
    "updated_line": _updated_line,
    "relative_date": _relative_date,
    "mixed_line": _mixed_line,
    "tracking_line": _tracking_line,
    "ruler": _ruler,
}


def extra_lines(posting: Posting, day: int) -> list[str]:
    """The lines without meaning that this posting's page shows on `day`."""
    return [line(posting, day) for kind, line in EXTRA_LINES.items() if posting.wears(kind)]
