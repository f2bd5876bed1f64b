"""When a source is crawled next: by its period while all goes well, soon after a failure, later after several. Pure."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from jobmonitor.errors import InvalidInput

#: How a crawl ended: `handed_over` to another machine, whose end is not known here.
Outcome: TypeAlias = Literal["finished", "interrupted", "deferred", "failed", "handed_over"]

DAY = dt.timedelta(days=1)
#: Wait after the first failure; each further one doubles it, up to a day.
FIRST_RETRY = dt.timedelta(minutes=15)
#: Wait for a host that was busy.
BUSY_RETRY = dt.timedelta(minutes=10)
#: Part of a period by which the next crawl may come earlier or later, so that not all sources are due at once.
SPREAD = 0.05
#: Failures in a row that are an alarm, and periods by which a source may be overdue.
ALARMING_FAILURES = 3
ALARMING_PERIODS = 2

_PERIOD = re.compile(r"(\d+(?:\.\d+)?)\s*([mhd])", re.IGNORECASE)
_UNITS = {"m": 60, "h": 3600, "d": 86400}
SHORTEST, LONGEST = dt.timedelta(minutes=10), dt.timedelta(days=90)


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A source that is to be crawled."""

    source: str
    #: Since when; None = it was never crawled on duty.
    since: dt.datetime | None
    #: Hosts that its newest run asked.
    hosts: tuple[str, ...] = ()


def next_due(
    outcome: Outcome, *, period: dt.timedelta, failures: int, now: dt.datetime, spread: float = 0.0
) -> tuple[dt.datetime, int]:
    """When a source is due again, and how many crawls in a row have failed now.

    Args:
        outcome: how the crawl ended.
        period: time between two crawls.
        failures: failed crawls in a row before this one.
        now: the time.
        spread: -1 to 1, from a random source.
    """
    match outcome:
        case "finished" | "handed_over":
            return now + period * (1 + SPREAD * spread), 0 if outcome == "finished" else failures
        case "deferred":
            return now + BUSY_RETRY, failures
        case "interrupted" | "failed":
            wait = min(FIRST_RETRY * 2 ** min(failures, 20), DAY)
            return now + min(wait, period if outcome == "interrupted" else DAY), failures + 1


def rounds(due: Iterable[Due]) -> list[list[str]]:
    """Sources that may be crawled side by side, as queues: those that share a host stand in one, the oldest first."""
    queues: list[tuple[set[str], list[str]]] = []
    for each in sorted(due, key=lambda one: (one.since is not None, str(one.since), one.source)):
        hosts = set(each.hosts) or {each.source.partition(":")[0]}
        shared = [queue for queue in queues if queue[0] & hosts]
        queues = [queue for queue in queues if queue not in shared]
        merged = (hosts.union(*(queue[0] for queue in shared)), [name for queue in shared for name in queue[1]])
        queues.append((merged[0], [*merged[1], each.source]))
    return [names for _, names in queues]


def parse_period(text: str) -> dt.timedelta:
    """A period such as 30m, 12h or 1d.

    Raises:
        InvalidInput: it is none, or shorter than ten minutes or longer than ninety days.
    """
    found = _PERIOD.fullmatch(text.strip())
    period = dt.timedelta(seconds=float(found[1]) * _UNITS[found[2].lower()]) if found else dt.timedelta(0)
    if not SHORTEST <= period <= LONGEST:
        raise InvalidInput(f"{text!r} is no period: write 30m, 12h or 1d, from 10m to 90d")
    return period


def alarms(sources: Sequence[Mapping[str, object]], now: dt.datetime) -> list[str]:
    """What a person should look at, one line each.

    Args:
        sources: rows with source, period (seconds), due_at, failures, running_since (of a run that goes on).
        now: the time.
    """
    found = []
    for row in sources:
        source, failures = row["source"], row["failures"]
        period = dt.timedelta(seconds=float(str(row["period"])))
        running, due = row["running_since"], row["due_at"]
        if isinstance(failures, int) and failures >= ALARMING_FAILURES:
            found.append(f"{source} has failed {failures} times in a row")
        if isinstance(running, dt.datetime) and now - running > period:
            found.append(f"{source} has been crawled for longer than its period")
        elif isinstance(due, dt.datetime) and now - due > ALARMING_PERIODS * period:
            found.append(f"{source} is overdue since {due:%Y-%m-%d %H:%M}")
    return found
