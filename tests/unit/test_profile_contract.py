"""Contract 1: its schema, its empty profile, and the business rules behind it."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobmonitor.errors import NotFound
from jobmonitor.extraction import pointers
from jobmonitor.extraction.business import apply_business_rules
from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.vocabulary import read_table

CONTRACT = load_contract(1)


def profile(**values: Any) -> dict[str, Any]:
    return CONTRACT.empty_profile() | values


def test_the_schema_is_a_valid_one() -> None:
    Draft202012Validator.check_schema(dict(CONTRACT.schema))


def test_every_field_is_described_in_both_languages() -> None:
    for name, node in CONTRACT.schema["properties"].items():
        text = node["description"]
        assert any("一" <= character <= "鿿" for character in text), name
        assert " / " in text, name


def test_the_empty_profile_is_valid_and_empty() -> None:
    empty = CONTRACT.empty_profile()
    assert CONTRACT.validate(empty) == []
    assert CONTRACT.is_empty(empty)
    empty["skills"].append({"name": "Go", "group": "other", "required": True})
    assert not CONTRACT.is_empty(empty)
    assert CONTRACT.is_empty(CONTRACT.empty_profile())


@pytest.mark.parametrize(
    ("values", "pointer"),
    [
        ({"extra": 1}, "/"),
        ({"recruit_type": "social"}, "/recruit_type"),
        ({"graduation_years": ["2026"]}, "/graduation_years/0"),
        ({"skills": [{"name": "Go"}]}, "/skills/0"),
        ({"languages": [{"language": "English", "level": None, "required": True}]}, "/languages/0/language"),
        ({"salary": {"min": 1}}, "/salary"),
        ({"education": None}, "/education"),
        ({"benefits": ["cake"]}, "/benefits/0"),
        ({"new_graduates": "yes"}, "/new_graduates"),
    ],
)
def test_problems_name_the_place(values: dict[str, Any], pointer: str) -> None:
    problems = CONTRACT.validate(profile(**values))
    assert problems
    assert any(problem.startswith(f"{pointer}: ") for problem in problems)


@pytest.mark.parametrize("answer", [None, [], "text", {}, {"skills": 3}])
def test_anything_may_be_asked_about(answer: object) -> None:
    assert CONTRACT.validate(answer)


def test_problems_are_bounded() -> None:
    assert len(CONTRACT.validate(profile(benefits=["cake"] * 1000))) == 20


def test_an_unknown_contract() -> None:
    with pytest.raises(NotFound):
        load_contract(99)


def test_benefit_words_are_those_of_the_contract() -> None:
    assert set(read_table("benefits")) == set(CONTRACT.vocabulary("benefits", "items"))


def salary(**values: Any) -> dict[str, Any]:
    return {"min": None, "max": None, "currency": None, "period": None, "months": None} | values


@pytest.mark.parametrize(
    ("values", "broken"),
    [
        ({"experience": {"min_years": 5, "max_years": 3}}, ["/experience/min_years", "/experience/max_years"]),
        ({"experience": {"min_years": 51, "max_years": None}}, ["/experience/min_years"]),
        ({"experience": {"min_years": -1, "max_years": 2}}, ["/experience/min_years"]),
        ({"graduation_years": [2026, 1999, 2026]}, ["/graduation_years/1", "/graduation_years/2"]),
        ({"salary": salary(min=30000, max=20000)}, ["/salary"]),
        ({"salary": salary(min=0)}, ["/salary"]),
        ({"salary": salary(min=10**9, period="month")}, ["/salary"]),
        ({"salary": salary(currency="CNY")}, ["/salary"]),
        ({"salary": salary(min=1000, months=99)}, ["/salary/months"]),
        ({"head_count": 0}, ["/head_count"]),
        ({"locations": ["北京", "北 京", " ", "x" * 200]}, ["/locations/1", "/locations/2", "/locations/3"]),
        ({"benefits": ["meals", "meals"]}, ["/benefits/1"]),
        ({"certificates": ["PMP", "pmp"]}, ["/certificates/1"]),
    ],
)
def test_business_rules_clear_and_count(values: dict[str, Any], broken: list[str]) -> None:
    judged = profile(**values)
    assert apply_business_rules(judged, {}) == broken
    assert CONTRACT.validate(judged) == []
    assert apply_business_rules(judged, {}) == []


def test_duplicate_skills_go_and_quotes_move_with_their_items() -> None:
    go = {"name": "Go", "group": "programming_language", "required": True}
    judged = profile(skills=[go, go | {"name": "go"}, go | {"name": "Java"}])
    evidence = {"/skills/0": "熟悉 Go", "/skills/1": "会 go", "/skills/2": "熟悉 Java"}
    assert apply_business_rules(judged, evidence) == ["/skills/1"]
    assert [skill["name"] for skill in judged["skills"]] == ["Go", "Java"]
    assert evidence == {"/skills/0": "熟悉 Go", "/skills/1": "熟悉 Java"}


def test_a_cleared_salary_takes_its_quotes_along() -> None:
    judged, evidence = profile(salary=salary(min=2, max=1)), {"/salary": "2-1元"}
    apply_business_rules(judged, evidence)
    assert judged["salary"] is None
    assert evidence == {}


def test_pointers_end_early() -> None:
    assert pointers.get(CONTRACT.empty_profile(), "/salary/min") is None
    assert pointers.quote_for({"/salary": "15K"}, "/salary/min") == "15K"
    assert pointers.quote_for({}, "/salary/min") is None
