"""What pages are: postings, and what sites send in their place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import Response
from typer.testing import CliRunner

from jobmonitor.cli.main import app
from jobmonitor.crawling.answers import NoAnswer, json_body
from jobmonitor.domain.charset import decode
from jobmonitor.domain.pageaddress import job_address
from jobmonitor.domain.pagepatterns import patterns
from jobmonitor.domain.pagestate import judge_page

CASES = Path(__file__).parent / "cases" / "page_states.txt"
#: Pages with their addresses and statuses, near misses above all. `@NAME@` stands for a text of `TEXTS`.
ANSWERS = Path(__file__).parent / "cases" / "page_states.jsonl"
PROSE = "We build services that many people rely on every day, and we look after them with care and a sense of humour. "
ZH_PROSE = "负责广告投放系统的设计与开发，保障系统在高峰期的稳定运行，并持续改进研发流程与代码质量。"
TEXTS = {
    "PROSE": PROSE,
    "ZH_PROSE": ZH_PROSE,
    "POSTING": f"<h1>Backend Engineer</h1><h2>Responsibilities</h2><p>{PROSE * 30}</p><h2>Requirements</h2>"
    "<ul><li>Go</li><li>Five years</li></ul><button>Apply now</button>",
    "ZH_POSTING": f"<h1>后端工程师</h1><h2>岗位职责</h2><p>{ZH_PROSE * 6}</p><h2>任职要求</h2>"
    "<p>本科及以上学历，三年以上经验。</p><button>立即投递</button>",
    "DATA": '<script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting",'
    '"title":"Backend Engineer","description":"x"}</script>',
    "NAV": "<header><nav><a href=/>Home</a><a href=/jobs>Jobs</a><a href=/login>Sign in</a></nav></header>",
    "ZH_NAV": "<div class=header><a href=/>首页</a><a href=/social>社会招聘</a><a href=/campus>校园招聘</a>"
    "<a href=/login>登录/注册</a></div>",
    "FOOT": "<footer><a href=/privacy>Privacy</a><p>© 2026 Acme. All rights reserved.</p></footer>",
}


def spelled_out(html: str) -> str:
    """A page with its texts in place of their names; `@PROSE*3@` is three times one."""
    return re.sub(r"@([A-Z_]+)(?:\*(\d+))?@", lambda name: TEXTS[name[1]] * int(name[2] or 1), html)


def answers() -> list[dict[str, Any]]:
    return [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("answer", answers(), ids=lambda answer: f"{answer['state']}: {answer['html'][-60:]}")
def test_each_answer_is_what_it_is(answer: dict[str, Any]) -> None:
    asked = {"url": "https://jobs.acme.example/jobs/12345", **answer}
    state, html = asked.pop("state"), spelled_out(asked.pop("html"))
    verdict = judge_page(html, **asked)
    assert verdict.state == state, verdict
    assert verdict.evidence


@pytest.mark.parametrize(
    ("href", "is_job"),
    [
        ("/jobs/8214/payroll/job?in_iframe=1", True),
        ("job-opening.php?req=3762934&req_loc=1#job", True),
        ("/acme/job/octxAfww", True),
        ("https://boards.example/acme/jobs/4567", True),
        ("/careers/senior-data-engineer", True),
        ("/job/list", False),
        ("/jobs", False),
        ("/careers/teams/engineering", False),
        ("mailto:jobs@acme.example?id=77", False),
        ("javascript:apply('/job/12345')", False),
    ],
)
def test_links_to_postings(href: str, is_job: bool) -> None:
    assert (job_address(href) is not None) == is_job


POSTING = "Responsibilities: build services that people rely on. Requirements: three years of Go. Apply now. " * 3


def cases() -> list[tuple[str, str]]:
    lines = [line for line in CASES.read_text("utf-8").splitlines() if not line.startswith("#")]
    pairs = [line.partition("|")[::2] for line in lines]
    return [(state, html.replace("POSTING", POSTING)) for state, html in pairs]


@pytest.mark.parametrize(("state", "html"), cases())
def test_each_page_is_what_it_is(state: str, html: str) -> None:
    verdict = judge_page(html, url="https://example.com/jobs/1")
    assert verdict.state == state, verdict
    assert verdict.evidence


@pytest.mark.parametrize(
    ("status", "html", "state"),
    [
        (404, POSTING, "not_found"),
        (410, "", "not_found"),
        (503, "<p>Down for maintenance</p>", "maintenance"),
        (503, "", "unknown"),
        (403, "<p>Access denied</p>", "wall"),
        (403, "", "unknown"),
        (405, "", "unknown"),
        (429, "", "unknown"),
        (401, "", "login"),
        (400, "<p>Bad</p>", "unknown"),
    ],
)
def test_a_status_counts_before_the_text(status: int, html: str, state: str) -> None:
    assert judge_page(html, status=status).state == state


def test_a_redirect_upwards_leads_to_the_listing() -> None:
    html = "<h1>Careers</h1><p>Work with us</p>"
    asked = {"url": "https://example.com/jobs/1"}
    assert judge_page(html, **asked, final_url="https://example.com/jobs").state == "listing"
    assert judge_page(html, **asked, final_url="https://example.com/jobs/1/").state != "listing"
    assert judge_page(html, **asked, final_url="https://elsewhere.example/jobs").state != "listing"


def test_every_pattern_names_its_source() -> None:
    assert all(pattern.source for pattern in patterns())
    assert {pattern.state for pattern in patterns()} >= {"wall", "login", "maintenance", "closed", "listing"}


@given(st.text(max_size=400), st.integers(100, 599))
def test_no_page_is_too_strange(html: str, status: int) -> None:
    assert judge_page(html, status=status).state


@given(st.binary(max_size=600), st.sampled_from(["text/html", "text/html; charset=gbk", "application/json", None]))
def test_no_bytes_are_too_strange(body: bytes, content_type: str | None) -> None:
    assert judge_page(decode(body, content_type=content_type).text, content_type=content_type).state


_PIECES = [
    "<h1>",
    "</div>",
    "<li>",
    "<a href='/job/",
    "<script>",
    "</title>",
    "<title>",
    "该职位已下线",
    "closed",
    "<!--",
    "{",
    "登录",
]


@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=5), max_size=60), st.text(max_size=30))
def test_no_markup_is_too_broken(pieces: list[str], address: str) -> None:
    assert judge_page("".join(pieces), url=address, final_url=f"https://x.example/{address}").state


@pytest.mark.parametrize(
    "piece",
    [
        "<p>" + "sorry, this job " * 18,
        "<p>" + "该职位已下线或不存在、" * 26,
        "<p>该职位",
        "<input ",
        "this job is ",
        "404 ",
        "已" * 50,
        "<title",
        "(((",
        "共 1",
    ],
)
def test_a_page_of_four_megabytes_ends(piece: str) -> None:
    assert judge_page(piece * (4_000_000 // len(piece))).state


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<p>系统维护中</p>", "maintenance"),
        ("<p>请完成安全验证</p>", "wall"),
        ("<p>请先登录后查看</p>", "login"),
        ("<h1>Jobs</h1>", "html"),
    ],
)
def test_in_the_place_of_data(body: str, reason: str) -> None:
    response = Response(
        "https://example.com/api", body=body.encode("gbk"), headers={"Content-Type": "text/html; charset=gbk"}
    )
    with pytest.raises(NoAnswer) as caught:
        json_body(response)
    assert caught.value.reason == reason


def tried(*arguments: str, stdin: str | bytes = "") -> Any:
    result = CliRunner().invoke(app, ["try", "page", *arguments, "--json"], input=stdin)
    return json.loads(result.stdout)


def test_try_page_shows_the_verdict(tmp_path: Path) -> None:
    fields = {"url": "https://example.com/1", "status": 200, "final_url": None, "html": "<p>该职位已关闭</p>"}
    assert tried(stdin=json.dumps(fields))["data"] == {"state": "closed", "evidence": "该职位已关闭"}
    page = tmp_path / "page.html"
    page.write_bytes("<meta charset=utf-8><p>岗位已下架</p>".encode("gbk"))
    assert tried(str(page), "--status", "200")["data"]["state"] == "closed"
    assert tried(str(page), "--status", "404", "--url", "https://example.com/1")["data"]["state"] == "not_found"
    assert tried(stdin=json.dumps({"status": "200", "html": ""}))["error"]["message"]
