"""A recording can be read at any moment, is continued, and keeps nothing of the visitor."""

from __future__ import annotations

import datetime as dt
import json
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import Request, Response, TextResponse

from jobmonitor.crawling.exchanges import load_exchanges
from jobmonitor.crawling.record import Recorder
from jobmonitor.errors import ConfigurationError

AT = dt.datetime(2026, 11, 2, 6, tzinfo=dt.UTC)
URL = "https://example.com/jobs/"


def response(body: bytes, **headers: Any) -> Response:
    return TextResponse(URL, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_every_state_of_the_index_is_readable(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    for number in range(1, 4):
        recorder.add(Request(f"{URL}{number}"), response(b"{}", Content_Type="application/json"), AT)
        assert len(json.loads((tmp_path / "exchanges.json").read_bytes())) == number
    answer = load_exchanges(tmp_path).answer("GET", f"{URL}3", b"")
    assert answer is not None
    assert answer.at == AT


def test_bytes_and_charset_are_kept_as_sent(tmp_path: Path) -> None:
    body = "职位".encode("gbk")
    Recorder(tmp_path).add(Request(URL), response(body, Content_Type="text/html; charset=gbk"), AT)
    answer = load_exchanges(tmp_path).answer("GET", URL, b"")
    assert answer is not None
    assert answer.path is not None
    assert answer.path.read_bytes() == body
    assert answer.headers["Content-Type"] == ["text/html; charset=gbk"]


def test_a_request_body_comes_back(tmp_path: Path) -> None:
    request = Request(URL, method="POST", body='{"page":1,"q":"工程师"}')
    Recorder(tmp_path).add(request, response(b"[]"), AT)
    assert load_exchanges(tmp_path).answer("POST", URL, request.body) is not None


def test_cookies_and_wire_headers_are_left_out(tmp_path: Path) -> None:
    Recorder(tmp_path).add(Request(URL), response(b"x", Set_Cookie="id=7", Content_Encoding="gzip", ETag='"a"'), AT)
    (entry,) = json.loads((tmp_path / "exchanges.json").read_bytes())
    assert entry["headers"] == {"Etag": ['"a"']}


def test_a_recording_is_continued_beside_what_a_kill_left(tmp_path: Path) -> None:
    Recorder(tmp_path).add(Request(URL), response(b"one"), AT)
    (tmp_path / "00002.bin").write_bytes(b"half an ans")
    again = Recorder(tmp_path)
    again.add(Request(URL), response(b"two"), AT)
    exchanges = load_exchanges(tmp_path)
    bodies = [
        answer.path.read_bytes() for _ in range(2) if (answer := exchanges.answer("GET", URL, b"")) and answer.path
    ]
    assert bodies == [b"one", b"two"]
    assert (tmp_path / "00002.bin").read_bytes() == b"half an ans"


def test_an_unusable_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "exchanges.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="RECORD_DIR"):
        Recorder(tmp_path)


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file can grow beyond `size` bytes: a disk with that much room, to a program."""
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("left", [0, 1, 40, 100])
def test_a_full_disk_ends_the_recording_and_leaves_it_whole(
    left: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(tmp_path)
    recorder.add(Request(f"{URL}1"), response(b"one"), AT)
    with room((tmp_path / "exchanges.json").stat().st_size + left):
        recorder.add(Request(f"{URL}2"), response(b"two"), AT)
        recorder.add(Request(f"{URL}3"), response(b"three"), AT)
    (entry,) = json.loads((tmp_path / "exchanges.json").read_bytes())
    assert entry["url"] == f"{URL}1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00001.bin", "exchanges.json"]
    (error,) = caplog.records
    assert error.levelname == "ERROR"
    assert "recording stopped after 1 exchanges" in error.getMessage()
    again = Recorder(tmp_path)
    again.add(Request(f"{URL}2"), response(b"two"), AT)
    assert load_exchanges(tmp_path).answer("GET", f"{URL}2", b"") is not None


def test_a_body_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.add(Request(f"{URL}1"), response(b"one"), AT)
    with room(1000):
        recorder.add(Request(f"{URL}2"), response(b"2" * 5000), AT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00001.bin", "exchanges.json"]


def test_an_answer_does_not_look_through_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(tmp_path)
    monkeypatch.setattr(Path, "glob", None)
    monkeypatch.setattr(Path, "iterdir", None)
    for number in range(3):
        recorder.add(Request(f"{URL}{number}"), response(b"x"), AT)
    assert (tmp_path / "00003.bin").is_file()
