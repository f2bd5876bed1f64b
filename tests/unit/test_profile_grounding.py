"""Grounding: what a model makes up does not survive."""

from __future__ import annotations

from typing import Any

import pytest

from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.grounding import ground
from jobmonitor.extraction.matching import Source

DOCUMENT = """# 高级工程师

## 任职要求

- 统招本科及以上学历，三年以上工作经验
- 熟悉 Go 语言、C++、机器学习；You go ahead with React  Native
- 薪资 １５-30Ｋ·14薪，招聘2人
- 2025/26届均可，logo design is not Go
"""


def profile(**values: Any) -> dict[str, Any]:
    return load_contract(1).empty_profile() | values


def skill(name: str) -> dict[str, Any]:
    return {"name": name, "group": "other", "required": True}


def survives(name: str, quote: str, document: str = DOCUMENT) -> bool:
    grounded = ground(profile(skills=[skill(name)]), {"/skills/0": quote}, document)
    assert grounded.ungrounded == ([] if grounded.profile["skills"] else ["/skills/0"])
    return bool(grounded.profile["skills"])


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("Go", "熟悉 Go 语言"),
        ("Golang", "熟悉Go语言"),
        ("Machine Learning", "机器学习"),
        ("C++", "C++"),
        ("React Native", "React Native"),
        ("React Native", "reactnative"),
        ("Go", "Go"),
    ],
)
def test_said(name: str, quote: str) -> None:
    assert survives(name, quote)


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("Kubernetes", "熟悉 Kubernetes"),  # the quote is made up
        ("Kubernetes", "熟悉 Go 语言"),  # the quote does not hold the value
        ("Go", "You go ahead"),  # a verb
        ("Java", ""),
        ("C", "C++、机器"),
        ("Rust", "熟悉"),
        ("go d", "go d"),  # inside "logo design" without its spaces
        ("Deep Learning", "机器学习"),
    ],
)
def test_made_up(name: str, quote: str) -> None:
    assert not survives(name, quote)


def test_a_value_without_a_quote_goes() -> None:
    grounded = ground(profile(head_count=2, skills=[skill("Go")]), {}, DOCUMENT)
    assert grounded.ungrounded == ["/head_count", "/skills/0"]
    assert load_contract(1).is_empty(grounded.profile)


def test_a_short_quote_must_be_a_whole_token() -> None:
    source = Source.of("We like Java, 本科及以上 and R.")
    assert source.find("R") == "R"
    assert source.find("Jav") is None
    assert source.find("本科") is None
    assert source.find("本科及以上") == "本科及以上"
    assert source.find("like java") == "like Java"
    assert source.find("") is None


def test_a_long_quote_may_cut_no_latin_word() -> None:
    assert Source.of("JavaScript developers").find("Script dev") is None
    assert Source.of("Java Script developers").find("Script developers") == "Script developers"


def test_whitespace_and_width_do_not_matter() -> None:
    assert survives("Spring Boot", "熟 悉 Ｓｐｒｉｎｇ　Boot", "# x\n\n熟悉 Spring\n  Boot")


@pytest.mark.parametrize(
    ("degree", "quote", "stays"),
    [
        ("bachelor", "统招本科及以上学历", True),
        ("master", "统招本科及以上学历", False),
        ("bachelor", "大学毕业即可报名", False),
        ("none", "统招本科及以上学历", False),
    ],
)
def test_degrees(degree: str, quote: str, stays: bool) -> None:
    education = {"minimum": degree, "full_time_required": None, "majors": [], "preferred": None}
    grounded = ground(profile(education=education), {"/education/minimum": quote}, DOCUMENT)
    assert (grounded.profile["education"]["minimum"] == degree) is stays
    assert ("/education/minimum" in grounded.evidence) is stays


@pytest.mark.parametrize(("years", "stays"), [(3, True), (5, False), (30, False)])
def test_chinese_numerals(years: int, stays: bool) -> None:
    stated = {"min_years": years, "max_years": None}
    grounded = ground(profile(experience=stated), {"/experience/min_years": "三年以上工作经验"}, DOCUMENT)
    assert (grounded.profile["experience"]["min_years"] == years) is stays


def pay(low: float, high: float, months: float | None = None) -> dict[str, Any]:
    return {"min": low, "max": high, "currency": None, "period": "month", "months": months}


def test_pay_with_units_and_full_width_digits() -> None:
    quote = {"/salary": "15-30K·14薪"}
    assert ground(profile(salary=pay(15000, 30000, 14)), quote, DOCUMENT).ungrounded == []
    assert ground(profile(salary=pay(15000, 35000, 14)), quote, DOCUMENT).ungrounded == ["/salary/max"]
    assert ground(profile(salary=pay(15000, 30000, 16)), quote, DOCUMENT).ungrounded == ["/salary/months"]


def test_pay_without_any_amount_goes_as_a_whole() -> None:
    grounded = ground(profile(salary=pay(1, 2)), {"/salary": "15-30K·14薪"}, DOCUMENT)
    assert grounded.profile["salary"] is None
    assert grounded.ungrounded == ["/salary/min", "/salary/max", "/salary"]
    assert grounded.evidence == {}


def test_class_years_and_head_count() -> None:
    evidence = {"/graduation_years": "2025/26届均可", "/head_count": "招聘2人"}
    grounded = ground(profile(graduation_years=[2025, 2026, 2030], head_count=2), evidence, DOCUMENT)
    assert grounded.profile["graduation_years"] == [2025, 2026]
    assert grounded.profile["head_count"] == 2
    assert grounded.ungrounded == ["/graduation_years/2"]


def test_the_input_is_left_alone() -> None:
    given = profile(skills=[skill("Kubernetes")])
    ground(given, {"/skills/0": "x"}, DOCUMENT)
    assert given["skills"] == [skill("Kubernetes")]


def test_hostile_documents_are_searched_in_seconds() -> None:
    document = "a" * 1_000_000 + "本科" * 500_000
    assert not survives("Go", "a" * 3, document)
    assert not survives("Go", "本科", document)
