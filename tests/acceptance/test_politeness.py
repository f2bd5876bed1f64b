"""A host that says "not now" is left alone, and nothing is lost by that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.acceptance.crawling import Crawls, Site, serving

COUNT = 20
LEDGER = "SELECT state, ledger->'seen', ledger->'new', ledger->'rejected' FROM run"


class RefusingSite(Site):
    """Refuses as its script says: path, times asked so far → status and headers, or None."""

    def __init__(self) -> None:
        super().__init__(COUNT)
        self.script: Any = lambda path, times: None
        self.extra: dict[str, str] = {}

    def refusal(self, path: str) -> tuple[int, dict[str, str]] | None:
        """As the script says."""
        answer: tuple[int, dict[str, str]] | None = self.script(path, self.asked.count(path))
        return answer

    def headers(self, path: str) -> dict[str, str]:
        """Of details alone."""
        return self.extra if "ByPostId" in path else {}


@pytest.fixture
def site() -> Iterator[RefusingSite]:
    """A site that the test scripts."""
    site = RefusingSite()
    with serving(site):
        yield site


def crawl(crawls: Crawls, site: Site, **settings: str) -> tuple[int, str]:
    return crawls.run("tencent", arguments={"board": "acme", "base_url": site.url}, **settings)


@pytest.mark.parametrize(
    ("refusal", "storms"),
    [
        ((429, {}), [*range(3, 9), *range(15, 19)]),
        ((429, {"Retry-After": "1"}), [1, 9]),
        ((503, {"Retry-After": "0"}), [1, 2, 3]),
    ],
)
def test_a_storm_of_refusals_loses_nothing(
    crawls: Crawls, site: RefusingSite, refusal: tuple[int, dict[str, str]], storms: list[int]
) -> None:
    site.script = lambda path, times: refusal if len(site.asked) in storms else None
    status, errors = crawl(crawls, site)
    assert status == 0, errors
    assert crawls.rows(LEDGER) == [("finished", COUNT, COUNT, 0)]
    assert len(site.asked) == 1 + COUNT + len(storms)
    assert crawls.rows("SELECT complete FROM run_channel") == [(True,)]


def test_one_request_at_a_time_sees_whether_the_host_is_back(crawls: Crawls, site: RefusingSite) -> None:
    site.script = lambda path, times: (429, {}) if len(site.asked) in range(5, 9) else None
    assert crawl(crawls, site)[0] == 0
    assert crawls.rows(LEDGER) == [("finished", COUNT, COUNT, 0)]
    assert len(site.asked) == 1 + COUNT + 4


def test_a_refusal_for_ever_is_an_answer_in_the_end(crawls: Crawls, site: RefusingSite) -> None:
    site.script = lambda path, times: (429, {}) if path.split("&")[0].endswith("7") else None
    assert crawl(crawls, site, BACKOFF_START="0.001")[0] == 0
    assert crawls.rows(LEDGER) == [("finished", COUNT, COUNT - 2, 2)]
    assert crawls.rows("SELECT DISTINCT failure FROM page WHERE failure IS NOT NULL") == [("http_429",)]


@pytest.mark.parametrize("down", [429, 500])
def test_a_host_that_stays_away_ends_the_run_which_goes_on_later(crawls: Crawls, site: RefusingSite, down: int) -> None:
    site.script = lambda path, times: (down, {}) if len(site.asked) > 8 else None
    status, errors = crawl(crawls, site, BREAKER_PATIENCE="0.2", BREAKER_FAILURES="3")
    assert status == 1
    assert "BREAKER_PATIENCE" in errors
    assert crawls.rows("SELECT state FROM run") == [("interrupted",)]
    assert crawls.rows("SELECT count(*) > 0 FROM page WHERE state = 'pending'") == [(True,)]
    failed = crawls.rows("SELECT count(*) FROM page WHERE state = 'failed'")[0][0]
    assert failed < COUNT / 2
    site.script = lambda path, times: None
    status, errors = crawl(crawls, site)
    assert status == 0, errors
    assert crawls.rows(LEDGER) == [("finished", COUNT, COUNT - failed, failed)]


def test_robots_that_cannot_be_read_forbids_everything(crawls: Crawls, site: RefusingSite) -> None:
    site.robots = (500, b"")
    status, errors = crawl(crawls, site)
    assert status == 0
    assert "robots_unreachable" in errors
    assert site.asked == []
    assert crawls.rows("SELECT complete FROM run_channel") == [(False,)]


def test_what_robots_forbids_is_not_asked(crawls: Crawls, site: RefusingSite) -> None:
    site.robots = (200, b"User-agent: *\nDisallow: /tencentcareer/api/post/ByPostId\n")
    assert crawl(crawls, site)[0] == 0
    assert len(site.asked) == 1
    assert crawls.rows("SELECT DISTINCT reason, detail FROM reject") == [("detail_failed", "not_allowed")]


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"X-Robots-Tag": "noindex, nofollow"}, "noindex"),
        ({"X-Robots-Tag": "otherbot: noindex"}, None),
        ({"X-Robots-Tag": "JobMarketMonitor: none"}, "noindex"),
        ({"tdm-reservation": "1"}, "tdm_reserved"),
        ({"tdm-reservation": "0"}, None),
    ],
)
def test_a_page_that_asks_not_to_be_kept_is_not(
    crawls: Crawls, site: RefusingSite, headers: dict[str, str], reason: str | None
) -> None:
    site.extra = headers
    assert crawl(crawls, site)[0] == 0
    kept = COUNT if reason is None else 0
    assert crawls.rows("SELECT count(*) FROM posting") == [(kept,)]
    assert crawls.rows("SELECT reason, count(*) FROM reject GROUP BY 1") == ([(reason, COUNT)] if reason else [])


def test_a_known_page_that_asks_not_to_be_kept_is_seen_and_stays(crawls: Crawls, site: RefusingSite) -> None:
    assert crawl(crawls, site, OBSERVED_AT="2026-11-01T06:00:00+00:00")[0] == 0
    site.extra = {"X-Robots-Tag": "noindex"}
    assert crawl(crawls, site, OBSERVED_AT="2026-11-30T06:00:00+00:00")[0] == 0
    assert crawls.rows("SELECT ledger->'unchanged' FROM run ORDER BY id DESC LIMIT 1") == [(COUNT,)]
    assert crawls.rows("SELECT count(*) FROM version") == [(COUNT,)]
