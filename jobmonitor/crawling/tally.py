"""The closing ledger of a run: seen = new + changed + unchanged + rejected, to the last one."""

from __future__ import annotations

from collections import Counter
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
    """Counts each distinct id once, by what became of it; later sightings of the same id are duplicates."""

    def __init__(self) -> None:
        self._counted: set[tuple[str, str]] = set()
        self._sides: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._duplicates = 0

    def posting(self, key: tuple[str, str], change: ChangeKind) -> None:
        """A posting, by (channel, native id), and its change kind."""
        if self._once(key):
            self._sides[_SIDE[change]] += 1
            self._kinds[change] += 1

    def reject(self, key: tuple[str, str], reason: str) -> None:
        """An item that could not become a posting."""
        if self._once(key):
            self._sides["rejected"] += 1
            self._reasons[reason] += 1

    def duplicates(self, number: int) -> None:
        """Twins that a spider left out before they became items."""
        self._duplicates += number

    @property
    def seen(self) -> int:
        """Distinct ids."""
        return len(self._counted)

    def ledger(self) -> dict[str, Any]:
        """The closing ledger, ready for JSON."""
        sides = {side: self._sides[side] for side in ("new", "changed", "unchanged", "rejected")}
        return {
            "seen": self.seen,
            **sides,
            "kinds": dict(self._kinds),
            "rejects": dict(self._reasons),
            "duplicates": self._duplicates,
        }

    def _once(self, key: tuple[str, str]) -> bool:
        if key in self._counted:
            self._duplicates += 1
            return False
        self._counted.add(key)
        return True
