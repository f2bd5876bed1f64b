"""What a Lever posting says, what may move in it without a change, and how a board is walked to its end."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from scrapy.http import Request, TextResponse
from scrapy.utils.test import get_crawler

from jobmonitor.ats.lever import read_salary
from jobmonitor.domain.canonical import content_hash
from jobmonitor.domain.document import build_document
from jobmonitor.domain.salary import parse_salary
from jobmonitor.items import ListPage, RawPosting, Salary
from spiders.lever import LeverSpider


def job(**changes: Any) -> dict[str, Any]:
    return {
        "id": "0b5f3c1e-0000-4000-8000-000000000001",
        "text": "Engineer",
        "categories": {"location": "Berlin", "allLocations": ["Berlin"], "team": "Platform", "commitment": "Full-time"},
        "country": "DE",
        "workplaceType": "remote",
        "createdAt": 1764205361939,
        "description": "<div>We keep lifts moving.</div>",
        "lists": [{"text": "What you bring", "content": "<li>Go</li><li>Patience</li>"}],
        "additional": "<div>Pay is reviewed every spring.</div>",
        "hostedUrl": "https://jobs.lever.co/acme/0b5f3c1e",
        **changes,
    }


def parsed(row: dict[str, Any]) -> RawPosting:
    return LeverSpider.parse(LeverSpider.strip({"list": row}), "lever:acme")


def document(row: dict[str, Any]) -> str:
    posting = parsed(row)
    return build_document(posting.title, posting.sections, locations=posting.facts.locations)


def test_the_whole_text_is_in_the_document() -> None:
    assert document(job()) == (
        "# Engineer\n\nWe keep lifts moving.\n\n## What you bring\n\n- Go\n- Patience\n\n"
        "Pay is reviewed every spring.\n"
    )


NOISE: list[dict[str, Any]] = [
    {"descriptionPlain": "We keep lifts moving!"},
    {"additionalPlain": "Pay."},
    {"applyUrl": "https://jobs.lever.co/acme/0b5f3c1e/apply?lever-source=board"},
    {"hostedUrl": "https://jobs.lever.co/acme-renamed/0b5f3c1e"},
    {"salaryRange": None},
]


@pytest.mark.parametrize("change", NOISE, ids=lambda change: next(iter(change)))
def test_noise_is_the_same_record(change: dict[str, Any]) -> None:
    assert parsed(job(**change)).identity_hash == parsed(job()).identity_hash


STYLED: list[dict[str, Any]] = [
    {"description": '<div><span style="font-size: 10.5pt;">We keep lifts moving.</span></div><div><br></div>'},
    {"lists": [{"text": "What you bring: ", "content": '<li style="color: #000;">Go</li>\n<li><b>Patience</b></li>'}]},
    {"lists": [{"text": "What you bring", "content": "<ul><li>Go</li><li>Patience</li></ul>"}]},
    {"description": None, "opening": "<div>We keep</div>", "descriptionBody": "<div>lifts moving.</div>"},
]


@pytest.mark.parametrize("change", STYLED[1:3])
def test_a_list_reads_the_same_however_it_is_marked_up(change: dict[str, Any]) -> None:
    expected = document(job()).replace("bring", "bring:") if "bring: " in str(change) else document(job())
    assert content_hash(document(job(**change))) == content_hash(expected)


def test_styles_are_no_text() -> None:
    assert content_hash(document(job(**STYLED[0]))) == content_hash(document(job()))


def test_a_description_in_two_parts_is_whole() -> None:
    assert "We keep\n\nlifts moving.\n" in document(job(**STYLED[3]))


def test_a_description_is_not_told_twice() -> None:
    parts = {"opening": "<div>We keep lifts moving.</div>", "descriptionBody": ""}
    assert document(job(**parts)) == document(job())


CHANGES: list[dict[str, Any]] = [
    {"text": "Senior Engineer"},
    {"description": "<div>Other</div>"},
    {"lists": []},
    {"additional": ""},
    {"workplaceType": "hybrid"},
    {"categories": {"location": "Berlin", "allLocations": ["Berlin", "Paris"]}},
    {"salaryRange": {"currency": "EUR", "interval": "per-year-salary", "min": 1, "max": 2}},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_a_change_is_another_record(change: dict[str, Any]) -> None:
    assert parsed(job(**change)).identity_hash != parsed(job()).identity_hash


SALARIES = [
    ((120000, 150000, "USD", "per-year-salary"), "USD 120000 - 150000 per year", (120000, 150000, "USD", "year")),
    ((5000.0, 6000.0, "BRL", "per-month-salary"), "BRL 5000 - 6000 per month", (5000, 6000, "BRL", "month")),
    ((25.5, 31, "USD", "per-hour-wage"), "USD 25.5 - 31 per hour", (25.5, 31, "USD", "hour")),
    ((0, 90000, "EUR", "per-year-salary"), "EUR up to 90000 per year", (None, 90000, "EUR", "year")),
    ((90000, None, "GBP", "per-year-salary"), "GBP from 90000 per year", (90000, None, "GBP", "year")),
    ((700, 700, "USD", "one-time"), "USD 700 one-time", (700, 700, "USD", None)),
]


@pytest.mark.parametrize(("sent", "text", "read"), SALARIES, ids=str)
def test_a_pay_range_is_a_text_that_the_salary_parser_reads(
    sent: tuple[Any, ...], text: str, read: tuple[Any, ...]
) -> None:
    stated = read_salary(dict(zip(("min", "max", "currency", "interval"), sent, strict=True)))
    assert stated == text
    salary = parse_salary(stated)
    assert isinstance(salary, Salary)
    assert (salary.min, salary.max, salary.currency, salary.period) == read


@pytest.mark.parametrize("nothing", [None, {}, {"currency": "EUR", "interval": "per-year-salary", "min": 0, "max": 0}])
def test_a_range_without_amounts_states_no_pay(nothing: dict[str, Any] | None) -> None:
    assert read_salary(nothing) is None


def test_the_instant_of_writing() -> None:
    posted = parsed(job()).posted_at
    assert posted is not None
    assert posted.value is not None
    assert posted.value.isoformat() == "2025-11-27T01:02:41.939000+00:00"
    unreadable = parsed(job(createdAt=10**20)).posted_at
    assert unreadable is not None
    assert (unreadable.raw, unreadable.value) == (str(10**20), None)


def walked(spider: LeverSpider, page: int, numbers: range) -> tuple[ListPage, list[Request]]:
    """One answer with these postings: its page, and what is asked next."""
    rows = [job(id=f"0b5f3c1e-0000-4000-8000-{number:012d}") for number in numbers]
    request = Request("https://api.lever.co/v0/postings/acme?mode=json")
    response = TextResponse(request.url, body=orjson.dumps(rows), encoding="utf-8", request=request)
    results = list(spider.read_list(response, rows, listing="", page=page))
    (shown,) = (each for each in results if isinstance(each, ListPage))
    return shown, [each for each in results if isinstance(each, Request)]


def spider() -> LeverSpider:
    return LeverSpider.from_crawler(get_crawler(LeverSpider), board="acme")


def test_a_full_answer_is_not_the_end() -> None:
    made = spider()
    _, (following,) = walked(made, 1, range(100))
    assert following.url == "https://api.lever.co/v0/postings/acme?mode=json&skip=100&limit=100"
    last, after = walked(made, 2, range(100, 123))
    assert (last.proof, last.failure, after) == ("whole_board", None, [])


def test_the_end_behind_a_full_answer_is_empty() -> None:
    made = spider()
    walked(made, 1, range(50))
    last, after = walked(made, 2, range(0))
    assert (last.proof, last.failure, after) == ("whole_board", None, [])


def test_a_site_that_ignores_skip_proves_nothing() -> None:
    made = spider()
    walked(made, 1, range(100))
    last, after = walked(made, 2, range(100))
    assert (last.proof, last.failure, after) == (None, "repeated_page", [])


def test_a_walk_without_an_end_is_cut_and_says_so() -> None:
    made = spider()
    request = Request("https://api.lever.co/v0/postings/acme?mode=json")
    rows = [job(id=f"0b5f3c1e-0000-4000-8000-{number:012d}") for number in range(100)]
    response = TextResponse(request.url, body=orjson.dumps(rows), encoding="utf-8", request=request)
    pages = [each for each in made.read_list(response, rows, listing="", page=100) if isinstance(each, ListPage)]
    assert [page.failure for page in pages] == [None, "page_limit"]
