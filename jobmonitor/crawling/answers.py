"""Tells an answer from anything else: an error page, a maintenance page or a time-out is never an empty board."""

from __future__ import annotations

import json
from typing import Any

import orjson
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Response

from jobmonitor.crawling.robots import RobotsUnreachable
from jobmonitor.domain.charset import decode
from jobmonitor.domain.pagestate import LOOKED_AT, judge_page
from jobmonitor.errors import JobMonitorError


class NotAsked(IgnoreRequest):
    """A request that was given back because the run is ending: its page stays pending, and nothing is known of it."""


#: Why no answer came, by the kind of error. The first that applies; anything else is "network".
_FAILURES: tuple[tuple[type[BaseException], str], ...] = (
    (DownloadTimeoutError, "timeout"),
    (CannotResolveHostError, "dns"),
    (DownloadConnectionRefusedError, "refused"),
    (DownloadCancelledError, "cancelled"),
    (RobotsUnreachable, "robots_unreachable"),
    (IgnoreRequest, "not_allowed"),
)


class NoAnswer(JobMonitorError):
    """The site did not answer the question; `reason` is a short code for the page ledger."""

    code = "no_answer"

    def __init__(self, reason: str, evidence: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        #: The words that show it.
        self.evidence = evidence


def failure_reason(error: BaseException | None) -> str:
    """A short code for an error met while downloading."""
    return next((reason for kind, reason in _FAILURES if isinstance(error, kind)), "network")


def json_body(response: Response) -> Any:
    """The decoded JSON of a response with status 200.

    Raises:
        NoAnswer: `http_<status>`, `wall`, `login`, `maintenance` or `html` (a page for people in the place of data),
            `empty` or `not_json`.
    """
    if response.status != 200:
        raise NoAnswer(f"http_{response.status}")
    body = response.body.strip()
    if not body:
        raise NoAnswer("empty")
    if body.startswith(b"<"):
        raise NoAnswer(_page_for_people(response))
    return _decode(body)


def _page_for_people(response: Response) -> str:
    """What stands in the place of data."""
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    text = decode(response.body[:LOOKED_AT], content_type=content_type).text
    state = judge_page(text, url=response.url, status=response.status).state
    return state if state in {"wall", "login", "maintenance"} else "html"


def html_page(response: Response) -> dict[str, str]:
    """Address, charset and decoded source of a page that is a posting's.

    Raises:
        NoAnswer: `http_<status>`, or what the page is in place of a posting: closed, listing, wall, login, maintenance,
            spa_shell, not_found, unknown; with the words that show it.
    """
    if response.status != 200:
        raise NoAnswer(f"http_{response.status}")
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    html, charset = decode(response.body, content_type=content_type)
    asked = response.request.meta.get("redirect_urls", [response.url])[0] if response.request else response.url
    final = response.url if response.url != asked else None
    verdict = judge_page(html, url=asked, status=response.status, final_url=final, content_type=content_type)
    if verdict.state != "posting":
        raise NoAnswer(verdict.state, verdict.evidence)
    return {"url": response.url, "charset": charset, "html": html}


def json_value(response: Response) -> Any:
    """The decoded JSON of a response of any status, None if it is none."""
    try:
        return _decode(response.body)
    except NoAnswer:
        return None


def _decode(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        # orjson refuses lone surrogates, UTF-16 and a byte order mark; one such text must not hide a board.
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise NoAnswer("not_json") from error
