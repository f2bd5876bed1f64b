"""A host is asked as slowly as it wishes."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any

import pytest
from protego import Protego
from scrapy.core.downloader import Slot
from scrapy.http import Request, Response
from scrapy.settings import Settings

from jobmonitor.crawling.guarding import retry_after
from jobmonitor.crawling.politeness import Politeness
from jobmonitor.domain.backoff import LONGEST

URL = "https://example.com/jobs"
NOW = dt.datetime(2026, 11, 2, 6, 0, tzinfo=dt.UTC)


def polite(slot: Slot) -> Politeness:
    downloader = SimpleNamespace(slots={"example.com": slot}, get_slot_key=lambda request: "example.com")
    crawler: Any = SimpleNamespace(
        settings=Settings({"USER_AGENT": "JobMarketMonitor/0.1"}), engine=SimpleNamespace(downloader=downloader)
    )
    return Politeness(crawler)


def robots(text: str) -> Any:
    return SimpleNamespace(rp=Protego.parse(text))


def answer(status: int = 200, **headers: str) -> tuple[Response, Request]:
    request = Request(URL, meta={"download_slot": "example.com"})
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(URL, status=status, headers=sent, request=request), request


def test_crawl_delay_holds_against_autothrottle() -> None:
    slot = Slot(1, 2.0, 0.5)
    politeness = polite(slot)
    politeness.robots_parsed(robots("User-agent: *\nCrawl-delay: 10"), Request(URL))
    slot.delay = 2.0  # AutoThrottle thinks that this would do
    politeness.answered(*answer())
    assert min(slot.download_delay() for _ in range(100)) >= 10


def test_a_shorter_crawl_delay_makes_nothing_faster() -> None:
    slot = Slot(1, 2.0, 0.0)
    polite(slot).robots_parsed(robots("User-agent: *\nCrawl-delay: 1"), Request(URL))
    assert slot.delay == 2.0


WISHES = [
    ("30", 30),
    ("Mon, 02 Nov 2026 06:01:00 GMT", 60),
    ("Mon, 02 Nov 2026 05:00:00 GMT", 0),
    ("999999999", LONGEST),
    ("soon", 0),
    ("", 0),
]


@pytest.mark.parametrize(("value", "seconds"), WISHES)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float) -> None:
    assert retry_after(answer(503, Retry_After=value)[0], NOW) == seconds
