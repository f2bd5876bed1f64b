"""The words that are looked for before a line is matched: none of the lines that would go may lack them."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobmonitor.domain import noise
from jobmonitor.domain.noise import drop_counters, drop_relative_dates, drop_tracking, drop_update_lines

DROPPERS = (drop_counters, drop_relative_dates, drop_update_lines, drop_tracking)


@pytest.mark.parametrize("number", range(len(DROPPERS)))
def test_every_line_of_a_kind_holds_its_hint(number: int) -> None:
    kind, drop = noise._KINDS[number], DROPPERS[number]
    plain = re.compile(kind.pattern.pattern)  # as typed: the other case of a letter is the next test

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(plain, fullmatch=True).filter(lambda line: 0 < len(line) <= 90 and "\n" not in line))
    def check(line: str) -> None:
        assert drop(f"负责增长\n{line}\n三年经验") == "负责增长\n三年经验"

    check()


@pytest.mark.parametrize(
    ("drop", "line"),
    [
        (drop_counters, "VIEWS: 25"),
        (drop_counters, "Be among the first 25 APPLICANTS"),
        (drop_relative_dates, "Posted YESTERDAY"),
        (drop_update_lines, "LAST UPDATED ON MAY 3"),
        (drop_tracking, "#LI-Hybrid"),
    ],
)
def test_case_does_not_matter(drop: object, line: str) -> None:
    assert callable(drop)
    assert drop(f"a\n{line}\nb") == "a\nb"


def test_several_lines_go_and_the_rest_stays() -> None:
    assert drop_counters("浏览 25 次\na\n阅读量：3\n\nb 浏览器\n浏览：1万+") == "a\n\nb 浏览器"


def test_a_letter_that_grows_in_lower_case_moves_nothing() -> None:
    assert drop_counters("İstanbul İİİ\n浏览 25 次\nİzmir") == "İstanbul İİİ\nİzmir"
