"""Degrees, from the table of forms and by property."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.education import parse_education
from jobmonitor.items import Degree, Education
from tests.unit.cases import load

WORDS = ["初中", "高中", "中专", "大专", "本科", "硕士", "博士"]


@pytest.mark.parametrize("case", load("education"), ids=lambda case: case["text"] or "empty")
def test_form(case: dict[str, Any]) -> None:
    assert asdict(parse_education(case["text"])) == case["expect"]


def test_nothing_is_not_stated() -> None:
    assert parse_education(None) == Education()


@given(st.lists(st.sampled_from(WORDS), min_size=1, unique=True))
def test_the_lowest_of_a_list_is_the_minimum(words: list[str]) -> None:
    order = ["初中", "高中", "中专", "大专", "本科", "硕士", "博士"]
    lowest = min(words, key=order.index)
    assert parse_education("/".join(words)).minimum == get_args(Degree)[1 + order.index(lowest)]
