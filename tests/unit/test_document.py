"""The canonical document: title, sections, order, and that it is stable."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobmonitor.domain.canonical import content_hash
from jobmonitor.domain.document import build_document, clean_title
from jobmonitor.items import Section


def text(body: str, heading: str | None = None) -> Section:
    return Section(heading=heading, body=body, format="text")


def html(body: str, heading: str | None = None) -> Section:
    return Section(heading=heading, body=body, format="html")


def test_title_alone_is_a_posting() -> None:
    assert build_document("后台 工程师\n", ()) == "# 后台 工程师\n"


def test_sections_keep_their_order_and_headings() -> None:
    document = build_document(
        "工程师", [html("<p>写代码</p>", "岗位职责"), text(" ", "空"), text("1、本科", "任职要求")]
    )
    assert document == "# 工程师\n\n## 岗位职责\n\n写代码\n\n## 任职要求\n\n1. 本科\n"


def test_slogans_leave_no_gap() -> None:
    assert (
        build_document("T", [text("写代码\n\n加入我们！\n\n做评审")], slogans=["加入我们!"])
        == "# T\n\n写代码\n\n做评审\n"
    )


@pytest.mark.parametrize(
    ("title", "locations", "expected"),
    [
        ("工程师（深圳）", ["深圳市"], "工程师"),
        ("工程师(深圳)（北京）", ["深圳", "北京"], "工程师"),
        ("工程师（北京/上海）", ["北京", "上海"], "工程师"),
        ("工程师【北京、上海】", ["中国·北京", "上海"], "工程师"),
        ("工程师（北京/广州）", ["北京", "上海"], "工程师（北京/广州）"),
        ("工程师（Python/Go）（深圳）", ["深圳"], "工程师（Python/Go）"),
        ("Engineer (Berlin)", ["Berlin, Germany"], "Engineer"),
        ("Engineer (San Francisco)", ["San Francisco, CA"], "Engineer"),
        ("Engineer [New York]", ["New York | London"], "Engineer"),
        ("Engineer (Senior)", ["Berlin"], "Engineer (Senior)"),
        ("（深圳）", ["深圳"], "（深圳）"),
        ("R&amp;D  Lead", [], "R&D Lead"),
        ("工程师（）", ["深圳"], "工程师（）"),
    ],
)
def test_title(title: str, locations: list[str], expected: str) -> None:
    assert clean_title(title, locations) == expected


FORMATS = st.sampled_from(["html", "text"])
SECTION = st.builds(Section, heading=st.none() | st.text(max_size=10), body=st.text(max_size=80), format=FORMATS)
SECTIONS = st.lists(SECTION, max_size=3)
FRAGMENTS = [
    "<p>写代码</p>",
    "<ul><li>甲</li><li>1、乙</li></ul>",
    "<h3>要求</h3>",
    "2.5万<br>",
    "<p>• 甲<br>• 乙</p>",
]


@given(st.text(max_size=40), SECTIONS, st.lists(st.text(max_size=8), max_size=3))
@settings(max_examples=300, deadline=None)
def test_never_raises(title: str, sections: list[Section], locations: list[str]) -> None:
    document = build_document(title, sections, locations=locations, slogans=locations)
    assert document == build_document(title, sections, locations=locations, slogans=locations)
    assert document.startswith("#") and document.endswith("\n")
    assert len(content_hash(document)) == 64


@given(
    st.lists(
        st.sampled_from(
            ["<p>写代码</p>", "<ul><li>甲</li><li>1、乙</li></ul>", "<h3>要求</h3>", "2.5万<br>", "<p>• 甲<br>• 乙</p>"]
        ),
        max_size=6,
    )
)
@settings(max_examples=200, deadline=None)
def test_the_documents_own_text_is_its_normal_form(parts: list[str]) -> None:
    document = build_document("工程师", [html("".join(parts))])
    body = document.removeprefix("# 工程师\n").strip("\n")
    assert build_document("工程师", [text(body)]) == document
