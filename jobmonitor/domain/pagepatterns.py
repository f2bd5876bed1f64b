"""The patterns of pagestate.toml, compiled on first use."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

#: What is compared with literals of the source, not with expressions.
_LITERAL = frozenset({"markup", "sensor", "library", "data"})
_NAME = re.compile(r"<([a-z]+_[a-z]+)>")
#: Expressions may name others; no chain is longer.
_MOST_NAMES = 6


class Pattern(NamedTuple):
    """One entry of the file."""

    name: str
    state: str
    where: str
    source: str
    expression: re.Pattern[str] | None = None
    literals: tuple[str, ...] = ()

    def whole(self, text: str) -> bool:
        """Whether the text is one of the pattern's, from end to end."""
        return self.expression is not None and self.expression.fullmatch(text) is not None

    def part(self, text: str) -> str | None:
        """What of the text is one of the pattern's."""
        found = self.expression.search(text) if self.expression else None
        return found[0] if found else None

    def literal(self, source: str) -> str | None:
        """The first of the pattern's literals that the source holds."""
        return next((each for each in self.literals if each in source), None)


@cache
def patterns() -> tuple[Pattern, ...]:
    """All patterns, in the order of the file."""
    data = tomllib.loads((files("jobmonitor.domain") / "pagestate.toml").read_text("utf-8"))
    return tuple(_pattern(entry, data["words"]) for entry in data["pattern"])


@cache
def compared_with(where: str, state: str | None = None) -> tuple[Pattern, ...]:
    """The patterns of one place, of one state or all."""
    return tuple(each for each in patterns() if each.where == where and state in {None, each.state})


def _pattern(entry: Mapping[str, Any], words: Mapping[str, str]) -> Pattern:
    said = Pattern(entry["name"], entry["state"], entry["where"], entry["source"])
    if said.where in _LITERAL:
        return said._replace(literals=tuple(entry["match"]))
    return said._replace(expression=re.compile("|".join(f"(?:{_spell_out(each, words)})" for each in entry["match"])))


def _spell_out(expression: str, words: Mapping[str, str]) -> str:
    """An expression with the names in it replaced by what they stand for."""
    for _ in range(_MOST_NAMES):
        expression, count = _NAME.subn(lambda name: words[name[1]], expression)
        if not count:
            break
    return expression
