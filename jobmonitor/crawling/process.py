"""What a run asks of the process that it lives in."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from twisted.internet.defer import Deferred


def before_shutdown(opening: asyncio.Task[None]) -> None:
    """A signal while a run is being opened (it may wait for a host) stops the reactor: close the run's entry first."""
    from twisted.internet import reactor as installed  # not before Scrapy has installed it

    reactor: Any = installed

    def cancel() -> Deferred[Any] | None:
        if opening.done():
            return None
        opening.cancel()
        return Deferred.fromFuture(asyncio.ensure_future(asyncio.wait([opening])))

    reactor.addSystemEventTrigger("before", "shutdown", cancel)


def spare_the_collector() -> None:
    """Keep the cycle collector away from what lives as long as the process, and let it run less often.

    Tens of thousands of known postings are walked through at each full collection and are never garbage: with
    Python's thresholds that took a third of an unchanged day (docs/benchmarks.md).
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
