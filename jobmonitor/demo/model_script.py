"""What the scripted model does with each request: by content, by order of arrival, or by seeded odds."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobmonitor.demo.model_behaviours import BEHAVIOURS
from jobmonitor.errors import InvalidInput


@dataclass(kw_only=True)
class Script:
    """Chooses a behaviour; the first rule that applies does. Safe to use from many threads.

    Raises:
        InvalidInput: a behaviour has an unknown name.
    """

    default: str = "good"
    #: By content hash: for the first request with it, the second …; the last repeats.
    contents: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: For the first request at all, the second …; after the last come the odds and the default.
    sequence: Sequence[str] = ()
    #: Shares of requests, together at most 1. What a content meets does not depend on the order of arrival.
    odds: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    #: How long `slow` and `late` take.
    slow: float = 1.0
    late: float = 60.0
    #: What `rate_limited` says in Retry-After, in seconds.
    retry_after: float = 1.0

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._arrived = 0
        self._seen: Counter[str] = Counter()
        named = {self.default, *self.sequence, *self.odds, *(name for row in self.contents.values() for name in row)}
        unknown = sorted(named - set(BEHAVIOURS))
        if unknown:
            raise InvalidInput(f"Unknown behaviour {unknown[0]!r}. Known: {', '.join(BEHAVIOURS)}")

    @classmethod
    def read(cls, path: Path) -> Script:
        """A script from a JSON file whose keys are the fields above.

        Raises:
            InvalidInput: it is none.
        """
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError, AttributeError) as error:
            raise InvalidInput(f"{path} is not a script for the model server: {error}") from error

    def choose(self, content_hash: str) -> str:
        """The behaviour for the request that has just arrived."""
        with self._lock:
            place, turn = self._arrived, self._seen[content_hash]
            self._arrived += 1
            self._seen[content_hash] += 1
        own = self.contents.get(content_hash)
        if own:
            return own[min(turn, len(own) - 1)]
        if place < len(self.sequence):
            return self.sequence[place]
        return self._drawn(content_hash, turn)

    def seconds(self, behaviour: str) -> float:
        """How long the behaviour waits before it answers."""
        return {"slow": self.slow, "late": self.late}.get(behaviour, 0.0)

    def _drawn(self, content_hash: str, turn: int) -> str:
        draw = random.Random(f"{self.seed}/{content_hash}/{turn}").random()
        for behaviour, share in self.odds.items():
            draw -= share
            if draw < 0:
                return behaviour
        return self.default
