"""Plain text → the normal form, step by step."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jobmonitor.domain.noise import drop_slogans
from jobmonitor.domain.text import plain_to_markdown

LINES = st.sampled_from(
    [
        "1、写代码",
        "2.做评审",
        "（3）带新人",
        "④运维",
        "• 写代码",
        "-负责",
        "  - 子项",
        "-5℃",
        "2.5万",
        "**职责**",
        "## 要求",
        "-----",
        "浏览 12 次",
        "3天前发布",
        "#LI-AB1",
        "| a | b |",
        "",
        " ",
        "a&amp;nbsp;b",
        "1、甲方；2、乙方；3、丙方",
        "•甲。•乙",
        "1. - a",
        "- 1、b",
        "3年内",
    ]
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1、写代码\n2、做评审", "1. 写代码\n2. 做评审"),
        ("职责：1、写代码；2、做评审", "职责：\n1. 写代码；\n2. 做评审"),
        ("职责1、写好代码；2、做评审", "职责\n1. 写好代码；\n2. 做评审"),
        ("方案1、方案2、方案3、都行", "方案1、方案2、方案3、都行"),
        ("2.5万 3.5万", "2.5万 3.5万"),
        ("1、3年以上经验", "1、3年以上经验"),
        ("12. a", "12. a"),
        ("2024. 年度", "2024. 年度"),
        ("-5℃", "-5℃"),
        ("- a\n\n- b\n\n\n\nc", "- a\n- b\n\nc"),
        ("• a\n    • b\n• c", "- a\n  - b\n- c"),
        ("•\n• a", "- a"),
        ("10K\u3000·14薪", "10K ·14薪"),
        ("*nix", "- nix"),
        ("C++\nC#\n.NET", "C++\nC#\n.NET"),
        ("# 不是标题吗", "# 不是标题吗"),
    ],
)
def test_normal_form(text: str, expected: str) -> None:
    assert plain_to_markdown(text) == expected


@pytest.mark.parametrize(
    "line",
    [
        "浏览 123 次",
        "浏览量：1.2万",
        "已有 25 人投递",
        "25人已申请",
        "123 views",
        "Over 200 applicants",
        "Views: 1,024",
        "37 people have applied to this job",
        "3天前发布",
        "刚刚发布",
        "5 days ago",
        "Posted 5 days ago",
        "Posted yesterday",
        "发布于2小时前",
        "今日更新",
        "更新时间：2026-05-01",
        "最后更新于 2026年5月1日 12:30",
        "Last updated on May 1, 2026",
        "This page was updated 3 hours ago",
        "Date posted: 2026-05-01",
        "#LI-Remote",
        "#LI-AB1 #LI-CD2",
        "utm_source=wechat&utm_medium=x",
        "spm=a1.b2",
        "=====",
        "3天前发布 | 浏览 25 次",
    ],
)
def test_noise_lines_go(line: str) -> None:
    assert plain_to_markdown(f"写代码\n{line}\n做评审") == "写代码\n做评审"


@pytest.mark.parametrize(
    "line",
    [
        "日均浏览 123 次的页面由你负责",
        "3年内",
        "3年以上",
        "5 people report to you",
        "Manage 3 people",
        "截止日期：2026-05-01",
        "入职时间：2026-07-01",
        "更新文档",
        "负责更新系统",
        "3年前发表过论文者优先",
        "Posted workers welcome",
        "Session: 9:00-12:00",
        "#1 in our market",
        "#标签",
        "申请方式：邮件",
        "招聘人数：3人",
        "2026年5月1日入职",
        "May be remote",
        "Views on design matter",
        "今天",
    ],
)
def test_lines_about_the_job_stay(line: str) -> None:
    assert line in plain_to_markdown(f"写代码\n{line}\n做评审")


def test_slogans_are_cut_as_whole_lines() -> None:
    assert (
        drop_slogans("写代码\n- 一起，改变 世界!\n一起，改变世界！的人", ["一起，改变世界！"])
        == "写代码\n一起，改变世界！的人"
    )


@given(st.lists(LINES, max_size=8).map("\n".join))
@settings(max_examples=400, deadline=None)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = plain_to_markdown(text)
    assert plain_to_markdown(once) == once


@given(st.text(max_size=200))
@example("\ud800\x00\r\n&#0;&#xd800;")
@settings(max_examples=300, deadline=None)
def test_never_raises(text: str) -> None:
    plain_to_markdown(text).encode()
