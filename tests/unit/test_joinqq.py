"""What a posting of join.qq.com says, and what may move in it without a change."""

from __future__ import annotations

from typing import Any

import pytest

from jobmonitor.crawling.fields import UnreadableRecord
from jobmonitor.domain.facts import derive
from jobmonitor.items import RawPosting
from spiders.joinqq import JoinqqSpider

ROW = {
    "postId": "1900000000000000301",
    "positionTitle": "后台开发",
    "projectName": "2027校园招聘",
    "recruitLabelName": "应届毕业生",
    "workCities": "深圳 北京 ",
    "bgs": "B事业群 A事业群 ",
    "positionUrl": None,
    "positionSource": "oa",
    "groupTag": None,
}
DETAIL = {
    "postId": "1900000000000000301",
    "title": "后台开发",
    "desc": "负责存储系统。",
    "request": "熟悉 C++。",
    "workCityList": ["深圳", "北京"],
    "tidName": "技术",
    "recruitType": 1,
    "graduateBonus": "",
    "internBonus": "",
}


def record(row: dict[str, Any] | None = None, detail: dict[str, Any] | None = None) -> dict[str, Any]:
    data = {**DETAIL, **(detail or {})}
    return {"list": {**ROW, **(row or {})}, "detail": {"status": 0, "message": "", "data": data}}


def parsed(row: dict[str, Any] | None = None, detail: dict[str, Any] | None = None) -> RawPosting:
    return JoinqqSpider.parse(JoinqqSpider.strip(record(row, detail)), "joinqq")


NOISE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"position": 7}, {}),
    ({"groupTag": "hot"}, {}),
    ({"id": 9}, {"id": 9}),
    ({}, {"intentionBGDList": [{"id": 2}]}),
    ({}, {"subDirectionDtos": None}),
]


@pytest.mark.parametrize(("row", "detail"), NOISE)
def test_noise_is_the_same_record(row: dict[str, Any], detail: dict[str, Any]) -> None:
    assert parsed(row, detail).identity_hash == parsed().identity_hash


CHANGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"projectName": "提前批"}, {}),
    ({}, {"desc": "负责计算系统。"}),
    ({}, {"graduateBonus": "有竞赛经历者优先。"}),
    ({}, {"workCityList": ["深圳"]}),
]


@pytest.mark.parametrize(("row", "detail"), CHANGES)
def test_a_change_is_another_record(row: dict[str, Any], detail: dict[str, Any]) -> None:
    assert parsed(row, detail).identity_hash != parsed().identity_hash


KINDS = [
    ("应届毕业生", "2027校园招聘", 1, "应届毕业生", "campus"),
    ("应届毕业生 青云计划", None, 1, "应届毕业生 青云计划", "campus"),
    ("实习生 青云计划", "青云计划", 2, "实习生 青云计划", "intern"),
    (None, "2026实习生招聘", None, "2026实习生招聘", "intern"),
    ("产品经理培训生", "培训生专项", 1, "校招", "campus"),
    ("产品经理培训生", "培训生专项", 2, "实习", "intern"),
    (None, None, None, None, None),
]


@pytest.mark.parametrize(("label", "project", "code", "stated", "kind"), KINDS)
def test_the_kind_of_hiring_in_the_sites_own_words(
    label: str | None, project: str | None, code: int | None, stated: str | None, kind: str | None
) -> None:
    facts = parsed({"recruitLabelName": label, "projectName": project}, {"recruitType": code}).facts
    assert (facts.recruit_type, derive(facts).recruit_type) == (stated, kind)


def test_only_the_remarks_that_the_page_shows_are_text() -> None:
    remarks = {"graduateBonus": "有竞赛经历者优先。", "internBonus": "每周到岗四天。"}
    assert [section.body for section in parsed(detail=remarks).sections][-1] == "有竞赛经历者优先。"
    assert [section.body for section in parsed(detail={**remarks, "recruitType": 2}).sections][-1] == "每周到岗四天。"
    assert len(parsed(detail={**remarks, "recruitType": 999}).sections) == 2


def test_the_order_of_units_means_nothing() -> None:
    assert parsed({"bgs": "A事业群 B事业群"}).facts == parsed().facts


@pytest.mark.parametrize("wrong", [{"workCityList": "深圳"}, {"subDirectionDtos": {"desc": "x"}}])
def test_another_shape_is_unreadable(wrong: dict[str, Any]) -> None:
    with pytest.raises(UnreadableRecord):
        parsed(detail=wrong)


def test_another_employers_board_has_no_known_page() -> None:
    assert JoinqqSpider.parse(record(), "joinqq:xinghe").url is None
    assert parsed().url == "https://join.qq.com/post_detail.html?postid=1900000000000000301"
