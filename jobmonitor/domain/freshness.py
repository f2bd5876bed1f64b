"""Whether the stored detail of a posting may be trusted, so that its detail need not be asked for again."""

from __future__ import annotations

import datetime as dt
import zlib

from jobmonitor.domain.versioning import KnownPosting

#: Details expire between this share of the greatest age and all of it, so that they do not all expire on one day.
SPREAD_FROM = 0.6


def detail_is_fresh(known: KnownPosting | None, row_hash: str, *, now: dt.datetime, max_age: dt.timedelta) -> bool:
    """The list row says what it said when the detail was read, and that was not too long ago.

    Args:
        known: what is known of the posting, None for a posting never seen.
        row_hash: hash of the list row of now, refetch hints included.
        now: the run's logical time.
        max_age: DETAIL_MAX_AGE; each posting has its own age between a share of it and all of it.
    """
    if known is None or known.row_hash is None or known.detail_observed_at is None:
        return False
    return known.row_hash == row_hash and now - known.detail_observed_at < max_age * _share(known.posting_id)


def _share(posting_id: int) -> float:
    """The posting's own share of the greatest age, the same on every day."""
    place = zlib.crc32(posting_id.to_bytes(8, "big")) / 2**32
    return SPREAD_FROM + (1 - SPREAD_FROM) * place
