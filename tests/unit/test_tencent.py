"""What a Tencent posting says, what may move in it, and when its detail is asked for again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from scrapy.http import Request, TextResponse
from scrapy.utils.test import get_crawler

from jobmonitor.domain.completeness import judge_listing
from jobmonitor.items import ListPage, RawPosting, Rejected, Sighting, Withdrawn
from spiders.tencent import TencentSpider

ROW = {
    "PostId": "9101",
    "RecruitPostName": "分布式存储工程师",
    "LocationName": "深圳",
    "Responsibility": "负责存储系统。",
    "LastUpdateTime": "2026年11月02日",
    "IsCollect": False,
}


def record(row: dict[str, Any] | None = None, **detail: Any) -> dict[str, Any]:
    data = {**ROW, "Requirement": "本科及以上学历。", **detail}
    return {"list": {**ROW, **(row or {})}, "detail": {"Code": 200, "Data": data}}


def parsed(row: dict[str, Any] | None = None, **detail: Any) -> RawPosting:
    return TencentSpider.parse(record(row, **detail), "tencent")


def spider(**attributes: Any) -> TencentSpider:
    made = TencentSpider.from_crawler(get_crawler(TencentSpider))
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


def listed(made: TencentSpider, *rows: dict[str, Any]) -> list[Any]:
    url = f"{made.base_url}/tencentcareer/api/post/Query?pageIndex=1"
    body = json.dumps({"Code": 200, "Data": {"Count": len(rows), "Posts": rows}}).encode()
    response = TextResponse(url, body=body, request=Request(url))
    return list(made._list_answered(response, listing="", page=1))


def test_a_touch_is_the_same_record_but_asks_for_the_detail() -> None:
    touched = {"LastUpdateTime": "2026年12月01日"}
    before, after = parsed(), parsed(touched, **touched)
    assert before.identity_hash == after.identity_hash
    assert before.row_hash != after.row_hash


def test_the_visitors_own_marks_are_nothing() -> None:
    assert parsed({"IsCollect": True}).row_hash == parsed().row_hash


def test_a_silently_edited_detail_is_another_record() -> None:
    assert parsed(Requirement="硕士及以上学历。").identity_hash != parsed().identity_hash


def test_the_date_of_the_last_save_is_no_posting_date() -> None:
    assert parsed().posted_at is None


def test_a_fresh_detail_is_not_asked_for() -> None:
    asked: list[tuple[tuple[str, str], str]] = []

    def is_fresh(key: tuple[str, str], row_hash: str) -> bool:
        asked.append((key, row_hash))
        return True

    _, item = listed(spider(detail_is_fresh=is_fresh), ROW)
    assert isinstance(item, Sighting)
    assert item.reason == "row_unchanged"
    assert asked == [(("", "9101"), parsed().row_hash)]


@pytest.mark.parametrize(("known", "kind"), [({("", "9101")}, Sighting), (set(), Rejected)])
def test_half_a_posting_is_a_sighting_or_a_reject(known: set[tuple[str, str]], kind: type) -> None:
    made = spider(known=known)
    _, request = listed(made, ROW)
    response = TextResponse(request.url, status=502, body=b"<html>", request=request)
    (item,) = made._detail_answered(response, **request.cb_kwargs)
    assert isinstance(item, kind)
    assert item.reason == "detail_failed"
    if isinstance(item, Rejected):
        assert item.record is not None
        assert set(json.loads(item.record.body)) == {"list"}


def test_a_lone_surrogate_does_not_hide_the_board() -> None:
    made = spider()
    body = rb'{"Code":200,"Data":{"Count":1,"Posts":[{"PostId":"1","RecruitPostName":"\ud83d"}]}}'
    response = TextResponse("https://careers.tencent.com/", body=body)
    page, _ = made._list_answered(response, listing="", page=1)
    assert page.failure is None


ROWS = [
    ({"Count": 3, "Posts": None}, 1, None),
    ({"Count": 3}, 2, None),
    ({"Count": 3, "Posts": {}}, 1, None),
    ({"Count": 3, "Posts": None}, 2, []),
    ({"Count": 0, "Posts": None}, 1, []),
    ({"Count": 3, "Posts": []}, 1, []),
]


@pytest.mark.parametrize(("data", "page", "rows"), ROWS)
def test_a_missing_list_is_not_an_empty_one(data: dict[str, Any], page: int, rows: list[Any] | None) -> None:
    assert TencentSpider().page_rows({"Data": data}, page) == rows


def test_another_employers_board_has_its_own_pages_and_size() -> None:
    assert parsed({"PostURL": "http://careers.tencent.com/jobdesc.html?postId=0"}).url == (
        "https://careers.tencent.com/jobdesc.html?postId=9101"
    )
    other = TencentSpider.parse(record({"PostURL": "https://jobs.xinghe.example/9101"}), "tencent:xinghe")
    assert other.url == "https://jobs.xinghe.example/9101"
    assert TencentSpider(board="xinghe").plausible[0] == 0
    assert TencentSpider().plausible[0] > 0


def walked(made: TencentSpider, board: Sequence[Any], *, size: int = 100) -> list[ListPage]:
    """The pages of a whole walk, one answer after the other: `board` holds their Counts, the last one for ever."""
    counts, pages = list(board), []
    url = f"{made.base_url}/tencentcareer/api/post/Query?pageIndex=1"
    waiting = [Request(url, cb_kwargs={"listing": "", "page": 1})]
    while waiting:
        request = waiting.pop()
        page = request.cb_kwargs["page"]
        numbers = range(1, 251)[(page - 1) * size : page * size]
        rows = [{**ROW, "PostId": f"{number}"} for number in numbers]
        data = {"Count": counts.pop(0) if len(counts) > 1 else counts[0], "Posts": rows}
        body = json.dumps({"Code": 200, "Data": data}).encode()
        for item in made._list_answered(TextResponse(url, body=body, request=request), **request.cb_kwargs):
            if isinstance(item, ListPage):
                pages.append(item)
            elif isinstance(item, Request) and "page" in item.cb_kwargs:
                waiting.append(item)
    return pages


@pytest.mark.parametrize("count", [0, -5, 10, 100, True, "250", None, 3_000_000_000, 8500])
def test_a_wrong_count_neither_ends_the_walk_nor_proves_anything(count: Any) -> None:
    pages = walked(spider(), [count])
    assert len({each for page in pages for each in page.ids}) == 250
    verdict = judge_listing("", pages)
    assert not verdict.complete
    assert verdict.prevented_by


def test_a_right_count_proves_the_listing_with_a_short_last_page() -> None:
    pages = walked(spider(), [250])
    assert [len(page.ids) for page in pages] == [100, 100, 50]
    assert judge_listing("", pages).complete


def test_one_wrong_count_on_the_way_proves_nothing() -> None:
    pages = walked(spider(), [250, 0, 250])
    assert judge_listing("", pages).prevented_by == ("the announced total moved between 0 and 250",)


def test_a_site_with_smaller_pages_is_read_to_the_end() -> None:
    pages = walked(spider(), [250], size=50)
    assert [len(page.ids) for page in pages] == [50] * 5
    assert judge_listing("", pages).complete


def test_a_walk_that_came_out_short_is_tried_once_more() -> None:
    pages = walked(spider(), [252])
    assert [page.walk for page in pages] == [1, 1, 1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize("known", [True, False])
def test_a_closed_newcomer_keeps_its_row(known: bool) -> None:
    made = spider(known={("", "9101")} if known else set())
    _, request = listed(made, ROW)
    body = b'{"Code":500,"Data":"E1005"}'
    response = TextResponse(request.url, status=500, body=body, request=request)
    (item,) = made._detail_answered(response, **request.cb_kwargs)
    if known:
        assert isinstance(item, Withdrawn)
        assert item.evidence == "E1005"
    else:
        assert isinstance(item, Rejected)
        assert (item.key, item.reason, item.detail) == ("9101", "closed", "E1005")
        assert item.record is not None
        assert json.loads(item.record.body)["list"] == ROW
