"""A site case: a replay folder with expected.json. `python -m tests.sites.case FOLDER` prints what comes out now.

expected.json holds "source", optional "arguments" and "known" (native ids known before the run), and the
outcome. Write it with the command, then correct it by hand: it says what is right, not what happened.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.utils.project import get_project_settings

from jobmonitor.crawling.spider import JobSpider
from jobmonitor.items import ListPage, RawPosting, Rejected, Sighting, Withdrawn

CASES = Path(__file__).parent / "cases"
UNREAD = "jobmonitor/spider/unread/"


async def crawl(source: str, folder: Path, **arguments: str) -> tuple[list[Any], Crawler]:
    """Every item of a crawl that a folder answers, without pipelines."""
    return await crawl_known(source, folder, frozenset(), **arguments)


async def crawl_known(
    source: str, folder: Path, known: frozenset[tuple[str, str]], **arguments: str
) -> tuple[list[Any], Crawler]:
    """The same with postings known before the run."""
    settings = get_project_settings()
    # These tests run inside an event loop of their own, without Twisted's reactor.
    overrides = {
        "REPLAY_DIR": str(folder),
        "ITEM_PIPELINES": {},
        "TWISTED_REACTOR_ENABLED": False,
        "LOG_ENABLED": False,
    }
    settings.setdict(overrides, priority="cmdline")
    runner = AsyncCrawlerRunner(settings)
    crawler = runner.create_crawler(source)
    items: list[Any] = []

    def keep(item: Any) -> None:
        items.append(item)

    def introduce(spider: JobSpider) -> None:
        spider.known = known

    crawler.signals.connect(keep, signals.item_scraped)
    crawler.signals.connect(introduce, signals.spider_opened)
    await runner.crawl(crawler, **arguments)
    return items, crawler


def outcome(items: list[Any], crawler: Crawler) -> dict[str, Any]:
    """What a crawl yielded, in the form of expected.json."""
    stats = crawler.stats.get_stats()
    return {
        "pages": [page(each) for each in items if isinstance(each, ListPage)],
        "postings": {each.key.native_id: posting(each) for each in items if isinstance(each, RawPosting)},
        "withdrawn": {each.key.native_id: each.evidence for each in items if isinstance(each, Withdrawn)},
        "sightings": {each.key.native_id: each.reason for each in items if isinstance(each, Sighting)},
        "rejected": sorted([each.key, each.reason] for each in items if isinstance(each, Rejected)),
        "unread": sorted(name.removeprefix(UNREAD) for name in stats if name.startswith(UNREAD)),
    }


def page(item: ListPage) -> dict[str, Any]:
    """The part of a page that a case states."""
    return {"ids": list(item.ids), "total": item.total, "proof": item.proof, "failure": item.failure}


def posting(item: RawPosting) -> dict[str, Any]:
    """The part of a posting that a case states."""
    facts = {name: value for name in item.facts.__slots__ if (value := getattr(item.facts, name))}
    return {
        "title": item.title,
        "url": item.url,
        "sections": [[section.heading, section.body, section.format] for section in item.sections],
        "facts": json.loads(json.dumps(facts)),
        "posted_at": item.posted_at and item.posted_at.raw,
        "opening_key": item.opening_key,
    }


async def run_case(folder: Path) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """Expected and actual outcome of a case, and its items."""
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    known = frozenset(("", native_id) for native_id in expected.pop("known", []))
    source, arguments = expected.pop("source"), expected.pop("arguments", {})
    items, crawler = await crawl_known(source, folder, known, **arguments)
    return expected, outcome(items, crawler), items


if __name__ == "__main__":
    _, actual, _ = asyncio.run(run_case(Path(sys.argv[1])))
    sys.stdout.write(json.dumps(actual, ensure_ascii=False, indent=2) + "\n")
