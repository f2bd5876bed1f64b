"""A text from outside may be long or repeat itself; what it costs grows with its length and not faster.

Times are compared within one run: five times the text may cost at most twenty times as much, and what takes no
measurable time passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from jobmonitor.domain import salary, visibility
from jobmonitor.domain.education import parse_education
from jobmonitor.domain.experience import parse_experience
from jobmonitor.domain.facts import head_count, recruit_type
from jobmonitor.domain.html import render
from jobmonitor.domain.redaction import redact
from jobmonitor.domain.salary import parse_salary
from jobmonitor.domain.text import plain_to_markdown
from jobmonitor.domain.validation import MAX_TITLE, check
from jobmonitor.items import Experience, PostingKey, RawPosting, Record, UnknownSalary

SMALL, LARGE = 8_000, 40_000
#: Seconds of the clock of this process below which a time says nothing.
NOISE = 0.3


def seconds(work: Callable[[str], object], text: str) -> float:
    """The better of two tries: a pause of the collector is no cost of the text."""

    def once() -> float:
        started = time.process_time()
        work(text)
        return time.process_time() - started

    return min(once(), once())


def grows_gently(work: Callable[[str], object], unit: str, *, end: str = "") -> bool:
    small, large = (seconds(work, unit * (size // len(unit)) + end) for size in (SMALL, LARGE))
    return large < NOISE or large < 20 * small


PARSERS: list[Callable[[str], object]] = [parse_salary, parse_experience, parse_education, head_count, recruit_type]
FACTS = ["9", "1,", "1.", "13 ", "①", "一", "万", "3年", "$1-", "本科、", " ", "(", "k"]


@pytest.mark.parametrize("unit", FACTS)
@pytest.mark.parametrize("parse", PARSERS, ids=lambda parse: parse.__name__)
def test_a_fact_is_read_up_to_a_length(parse: Callable[[str], object], unit: str) -> None:
    assert grows_gently(parse, unit, end="元")


def test_a_long_text_is_no_pay_statement_and_no_rule_is_tried_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salary, "_statement", None)
    monkeypatch.setattr(salary, "_prepared", None)
    assert parse_salary("9" * 40_000) == UnknownSalary(reason="unparsed")
    assert parse_salary("薪资面议。" + "我们提供舒适的环境。" * 200) == UnknownSalary(reason="negotiable")


def test_what_is_said_first_still_counts() -> None:
    assert parse_experience("  三年以上工作经验。" + "负责服务的开发。" * 2_000) == Experience(min_years=3)


TEXTS = [
    "13812345678 ", "张三13812345678\n", "a@qq.com ", "[redacted:mobile] 13812345678 ", "password=hunter2; ",
    "-----BEGIN PRIVATE KEY-----", "1", " ", "\n", "- ", "|", "#", "*", "&amp;", "(", "浏览 1 次 | ", "2026-01-01 ",
    "1、", "①", "a", "中", "中 a", "http://a", "密码：",
]  # fmt: skip


@pytest.mark.parametrize("unit", TEXTS)
@pytest.mark.parametrize("work", [redact, plain_to_markdown], ids=["redact", "clean"])
def test_a_text_that_repeats_itself(work: Callable[[str], object], unit: str) -> None:
    assert grows_gently(work, unit, end="拟录用人员名单公示")


@pytest.mark.parametrize(
    "unit", ["<div>", "<b>", "<ul><li>x", "<p class=a>x</p>", "<table><tr><td>x", "<", "&lt;", "<!--"]
)
def test_markup_that_repeats_itself(unit: str) -> None:
    assert grows_gently(render, unit)


SHEETS = [
    ".a{display:none}", ".a%d{display:none}", ".a{display:none;left:%dpx}", "p.a{display:none;left:%dpx}",
    "div p.a%d{display:none}", "p:not(.z%d){opacity:0}", "*{opacity:0;top:%dpx}",
]  # fmt: skip


@pytest.mark.parametrize("rule", SHEETS)
def test_a_style_sheet_costs_what_it_is_long(rule: str) -> None:
    def page(size: int) -> str:
        rules = "".join(rule % number if "%" in rule else rule for number in range(size))
        return f"<style>{rules}</style>" + "<p class=a>x</p>" * (size // 2)

    small, large = (seconds(render, page(size)) for size in (2_000, 10_000))
    assert large < 20 * max(small, NOISE / 20)
    assert large < 5


def test_a_repeated_rule_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = []
    note = visibility.Visibility._note
    monkeypatch.setattr(
        visibility.Visibility, "_note", lambda self, *arguments: (notes.append(arguments), note(self, *arguments))
    )
    assert render("<style>" + ".a{display:none}" * 500 + "</style><p class=a>x</p><p>seen</p>").split() == ["seen"]
    assert len(notes) == 1


ORDERS = [
    (".a{display:none} .a{display:block}", True),
    (".a{display:block} .a{display:none}", False),
    (".a{display:none!important} .a{display:block}", False),
    ("p.a{display:none} .a{display:block}", False),
    (".a,.b{display:none} p.a{display:block}", True),
    ("#i{display:none} p.a{display:block}", False),
    ("P{display:none} .a{display:block}", True),
    (".b,p[title='x,y']{display:none}", False),
    (".a{display:none} .b{display:block} .a{color:red}", False),
]


@pytest.mark.parametrize(("sheet", "seen"), ORDERS)
def test_the_cascade_decides(sheet: str, seen: bool) -> None:
    page = f"<style>{sheet}</style><p class='a c' id=i title='x,y'>text</p>"
    assert (render(page).strip() == "text") is seen


@pytest.mark.parametrize("unit", ["!", "-", "_", "[", "测试", "关于", "成绩"])
@pytest.mark.parametrize("end", ["x", "的说明x"])
def test_a_title_of_signs_is_judged_at_once(unit: str, end: str) -> None:
    def judge(title: str) -> object:
        key = PostingKey(source="demo", native_id="1")
        return check(RawPosting(key=key, title=title, record=Record(body=b"{}"), identity_hash="0" * 64))

    assert seconds(judge, (unit * MAX_TITLE)[: MAX_TITLE - 5] + end) < 0.3


def test_bullets_before_bullets() -> None:
    assert plain_to_markdown("- - - 1. 中") == "1. 中"
    assert seconds(plain_to_markdown, "- " * 100_000 + "中") < 1
