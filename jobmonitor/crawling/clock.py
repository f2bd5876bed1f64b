"""The run's logical time: set by a person, by a replay folder, or the clock."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from jobmonitor.errors import ConfigurationError

#: Years that a crawl may be of. One far ahead would shut the source for ever.
YEARS = range(2000, 2200)


def observed_at(setting: str | None, zone: ZoneInfo) -> dt.datetime:
    """Parse the setting OBSERVED_AT; without one, now.

    Args:
        setting: ISO 8601 date or time; without an offset it is read in `zone`.
        zone: JOBMONITOR_TIMEZONE.

    Raises:
        ConfigurationError: it is no time, or no year of a crawl.
    """
    if not setting:
        return dt.datetime.now(tz=dt.UTC)
    try:
        moment = dt.datetime.fromisoformat(setting)
    except ValueError as error:
        raise ConfigurationError(
            f"OBSERVED_AT={setting!r} is not a time. Write ISO 8601, for example 2026-12-01T06:00:00+08:00"
        ) from error
    if moment.year not in YEARS:
        raise ConfigurationError(
            f"OBSERVED_AT={setting!r} is no year of a crawl. A source never goes back behind its newest run, so a "
            "wrong year could not be undone"
        )
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)
