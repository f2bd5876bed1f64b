"""Steps that bring the text of a posting to one normal form, line by line; see docs/hashing.md.

Each step is a pure function from text to text, and applying a step twice changes nothing more. HTML passes through
the same steps after it has become rough Markdown, so that the same posting has one form however it was sent.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from jobmonitor.domain.canonical import clean_text
from jobmonitor.domain.marks import normalise_bullets, normalise_numbering, split_glued_bullets, split_glued_numbers
from jobmonitor.domain.noise import (
    drop_counters,
    drop_mixed,
    drop_relative_dates,
    drop_rulers,
    drop_tracking,
    drop_update_lines,
)


class Step(NamedTuple):
    """One named cleaning step; a mutation test switches them off one by one."""

    name: str
    apply: Callable[[str], str]


_REFERENCE = re.compile(r"&(?:amp;)*(#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|[a-zA-Z][a-zA-Z0-9]{1,9};)")
_BREAKS = "\r\x0b\x0c\x85\u2028\u2029"
_LINE_BREAKS = re.compile(f"\r\n?|[{_BREAKS}]")
_SPACES = ("\t", "\xa0", "\u1680", *map(chr, range(0x2000, 0x200B)), "\u202f", "\u205f", "\u3000")
# It begins with two literal spaces, which makes the search fast.
_INNER_SPACES = re.compile(r"  (?<=\S  ) *")
#: Spaces and characters of no width at the edges of a line, where they would hide a list mark.
_EDGE = " \u200b\u200c\u200d\u200e\u200f\u2060\ufeff\xad"


def undo_references(text: str) -> str:
    """`&amp;nbsp;` and `&#xa;` that survived in a text become the characters they mean."""
    for _ in range(3):
        if "&" not in text or (undone := _REFERENCE.sub(_undo_reference, text)) == text:
            break
        text = undone
    return text


def _undo_reference(match: re.Match[str]) -> str:
    return html.unescape(f"&{match[1]}")


def normalise_spaces(text: str) -> str:
    """One kind of line break and of space; nothing invisible at the edges of a line. Indentation stays."""
    if any(mark in text for mark in _BREAKS):
        text = _LINE_BREAKS.sub("\n", text)
    text = clean_text(text)
    for space in _SPACES if not text.isascii() else "\t":
        text = text.replace(space, " ")
    if "  " in text:
        text = _INNER_SPACES.sub(" ", text)
    return "\n".join(_trim(line) for line in text.split("\n"))


def _trim(line: str) -> str:
    """A line without anything invisible at its edges but its indentation."""
    line = line.rstrip(_EDGE)
    if not line or line[0] not in _EDGE:
        return line
    bare = line.lstrip(_EDGE)
    return " " * line[: len(line) - len(bare)].count(" ") + bare


_BOLD = re.compile(r"(?:(?<=^)|(?<=[^\w*\\]))\*\*(?=[^\s*])([^*\n]{0,400}?[^\s*])\*\*(?=[^\w*]|$)", re.MULTILINE)


def drop_emphasis(text: str) -> str:
    """`**岗位职责**` in a text that was written as Markdown; 2**10 and __init__ stay."""
    return _BOLD.sub(r"\1", text) if "**" in text else text


_LIST_LINE = re.compile(r"( *)(?:- |\d{1,2}\. )")


class _Levels:
    """Levels of nested list items, from their indentation relative to each other."""

    def __init__(self) -> None:
        self._open: list[int] = []

    def of(self, indent: int) -> int:
        while self._open and self._open[-1] > indent:
            self._open.pop()
        if not self._open or self._open[-1] < indent:
            self._open.append(indent)
        return min(len(self._open), 6) - 1

    def close(self) -> None:
        self._open.clear()


def arrange_blocks(text: str) -> str:
    """Tight lists with two spaces a level, one blank line at most elsewhere, blank lines around headings."""
    lines: list[str] = []
    levels = _Levels()
    blank = False
    was_item = False
    for line in text.split("\n"):
        bare = line.strip()
        if not bare:
            blank = True
            continue
        item = _LIST_LINE.match(line)
        heading = bare.startswith("#") and bare.lstrip("#").startswith(" ")
        if item:
            bare = "  " * levels.of(len(item[1])) + bare
        else:
            levels.close()
        if lines and ((blank and not (item and was_item)) or heading or lines[-1].startswith("#")) and lines[-1]:
            lines.append("")
        lines.append(bare)
        blank, was_item = False, bool(item)
    return "\n".join(lines)


#: The steps that every text goes through, in this order.
TEXT_STEPS: tuple[Step, ...] = (
    Step("character references", undo_references),
    Step("spaces", normalise_spaces),
    Step("emphasis", drop_emphasis),
    Step("rulers", drop_rulers),
    Step("glued bullets", split_glued_bullets),
    Step("glued numbers", split_glued_numbers),
    Step("bullets", normalise_bullets),
    Step("numbering", normalise_numbering),
    Step("counters", drop_counters),
    Step("relative dates", drop_relative_dates),
    Step("update lines", drop_update_lines),
    Step("tracking", drop_tracking),
    Step("mixed noise", drop_mixed),
    Step("blocks", arrange_blocks),
)


def apply_steps(text: str, steps: Iterable[Step]) -> str:
    """The text after all the steps."""
    for step in steps:
        text = step.apply(text)
    return text


def plain_to_markdown(text: str) -> str:
    """Plain text as the normal form of Markdown, without a final line break."""
    return apply_steps(text, TEXT_STEPS)
