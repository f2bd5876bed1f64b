"""What one row or one number of a board may do to the rest of it: nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scrapy.http import TextResponse
from scrapy.utils.test import get_crawler

from jobmonitor.crawling.loader import board_spider
from jobmonitor.crawling.spider import JobSpider, Reading
from jobmonitor.domain.completeness import judge_listing
from jobmonitor.items import ListPage, RawPosting, Rejected
from spiders.greenhouse import GreenhouseSpider

URL = "https://boards-api.greenhouse.io/v1/boards/acme/jobs"


def spider() -> JobSpider:
    acme = board_spider(GreenhouseSpider, "acme")
    return acme.from_crawler(get_crawler(acme))


def answered(made: JobSpider, body: Any) -> list[Any]:
    request = made.list_request(URL)
    text = body if isinstance(body, str) else json.dumps(body)
    response = TextResponse(URL, body=text.encode(), request=request)
    return list(made._list_answered(response, **request.cb_kwargs))


def board(*changes: dict[str, Any], total: Any = 3) -> dict[str, Any]:
    jobs = [{"id": number, "title": f"Engineer {number}", "content": "x"} for number in (1, 2, 3)]
    for job, change in zip(jobs, changes, strict=False):
        job.update(change)
    return {"jobs": jobs, "meta": {"total": total}}


@pytest.mark.parametrize("total", [3_000_000_000, 10**20, -1, True, "3", 2.5])
def test_an_impossible_total_is_an_obstacle_and_no_number(total: Any) -> None:
    page, *postings = answered(spider(), board(total=total))
    assert isinstance(page, ListPage)
    assert (page.total, page.failure, len(postings)) == (None, "bad_total", 3)
    verdict = judge_listing("", [page])
    assert (verdict.complete, verdict.total) == (False, None)
    assert "page 1 announces no possible total" in verdict.prevented_by


def nested(levels: int) -> Any:
    text = "[" * levels + "1" + "]" * levels
    return json.loads(text)


HOSTILE: list[dict[str, Any]] = [
    *({"weird": nested(levels)} for levels in (100, 252, 260, 500, 900)),
    {"departments": nested(900)},
    {"weird": 10**30},
    {"title": ["a"]},
    {"location": "x"},
    {"departments": [1]},
    {"metadata": [{"name": "salary range", "value": {"min_value": nested(300)}}]},
    {"content": {"a": 1}},
]


@pytest.mark.parametrize("change", HOSTILE, ids=lambda change: str(change)[:30])
def test_one_row_loses_nothing_but_itself(change: dict[str, Any]) -> None:
    page, first, second, third = answered(spider(), board({}, change))
    assert page.ids == ("1", "2", "3")
    assert isinstance(first, RawPosting) and isinstance(third, RawPosting)
    assert second.record is not None
    kept = json.loads(second.record.body)
    assert kept["list"]["id"] == 2
    if isinstance(second, Rejected):
        assert (second.key, second.reason) == ("2", "unparsable")


def test_a_defect_of_ours_costs_one_row_and_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read = GreenhouseSpider.read

    def fails(record: Any, source: str) -> Reading:
        if record["list"]["id"] == 2:
            raise AssertionError("a case that nobody thought of")
        return read(record, source)

    made = spider()
    monkeypatch.setattr(made, "read", fails)
    _, *items = answered(made, board())
    assert [type(item) for item in items] == [RawPosting, Rejected, RawPosting]
    assert items[1].detail.startswith("AssertionError")
    assert "the adapter fails on row 2 (AssertionError)" in caplog.text


def test_a_row_whose_id_cannot_be_read_is_a_row_without_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    made = spider()
    monkeypatch.setattr(made, "row_id", lambda row: str(row["post"]["id"]) if row["id"] == 2 else str(row["id"]))
    page, *items = answered(made, board())
    assert (page.ids, page.failure) == (("1", "3"), "row_without_id")
    assert [getattr(item, "reason", "") for item in items] == ["", "no_id", ""]


def test_what_is_personal_is_out_of_a_reject_too() -> None:
    change = {"title": ["a"], "metadata": [{"name": "Hiring Manager", "value": "Zhang San"}], "weird": nested(300)}
    _, _, reject, _ = answered(spider(), board({}, change))
    assert isinstance(reject, Rejected)
    assert reject.record is not None
    assert b"Zhang" not in reject.record.body


def failed(status: int, caplog: pytest.LogCaptureFixture) -> str:
    made = spider()
    request = made.list_request(URL)
    (page,) = made._list_answered(TextResponse(URL, status=status, request=request), **request.cb_kwargs)
    assert page.failure == f"http_{status}"
    (line,) = caplog.messages
    assert line.startswith(f"greenhouse:acme: list page 1 failed (http_{status})")
    return line


def test_a_board_that_the_site_does_not_know_is_said_so(caplog: pytest.LogCaptureFixture) -> None:
    assert "the site does not know this board: check its spelling ('acme')" in failed(404, caplog)


def test_a_failed_page_is_said_so(caplog: pytest.LogCaptureFixture) -> None:
    assert "absence from it counts for nothing" in failed(503, caplog)
