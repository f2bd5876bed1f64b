"""JSON pointers into a profile and its evidence: reading, clearing, and thinning out lists together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def get(profile: Mapping[str, Any], pointer: str) -> Any:
    """The value under a pointer such as `/education/minimum`; None where the way ends early."""
    node: Any = profile
    for part in pointer.strip("/").split("/"):
        if not isinstance(node, Mapping):
            return None
        node = node.get(part)
    return node


def clear(profile: dict[str, Any], evidence: dict[str, str], pointer: str) -> None:
    """Set the value under a pointer to None and take its quote away."""
    *parents, last = pointer.strip("/").split("/")
    node: Any = profile
    for part in parents:
        node = node[part]
    node[last] = None
    evidence.pop(pointer, None)


def keep_items(
    profile: dict[str, Any], evidence: dict[str, str], pointer: str, keep: Callable[[int, Any], bool]
) -> list[str]:
    """Thin out the list under a pointer; quotes move with their items.

    Returns:
        The pointers of the dropped items, numbered as before.
    """
    items = get(profile, pointer) or []
    kept = [index for index, item in enumerate(items) if keep(index, item)]
    if len(kept) == len(items):
        return []
    quotes = {new: _take(evidence, f"{pointer}/{old}") for new, old in enumerate(kept)}
    for index in range(len(items)):
        _take(evidence, f"{pointer}/{index}")
    evidence.update({f"{pointer}/{index}": quote for index, quote in quotes.items() if quote is not None})
    dropped = sorted(set(range(len(items))) - set(kept))
    items[:] = [items[index] for index in kept]
    return [f"{pointer}/{index}" for index in dropped]


def quote_for(evidence: Mapping[str, str], pointer: str) -> str | None:
    """The quote of a value, or of the nearest thing that holds it (`/salary` speaks for `/salary/min`)."""
    while pointer:
        if pointer in evidence:
            return evidence[pointer]
        pointer = pointer.rpartition("/")[0]
    return None


def _take(evidence: dict[str, str], pointer: str) -> str | None:
    """Take a quote out, with those of the item's own parts (`/skills/0/name`), which are not kept."""
    for part in [key for key in evidence if key.startswith(f"{pointer}/")]:
        del evidence[part]
    return evidence.pop(pointer, None)
