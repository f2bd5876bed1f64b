"""Runs real crawls in processes of their own, against replay folders and small sites that the tests write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy.engine import make_url

from jobmonitor.demo.loopback import LoopbackServer

ROOT = Path(__file__).resolve().parents[2]
#: Seconds after which a crawl in a test is taken for hung.
PATIENCE = 120
#: Loopback sites need no politeness.
QUICK = {
    "DOWNLOAD_DELAY": "0",
    "START_JITTER": "0",
    "BACKOFF_START": "0.01",
    "AUTOTHROTTLE_ENABLED": "0",
    "LOG_LEVEL": "WARNING",
    "RETRY_TIMES": "0",
}


def job(number: int, title: str, text: str = "", *, places: str = "Berlin", **fields: Any) -> dict[str, Any]:
    """One row of a Greenhouse board, escaped once more as the board's API sends it."""
    content = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {
        "id": number,
        "internal_job_id": number,
        "title": title,
        "absolute_url": f"https://job-boards.greenhouse.io/acme/jobs/{number}",
        "location": {"name": places},
        "metadata": None,
        "updated_at": "2026-11-01T10:00:00-04:00",
        "first_published": "2026-10-01T10:00:00-04:00",
        "requisition_id": None,
        "content": content,
    } | fields


def write_board(folder: Path, jobs: Sequence[Mapping[str, Any]], *, at: str) -> Path:
    """A replay folder that answers for the Greenhouse board `acme`."""
    folder.mkdir(parents=True, exist_ok=True)
    board = {"jobs": list(jobs), "meta": {"total": len(jobs)}}
    (folder / "board.json").write_text(json.dumps(board), encoding="utf-8")
    url = "https://boards-api.greenhouse.io/v1/boards/acme/jobs?content=true"
    exchange = {"method": "GET", "url": url, "status": 200, "file": "board.json", "at": at}
    exchange["headers"] = {"Content-Type": "application/json; charset=utf-8"}  # type: ignore[assignment]
    (folder / "exchanges.json").write_text(json.dumps([exchange]), encoding="utf-8")
    return folder


def crawl_command(source: str, *, arguments: Mapping[str, str] | None = None, **settings: str) -> list[str]:
    """The command line of `scrapy crawl`."""
    command = [sys.executable, "-m", "scrapy", "crawl", source]
    for name, value in (arguments or {}).items():
        command += ["-a", f"{name}={value}"]
    for name, value in (QUICK | settings).items():
        command += ["-s", f"{name}={value}"]
    return command


