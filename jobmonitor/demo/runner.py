"""Runs the demonstration: a market served on loopback, real crawls of each day, and the account against the truth."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson

from jobmonitor.config import PREFIX, VARIABLES
from jobmonitor.demo.account import Account, DayAccount
from jobmonitor.demo.crawl import Job, Source
from jobmonitor.demo.market import Market
from jobmonitor.demo.server import MarketServer, serving
from jobmonitor.errors import ConfigurationError, JobMonitorError
from jobmonitor.storage.demo_counts import day_counts, total_counts
from jobmonitor.storage.embedded import EmbeddedServer
from jobmonitor.storage.engine import create_sync_engine
from jobmonitor.storage.migrate import upgrade

#: A folder that holds this file was made by the demonstration and may be emptied by it.
MARKER = "demo-folder"
#: Seconds after which a day's crawls are given up.
PATIENCE = 300


class CrawlFailed(JobMonitorError):
    """The day's crawls did not finish."""

    code = "crawl_failed"


def run_demo(
    days: int,
    seed: int,
    home: Path,
    *,
    scale: float = 1.0,
    on_day: Callable[[DayAccount], None] = lambda day: None,
) -> Account:
    """Crawl `days` simulated days into a database of its own under `home`, which is emptied first.

    The database is stopped at the end and kept.

    Raises:
        ConfigurationError: `home` holds something that the demonstration did not make.
        CrawlFailed: a crawl did not finish.
    """
    server = EmbeddedServer(home)
    empty_folder(home, server)
    try:
        upgrade(server.start())
        return _walk(days, Market(seed, scale=scale), home, server.url(), on_day)
    finally:
        server.stop()


def empty_folder(home: Path, server: EmbeddedServer) -> None:
    """Make `home` an empty folder of the demonstration's own.

    Raises:
        ConfigurationError: it holds something else.
    """
    if home.exists() and any(home.iterdir()) and not (home / MARKER).is_file():
        raise ConfigurationError(f"{home} holds something that no demo made; name an empty folder with --home")
    server.remove()
    if home.exists():
        shutil.rmtree(home)
    home.mkdir(parents=True)
    (home / MARKER).write_text("Made by `jobmonitor demo`, which empties this folder when it starts.\n")


def _walk(days: int, market: Market, home: Path, url: str, on_day: Callable[[DayAccount], None]) -> Account:
    account = Account()
    engine = create_sync_engine(url, name="jobmonitor demo")
    try:
        with serving(market) as sites:
            while True:
                crawl_day(sites, home)
                found = day_counts(engine, market.observed_at)
                if found.unfinished:
                    raise CrawlFailed("; ".join(f"{source} ended as {why}" for source, why in found.unfinished.items()))
                on_day(account.add(market, found, total_counts(engine)))
                if len(account.days) == days:
                    return account
                sites.advance()
    finally:
        engine.dispose()


def crawl_day(sites: MarketServer, home: Path) -> None:
    """Crawl every source of the market's present day, at once, in one child process.

    Raises:
        CrawlFailed: the child failed; the message ends with the last lines of its log.
    """
    market = sites.market
    sources = [
        Source(system=company.system, board=company.board, base_url=sites.base_url(company.source))
        for company in (market.board(source).company for source in market.sources)
    ]
    job = Job(observed_at=market.observed_at.isoformat(), sources=sources)
    command = [sys.executable, "-m", "jobmonitor.demo.crawl"]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and module
            command, input=orjson.dumps(job), env=_environment(home), capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise CrawlFailed(f"The crawls of {market.date} did not end within {PATIENCE} s") from error
    if done.returncode:
        log = done.stderr.decode(errors="replace").strip().splitlines()[-12:]
        raise CrawlFailed("\n".join([f"The crawls of {market.date} failed:", *log]))


def _environment(home: Path) -> dict[str, str]:
    """The child's environment: the demonstration's own database, whatever is configured outside."""
    ours = {f"{PREFIX}{name}" for name in VARIABLES}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    path = os.pathsep.join(filter(None, sys.path))
    return {**kept, f"{PREFIX}HOME": str(home), "PYTHONPATH": path, "SCRAPY_SETTINGS_MODULE": "jobmonitor.settings"}
