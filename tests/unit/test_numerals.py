"""Numerals of three scripts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from jobmonitor.domain.numerals import number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("３", 3), ("2.5", "2.5"), ("三", 3), ("两", 2), ("十", 10), ("十五", 15), ("二十", 20),
        ("三十六", 36), ("一百", 100), ("两百五", 250), ("一百零五", 105), ("一千二", 1200), ("八千", 8000),
        ("两万五", 25000), ("两万五千", 25000), ("一万零五十", 10050), ("二〇", 20), ("十二万", 120000),
        ("三百万", 3000000), ("five", 5), ("Twelve", 12), ("twenty", 20),
    ],
)  # fmt: skip
def test_value(text: str, value: int | str) -> None:
    assert number(text) == Decimal(value)


@pytest.mark.parametrize("text", ["", "若干", "万", "三人", "1.2.3", "half", "-3", "一线"])
def test_not_a_number(text: str) -> None:
    assert number(text) is None
