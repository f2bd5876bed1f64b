"""How long a host is left alone: back-off that grows with every refusal, and a breaker with one probe at a time. Pure.

A busy answer (429, 503, a system's own word) blocks at once; ordinary failures block when several came in a row. Each
further refusal doubles the wait. After the wait one request goes: a good answer opens the host again.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Seconds that a host may make us wait at a time; a larger wish counts as this.
LONGEST = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How a host's refusals are answered."""

    #: Seconds of the first wait.
    start: float = 10.0
    #: Ordinary failures in a row that make a host count as down.
    failures: int = 5
    #: Seconds without a good answer after which the host is given up for this run.
    patience: float = 1800.0


@dataclass(slots=True, kw_only=True)
class HostState:
    """What is known of one host. Times are seconds of a monotonic clock."""

    limits: Limits = Limits()
    #: Refusals in a row that made us wait.
    refusals: int = 0
    #: Failures in a row, of any kind.
    failures: int = 0
    #: Nothing is asked before this time.
    until: float = 0.0
    #: When the host first refused since its last good answer; None while it answers.
    since: float | None = None
    #: Whether the one request that may go after a wait is under way.
    probing: bool = False

    def may_ask(self, now: float) -> bool:
        """Whether a request may go now; after a wait only one may, until it is answered."""
        if self.since is None:
            return True
        if now < self.until or self.probing:
            return False
        self.probing = True
        return True

    def is_given_up(self, now: float) -> bool:
        """Whether the host has refused for longer than anybody waits."""
        return self.since is not None and now - self.since > self.limits.patience

    def answered(self) -> None:
        """A good answer: everything against the host is forgotten."""
        self.refusals = self.failures = 0
        self.until, self.since, self.probing = 0.0, None, False

    def busy(self, now: float, asked: float = 0.0, spread: float = 0.0) -> float:
        """The host said "not now", and for how long if it did; the seconds that it is left alone.

        Args:
            now: the time.
            asked: seconds that the host asked for (Retry-After); the back-off may be longer.
            spread: 0 to 1, from a random source, so that not all clients come back at once.
        """
        self.refusals += 1
        self.failures += 1
        self.since = now if self.since is None else self.since
        grown = self.limits.start * 2.0 ** min(self.refusals - 1, 20)
        wait = min(max(grown * (1 + spread / 4), asked), LONGEST)
        self.until, self.probing = now + wait, False
        return wait

    def failed(self, now: float, spread: float = 0.0) -> float:
        """No answer, or a server error; the seconds that the host is left alone, 0 while it may be an accident."""
        if self.since is None and self.failures + 1 < self.limits.failures:
            self.failures += 1
            return 0.0
        return self.busy(now, spread=spread)

    def unanswered(self) -> None:
        """The request that was to probe ended without telling anything about the host."""
        self.probing = False
