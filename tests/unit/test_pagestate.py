"""What pages are: postings, and what sites send in their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import Response
from typer.testing import CliRunner

from jobmonitor.cli.main import app
from jobmonitor.crawling.answers import NoAnswer, json_body
from jobmonitor.domain.pagestate import judge_page, patterns

CASES = Path(__file__).parent / "cases" / "page_states.txt"
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


@pytest.mark.parametrize("piece", ["<p>该职位", "<input ", "this job is ", "404 ", "已" * 50, "<title", "(((", "共 1"])
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
