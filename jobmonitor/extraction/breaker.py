"""When to ask a provider again: a pure count of its faults in a row. See docs/extraction.md."""

from __future__ import annotations

from jobmonitor.extraction.faults import ProviderFault

#: Seconds to wait after the first, second, … fault in a row; one more and the batch gives up.
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
#: A host that refuses connections is not busy: one look again, then the message.
PAUSES_UNREACHABLE = (1.0,)
#: A longer wait than this is left to the next batch.
LONGEST_WAIT = 120.0


class Breaker:
    """Opens on a provider's fault, lets one call probe after a pause, closes on an answer.

    Args:
        pauses: seconds after the first, second, … fault in a row.
    """

    def __init__(self, pauses: tuple[float, ...] = PAUSES) -> None:
        self._pauses = pauses
        self._faults = 0
        self._last = float("-inf")
        self._until = float("-inf")
        #: Why no more calls should be made; None = go on.
        self.given_up: ProviderFault | None = None

    def answered(self) -> None:
        """The provider answered, whatever it said."""
        self._faults = 0

    def failed(self, fault: ProviderFault, *, sent: float, now: float) -> None:
        """The provider did not answer a call.

        Args:
            sent: when the call was sent; calls of one outage that were under way together count once.
            now: same clock.
        """
        if sent >= self._last:
            self._faults += 1
            self._last = now
        pauses = PAUSES_UNREACHABLE[: len(self._pauses)] if fault.kind == "unreachable" else self._pauses
        wait = max(fault.retry_after or 0.0, pauses[min(self._faults, len(pauses)) - 1] if pauses else 0.0)
        self._until = max(self._until, now + wait)
        if fault.permanent or self._faults > len(pauses) or wait > LONGEST_WAIT:
            self.given_up = self.given_up or fault

    def wait(self, now: float) -> float:
        """Seconds until the next call may be sent."""
        return max(0.0, self._until - now)

    def width(self, concurrency: int) -> int:
        """How many calls may be under way: one while it is not known that the provider is well."""
        return 1 if self._faults else concurrency
