"""`scrapy crawl` as a person types it: messages, exit status, and a recording that replays."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_STAGES = ("-s", "ITEM_PIPELINES={}")
BOARD = {"jobs": [{"id": 1, "title": "Engineer", "location": {"name": "Zürich"}}], "meta": {"total": 1}}


def scrapy(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


class Site(BaseHTTPRequestHandler):
    """A Greenhouse board, compressed, behind a redirect."""

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self.answer(404, b"")
        elif self.path.startswith("/v1/"):
            self.send_response(302)
            self.send_header("Location", "/moved" + self.path)
            self.end_headers()
        else:
            self.answer(200, gzip.compress(json.dumps(BOARD).encode()))

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Set-Cookie", "visitor=7")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_recording_replays_without_the_site(site: str, tmp_path: Path) -> None:
    crawl = ("crawl", "greenhouse:acme", "-a", f"base_url={site}", *WITHOUT_STAGES, "-s", "LOG_LEVEL=DEBUG")
    recorded = scrapy(*crawl, "-s", f"RECORD_DIR={tmp_path}", "-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=0")
    assert "RawPosting greenhouse:acme/1" in recorded.stderr
    entries = json.loads((tmp_path / "exchanges.json").read_bytes())
    assert [entry["status"] for entry in entries] == [404, 302, 200]
    assert json.loads((tmp_path / entries[2]["file"]).read_bytes()) == BOARD
    assert not any({"Set-Cookie", "Content-Encoding"} & entry["headers"].keys() for entry in entries)

    gone = site.replace(site.rpartition(":")[2], "9")
    text = (tmp_path / "exchanges.json").read_text().replace(site, gone)
    (tmp_path / "exchanges.json").write_text(text)
    replayed = scrapy(*crawl[:3], f"base_url={gone}", *crawl[4:], "-s", f"REPLAY_DIR={tmp_path}")
    assert "RawPosting greenhouse:acme/1" in replayed.stderr


def test_a_run_that_nobody_finished_fails(tmp_path: Path) -> None:
    (tmp_path / "exchanges.json").write_text("[]")
    crawled = scrapy("crawl", "greenhouse:acme", *WITHOUT_STAGES, "-s", f"REPLAY_DIR={tmp_path}", "--nolog")
    assert crawled.returncode == 1
    assert crawled.stderr == "greenhouse:acme: no run was finished; the log above says why\n"


WRONG = [
    (("greenhous:stripe",), "did you mean greenhouse:stripe"),
    (("greenhouse",), "greenhouse needs a board"),
    (("tencent", "-a", "page=3"), "tencent has no argument 'page'"),
    (("tencent", "-s", "REPLAY_DIR=/nowhere"), "/nowhere/exchanges.json cannot be read"),
    (("tencent", "-s", "REPLAY_DIR=a", "-s", "RECORD_DIR=b"), "not both"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_a_wrong_word_is_named_before_anything_starts(arguments: tuple[str, ...], message: str) -> None:
    crawled = scrapy("crawl", *arguments, "--nolog")
    assert crawled.returncode == 2
    assert message in crawled.stdout + crawled.stderr
    assert "Traceback" not in crawled.stdout + crawled.stderr
