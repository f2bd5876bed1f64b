"""The text of a simulated posting as structure: what is said, apart from how a site happens to print it."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

import orjson

BlockKind: TypeAlias = Literal["heading", "paragraph", "bullets", "numbers"]
#: Which part of the page a block belongs to; a Tencent page keeps duties and requirements apart.
Part: TypeAlias = Literal["intro", "duties", "requirements", "closing"]
Language: TypeAlias = Literal["zh", "en", "de"]

#: A line that starts with it is an item of a nested list below the item before.
NESTED = "\t"


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph or a list; its lines carry no marks of their own."""

    part: Part
    kind: BlockKind
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """What a posting says. Two texts are the same content exactly when they are equal."""

    title: str
    blocks: tuple[Block, ...]
    #: Hex digest of title and blocks: the logical content id.
    content_id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        said = [self.title, [[block.part, block.kind, block.lines] for block in self.blocks]]
        object.__setattr__(self, "content_id", digest(said))

    def with_title(self, title: str) -> Text:
        """The same blocks under another title."""
        return Text(title, self.blocks)

    def map_lines(self, change: Callable[[Block, str], str]) -> Text:
        """Every line of every block changed by `change`; the title stays."""
        return Text(
            self.title,
            tuple(replace(block, lines=tuple(change(block, line) for line in block.lines)) for block in self.blocks),
        )

    def part(self, *parts: Part) -> tuple[Block, ...]:
        """The blocks of these parts, in order."""
        return tuple(block for block in self.blocks if block.part in parts)


def digest(value: object) -> str:
    """Sixteen hex digits that name a JSON-like value."""
    return hashlib.blake2b(orjson.dumps(value), digest_size=8).hexdigest()


@cache
def bank(language: Language) -> dict[str, Any]:
    """The phrase bank of a language."""
    source = resources.files("jobmonitor.demo") / "texts" / f"{language}.toml"
    return tomllib.loads(source.read_text(encoding="utf-8"))
