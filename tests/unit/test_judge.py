"""The judge: right about a right reading, and hard on a careless one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import pytest

from jobmonitor.demo.judge import Day, is_tidy, judge, read_days
from jobmonitor.demo.market import Market
from jobmonitor.domain.canonical import content_hash
from spiders.greenhouse import GreenhouseSpider
from spiders.joinqq import JoinqqSpider
from spiders.lever import LeverSpider
from spiders.tencent import TencentSpider

ADAPTERS = {"tencent": TencentSpider, "joinqq": JoinqqSpider, "greenhouse": GreenhouseSpider, "lever": LeverSpider}


@pytest.fixture(scope="module")
def days() -> tuple[Day, ...]:
    """Five days of one market, as the adapters read them."""
    return read_days(Market(7), 5, ADAPTERS)


@pytest.mark.parametrize("seed", [1, 2, 3, 9, 10])
def test_our_reading_equals_the_truth(seed: int) -> None:
    counts = judge(read_days(Market(seed), 5, ADAPTERS))
    assert counts.mistakes == []
    assert counts.right
    assert counts.true_changes > 20


#: Careless ways to compare, each blind to a true change.
BLIND: dict[str, Callable[[str], str]] = {
    "compatibility forms": lambda text: unicodedata.normalize("NFKC", text),
    "letter case": str.lower,
    "order of lines": lambda text: "\n".join(sorted(text.split("\n"))),
    "numbers before a dot": lambda text: re.sub(r"(?m)^\s*\d+[.、]", "", text),
    "plus signs": lambda text: text.replace("+", ""),
    "digits": lambda text: re.sub(r"\d", "0", text),
}


@pytest.mark.parametrize("name", BLIND)
def test_a_blind_hash_misses_changes(days: tuple[Day, ...], name: str) -> None:
    assert judge(days, hash=lambda text: content_hash(BLIND[name](text))).missed_changes > 0


def test_a_raw_hash_sees_changes_that_are_none(days: tuple[Day, ...]) -> None:
    raw = judge(days, document=lambda title, sections, **_: title + "".join(each.body for each in sections))
    assert raw.false_changes > 20


def test_without_redaction_a_new_number_is_a_change(days: tuple[Day, ...]) -> None:
    assert judge(days, redaction=lambda text: text).false_changes > 0


@pytest.mark.parametrize(
    ("document", "tidy"),
    [("# a\n", True), ("# a\n\n- b\n- c\n", True), ("# a", False), ("# a \n", False), ("# a\n\n\nb\n", False)],
)
def test_tidy(document: str, tidy: bool) -> None:
    assert is_tidy(document) is tidy
