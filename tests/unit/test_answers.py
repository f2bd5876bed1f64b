"""What counts as an answer; everything else says why it is none."""

from __future__ import annotations

import pytest
from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response

from jobmonitor.crawling.answers import NoAnswer, failure_reason, json_body, json_value

URL = "https://example.com/api"

NO_ANSWERS = [
    (503, b'{"Code":200}', "http_503"),
    (204, b"", "http_204"),
    (200, b"", "empty"),
    (200, b" \n", "empty"),
    (200, b"\n<!doctype html><title>Maintenance</title>", "maintenance"),
    (200, b"\n<!doctype html><title>Acme</title>", "html"),
    (200, b"Service busy", "not_json"),
    (200, b"[" * 100_000, "not_json"),
]


@pytest.mark.parametrize(("status", "body", "reason"), NO_ANSWERS)
def test_what_is_no_answer(status: int, body: bytes, reason: str) -> None:
    with pytest.raises(NoAnswer) as caught:
        json_body(Response(URL, status=status, body=body))
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b"\xef\xbb\xbf[1]", [1]),
        ("[1]".encode("utf-16"), [1]),
        (rb'"\ud83d"', "\ud83d"),
    ],
)
def test_what_is_an_answer(body: bytes, value: object) -> None:
    assert json_body(Response(URL, body=body)) == value


def test_an_error_answer_can_be_read_too() -> None:
    assert json_value(Response(URL, status=500, body=b'{"Data":"E1005"}')) == {"Data": "E1005"}
    assert json_value(Response(URL, status=500, body=b"<html>")) is None


@pytest.mark.parametrize(
    ("error", "reason"),
    [(DownloadTimeoutError(), "timeout"), (IgnoreRequest(), "not_allowed"), (OSError(), "network"), (None, "network")],
)
def test_a_failure_has_a_short_name(error: BaseException | None, reason: str) -> None:
    assert failure_reason(error) == reason
