"""Conditional requests: a body that is known is not sent again, and nothing is hidden by that."""

from __future__ import annotations

import datetime as dt
import urllib.parse
from typing import Any

import pytest

from jobmonitor.domain.validators import is_read_in_full
from tests.acceptance.crawling import Crawls, Site, serving

LEDGER = (
    "SELECT ledger->'seen', ledger->'new', ledger->'changed', ledger->'unchanged' FROM run ORDER BY id DESC LIMIT 1"
)
PAGES = "SELECT status, cardinality(ids) FROM page ORDER BY id DESC LIMIT 2"
STATES = "SELECT state, count(*) FROM posting GROUP BY 1"


class NamedSite(Site):
    """Gives each body a name; the list's is its version, a detail's that of its text."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.version = 1
        self.titles: dict[int, str] = {}
        #: "ETag" or "Last-Modified".
        self.names = "ETag"
        self.extra: dict[str, str] = {}
        self.moved: dict[str, str] = {}

    def headers(self, path: str) -> dict[str, str]:
        """The name of the body at a path."""
        listing = "/Query" in path
        value = f'"list-{self.version}-{path[-30:]}"' if listing else f'"{path[-9:]}"'
        if self.names == "Last-Modified":
            value = f"Sun, {self.version:02d} Nov 2026 08:00:00 GMT"
        return {self.names: value} | self.extra

    def place(self, path: str) -> str | None:
        """Redirects the list where the test says so."""
        parts = urllib.parse.urlsplit(path)
        target = self.moved.get(parts.path)
        return f"{target}?{parts.query}" if target else None

    def row(self, number: int) -> dict[str, Any]:
        """A row with the title of now."""
        row = super().row(number)
        return row | ({"RecruitPostName": self.titles[number]} if number in self.titles else {})


def moment(day: int) -> dt.datetime:
    """The logical time of a day's crawl; the first is 1 November."""
    return dt.datetime(2026, 10, 31, 6, tzinfo=dt.UTC) + dt.timedelta(days=day)


def crawl(crawls: Crawls, site: NamedSite, day: int, **settings: str) -> list[str]:
    """Crawl on a day; the paths that were asked for."""
    site.asked.clear()
    site.conditional.clear()
    arguments = {"board": "acme", "base_url": site.url}
    status, errors = crawls.run("tencent", arguments=arguments, OBSERVED_AT=moment(day).isoformat(), **settings)
    assert status == 0, errors
    return site.asked


@pytest.mark.parametrize("names", ["ETag", "Last-Modified"])
def test_a_list_that_is_the_same_is_not_sent_and_shows_all_its_postings(crawls: Crawls, names: str) -> None:
    with serving(NamedSite(130)) as site:
        site.names = names
        crawl(crawls, site, 1)
        assert site.conditional == []
        assert len(crawl(crawls, site, 2)) == 2  # read in full: what followed from the lists is only now known
        assert len(crawl(crawls, site, 3)) == 2
        assert len(site.conditional) == 2
        assert crawls.rows(PAGES) == [
            (304, 30),
            (304, 100),
        ]
        assert crawls.rows(LEDGER) == [(130, 0, 0, 130)]
        assert crawls.rows("SELECT complete, proof, distinct_ids FROM run_channel ORDER BY run_id DESC LIMIT 1") == [
            (True, "total", 130)
        ]
        site.titles[7], site.version = "数据工程师", 2
        crawl(crawls, site, 4)
        assert crawls.rows(LEDGER) == [(130, 0, 1, 129)]
        crawl(crawls, site, 5)
    assert crawls.rows(STATES) == [("active", 130)]


def test_a_posting_whose_detail_failed_is_not_hidden_by_the_list(crawls: Crawls) -> None:
    with serving(NamedSite(20)) as site:
        whole, site.detail = site.detail, lambda number: (502, {}) if number == 5 else NamedSite.detail(site, number)  # type: ignore[method-assign]
        crawl(crawls, site, 1)
        crawl(crawls, site, 2)
        assert crawls.rows("SELECT count(*) FROM posting") == [(19,)]
        site.detail = whole  # type: ignore[method-assign]
        crawl(crawls, site, 3)
    assert crawls.rows("SELECT count(*) FROM posting") == [(20,)]


def test_an_old_detail_is_asked_for_conditionally_and_is_young_again(crawls: Crawls) -> None:
    with serving(NamedSite(20)) as site:
        crawl(crawls, site, 1)
        assert len(crawl(crawls, site, 28)) == 21
        assert len(site.conditional) >= 15  # one in fifty is read in full
        assert crawls.rows(LEDGER) == [(20, 0, 0, 20)]
        assert len(crawl(crawls, site, 29)) == 1
    assert crawls.rows("SELECT DISTINCT detail_observed_at::date::text FROM posting") == [("2026-11-28",)]


def test_each_hop_of_a_redirect_has_its_own_name(crawls: Crawls) -> None:
    with serving(NamedSite(20)) as site:
        site.moved = {"/tencentcareer/api/post/Query": "/moved/Query"}
        for day in (1, 2, 3):
            crawl(crawls, site, day)
        assert len(site.asked) == 2
        assert [urllib.parse.urlsplit(path).path for path in site.conditional] == ["/moved/Query"]
        assert crawls.rows(LEDGER) == [(20, 0, 0, 20)]
        page = crawls.rows("SELECT status, redirected_to FROM page ORDER BY id DESC LIMIT 1")[0]
    assert page[0] == 304
    assert "/moved/Query" in page[1]


def test_a_304_that_speaks_of_compression_is_still_one(crawls: Crawls) -> None:
    with serving(NamedSite(20)) as site:
        crawl(crawls, site, 1)
        crawl(crawls, site, 2)
        site.extra = {"Vary": "Accept-Encoding"}
        headers = site.headers
        site.headers = lambda path: headers(path) | ({"Content-Encoding": "gzip"} if site.conditional else {})  # type: ignore[method-assign]
        crawl(crawls, site, 3)
    assert crawls.rows(LEDGER) == [(20, 0, 0, 20)]
    assert crawls.rows("SELECT status, failure FROM page ORDER BY id DESC LIMIT 1") == [(304, None)]


def test_a_server_that_gives_two_bodies_one_name_is_not_believed_again(crawls: Crawls) -> None:
    with serving(NamedSite(20)) as site:
        crawl(crawls, site, 1)
        crawl(crawls, site, 2)
        site.titles[3] = "数据工程师"  # and the list keeps its name
        name = crawls.rows("SELECT request_hash FROM validator WHERE cardinality(ids) = 20")[0][0]
        days = range(3, 1000)
        full = next(day for day in days if is_read_in_full(name, moment(day)))
        hidden = next(day for day in days if not is_read_in_full(name, moment(day)))
        for day in sorted({min(hidden, full), full}):
            crawl(crawls, site, day, DETAIL_MAX_AGE="2000")
        assert crawls.rows("SELECT title FROM posting WHERE native_id = '900003'") == [("数据工程师",)]
        trust = crawls.rows("SELECT unconditional IS NOT NULL, (SELECT count(*) FROM validator) FROM source")
        assert trust == [(True, 0)]
        crawl(crawls, site, full + 1)
        assert site.conditional == []
