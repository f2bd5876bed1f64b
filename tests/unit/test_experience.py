"""Years of work, from the table of forms and by property."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.experience import parse_experience
from jobmonitor.items import Experience
from tests.unit.cases import load


@pytest.mark.parametrize("case", load("experience"), ids=lambda case: case["text"] or "empty")
def test_form(case: dict[str, Any]) -> None:
    expected = {k: None if v is None else Decimal(str(v)) for k, v in case["expect"].items()}
    assert asdict(parse_experience(case["text"])) == expected


def test_nothing_is_not_stated() -> None:
    assert parse_experience(None) == Experience()


@given(st.text(alphabet="0123456789三五十两半年以上下个月-至~经验 years+ofexpLat", max_size=40))
def test_ends_are_in_order(text: str) -> None:
    found = parse_experience(text)
    assert found.min_years is None or found.max_years is None or found.min_years <= found.max_years
