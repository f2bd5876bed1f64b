"""The form in which a model answers: the contract's schema and the evidence beside it, with an end to every part.

A schema without bounds lets a weak model list skills until its tokens run out: an answer that is paid for and cut off.
The bounds hold where a server enforces the schema, and say how much is meant where it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jobmonitor.extraction.contract import Contract

#: Most items of a list; a posting that names more is a catalogue.
MOST_ITEMS: Mapping[str, int] = {"skills": 40, "graduation_years": 6, "languages": 8, "majors": 15, "locations": 20}
OTHER_ITEMS = 15
#: Longest word or name, and longest quote, in characters.
LONGEST_WORD, LONGEST_QUOTE = 80, 160


def answer_schema(contract: Contract) -> dict[str, Any]:
    """The schema of an answer: the contract's without its descriptions, bounded, and a quote by JSON pointer."""
    profile = _bounded(dict(contract.schema), "")
    definitions = profile.pop("$defs", {})
    quote = {"type": "string", "maxLength": LONGEST_QUOTE}
    pointers = dict.fromkeys(_pointers(profile, ""), quote)
    evidence = {"type": "object", "additionalProperties": False, "properties": pointers}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["profile", "evidence"],
        "properties": {"profile": profile, "evidence": evidence},
        "$defs": definitions,
    }


def _bounded(node: Any, name: str) -> Any:
    """A schema without what only people read, with a bound on each list and each free string."""
    if isinstance(node, list):
        return [_bounded(each, name) for each in node]
    if not isinstance(node, dict):
        return node
    bare = {key: _inner(key, value, name) for key, value in node.items() if key not in _FOR_PEOPLE}
    if bare.get("type") == "array":
        bare["maxItems"] = MOST_ITEMS.get(name, OTHER_ITEMS)
    if bare.get("type") == "string" and "pattern" not in bare:
        bare["maxLength"] = LONGEST_WORD
    return bare


def _inner(key: str, value: Any, name: str) -> Any:
    if key in {"properties", "$defs"}:
        return {child: _bounded(schema, child) for child, schema in value.items()}
    return _bounded(value, name)


def _pointers(schema: Mapping[str, Any], above: str) -> Iterator[str]:
    """JSON pointers of everything that a quote can prove: each plain value, each item of a list, pay as a whole."""
    for name, child in schema.get("properties", {}).items():
        pointer = f"{above}/{name}"
        if "properties" in child:
            yield from _pointers(child, pointer)
        elif "maxItems" in child:
            yield from (f"{pointer}/{number}" for number in range(child["maxItems"]))
        else:
            yield pointer
            for form in child.get("anyOf", ()):
                yield from _pointers(form, pointer)


_FOR_PEOPLE = frozenset({"description", "title", "$schema"})
