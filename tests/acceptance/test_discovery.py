"""Spiders that find postings in feeds and sitemaps: a window proves nothing, a page may be something else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from jobmonitor.crawling.discovery import FeedJobSpider, SitemapJobSpider
from jobmonitor.crawling.fields import Fields
from jobmonitor.crawling.spider import Reading
from jobmonitor.items import PostingKey, RawPosting, Section
from tests.acceptance.crawling import Crawls

BASE = "https://acme.example"
TEXT = "<h2>Responsibilities</h2><p>Bake bread and rolls for the whole town, every day but Sunday, with others.</p>"
SPIDERS = "spiders,tests.acceptance.test_discovery"


class AcmeFeedSpider(FeedJobSpider):
    """A feed."""

    name = system = "acmefeed"
    base_url = BASE
    feed_path = "/feed.xml"


class AcmeSitemapSpider(SitemapJobSpider):
    """A sitemap with pages of postings."""

    name = system = "acmesitemap"
    base_url = BASE
    whole = True
    posting_url: ClassVar[re.Pattern[str]] = re.compile(r"/jobs/(?P<id>\d+)$")

    @classmethod
    def read(cls, record: Mapping[str, Any], source: str) -> Reading:
        """Title and text of a page."""
        row, page = Fields(record["list"], "list"), Fields(record["detail"], "detail")
        url, html = row.pop_text("loc"), page.pop_text("html")
        posting = RawPosting(
            key=PostingKey(source=source, native_id=url.rpartition("/")[2]),
            title=html.partition("<h1>")[2].partition("</h1>")[0],
            sections=(Section(body=html.partition("</h1>")[2], format="html"),),
            url=url,
            **cls.sealed(record),
        )
        return Reading(posting)


def folder(place: Path, day: int, answers: Mapping[str, tuple[int, str]]) -> Path:
    """A replay folder of one day."""
    place = place / str(day)
    place.mkdir()
    exchanges = []
    for number, (path, (status, body)) in enumerate(answers.items()):
        (place / f"{number}.txt").write_text(body, "utf-8")
        headers = {"Content-Type": "text/html; charset=utf-8"}
        exchange = {"method": "GET", "url": BASE + path, "status": status, "file": f"{number}.txt", "headers": headers}
        exchanges.append(exchange | {"at": f"2026-11-{day:02d}T06:00:00+00:00"})
    (place / "exchanges.json").write_text(json.dumps(exchanges), "utf-8")
    return place


def crawl(crawls: Crawls, spider: str, replay: Path) -> str:
    status, errors = crawls.run(spider, REPLAY_DIR=str(replay), SPIDER_MODULES=SPIDERS)
    assert status == 0, errors
    return errors


def feed(*numbers: int) -> tuple[int, str]:
    items = "".join(
        f"<item><guid>{each}</guid><title>Baker {each}</title><description>Bake</description></item>"
        for each in numbers
    )
    return 200, f"<rss><channel>{items}</channel></rss>"


def test_a_feed_is_a_window(crawls: Crawls, tmp_path: Path) -> None:
    for day, numbers in enumerate(((1, 2, 3), (2, 3, 4), (4, 5), ()), start=1):
        crawl(crawls, "acmefeed", folder(tmp_path, day, {"/feed.xml": feed(*numbers)}))
    assert crawls.rows("SELECT native_id, state FROM posting ORDER BY 1") == [
        (str(each), "active") for each in range(1, 6)
    ]
    assert crawls.rows("SELECT DISTINCT kind, complete FROM run_channel c JOIN page p USING (run_id)") == [
        ("feed", False)
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<p>系统维护中</p>", "maintenance"),
        ("<h1>Jobs</h1>", "html"),
        ("<rss><channel><item>", "unreadable"),
        ('{"error": 1}', "success_test"),
    ],
)
def test_a_page_in_the_place_of_a_feed_is_a_failure(crawls: Crawls, tmp_path: Path, body: str, reason: str) -> None:
    assert reason in crawl(crawls, "acmefeed", folder(tmp_path, 1, {"/feed.xml": (200, body)}))
    assert crawls.rows("SELECT failure FROM page") == [(reason,)]


def sitemap(*numbers: int, stamp: str = "2026-11-01") -> tuple[int, str]:
    pages = "".join(f"<url><loc>{BASE}/jobs/{each}</loc><lastmod>{stamp}</lastmod></url>" for each in numbers)
    return 200, f"<urlset>{pages}<url><loc>{BASE}/about</loc></url></urlset>"


def page(number: int) -> tuple[int, str]:
    return 200, f"<h1>Baker {number}</h1>{TEXT}<p>Number {number}.</p>"


INDEX = (
    200,
    "".join(
        ("<sitemapindex>", *(f"<sitemap><loc>{BASE}/{name}.xml</loc></sitemap>" for name in "aba"), "</sitemapindex>")
    ),
)


def test_a_sitemap_leads_to_pages(crawls: Crawls, tmp_path: Path) -> None:
    site = {"/sitemap.xml": INDEX, "/a.xml": sitemap(1, 2), "/b.xml": sitemap(3, 4)}
    first = folder(tmp_path, 1, site | {f"/jobs/{number}": page(number) for number in (1, 2, 3, 4)})
    crawl(crawls, "acmesitemap", first)
    assert crawls.rows("SELECT native_id, title FROM posting ORDER BY 1") == [
        (str(n), f"Baker {n}") for n in range(1, 5)
    ]
    assert crawls.rows("SELECT complete, proof FROM run_channel") == [(True, "whole_board")]
    # Nothing moved: the pages are not asked for again, and one without an answer would be a failure.
    crawl(crawls, "acmesitemap", folder(tmp_path, 2, site))
    assert crawls.rows("SELECT ledger->'skipped', ledger->'unchanged' FROM run ORDER BY id DESC LIMIT 1") == [(4, 4)]
    moved = site | {"/b.xml": sitemap(3, 4, stamp="2026-11-03")}
    closed = {
        "/jobs/3": (200, "<h1>Baker 3</h1><p>This job is no longer available.</p>"),
        "/jobs/4": (200, "<p>请完成安全验证</p>"),
    }
    for day in (3, 4):
        crawl(crawls, "acmesitemap", folder(tmp_path, day, moved | closed))
    states = crawls.rows("SELECT native_id, state FROM posting ORDER BY 1")
    assert states == [("1", "active"), ("2", "active"), ("3", "gone"), ("4", "active")]
    assert crawls.rows("SELECT closed_evidence FROM presence WHERE closed_at IS NOT NULL") == [
        ("the site says This job is no longer available.",)
    ]


def test_a_sitemap_that_fails_makes_the_listing_incomplete(crawls: Crawls, tmp_path: Path) -> None:
    site = {"/sitemap.xml": INDEX, "/a.xml": sitemap(1), "/b.xml": (503, ""), "/jobs/1": page(1)}
    crawl(crawls, "acmesitemap", folder(tmp_path, 1, site))
    assert crawls.rows("SELECT complete, prevented_by FROM run_channel") == [(False, ["page 3 answered 503"])]
