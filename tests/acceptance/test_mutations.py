"""Each step of cleaning and each rule of the fold earns its place: switched off, the market's counts go wrong."""

from __future__ import annotations

import pytest

from jobmonitor.demo.judge import Day, judge, read_days
from jobmonitor.demo.market import Market
from jobmonitor.domain import canonical, document
from spiders.greenhouse import GreenhouseSpider
from spiders.joinqq import JoinqqSpider
from spiders.lever import LeverSpider
from spiders.tencent import TencentSpider

SEED = 2

ADAPTERS = {"tencent": TencentSpider, "joinqq": JoinqqSpider, "greenhouse": GreenhouseSpider, "lever": LeverSpider}


@pytest.fixture(scope="module")
def days() -> tuple[Day, ...]:
    """Five days of one market, as the adapters read them."""
    return read_days(Market(SEED), 5, ADAPTERS)


def test_nothing_switched_off(days: tuple[Day, ...]) -> None:
    assert judge(days).right


@pytest.mark.parametrize("name", [step.name for step in document.CLEANING_STEPS])
def test_without_a_cleaning_step(days: tuple[Day, ...], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = tuple(step for step in document.CLEANING_STEPS if step.name != name)
    monkeypatch.setattr(document, "CLEANING_STEPS", steps)
    assert not judge(days).right


@pytest.mark.parametrize("name", [rule.name for rule in canonical.FOLD_RULES])
def test_without_a_fold_rule(days: tuple[Day, ...], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tuple(rule for rule in canonical.FOLD_RULES if rule.name != name)
    monkeypatch.setattr(canonical, "FOLD_RULES", rules)
    assert not judge(days).right
