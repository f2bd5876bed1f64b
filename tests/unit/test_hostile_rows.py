"""What one row or one number of a board may do to the rest of it: nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scrapy.http import TextResponse
from scrapy.utils.test import get_crawler

from jobmonitor.crawling.loader import board_spider
from jobmonitor.crawling.spider import JobSpider
from jobmonitor.domain.completeness import judge_listing
from jobmonitor.items import ListPage
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
    assert "page 1 bad_total" in verdict.prevented_by
