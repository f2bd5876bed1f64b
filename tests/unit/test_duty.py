"""When a source is crawled next, and what is an alarm."""

from __future__ import annotations

import configparser
import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.duty import DAY, FIRST_RETRY, Due, alarms, next_due, parse_period, rounds
from jobmonitor.errors import InvalidInput

NOW = dt.datetime(2026, 11, 1, 3, tzinfo=dt.UTC)
ROOT = Path(__file__).parents[2]


def test_a_failure_comes_again_soon_and_then_later_and_later() -> None:
    waits, failures = [], 0
    for _ in range(9):
        due, failures = next_due("failed", period=DAY, failures=failures, now=NOW)
        waits.append(due - NOW)
    assert waits[:3] == [FIRST_RETRY, 2 * FIRST_RETRY, 4 * FIRST_RETRY]
    assert waits[-1] == DAY
    assert next_due("finished", period=DAY, failures=failures, now=NOW) == (NOW + DAY, 0)


def test_what_was_interrupted_waits_no_longer_than_its_period() -> None:
    hour = dt.timedelta(hours=1)
    assert next_due("interrupted", period=hour, failures=8, now=NOW) == (NOW + hour, 9)
    assert next_due("deferred", period=DAY, failures=2, now=NOW) == (NOW + dt.timedelta(minutes=10), 2)
    assert next_due("handed_over", period=DAY, failures=2, now=NOW, spread=1) == (NOW + 1.05 * DAY, 2)


@given(
    st.lists(
        st.builds(
            Due,
            source=st.text("abc", min_size=1, max_size=3),
            since=st.none() | st.datetimes(),
            hosts=st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
        ),
        unique_by=lambda due: due.source,
        max_size=12,
    )
)
def test_every_source_is_served_once_and_no_host_twice_at_a_time(due: list[Due]) -> None:
    queues = rounds(due)
    assert sorted(name for queue in queues for name in queue) == sorted(each.source for each in due)
    hosts = {each.source: set(each.hosts) for each in due}
    asked = [set().union(*(hosts[name] for name in queue)) for queue in queues]
    assert all(one.isdisjoint(other) for place, one in enumerate(asked) for other in asked[place + 1 :])


def test_the_oldest_comes_first() -> None:
    hosts = ("example.com",)
    due = [Due(source=name, since=since, hosts=hosts) for name, since in (("b", NOW), ("a", NOW - DAY), ("c", None))]
    assert rounds(due) == [["c", "a", "b"]]


@pytest.mark.parametrize(("text", "seconds"), [("30m", 1800), ("12h", 43200), ("1d", 86400), ("1.5 h", 5400)])
def test_periods(text: str, seconds: int) -> None:
    assert parse_period(text).total_seconds() == seconds


@pytest.mark.parametrize("text", ["", "day", "5m", "100d", "-1h", "24"])
def test_what_is_no_period_says_how_one_looks(text: str) -> None:
    with pytest.raises(InvalidInput, match="12h"):
        parse_period(text)


def test_alarms() -> None:
    calm = {"source": "a", "period": 86400, "due_at": NOW - DAY, "failures": 2, "running_since": None}
    assert alarms([calm], NOW) == []
    assert "3 times" in alarms([calm | {"failures": 3}], NOW)[0]
    assert "overdue" in alarms([calm | {"due_at": NOW - 3 * DAY}], NOW)[0]
    assert "longer than its period" in alarms([calm | {"running_since": NOW - 2 * DAY}], NOW)[0]


def test_the_systemd_units_name_what_there_is() -> None:
    service, timer = configparser.ConfigParser(), configparser.ConfigParser()
    service.optionxform = timer.optionxform = str  # type: ignore[method-assign,assignment]
    service.read(ROOT / "docs" / "systemd" / "jobmonitor.service")
    timer.read(ROOT / "docs" / "systemd" / "jobmonitor.timer")
    command = service["Service"]["ExecStart"].split()
    assert command[0].startswith(service["Service"]["WorkingDirectory"])
    assert command[1:] == ["run-due"]
    assert timer["Timer"]["OnCalendar"] == "*:0/15"
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    assert "jobmonitor run-due >/dev/null" in page