def environment(url: str | None, home: Path) -> dict[str, str]:
    """The environment of a crawl on the database at `url`, or on the embedded one of `home`."""
    values = {name: value for name, value in os.environ.items() if not name.startswith("JOBMONITOR_")}
    values |= {"JOBMONITOR_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return values | ({"JOBMONITOR_DATABASE_URL": url} if url else {})


class Crawls:
    """Crawls on one database."""

    def __init__(self, url: str | None, home: Path) -> None:
        self.url = url
        self.environment = environment(url, home)

    def start(self, source: str, **options: Any) -> subprocess.Popen[str]:
        """Start a crawl and return its process."""
        return subprocess.Popen(
            crawl_command(source, **options),
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, source: str, **options: Any) -> tuple[int, str]:
        """Crawl to the end; the exit status and what it wrote to stderr."""
        process = self.start(source, **options)
        return ended(process)

    def day(self, folder: Path, jobs: Sequence[Mapping[str, Any]], *, at: str) -> None:
        """Crawl the board `acme` as it is at a time; the run must finish."""
        status, errors = self.run("greenhouse:acme", REPLAY_DIR=str(write_board(folder / at[:10], jobs, at=at)))
        assert status == 0, errors

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of the database."""
        assert self.url is not None
        return rows(self.url, query, *values)

    def execute(self, statement: str) -> None:
        """Run a statement that returns nothing."""
        assert self.url is not None
        with connect(self.url) as connection:
            connection.execute(statement)  # type: ignore[call-overload]


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a crawl; its exit status and what it wrote to stderr."""
    try:
        _, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return process.returncode, errors


def connect(url: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection to the database at a SQLAlchemy URL."""
    return psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False))


def rows(url: str, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Rows of the database at a SQLAlchemy URL."""
    with connect(url) as connection:
        return connection.execute(query, values).fetchall()  # type: ignore[call-overload,no-any-return]


class Site(LoopbackServer):
    """A careers site on the Tencent shape that can hold its answers until a test lets go.

    Args:
        count: how many postings it has.
        hold_at: number of the detail request, from 1, that waits for `release`; None = none.
    """

    def __init__(self, count: int, *, hold_at: int | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.count = count
        self.hold_at = hold_at
        self.details: list[str] = []
        #: Path and query of every request, robots.txt left out.
        self.asked: list[str] = []
        #: Those of them that asked for a newer body alone.
        self.conditional: list[str] = []
        #: Status and body of robots.txt.
        self.robots: tuple[int, bytes] = (404, b"")
        self.held = threading.Event()
        self.release = threading.Event()

    @property
    def url(self) -> str:
        """Base address."""
        return f"http://127.0.0.1:{self.server_port}"

    def headers(self, path: str) -> dict[str, str]:
        """Further headers of an answer. One with an ETag or a Last-Modified answers 304 to whoever has that one."""
        return {}

    def refusal(self, path: str) -> tuple[int, dict[str, str]] | None:
        """Status and headers where the site does not answer a request."""
        return None

    def place(self, path: str) -> str | None:
        """Where the answer to a path lies instead."""
        return None

    def on_request(self, number: int) -> None:
        """Told of every request, counted from 1, before it is answered."""

    def numbers(self) -> Sequence[int]:
        """Its open postings, in the order of the list."""
        return range(1, self.count + 1)

    def listing(self, page: int, size: int) -> tuple[int, object]:
        """Status and body of one list page, from 1."""
        numbers = self.numbers()
        posts = [self.row(each) for each in numbers[(page - 1) * size : page * size]]
        return 200, {"Code": 200, "Data": {"Count": len(numbers), "Posts": posts}}

    def detail(self, number: int) -> tuple[int, dict[str, Any]]:
        """Status and body of one detail."""
        data = self.row(number) | {"Requirement": "本科及以上学历，三年以上 Go 开发经验。"}
        return 200, {"Code": 200, "Data": data}

    def row(self, number: int) -> dict[str, Any]:
        """One row of its list."""
        return {
            "Id": 0,
            "PostId": f"90000{number}",
            "RecruitPostName": f"后台开发工程师 {number}",
            "LocationName": "深圳",
            "CountryName": "中国",
            "BGName": "平台事业群",
            "CategoryName": "技术",
            "Responsibility": f"1、负责第 {number} 号服务的设计与开发；\n2、保障线上稳定。",
            "LastUpdateTime": "2026年11月20日",
        }


#: Headers that name a body, and those that ask by its name.
CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}


class _Handler(BaseHTTPRequestHandler):
    server: Site
    #: Headers and body leave together: apart, each answer waits for an acknowledgement.
    wbufsize = -1

    def do_GET(self) -> None:
        address = urllib.parse.urlsplit(self.path)
        if address.path == "/robots.txt":
            self._send(*self.server.robots, {"Content-Type": "text/plain"})
            return
        self.server.asked.append(self.path)
        conditions = [name for name in CONDITIONS.values() if name in self.headers]
        self.server.conditional += [self.path] if conditions else []
        self.server.on_request(len(self.server.asked))
        refusal = self.server.refusal(self.path)
        if refusal is not None:
            self._send(refusal[0], b"", refusal[1])
            return
        query = dict(urllib.parse.parse_qsl(address.query))
        if address.path.endswith("/Query"):
            self._answer(*self.server.listing(int(query["pageIndex"]), int(query["pageSize"])))
        elif address.path.endswith("/ByPostId"):
            self._detail(query["postId"])
        else:
            self._answer(404, {})

    def _detail(self, post_id: str) -> None:
        self.server.details.append(post_id)
        if len(self.server.details) == self.server.hold_at:
            self.server.held.set()
            self.server.release.wait(PATIENCE)
        self._answer(*self.server.detail(int(post_id.removeprefix("90000"))))

    def _answer(self, status: int, data: object) -> None:
        body = data.encode() if isinstance(data, str) else json.dumps(data).encode()
        moved, headers = self.server.place(self.path), self.server.headers(self.path)
        if moved is not None:
            status, body, headers = 302, b"", headers | {"Location": moved}
        elif any(headers.get(name) == self.headers.get(asked, "") for name, asked in CONDITIONS.items()):
            status, body = 304, b""
        self._send(status, body, {"Content-Type": "application/json"} | headers)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the crawl was killed: that is what some tests are about

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """The site, answering while the block runs."""
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.release.set()
        site.shutdown()
        site.server_close()
        thread.join()
