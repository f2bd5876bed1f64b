"""What differs between two profiles of one posting: degree bachelor → master, a skill more. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def profile_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The fields of the profile that differ, each with what it was and what it is; lists count without their order."""
    names = dict.fromkeys((*old, *new))
    return {
        name: {"from": old.get(name), "to": new.get(name)}
        for name in names
        if _unordered(old.get(name)) != _unordered(new.get(name))
    }


def _unordered(value: Any) -> Any:
    return sorted(map(repr, value)) if isinstance(value, list) else value
