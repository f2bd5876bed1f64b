"""Absence is not proof: what it takes for a posting to be suspected, and to be gone."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.lifecycle import ALWAYS_PLAUSIBLE, Standing, counts, decide, evidence_of, implausible

NOW = dt.datetime(2026, 11, 5, 6, tzinfo=dt.UTC)
GAP = dt.timedelta(hours=20)


@pytest.mark.parametrize(
    ("state", "misses", "signals", "after"),
    [
        ("active", (0,), 0, "active"),
        ("active", (1,), 0, "active"),
        ("active", (2,), 0, "suspected"),
        ("suspected", (3,), 0, "gone"),
        ("active", (3, 0), 0, "active"),
        ("active", (3, 2), 0, "suspected"),
        ("active", (0,), 1, "suspected"),
        ("suspected", (0,), 2, "gone"),
        ("suspected", (0,), 0, "suspected"),
        ("gone", (0,), 0, "gone"),
        ("active", (), 0, "active"),
    ],
)
def test_what_follows(state: str, misses: tuple[int, ...], signals: int, after: str) -> None:
    assert decide(Standing(state=state, misses=misses, signals=signals)) == after  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=3), st.integers(0, 1))
def test_one_look_never_closes(misses: list[int], signals: int) -> None:
    once = Standing(state="active", misses=[min(each, 1) for each in misses], signals=signals)
    assert decide(once) != "gone"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=3), st.integers(0, 4))
def test_a_channel_that_shows_it_speaks_for_it(misses: list[int], channel: int) -> None:
    shown = [*misses, 0] if channel else [0, *misses]
    assert decide(Standing(state="active", misses=shown, signals=0)) == "active"


def test_looks_count_only_when_they_are_apart() -> None:
    assert counts(None, NOW, GAP)
    assert counts(NOW - GAP, NOW, GAP)
    assert not counts(NOW - GAP + dt.timedelta(seconds=1), NOW, GAP)


def test_evidence_is_the_sites_word_or_the_number_of_misses() -> None:
    assert evidence_of(Standing(state="active", misses=(2,), signals=1), "404") == "the site says 404"
    assert evidence_of(Standing(state="active", misses=(3, 2), signals=0), None) == "missed by 2 complete runs"


@pytest.mark.parametrize(
    ("vanished", "known", "past", "held"),
    [
        (0, 1000, (), False),
        (ALWAYS_PLAUSIBLE, 6, (), False),
        (150, 1000, (), False),
        (151, 1000, (), True),
        (290, 1000, (0.15, 0.15, 0.9), False),
        (400, 1000, (0.15, 0.15, 0.9), True),
        (501, 1000, (0.4, 0.4), True),
    ],
)
def test_the_brake_knows_the_past_of_the_source(vanished: int, known: int, past: tuple[float, ...], held: bool) -> None:
    assert (implausible(vanished, known, past=past) is not None) is held


def test_the_brake_knows_the_plausible_size() -> None:
    reason = implausible(4, 502, shown=498, least=500)
    assert reason == "498 postings are left, fewer than the 500 that are plausible for this source"
    assert implausible(4, 300, shown=296, least=500) is None
