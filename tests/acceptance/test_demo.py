"""The demonstration end to end: real crawls against the simulated sites, counts equal to the truth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobmonitor.demo.account import Account
from jobmonitor.demo.market import Market
from jobmonitor.demo.runner import MARKER, run_demo
from jobmonitor.errors import ConfigurationError
from jobmonitor.storage.demo_counts import DayCounts, TotalCounts
from jobmonitor.storage.embedded import EmbeddedServer


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder for a demo; its database is removed afterwards."""
    yield tmp_path / "demo"
    EmbeddedServer(tmp_path / "demo").remove()


def test_three_days_equal_the_truth(home: Path) -> None:
    account = run_demo(3, 3, home, scale=0.3)
    data = account.as_json()
    assert account.problems == []
    assert [day["day"] for day in data["days"]] == [1, 2, 3]
    totals = data["totals"]
    assert (totals["false_changes"], totals["missed_changes"]) == (0, 0)
    assert totals["true_changes"] > 0
    assert totals["model_calls"] == totals["distinct_contents"] == account.true_contents < totals["naive_calls"]
    assert [each["name"] for each in data["rivals"]] == ["each_new_posting", "raw_row_hash", "every_posting_every_day"]
    assert sum(day["noise"] for day in data["days"]) > totals["true_changes"]
    assert not EmbeddedServer(home).status().running


def test_a_foreign_folder_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigurationError, match="--home"):
        run_demo(1, 1, tmp_path)
    assert (tmp_path / "thesis.txt").exists()
    assert not (tmp_path / MARKER).exists()


def found_of(market: Market) -> dict[tuple[str, str], str]:
    """What a perfect product would have versioned on the market's day."""
    return {key: row.kind for key, row in market.truth.items() if row.kind != "unchanged"}


def test_the_account_notices_each_kind_of_mistake() -> None:
    account, market = Account(), Market(7, scale=0.5)
    totals = TotalCounts(contents=market.distinct_contents, profiles=market.distinct_contents, failed=0, model_calls=0)
    first = DayCounts(seen=len(market.truth), rejected=0, unfinished={}, versions=found_of(market))
    account.add(market, first, totals, calls=market.distinct_contents)
    assert account.problems == []
    market.advance()
    versions = found_of(market)
    changed = [key for key, kind in versions.items() if kind == "content"]
    versions[changed[0]] = "facts"
    del versions[changed[1]]
    versions[next(key for key, row in market.truth.items() if row.kind == "unchanged")] = "content"
    second = DayCounts(seen=len(market.truth) - 1, rejected=2, unfinished={}, versions=versions)
    day = account.add(market, second, totals, calls=account.calls)
    assert (day.false_changes, day.missed_changes, day.wrong_kinds) == (1, 1, 1)
    assert len(account.problems) == 7
