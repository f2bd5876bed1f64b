"""What is read out of stated facts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from jobmonitor.domain.facts import derive, head_count, recruit_type
from jobmonitor.items import Education, Experience, Facts, Salary, UnknownSalary


def test_all_fields_of_a_posting() -> None:
    facts = Facts(
        salary="15-30K·14薪", experience="三年以上工作经验", education="统招本科", recruit_type="社招", head_count="3人"
    )
    derived = derive(facts)
    assert derived.salary == Salary(min=Decimal(15000), max=Decimal(30000), period="month", months=Decimal(14))
    assert derived.experience == Experience(min_years=Decimal(3))
    assert derived.education == Education(minimum="bachelor", full_time_required=True)
    assert (derived.recruit_type, derived.head_count) == ("experienced", 3)


def test_nothing_stated() -> None:
    derived = derive(Facts())
    assert derived.salary == UnknownSalary(reason="none")
    assert (derived.experience, derived.education) == (Experience(), Education())
    assert (derived.recruit_type, derived.head_count) == (None, None)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("社招", "experienced"), ("社会招聘", "experienced"), ("Experienced", "experienced"), ("校招", "campus"),
        ("校园招聘", "campus"), ("应届生", "campus"), ("Campus", "campus"), ("New Grad", "campus"), ("新卒", "campus"),
        ("University Graduate", "campus"), ("实习", "intern"), ("实习生招聘", "intern"), ("校招实习", "intern"),
        ("Intern", "intern"), ("Internship", "intern"), ("Internal transfer", None), ("全职", None),
        ("", None), (None, None),
    ],
)  # fmt: skip
def test_recruit_type(text: str | None, kind: str | None) -> None:
    assert recruit_type(text) == kind


def test_an_internship_as_employment_type() -> None:
    assert derive(Facts(employment_type="实习")).recruit_type == "intern"
    assert derive(Facts(employment_type="Full time")).recruit_type is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("3", 3), ("3人", 3), ("10名", 10), ("招5人", 5), ("三人", 3), ("１２", 12), ("2 positions", 2), ("若干", None),
        ("1-2人", None), ("0", None), ("", None), (None, None), ("不限", None), ("5人以上", None),
    ],
)  # fmt: skip
def test_head_count(text: str | None, count: int | None) -> None:
    assert head_count(text) == count
