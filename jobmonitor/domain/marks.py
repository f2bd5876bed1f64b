"""List marks: one form of bullet and of numbering, and items that were glued into one line; see docs/hashing.md."""

from __future__ import annotations

import re

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
_GLUED_BULLET = re.compile("(?<=\\S) *(?=[•●▪◆■◦➢►➤\uf0b7\uf06c\uf0d8]\\s*[^\\s•●▪◆■◦➢►➤])")

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


def _split_line(line: str) -> str:
    """Split a line at the marks 1, 2, 3 … that it holds in that order, if there are at least two from 1 on."""
    cuts: list[int] = []
    for match in _INLINE_NUMBER.finditer(line):
        if _value(*match.groups()) == len(cuts) + 1:
            cuts.append(match.start())
    if len(cuts) < 2 or not _lists_items(line, cuts):
        return line
    pieces = (line[start:end].strip() for start, end in zip([0, *cuts], [*cuts, len(line)], strict=True))
    return "\n".join(filter(None, pieces))


#: What may stand right before a glued list mark: the end of a clause, a heading's colon, a bracket or a space.
_BEFORE_MARK = "；;。.：:！!？?，,、】])） \t"


def _lists_items(line: str, cuts: list[int]) -> bool:
    """Every mark stands at the start of the line or behind the end of a clause, so that none is part of a sentence."""
    return all(cut == 0 or line[cut - 1] in _BEFORE_MARK for cut in cuts)


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
