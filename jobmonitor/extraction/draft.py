"""A profile in the making: values with their quotes, from which the rules' answer is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.reading import Page


@dataclass(frozen=True, slots=True)
class Answer:
    """A profile under contract 1 and the quote for each of its values, by JSON pointer."""

    profile: dict[str, Any]
    evidence: dict[str, str]


class Draft:
    """Collects what the field readers find. The first value of a field stays."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.profile = load_contract(1).empty_profile()
        self.evidence: dict[str, str] = {}

    def set(self, pointer: str, value: Any, start: int, end: int) -> None:
        """State a single value with the span of the document that says so."""
        *parents, last = pointer.strip("/").split("/")
        node = self.profile
        for part in parents:
            node = node[part]
        if node[last] is None:
            node[last] = value
            self.evidence[pointer] = self.page.quote(start, end)

    def add(self, pointer: str, value: Any, start: int, end: int) -> None:
        """Add a value to a list unless it is there already."""
        node: Any = self.profile
        for part in pointer.strip("/").split("/"):
            node = node[part]
        if value not in node:
            self.evidence[f"{pointer}/{len(node)}"] = self.page.quote(start, end)
            node.append(value)

    def says(self, pointer: str) -> bool:
        """True once a single value is stated."""
        return pointer in self.evidence
