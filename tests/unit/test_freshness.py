"""When a detail is asked for again."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from itertools import pairwise

import pytest

from jobmonitor.domain.freshness import SPREAD_FROM, detail_is_fresh
from jobmonitor.domain.versioning import KnownPosting

READ = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
MAX_AGE = dt.timedelta(days=21)
KNOWN = KnownPosting(
    posting_id=7,
    state="active",
    title="Engineer",
    url=None,
    version=1,
    content_hash="c" * 64,
    facts_hash="f" * 64,
    identity_hash="i" * 64,
    row_hash="r" * 64,
    detail_observed_at=READ,
    scheme="canonical/1",
    cleaning=1,
    salary=None,
    listings=frozenset({""}),
)


def fresh(known: KnownPosting | None, row_hash: str = "r" * 64, *, days: float = 1) -> bool:
    return detail_is_fresh(known, row_hash, now=READ + dt.timedelta(days=days), max_age=MAX_AGE)


def test_an_unchanged_row_is_trusted_for_a_while() -> None:
    assert fresh(KNOWN)
    assert fresh(KNOWN, days=21 * SPREAD_FROM - 0.1)
    assert not fresh(KNOWN, days=21)


@pytest.mark.parametrize("known", [None, replace(KNOWN, row_hash=None), replace(KNOWN, detail_observed_at=None)])
def test_what_was_never_read_is_asked_for(known: KnownPosting | None) -> None:
    assert not fresh(known)


def test_a_moved_row_asks_again() -> None:
    assert not fresh(KNOWN, "x" * 64)


def test_details_do_not_all_expire_on_one_day() -> None:
    due = [
        sum(not fresh(replace(KNOWN, posting_id=number), days=day) for number in range(1000)) for day in range(12, 22)
    ]
    assert due[0] == 0
    assert due[-1] == 1000
    assert max(later - earlier for earlier, later in pairwise(due)) < 200
