"""List marks: one form of bullet and of numbering, and items that were glued into one line; see docs/hashing.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

#: Marks that are nothing else, wherever they stand. The private-use ones are what Word's Symbol fonts leave behind.
_PURE_BULLETS = (
    "•●▪◦‣⁃■□◆◇▶▷►▸➤➢➔➜★☆※✓✔✅☑√◼◾◻○◎⦁❖✦✧❑❏♦◉⚫⚪🔹🔸▫∙·・" + "\uf0b7\uf0a7\uf06c\uf0d8\uf0fc\uf0b2\uf076\uf075\uf06e"
)
_BULLET = re.compile(
    rf"^( *)(?:[{_PURE_BULLETS}]\ufe0f?[ {_PURE_BULLETS}]*|[-*+‐‑‒–—―−－＊][ ]+|[-‐‑‒–—―−－＊*](?=[^\W\d_]))(?=[^\s|])",
    re.MULTILINE,
)
_EMPTY_BULLET = re.compile(rf"^ *(?:[{_PURE_BULLETS}]\ufe0f?|[-*+–—] ?|\d{{1,2}}[.、)）]) *$\n?", re.MULTILINE)
_DOUBLE_MARK = re.compile(r"^( *)- (?=(?:- |\d{1,2}\. ))", re.MULTILINE)
_NUMBER_BEFORE_BULLET = re.compile(r"^( *\d{1,2}\. )- ", re.MULTILINE)
_GLUED_BULLET = re.compile("(?<=\\S) *(?=[•●▪◆■◦➢►➤\uf0b7\uf06c\uf0d8] *[^\\s•●▪◆■◦➢►➤])")

_CIRCLED = {chr(0x2460 + n): n + 1 for n in range(20)}
_CIRCLED |= {chr(0x2474 + n): n + 1 for n in range(20)}  # ⑴
_CIRCLED |= {chr(0x2488 + n): n + 1 for n in range(20)}  # ⒈
_CIRCLED |= {chr(0x2776 + n): n + 1 for n in range(10)}  # ❶
_CIRCLED_CLASS = "".join(_CIRCLED)
#: A list mark is at most two digits and a mark that no digit follows: 2.5万 is pay, not item 2.
_NUMBER = re.compile(
    rf"^( *)(?:[（(]([0-9０-９]{{1,2}})[)）][.、．]?(?![0-9０-９])|([0-9０-９]{{1,2}})[.、)．）](?![0-9０-９])[、.]?"
    rf"|([{_CIRCLED_CLASS}])[、.]?) *(?=[^\s|])",
    re.MULTILINE,
)
_SAME_NUMBER = re.compile(r"^( *(\d{1,2})\. )\2\. ", re.MULTILINE)
_INLINE_NUMBER = re.compile(
    rf"(?<![0-9０-９A-Za-z.])(?:[（(]([0-9０-９]{{1,2}})[)）]|([0-9０-９]{{1,2}})[.、)．）]|([{_CIRCLED_CLASS}]))(?![0-9０-９])"
)


def _value(*spellings: str | None) -> int:
    """The number that one of the spellings (digits of any width, or a circled number) states."""
    spelling = next(filter(None, spellings))
    return _CIRCLED.get(spelling) or int(spelling)


def split_glued_bullets(text: str) -> str:
    """`•a。•b` on one line becomes two items."""
    return _GLUED_BULLET.sub("\n", text) if _GLUED_BULLET.search(text) else text


#: What stands right before a glued list mark: the end of a clause, a heading's colon, a bracket or a space.
_BEFORE_MARK = "；;。.：:！!？?，,、】])） \t"
#: An item is at least this long, in characters, where marks follow the text directly: 方案1、方案2、方案3 is no list.
_SHORTEST_ITEM = 5


class _Mark(NamedTuple):
    value: int
    start: int
    #: It begins the line or follows the end of a clause.
    strong: bool


def _marks(line: str) -> Iterable[_Mark]:
    for match in _INLINE_NUMBER.finditer(line):
        start = match.start()
        yield _Mark(_value(*match.groups()), start, start == 0 or line[start - 1] in _BEFORE_MARK)


def _is_list(run: list[_Mark]) -> bool:
    """Two items behind ends of clauses, or three whose marks follow the text directly."""
    if sum(not mark.strong for mark in run) <= 1 and any(mark.strong for mark in run):
        return len(run) >= 2
    gaps = (after.start - before.start for before, after in pairwise(run))
    return len(run) >= 3 and all(gap >= _SHORTEST_ITEM for gap in gaps)


def _cuts(line: str) -> list[int]:
    """Where the glued lists of a line begin their items.

    A list counts up from 1, or from whatever its line begins with; one number may be missing ("1、3年以上" is
    no mark). A list of one item is none.
    """
    runs: list[list[_Mark]] = []
    indent = len(line) - len(line.lstrip())
    for mark in _marks(line):
        last = runs[-1][-1] if runs else None
        if last is not None and 1 <= mark.value - last.value <= 2:
            runs[-1].append(mark)
        elif mark.value == 1 or (mark.strong and (mark.value == 2 or mark.start == indent)):
            runs.append([mark])
    return [mark.start for run in runs if _is_list(run) for mark in run]


def _split_line(line: str) -> str:
    """A line with its glued items on lines of their own."""
    cuts = _cuts(line)
    pieces = (line[start:end].strip() for start, end in zip([0, *cuts], [*cuts, len(line)], strict=True))
    return "\n".join(filter(None, pieces)) if cuts else line


def split_glued_numbers(text: str) -> str:
    """`1、负责…；2、参与…` on one line becomes a list; numbers inside a sentence stay where they are."""
    if len(_INLINE_NUMBER.findall(text)) < 2:
        return text
    return "\n".join(_split_line(line) if "|" not in line else line for line in text.split("\n"))


def normalise_bullets(text: str) -> str:
    """One form of bullet, `- `; marks without a text are dropped. A sign before a number (-5℃) is no bullet."""
    text = _EMPTY_BULLET.sub("", text)
    text = _BULLET.sub(r"\1- ", text)
    while (single := _DOUBLE_MARK.sub(r"\1", text)) != text:
        text = single
    return _NUMBER_BEFORE_BULLET.sub(r"\1", text)


def normalise_numbering(text: str) -> str:
    """One form of numbering, `1. `, with the value kept: `1、`, `1)`, `（1）`, `①`, `1．`."""
    text = _NUMBER.sub(lambda match: f"{match[1]}{_value(*match.groups()[1:])}. ", text)
    text = _SAME_NUMBER.sub(r"\1", text)
    while (single := _DOUBLE_MARK.sub(r"\1", text)) != text:
        text = single
    return text
