"""The closing ledger of a run: seen = new + changed + unchanged + rejected, to the last one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from jobmonitor.items import ChangeKind

#: Where each change kind falls in the ledger.
_SIDE: dict[ChangeKind, str] = {
    "new": "new",
    "reverted": "changed",
    "content": "changed",
    "salary": "changed",
    "facts": "changed",
    "source_only": "unchanged",
    "unchanged": "unchanged",
}


class Tally:
    """What became of each distinct id, by (channel, native id): the first word, but a posting outdoes a reject."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], ChangeKind] = {}
        self._rejects: dict[tuple[str, str], str] = {}
        self._earlier: Mapping[tuple[str, str], ChangeKind] = {}
        #: Items beyond the first of an id.
        self.duplicates = 0

    def remember(self, kinds: Mapping[tuple[str, str], ChangeKind]) -> None:
        """What the run wrote before it was cut off: a posting that is met again counts as it did then."""
        self._earlier = kinds

    def posting(self, key: tuple[str, str], change: ChangeKind) -> None:
        """A posting and its change kind."""
        self._rejects.pop(key, None)
        self._kinds.setdefault(key, self._earlier.get(key, change))

    def reject(self, key: tuple[str, str], reason: str) -> None:
        """An item that could not become a posting."""
        if key not in self._kinds:
            self._rejects.setdefault(key, reason)

    @property
    def keys(self) -> list[tuple[str, str]]:
        """Everything that was met, by (channel, native id)."""
        return [*self._kinds, *self._rejects]

    @property
    def seen(self) -> int:
        """Distinct ids."""
        return len(self._kinds) + len(self._rejects)

    def ledger(self) -> dict[str, Any]:
        """The closing ledger, ready for JSON."""
        kinds = Counter(self._kinds.values())
        sides = Counter[str]()
        for kind, number in kinds.items():
            sides[_SIDE[kind]] += number
        return {
            "seen": self.seen,
            **{side: sides[side] for side in ("new", "changed", "unchanged")},
            "rejected": len(self._rejects),
            "kinds": dict(kinds),
            "rejects": dict(Counter(self._rejects.values())),
            "duplicates": self.duplicates,
        }
