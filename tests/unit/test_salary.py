"""Pay texts, from the table of forms and by property."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.salary import parse_salary
from jobmonitor.items import Salary, UnknownSalary
from tests.unit.cases import load


def read(text: str | None) -> dict[str, Any]:
    match parse_salary(text):
        case UnknownSalary(reason=reason):
            return {"unknown": reason}
        case Salary() as salary:
            return asdict(salary)


@pytest.mark.parametrize("case", load("salary"), ids=lambda case: case["text"] or "empty")
def test_form(case: dict[str, Any]) -> None:
    expected = {k: Decimal(str(v)) if isinstance(v, int | float) else v for k, v in case["expect"].items()}
    assert read(case["text"]) == expected


def test_nothing_is_none() -> None:
    assert read(None) == {"unknown": "none"}


@given(low=st.integers(1, 80), more=st.integers(0, 80), sign=st.sampled_from(["-", "–", "~", "至", " - "]))
def test_a_k_range_keeps_its_ends(low: int, more: int, sign: str) -> None:
    high = min(low + more, low * 40)
    assert parse_salary(f"{low}{sign}{high}K") == Salary(min=Decimal(low * 1000), max=Decimal(high * 1000))


@given(low=st.integers(2, 80), less=st.integers(1, 79))
def test_a_reversed_range_is_not_guessed(low: int, less: int) -> None:
    high = max(1, low - less)
    assert parse_salary(f"{low}K-{high}K") == UnknownSalary(reason="unparsed")


@given(st.text(alphabet="0123456789.,-–~kK万千元天月年薪$€£¥ ·以上下面议 /起至toper", max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    match parse_salary(text):
        case Salary() as salary:
            assert salary.min is not None or salary.max is not None
            for amount in filter(None, (salary.min, salary.max)):
                exponent = amount.as_tuple().exponent
                assert isinstance(exponent, int) and exponent >= -2
            assert salary.min is None or salary.max is None or salary.min <= salary.max
        case UnknownSalary(reason=reason):
            assert reason in {"none", "negotiable", "unparsed"}
