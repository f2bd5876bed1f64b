"""Which words differ between two texts: whole words of Latin script, single characters of Chinese.

For people who read a change; nothing is hashed or decided by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple, TypeAlias

Operation: TypeAlias = Literal["equal", "delete", "insert"]

# A Latin word or number with what belongs to it ("C++", "node.js", "2.5"), a run of blanks, or one other character.
_TOKEN = re.compile(r"[0-9A-Za-zÀ-ɏ]+(?:[.'’-][0-9A-Za-zÀ-ɏ]+)*[+#]*|[^\S\n]+|\n|.")
# One lone character left standing between two changes reads worse than one longer change.
_ISLAND = re.compile(r"[^\S\n]+|[\u3400-\u9fff]")


class Piece(NamedTuple):
    """A stretch of text: kept, taken away, or added."""

    operation: Operation
    text: str


class FactChange(NamedTuple):
    """A stated fact that differs; None = not stated."""

    fact: str
    old: Any
    new: Any


def compare(old: str, new: str) -> list[Piece]:
    """The pieces that lead from `old` to `new`.

    Equal and deleted pieces joined give `old`; equal and inserted ones give `new`. Whole lines are matched first,
    so that a moved word never pairs with one of another paragraph.
    """
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    pieces: list[Piece] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        left, right = "".join(before[i1:i2]), "".join(after[j1:j2])
        if tag == "equal":
            pieces.append(Piece("equal", left))
        else:
            pieces.extend(_compare_words(left, right))
    return list(_joined(pieces))


def _compare_words(old: str, new: str) -> Iterator[Piece]:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    blocks = _without_islands(SequenceMatcher(None, before, after, autojunk=False).get_opcodes(), before)
    for equal, i1, i2, j1, j2 in blocks:
        left, right = "".join(before[i1:i2]), "".join(after[j1:j2])
        if equal:
            yield Piece("equal", left)
        else:
            yield Piece("delete", left)
            yield Piece("insert", right)


_Block: TypeAlias = tuple[bool, int, int, int, int]


def _without_islands(codes: Sequence[tuple[str, int, int, int, int]], before: Sequence[str]) -> list[_Block]:
    """Opcodes as (equal, spans); changes around a lone equal token become one change."""
    blocks: list[_Block] = []
    for place, (tag, i1, i2, j1, j2) in enumerate(codes):
        inside = 0 < place < len(codes) - 1
        island = inside and tag == "equal" and i2 - i1 == 1 and _ISLAND.fullmatch(before[i1]) is not None
        equal = tag == "equal" and not island
        if not equal and blocks and not blocks[-1][0]:
            _, start, _, other, _ = blocks.pop()
            blocks.append((False, start, i2, other, j2))
        else:
            blocks.append((equal, i1, i2, j1, j2))
    return blocks


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The same pieces, empty ones left out and neighbours of one kind joined."""
    held: Piece | None = None
    for piece in pieces:
        if not piece.text:
            continue
        if held is not None and held.operation == piece.operation:
            held = Piece(held.operation, held.text + piece.text)
        else:
            if held is not None:
                yield held
            held = piece
    if held is not None:
        yield held


def compare_facts(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FactChange]:
    """The stated facts that differ, by name."""
    names = sorted({*old, *new})
    return [FactChange(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]


class Line(NamedTuple):
    """One line of a comparison: its mark (" ", "-", "+") and its pieces, the changed ones among them marked so."""

    mark: str
    pieces: tuple[Piece, ...]


def changed_lines(pieces: Sequence[Piece], context: int = 2) -> Iterator[Line | None]:
    """The comparison as lines, old ones before new ones; None stands for lines left out.

    `context` is how many unchanged lines are kept beside a change.
    """
    lines = list(_lines(pieces))
    near = {
        other
        for place, line in enumerate(lines)
        if line.mark != " "
        for other in range(place - context, place + context + 1)
    }
    skipped = False
    for place, line in enumerate(lines):
        if place in near:
            if skipped:
                yield None
            skipped = False
            yield line
        else:
            skipped = True


def _lines(pieces: Sequence[Piece]) -> Iterator[Line]:
    """Lines without their ends; a block of changed lines shows all its old lines, then all its new ones."""
    old: list[list[Piece]] = [[]]
    new: list[list[Piece]] = [[]]
    for piece in pieces:
        for place, part in enumerate(piece.text.split("\n")):
            for side, mine in ((old, "delete"), (new, "insert")):
                if piece.operation not in ("equal", mine):
                    continue
                if place:
                    side.append([])
                if part:
                    side[-1].append(Piece(piece.operation, part))
            if piece.operation == "equal" and place:
                yield from _block(old, new)
                old, new = [old[-1]], [new[-1]]
    yield from _block([*old, []], [*new, []])


def _block(old: list[list[Piece]], new: list[list[Piece]]) -> Iterator[Line]:
    """The finished lines of both sides (the last of each is still open); lines that both end with stand once."""
    before, after = [tuple(line) for line in old[:-1]], [tuple(line) for line in new[:-1]]
    common = 0
    while common < min(len(before), len(after)) and before[-1 - common] == after[-1 - common]:
        common += 1
    yield from (Line("-", line) for line in before[: len(before) - common])
    yield from (Line("+", line) for line in after[: len(after) - common])
    yield from (Line(" ", line) for line in before[len(before) - common :])
