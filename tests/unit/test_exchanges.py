"""Which recorded answer a request gets, and what a folder must look like."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from jobmonitor.crawling.exchanges import load_exchanges, request_key
from jobmonitor.errors import ConfigurationError

URL = "https://example.com/api?b=2&a=1"
SAME = [
    (("GET", URL, ""), ("get", "https://EXAMPLE.com:443/api?a=1&b=2#top", "")),
    (("GET", "http://example.com", ""), ("GET", "http://example.com:80/", "")),
    (("GET", "https://example.com/?q=%E8%85%BE", ""), ("GET", "https://example.com/?q=腾", "")),
    (("POST", URL, '{"page": 1, "tags": ["x"]}'), ("POST", URL, '{"tags":["x"],"page":1.0}')),
    (("POST", URL, "a=1&b=%20x"), ("POST", URL, "b=+x&a=1")),
]
DIFFERENT = [
    (("GET", URL, ""), ("POST", URL, "")),
    (("GET", URL, ""), ("GET", URL.replace("a=1", "a=2"), "")),
    (("GET", URL, ""), ("GET", f"{URL}&c=", "")),
    (("GET", "http://example.com:8001/", ""), ("GET", "http://example.com:8002/", "")),
    (("POST", URL, '{"tags":["x","y"]}'), ("POST", URL, '{"tags":["y","x"]}')),
    (("POST", URL, '{"page":1}'), ("POST", URL, '{"page":"1"}')),
    (("POST", URL, "a=1&a=2"), ("POST", URL, "a=1")),
    (("POST", URL, "free text"), ("POST", URL, "other text")),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_request_in_two_spellings(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert request_key(*one) == request_key(*other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_requests(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert request_key(*one) != request_key(*other)


def write(folder: Path, *entries: Any) -> Path:
    for name in ("1.json", "2.json"):
        (folder / name).write_text(name)
    (folder / "exchanges.json").write_text(json.dumps(entries))
    return folder


def entry(**changes: Any) -> dict[str, Any]:
    return {"method": "GET", "url": URL, "status": 200, "file": "1.json", **changes}


def test_entries_are_served_in_order_and_the_last_repeats(tmp_path: Path) -> None:
    exchanges = load_exchanges(write(tmp_path, entry(status=503), entry(file="2.json")))
    answers = [exchanges.answer("GET", URL, b"") for _ in range(3)]
    assert [answer and answer.status for answer in answers] == [503, 200, 200]
    assert exchanges.answer("GET", "https://example.com/other", b"") is None


def test_the_earliest_time_is_known(tmp_path: Path) -> None:
    folder = write(tmp_path, entry(at="2026-05-03T06:00:00Z"), entry(at="2026-05-01T06:00:00+08:00"), entry())
    assert load_exchanges(folder).earliest == dt.datetime(2026, 4, 30, 22, tzinfo=dt.UTC)


def test_a_body_may_be_a_json_value(tmp_path: Path) -> None:
    exchanges = load_exchanges(write(tmp_path, entry(method="POST", body={"page": 1})))
    assert exchanges.answer("POST", URL, b'{ "page" : 1 }') is not None


BAD = [
    (entry(file="../secret"), "not inside"),
    (entry(file="/etc/passwd"), "not inside"),
    (entry(file="3.json"), "missing"),
    (entry(status="200"), "not an HTTP status"),
    (entry(url="file:///etc/passwd"), "not an http address"),
    (entry(url="http://example.com:99999/"), "Port out of range"),
    (entry(at="yesterday"), "entry 2"),
    ({"url": URL}, "no 'status'"),
    ("text", "not an object"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_a_bad_entry_is_named(tmp_path: Path, bad: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=r"exchanges\.json: entry 2") as caught:
        load_exchanges(write(tmp_path, entry(), bad))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"), [(None, "cannot be read"), ("[" * 100_000, "not JSON"), ("[", "not JSON"), ("{}", "a list")]
)
def test_a_bad_folder_is_named(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "exchanges.json").write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        load_exchanges(tmp_path)
