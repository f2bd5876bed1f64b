"""One day's crawls of the demonstration, in a process of their own: `python -m jobmonitor.demo.crawl < job.json`.

Scrapy can run its reactor once in a process, so each day has a child; all sources of the day share it.
"""

from __future__ import annotations

import os
import sys
from typing import TypedDict

import orjson
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings

#: Loopback needs no politeness; everything else is as in a real crawl.
SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "START_JITTER": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
    "RETRY_TIMES": 0,
    "EXTRACT_BESIDE": False,
}


class Source(TypedDict):
    """What to crawl where."""

    system: str
    board: str
    base_url: str


class Job(TypedDict):
    """One day's work."""

    #: ISO 8601 with offset.
    observed_at: str
    sources: list[Source]


def main() -> None:
    """Crawl all sources of the job on standard input at once."""
    job: Job = orjson.loads(sys.stdin.buffer.read())
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "jobmonitor.settings")
    settings = get_project_settings()
    settings.setdict({**SETTINGS, "OBSERVED_AT": job["observed_at"], "LOG_LEVEL": "WARNING"}, priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    for source in job["sources"]:
        process.crawl(source["system"], board=source["board"], base_url=source["base_url"])
    process.start()


if __name__ == "__main__":
    main()
