"""One measured crawl in a process of its own: `python -m tests.bench.crawl < job.json`, the figures as JSON."""

from __future__ import annotations

import cProfile
import resource
import sys
import time
from pathlib import Path
from typing import Any, TypedDict

import orjson
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.log import configure_logging
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import install_reactor

from jobmonitor.settings import DOWNLOADER_MIDDLEWARES
from tests.bench.rivals import STAGES
from tests.bench.spiders import SPIDERS, PageHandler

#: Settings of every scenario; only the pipelines differ.
COMMON = {
    "DOWNLOAD_HANDLERS": {"page": PageHandler},
    "DOWNLOAD_DELAY": 0,
    "START_JITTER": 0,
    "AUTOTHROTTLE_ENABLED": False,
    # As a real crawl asks its host: one request at a time.
    "CONCURRENT_REQUESTS": 1,
    # No host, so no robots.txt; a source may not switch it off, so its middleware is left out.
    "DOWNLOADER_MIDDLEWARES": DOWNLOADER_MIDDLEWARES | {"jobmonitor.crawling.robots.RobotsTxtMiddleware": None},
    "LOG_LEVEL": "WARNING",
}
PIPELINES: dict[str, dict[Any, int] | None] = {
    "bare": {},
    "empty": {stage: 100 * number for number, stage in enumerate(STAGES, start=1)},
    "naive": {"tests.bench.rivals.Naive": 100},
    "product": None,  # as in settings.py
}


class Job(TypedDict):
    """What to crawl and how."""

    system: str
    #: A key of PIPELINES.
    pipelines: str
    pages: str
    page_count: int
    #: ISO 8601 with offset.
    observed_at: str
    #: File for a profile, or None.
    profile: str | None


class Figures(TypedDict):
    """What a crawl cost."""

    #: From the start of the crawl to its end, opening and closing the run included, imports not.
    seconds: float
    #: CPU time of the crawl's process in that time.
    cpu: float
    #: Largest resident size of the process, in MB.
    rss: float
    litellm: bool
    stats: dict[str, Any]


class NoProfiles:
    """Stands where the rules extractor would: the figures are those of the crawl."""

    def __init__(self, *args: object, **options: object) -> None: ...

    def announce(self, content_hash: str) -> None:
        """Not wanted here."""

    async def drain(self, source: str, **options: object) -> None:
        """Nothing waits."""

    def counts(self) -> dict[str, int]:
        """Nothing was made."""
        return {}


async def main(_reactor: object) -> None:
    """Run the job on standard input."""
    job: Job = orjson.loads(sys.stdin.buffer.read())
    settings = make_settings(job)
    configure_logging(settings)
    if job["pipelines"] == "product":
        switch_off_profiles()
    await warm_up(job)
    crawler = Crawler(SPIDERS[job["system"]], settings)
    profiler = cProfile.Profile() if job["profile"] else None
    wall, cpu = time.perf_counter(), time.process_time()
    if profiler:
        profiler.enable()
    await crawler.crawl_async()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if profiler:
        profiler.disable()
        profiler.dump_stats(str(job["profile"]))
    stats = {name: value for name, value in crawler.stats.get_stats().items() if isinstance(value, int | str)}
    figures = Figures(seconds=wall, cpu=cpu, rss=peak_rss(), litellm="litellm" in sys.modules, stats=stats)
    sys.stdout.buffer.write(orjson.dumps(figures))


async def warm_up(job: Job) -> None:
    """Import everything that the crawl will import: what a process pays once is not what an item costs."""
    settings = make_settings(job)
    for path in settings.getdict("ITEM_PIPELINES"):
        load_object(path)
    settings.setdict({"BENCH_PAGE_COUNT": 0, "ITEM_PIPELINES": {}}, priority="cmdline")
    await Crawler(SPIDERS[job["system"]], settings).crawl_async()


def switch_off_profiles() -> None:
    """Leave the extractor out. Imported here, so that the bare crawl's memory is its own."""
    from jobmonitor.crawling import runtime

    for name in ("RulesWorker", "profile_maker"):
        if hasattr(runtime, name):
            setattr(runtime, name, NoProfiles)


def make_settings(job: Job) -> Settings:
    """The project's settings with what the job says."""
    settings = Settings()
    settings.setmodule("jobmonitor.settings", priority="project")
    settings.setdict(COMMON, priority="cmdline")
    settings.setdict(
        {
            "BENCH_PAGES": job["pages"],
            "BENCH_PAGE_COUNT": job["page_count"],
            "OBSERVED_AT": job["observed_at"],
        },
        priority="cmdline",
    )
    pipelines = PIPELINES[job["pipelines"]]
    if pipelines is not None:
        settings.set("ITEM_PIPELINES", pipelines, priority="cmdline")
    return settings


def peak_rss() -> float:
    """Largest resident size of this program in MB. `ru_maxrss` would count the parent that started it."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


if __name__ == "__main__":
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet.task import react  # imports the reactor

    react(deferred_f_from_coro_f(main))
