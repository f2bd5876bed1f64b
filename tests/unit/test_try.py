"""`jobmonitor try` as a person or a script meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from jobmonitor.cli.try_ import try_command

app = typer.Typer()
app.command()(try_command)


def run(*arguments: str, stdin: bytes | str = "") -> tuple[int, list[dict[str, Any]]]:
    """Exit status and envelopes."""
    result = CliRunner().invoke(app, [*arguments, "--json"], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def data(*arguments: str, stdin: bytes | str) -> Any:
    status, (envelope,) = run(*arguments, stdin=stdin)
    assert status == 0 and envelope["ok"] and envelope["error"] is None
    return envelope["data"]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("salary", "15-30K·14薪", {"min": 15000, "max": 30000, "currency": None, "period": "month", "months": 14}),
        ("salary", "$17.50/hour", {"min": 17.5, "max": 17.5, "currency": "USD", "period": "hour", "months": None}),
        ("salary", "面议", {"unknown": "negotiable"}),
        ("salary", None, {"unknown": "none"}),
        ("experience", "三年以上工作经验", {"min_years": 3, "max_years": None}),
        ("education", "统招本科", {"minimum": "bachelor", "full_time_required": True}),
        ("education", "学历不限", {"minimum": "none", "full_time_required": None}),
    ],
)
def test_shapes(kind: str, text: str | None, expected: dict[str, Any]) -> None:
    assert data(kind, stdin=json.dumps({"text": text})) == expected


def test_numbers_are_whole_where_they_can_be() -> None:
    result = CliRunner().invoke(app, ["salary", "--json"], input='{"text":"15K"}')
    assert '"min":15000,' in result.stdout


def test_redact_gives_positions_of_the_input() -> None:
    found = data("redact", stdin='{"text":"电话：１３８12345678。"}')
    assert found == {
        "text": "电话：[redacted:mobile]。",
        "found": [{"kind": "mobile", "start": 3, "end": 14}],
        "quarantine": None,
    }


def test_document_is_cleaned_and_redacted() -> None:
    posting = {"title": "Java工程师（深圳）", "html": "<ul><li>电话13812345678</li></ul>", "locations": ["深圳"]}
    found = data("document", stdin=json.dumps(posting))
    assert found["markdown"] == "# Java工程师\n\n- 电话[redacted:mobile]\n"
    assert len(found["content_hash"]) == 64 and found["scheme"] == "canonical/1"


def test_a_raw_page_with_a_wrong_charset(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(
        "<html><head><title>数据工程师</title></head><body><p>岗位职责</p></body></html>".encode("gb18030")
    )
    status, (envelope,) = run("document", str(page), "--content-type", "text/html; charset=utf-8")
    assert (status, envelope["data"]["markdown"]) == (0, "# 数据工程师\n\n岗位职责\n")


def test_a_bad_line_does_not_stop_the_others(tmp_path: Path) -> None:
    lines = tmp_path / "pay.jsonl"
    lines.write_text('{"text":"15K"}\nno json\n{"txt":"15K"}\n[]\n{"text":7}\n{}\n\n{"text":"面议"}\n')
    status, envelopes = run("salary", str(lines))
    assert status == 1
    assert [one["ok"] for one in envelopes] == [True, False, False, False, False, False, False, True]
    assert "'txt'" in envelopes[2]["error"]["message"] and "'text'" in envelopes[2]["error"]["message"]
    assert {one["error"]["code"] for one in envelopes if not one["ok"]} == {"invalid_input"}


def test_lines_on_standard_input() -> None:
    status, envelopes = run("salary", "-", stdin='{"text":"15K"}\n{"text":"20K"}\n')
    assert (status, [one["data"]["min"] for one in envelopes]) == (0, [15000, 20000])


def test_an_object_over_several_lines(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text('{\n  "text": "大专"\n}\n')
    assert run("education", str(file))[1][0]["data"]["minimum"] == "associate"


def test_a_plain_text_on_standard_input() -> None:
    assert data("experience", stdin="3-5年\n") == {"min_years": 3, "max_years": 5}


@pytest.mark.parametrize("arguments", [("thing", "-"), ("nonsense", "-"), ("salary", "/no/such/file")])
def test_what_cannot_be_done_says_so(arguments: tuple[str, ...]) -> None:
    status, (envelope,) = run(*arguments)
    assert status == 1 and not envelope["ok"] and envelope["error"]["code"] == "invalid_input"


def test_the_kinds_are_named() -> None:
    _, (envelope,) = run("thing")
    assert "salary, experience, education, document, redact, profile, page" in envelope["error"]["message"]


def test_one_body_only() -> None:
    status, (envelope,) = run("document", stdin='{"title":"x","html":"a","text":"b"}')
    assert status == 1 and "'html' and 'text'" in envelope["error"]["message"]


def test_lone_surrogates_do_not_break_the_output() -> None:
    assert data("redact", stdin='{"text":"a\\ud800b"}')["text"] == "a\ufffdb"


def test_for_people() -> None:
    result = CliRunner().invoke(app, ["salary"], input='{"text":"15K"}')
    assert result.exit_code == 0 and "15000" in result.stdout and "not stated" in result.stdout
