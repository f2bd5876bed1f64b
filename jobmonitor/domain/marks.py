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
)
_EMPTY_BULLET = re.compile(rf"^ *(?:[{_PURE_BULLETS}]\ufe0f?|[-*+–—] ?|\d{{1,2}}[.、)）]) *")
#: A bullet before another mark.
_OUTER_BULLET = re.compile(r"- (?=(?:- |\d{1,2}\. ))")
_NUMBER_BEFORE_BULLET = re.compile(r"^( *\d{1,2}\. )- ")
#: Bullets that nobody types inside a sentence, but for pay (20K•14薪).
_GLUING_BULLETS = "•●▪◆■◦➢►➤\uf0b7\uf06c\uf0d8"
_GLUED_BULLET = re.compile(f"(?<=\\S) *(?=[{_GLUING_BULLETS}](?! *\\d{{1,2}} ?薪) *[^\\s{_GLUING_BULLETS}])")

_CIRCLED = {chr(0x2460 + n): n + 1 for n in range(20)}
_CIRCLED |= {chr(0x2474 + n): n + 1 for n in range(20)}  # ⑴
_CIRCLED |= {chr(0x2488 + n): n + 1 for n in range(20)}  # ⒈
_CIRCLED |= {chr(0x2776 + n): n + 1 for n in range(10)}  # ❶
_CIRCLED_CLASS = "".join(_CIRCLED)
#: A list mark is at most two digits and a mark that no digit follows: 2.5万 is pay, not item 2.
_NUMBER = re.compile(
    rf"^( *)(?:- )?(?:[（(]([0-9０-９]{{1,2}})[)）][.、．]?(?![0-9０-９])"
    rf"|([0-9０-９]{{1,2}})[.、)．）](?![0-9０-９])[、.]?"
    rf"|([{_CIRCLED_CLASS}])[、.]?) *(?=[^\s|])",
)
_SAME_NUMBER = re.compile(r"^( *(\d{1,2})\. )\2\. ")
_INLINE_NUMBER = re.compile(
    rf"(?<![0-9０-９A-Za-z.])(?:[（(]([0-9０-９]{{1,2}})[)）]|([0-9０-９]{{1,2}})[.、)．）]|([{_CIRCLED_CLASS}]))(?![0-9０-９])"
)

#: What every mark inside a line holds, found faster: a search that begins with one class of characters.
_MARK_HINT = re.compile(rf"[0-9０-９{_CIRCLED_CLASS}](?:(?<=[{_CIRCLED_CLASS}])|[.、)．）])")


def _value(*spellings: str | None) -> int:
    """The number that one of the spellings (digits of any width, or a circled number) states."""
    spelling = next(filter(None, spellings))
    return _CIRCLED.get(spelling) or int(spelling)


def split_glued_bullets(text: str) -> str:
    """`•a。•b` on one line becomes two items."""
    return _GLUED_BULLET.sub("\n", text) if any(mark in text for mark in _GLUING_BULLETS) else text


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
    if len(_MARK_HINT.findall(text)) < 2:
        return text
    return "\n".join(_split_line(line) if _may_be_glued(line) else line for line in text.split("\n"))


def _may_be_glued(line: str) -> bool:
    """At least two marks, and no row of a table."""
    return len(_MARK_HINT.findall(line)) > 1 and "|" not in line


#: What a line with a mark begins with: the rest is left alone without a search.
_MARK_STARTS = frozenset(f"{_PURE_BULLETS}-*+‐‑‒–—―−－＊0123456789０１２３４５６７８９（({_CIRCLED_CLASS}")


def _has_mark(line: str) -> bool:
    return line.lstrip(" ")[:1] in _MARK_STARTS


def _single(line: str) -> str:
    """A line with the innermost of its marks alone: `- 1. a` is item 1."""
    indent = place = len(line) - len(line.lstrip(" "))
    while match := _OUTER_BULLET.match(line, place):
        place = match.end()
    return line[:indent] + line[place:]


def _bullet(line: str) -> str:
    # `match`, not `sub`: a search goes on through the line although only its beginning can match.
    if match := _BULLET.match(line):
        line = f"{match[1]}- {line[match.end() :]}"
    line = _single(line)
    if match := _NUMBER_BEFORE_BULLET.match(line):
        line = match[1] + line[match.end() :]
    return line


def normalise_bullets(text: str) -> str:
    """One form of bullet, `- `; marks without a text are dropped. A sign before a number (-5℃) is no bullet."""
    lines = []
    for line in text.split("\n"):
        if not _has_mark(line):
            lines.append(line)
        elif not _EMPTY_BULLET.fullmatch(line):
            lines.append(_bullet(line))
    return "\n".join(lines)


def _number(line: str) -> str:
    if match := _NUMBER.match(line):
        line = f"{match[1]}{_value(*match.groups()[1:])}. {line[match.end() :]}"
    if match := _SAME_NUMBER.match(line):
        line = match[1] + line[match.end() :]
    return _single(line)


def normalise_numbering(text: str) -> str:
    """One form of numbering, `1. `, with the value kept: `1、`, `1)`, `（1）`, `①`, `1．`."""
    return "\n".join(_number(line) if _has_mark(line) else line for line in text.split("\n"))
