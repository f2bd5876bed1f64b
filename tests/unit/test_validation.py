"""What is no posting, and what only looks so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jobmonitor.domain.validation import MAX_FACT, MAX_ID, MAX_TEXT, check
from jobmonitor.items import Facts, PostingKey, RawPosting, Record, Section
from tests.unit.cases import load


def posting(title: str = "Java工程师", *, native_id: str = "1", body: str = "写代码") -> RawPosting:
    return RawPosting(
        key=PostingKey(source="demo", native_id=native_id),
        title=title,
        sections=(Section(body=body, format="text"),),
        record=Record(body=b"{}"),
        identity_hash="0" * 64,
    )


@pytest.mark.parametrize("case", load("validation"), ids=lambda case: case["title"] or "empty")
def test_title(case: dict[str, Any]) -> None:
    problem = check(posting(case["title"]))
    assert (problem and problem.reason) == case["reason"]
    assert problem is None or problem.detail


def test_an_id_is_needed() -> None:
    problem = check(posting(native_id=" "))
    assert problem is not None and problem.reason == "no_id"


def test_a_title_alone_is_a_posting() -> None:
    assert check(posting(body="")) is None


@pytest.mark.parametrize(("size", "reason"), [(MAX_TEXT - 100, None), (MAX_TEXT + 1, "oversize")])
def test_size(size: int, reason: str | None) -> None:
    problem = check(posting(body="字" * size))
    assert (problem and problem.reason) == reason


def test_the_limit_is_named() -> None:
    problem = check(posting(body="字" * (MAX_TEXT + 1)))
    assert problem is not None and str(MAX_TEXT) in problem.detail


FACTS = [
    (Facts(department="部" * MAX_FACT), None),
    (Facts(department="部" * (MAX_FACT + 1)), "department"),
    (Facts(salary="9" * (MAX_FACT + 1)), "salary"),
    (Facts(locations=("北京",) * 1_000), None),
    (Facts(locations=("北京" * 1_000,) * 26), "locations"),
]


@pytest.mark.parametrize(("facts", "named"), FACTS)
def test_a_fact_is_no_description(facts: Facts, named: str | None) -> None:
    problem = check(replace(posting(), facts=facts))
    if named is None:
        assert problem is None
    else:
        assert problem is not None and problem.reason == "oversize" and named in problem.detail


@pytest.mark.parametrize("native_id", ["x" * (MAX_ID + 1), "\x00\x01", "\ud800"])
def test_an_id_that_cannot_be_one(native_id: str) -> None:
    problem = check(posting(native_id=native_id))
    assert problem is not None and problem.reason == "bad_id"


def test_the_longest_id() -> None:
    assert check(posting(native_id="x" * MAX_ID)) is None
