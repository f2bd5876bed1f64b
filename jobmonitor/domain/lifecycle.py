"""When a posting counts as missed, suspected, gone or back: pure decisions over state, evidence and time.

Absence is not proof. Only a channel that proved to be complete can miss a posting, looks count only `CONFIRM_GAP`
apart, never fewer than two of them change anything, and a disappearance that the source's own past does not make
plausible changes nothing until it is released. The table of states is in docs/lifecycle.md.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["active", "suspected", "gone"]

#: Counted misses in every channel that ever showed a posting.
SUSPECTED_AFTER, GONE_AFTER = 2, 3
#: Counted closed signals: the site's own word, looked at twice.
SUSPECTED_BY_SIGNALS, GONE_BY_SIGNALS = 1, 2

#: Postings that may always disappear at once, and the share that may where the past knows no more.
ALWAYS_PLAUSIBLE = 5
USUAL_SHARE = 0.15
#: How much more than its past a source may lose at once, and the share that is never plausible.
TIMES_THE_PAST = 2.0
LARGEST_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What counts against a posting that is not gone."""

    state: State
    #: Counted misses, one number for each channel that ever showed it.
    misses: Collection[int]
    #: Counted closed signals.
    signals: int


def counts(last: dt.datetime | None, now: dt.datetime, gap: dt.timedelta) -> bool:
    """Whether a look counts: it is the first, or far enough from the last one that counted."""
    return last is None or now - last >= gap


def decide(standing: Standing) -> State:
    """The state that follows from what counts against a posting. Only being seen makes one active again."""
    missed = min(standing.misses, default=0)
    if standing.state == "gone" or missed >= GONE_AFTER or standing.signals >= GONE_BY_SIGNALS:
        return "gone"
    if missed >= SUSPECTED_AFTER or standing.signals >= SUSPECTED_BY_SIGNALS:
        return "suspected"
    return standing.state


def evidence_of(standing: Standing, signal: str | None) -> str:
    """Why a posting is suspected or gone, for a person: the site's word, else how often it was missed."""
    if standing.signals and signal is not None:
        return f"the site says {signal}"
    return f"missed by {min(standing.misses, default=0)} complete runs"


def implausible(
    vanished: int, known: int, *, past: Sequence[float] = (), shown: int | None = None, least: int = 0
) -> str | None:
    """Why a disappearance is held back, None if it looks like this source.

    Args:
        vanished: postings that were there the time before and are not now.
        known: postings that were open before.
        past: share that vanished in each earlier run; the largest is left out, it may have been an accident.
        shown: postings that the channel shows now.
        least: fewest postings that the adapter finds believable.
    """
    if not vanished:
        return None
    if shown is not None and shown < least <= known:
        return f"{shown:,} postings are left, fewer than the {least:,} that are plausible for this source"
    usual = sorted(past)[-2] * TIMES_THE_PAST if len(past) > 1 else 0.0
    allowed = max(ALWAYS_PLAUSIBLE, math.ceil(known * min(max(usual, USUAL_SHARE), LARGEST_SHARE)))
    if vanished <= allowed:
        return None
    return f"{vanished:,} of {known:,} vanished at once; by its past, up to {allowed:,} are plausible"
