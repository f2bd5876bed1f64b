"""The simulated market over HTTP on loopback, one port per company, in the shapes of the real systems.

The day can be switched while it runs. Every request is kept in a log, so that tests can count them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import orjson

from jobmonitor.demo.board import Board
from jobmonitor.demo.companies import System
from jobmonitor.demo.loopback import LoopbackServer
from jobmonitor.demo.market import Market


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """One request as a company's server answered it."""

    source: str
    method: str
    path: str
    query: str
    status: int
    #: Seconds since the epoch.
    at: float


class Answer(NamedTuple):
    """What a server says: status, media type, body."""

    status: HTTPStatus
    body: bytes
    media_type: str = "application/json; charset=utf-8"


def _json(value: object, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    return Answer(status, orjson.dumps(value))


ROBOTS = Answer(HTTPStatus.OK, b"User-agent: *\nAllow: /\n", "text/plain; charset=utf-8")
NOT_FOUND = _json({"status": 404, "error": "Not found"}, HTTPStatus.NOT_FOUND)

#: What a system says of a board that it does not have, where it has words of its own for that.
UNKNOWN: dict[System, Answer] = {
    "lever": _json({"ok": False, "error": "Document not found"}, HTTPStatus.NOT_FOUND),
}


class CompanySite:
    """What one company answers; pure but for the cache of Greenhouse's large answer."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._cached: tuple[int, Answer] | None = None
        self._lock = threading.Lock()

    def answer(self, path: str, query: dict[str, str], body: bytes | None = None) -> Answer:
        """The answer to a GET, or with a body to a POST."""
        if path == "/robots.txt":
            return ROBOTS
        company = self._board.company
        routes: dict[tuple[str, str], Callable[[dict[str, str]], Answer]] = {
            ("tencent", "/tencentcareer/api/post/Query"): self._tencent_list,
            ("tencent", "/tencentcareer/api/post/ByPostId"): self._tencent_detail,
            ("greenhouse", f"/v1/boards/{company.board}/jobs"): self._greenhouse_list,
            ("lever", f"/v0/postings/{company.board}"): self._lever_list,
            ("joinqq", "/api/v1/jobDetails/getJobDetailsByPostId"): self._joinqq_detail,
        }
        if body is not None:
            asked = (company.system, path) == ("joinqq", "/api/v1/position/searchPosition")
            return self._joinqq_list(body) if asked else NOT_FOUND
        route = routes.get((company.system, path))
        return UNKNOWN.get(company.system, NOT_FOUND) if route is None else route(query)

    def _tencent_list(self, query: dict[str, str]) -> Answer:
        """A page of rows. A pageIndex below 1 or no number is E1003, a bad argument."""
        try:
            index, size = int(query.get("pageIndex", "1")), int(query.get("pageSize", "10"))
        except ValueError:
            index = size = 0
        if index < 1 or not 1 <= size <= 200:
            return _json({"Code": 500, "Data": "E1003"}, HTTPStatus.INTERNAL_SERVER_ERROR)
        listed = self._board.listed()
        rows = [self._board.row(posting) for posting in listed[(index - 1) * size : index * size]]
        return _json({"Code": 200, "Data": {"Count": len(listed), "Posts": rows or None}})

    def _tencent_detail(self, query: dict[str, str]) -> Answer:
        posting = self._board.find(query.get("postId", ""))
        if posting is None:
            return _json({"Code": 500, "Data": "E1005"}, HTTPStatus.INTERNAL_SERVER_ERROR)
        return _json(self._board.detail(posting))

    def _greenhouse_list(self, query: dict[str, str]) -> Answer:
        if query.get("content") != "true":
            return _json(self._jobs(without=("content", "departments", "offices")))
        with self._lock:
            if self._cached is None or self._cached[0] != self._board.day:
                self._cached = (self._board.day, _json(self._jobs()))
            return self._cached[1]

    def _lever_list(self, query: dict[str, str]) -> Answer:
        """The board as a bare list, from `skip` on, no more than `limit` where one is given."""
        listed = self._board.listed()
        skip, limit = (int(query[name]) if query.get(name, "").isdigit() else None for name in ("skip", "limit"))
        return _json([self._board.row(posting) for posting in listed[skip:][:limit]])

    def _joinqq_list(self, body: bytes) -> Answer:
        """A page of rows; what it cannot read it refuses inside HTTP 200."""
        try:
            asked = orjson.loads(body)
            index, size = int(asked["pageIndex"]), int(asked["pageSize"])
        except (ValueError, KeyError, TypeError):
            return _json({"status": 1, "message": "参数错误", "data": None})
        listed = self._board.listed()
        rows = [self._board.row(posting) for posting in listed[(index - 1) * size : index * size]]
        return _json({"status": 0, "message": "", "data": {"positionList": rows, "count": len(listed)}})

    def _joinqq_detail(self, query: dict[str, str]) -> Answer:
        posting = self._board.find(query.get("postId", ""))
        if posting is None:
            return _json({"status": 404, "message": "岗位已下架", "data": None}, HTTPStatus.NOT_FOUND)
        return _json(self._board.detail(posting))

    def _jobs(self, without: tuple[str, ...] = ()) -> dict[str, Any]:
        rows = [self._board.row(posting) for posting in self._board.listed()]
        jobs = [{key: value for key, value in row.items() if key not in without} for row in rows]
        return {"jobs": jobs, "meta": {"total": len(jobs)}}


class MarketServer:
    """Serves a market until `stop`. One port per company, so that one host never serialises two sources."""

    def __init__(self, market: Market) -> None:
        self.market = market
        self._log: list[LoggedRequest] = []
        self._day_lock = threading.RLock()
        self._servers = {source: self._bind(source, CompanySite(market.board(source))) for source in market.sources}

    def start(self) -> MarketServer:
        """Begin to answer, in threads of its own."""
        for server in self._servers.values():
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self) -> None:
        """Stop answering and close the ports."""
        for server in self._servers.values():
            server.shutdown()
            server.server_close()

    def advance(self) -> None:
        """Switch to the next day; no request is answered meanwhile."""
        with self._day_lock:
            self.market.advance()

    def base_url(self, source: str) -> str:
        """Address of a company's server, without a slash at its end."""
        return f"http://127.0.0.1:{self._servers[source].server_address[1]}"

    @property
    def log(self) -> tuple[LoggedRequest, ...]:
        """Every request so far, in the order of the answers."""
        return tuple(self._log)

    def _bind(self, source: str, site: CompanySite) -> ThreadingHTTPServer:
        market = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                self._reply(None)

            def do_POST(self) -> None:
                self._reply(self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def _reply(self, body: bytes | None) -> None:
                parts = urlsplit(self.path)
                query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
                with market._day_lock:
                    answer = site.answer(parts.path, query, body)
                market._note(source, self.command, parts.path, parts.query, answer.status)
                self._send(answer)

            def _send(self, answer: Answer) -> None:
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.media_type)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: Any) -> None:
                """Requests are kept in the log, not printed."""

        return LoopbackServer(("127.0.0.1", 0), Handler)

    def _note(self, source: str, method: str, path: str, query: str, status: int) -> None:
        self._log.append(
            LoggedRequest(source=source, method=method, path=path, query=query, status=int(status), at=time.time())
        )


@contextmanager
def serving(market: Market) -> Iterator[MarketServer]:
    """A running server for the length of a block."""
    server = MarketServer(market).start()
    try:
        yield server
    finally:
        server.stop()
