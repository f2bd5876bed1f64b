"""The run's logical time."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from jobmonitor.crawling.clock import observed_at
from jobmonitor.errors import ConfigurationError

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("2026-12-01T06:00:00+08:00", "2026-11-30T22:00:00+00:00"),
        ("2026-12-01T06:00:00Z", "2026-12-01T06:00:00+00:00"),
        ("2026-12-01T06:00:00", "2026-11-30T22:00:00+00:00"),
        ("2026-12-01", "2026-11-30T16:00:00+00:00"),
    ],
)
def test_a_time_without_offset_is_read_in_the_configured_zone(setting: str, expected: str) -> None:
    assert observed_at(setting, SHANGHAI) == dt.datetime.fromisoformat(expected)


def test_without_a_setting_it_is_the_clock() -> None:
    assert observed_at(None, SHANGHAI).tzinfo is not None


def test_nonsense_says_how_to_write_it() -> None:
    with pytest.raises(ConfigurationError, match="ISO 8601"):
        observed_at("yesterday", SHANGHAI)


@pytest.mark.parametrize("setting", ["9999-12-31T23:59:59-23:00", "0001-01-01", "20226-12-01", "2226-12-01"])
def test_a_year_that_would_shut_the_source_is_refused(setting: str) -> None:
    with pytest.raises(ConfigurationError, match="OBSERVED_AT"):
        observed_at(setting, SHANGHAI)
