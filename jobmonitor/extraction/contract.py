"""Contracts: the numbered JSON Schemas of a profile. docs/profile.md explains them field by field."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

from jobmonitor.errors import NotFound

#: An answer can be wrong in ten thousand places; a person or a repair prompt reads the first few.
MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One contract: its schema, ready to judge profiles."""

    #: 1, 2, …: a new number only for a breaking change.
    number: int
    schema: Mapping[str, Any]
    #: The schema as shipped, for people and prompts.
    text: str
    _validator: Draft202012Validator
    _empty: Mapping[str, Any]

    def validate(self, profile: object) -> list[str]:
        """Problems of a profile as `pointer: message`, the first few; an empty list means valid."""
        problems = []
        for error in self._validator.iter_errors(profile):
            pointer = "".join(f"/{part}" for part in error.absolute_path)
            problems.append(f"{pointer or '/'}: {error.message[:200]}")
            if len(problems) == MAX_PROBLEMS:
                break
        return problems

    def empty_profile(self) -> dict[str, Any]:
        """A new profile in which the text says nothing: every field null or an empty list."""
        return copy.deepcopy(dict(self._empty))

    def is_empty(self, profile: Mapping[str, Any]) -> bool:
        """True if no field says anything."""
        return dict(profile) == self._empty

    def vocabulary(self, *path: str) -> tuple[str, ...]:
        """The words a field allows, null left out: `vocabulary("skills", "items", "group")`."""
        node: Any = self.schema
        for part in path:
            node = node[part] if part == "items" else node["properties"][part]
        if "$ref" in node:
            node = self.schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
        return tuple(word for word in node["enum"] if word is not None)


@cache
def load_contract(number: int) -> Contract:
    """The contract with this number, read once.

    Raises:
        NotFound: there is no such contract.
    """
    resource = files(__package__).joinpath("contracts", f"{number}.json")
    if not resource.is_file():
        raise NotFound(f"There is no contract {number}")
    text = resource.read_text(encoding="utf-8")
    schema = json.loads(text)
    return Contract(
        number=number,
        schema=schema,
        text=text,
        _validator=Draft202012Validator(schema),
        _empty={name: _nothing(node) for name, node in schema["properties"].items()},
    )


def _nothing(node: Mapping[str, Any]) -> Any:
    """The value of a field about which the text says nothing."""
    match node.get("type"):
        case "array":
            return []
        case "object":
            return {name: _nothing(child) for name, child in node["properties"].items()}
        case _:
            return None
