"""Runs the demonstration: a market served on loopback, real crawls of each day, and the account against the truth."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson
from sqlalchemy import Engine

from jobmonitor.config import PREFIX, VARIABLES
from jobmonitor.demo.account import Account, DayAccount
from jobmonitor.demo.crawl import Job, Source
from jobmonitor.demo.market import Market
from jobmonitor.demo.model_server import ModelServer, serving_model
from jobmonitor.demo.server import MarketServer, serving
from jobmonitor.errors import ConfigurationError, JobMonitorError
from jobmonitor.storage.demo_counts import day_counts, open_extractions, total_counts
from jobmonitor.storage.embedded import EmbeddedServer
from jobmonitor.storage.engine import create_sync_engine
from jobmonitor.storage.migrate import upgrade

#: A folder that holds this file was made by the demonstration and may be emptied by it.
MARKER = "demo-folder"
#: Seconds after which a day's crawls or profiles are given up.
PATIENCE = 300
#: Seconds between two looks at what still waits for its profile.
POLL = 0.1
#: Price of the scripted model, per million tokens in and out: that of a small hosted one.
PRICE = "0.30/2.50"


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
        with serving_model() as model, extracting(home, model) as extractor:
            return _walk(days, Market(seed, scale=scale), _Stage(home, server.url(), model, extractor), on_day)
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


@dataclass(frozen=True, slots=True)
class _Stage:
    """What the days are played on."""

    home: Path
    #: SQLAlchemy URL of the demonstration's database.
    url: str
    model: ModelServer
    extractor: subprocess.Popen[bytes]


def _walk(days: int, market: Market, stage: _Stage, on_day: Callable[[DayAccount], None]) -> Account:
    account = Account()
    engine = create_sync_engine(stage.url, name="jobmonitor demo")
    try:
        with serving(market) as sites:
            while True:
                crawl_day(sites, stage.home, stage.model)
                await_profiles(engine, stage.extractor)
                found = day_counts(engine, market.observed_at)
                if found.unfinished:
                    raise CrawlFailed("; ".join(f"{source} ended as {why}" for source, why in found.unfinished.items()))
                on_day(account.add(market, found, total_counts(engine), calls=len(stage.model.log)))
                if len(account.days) == days:
                    return account
                sites.advance()
    finally:
        engine.dispose()


@contextmanager
def extracting(home: Path, model: ModelServer) -> Iterator[subprocess.Popen[bytes]]:
    """One `jobmonitor extract` for all days: it works off what the crawls leave, until its standard input ends."""
    command = [sys.executable, "-m", "jobmonitor", "extract", "--until-idle", "--fed"]
    child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        command,
        env=_environment(home, model),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    try:
        yield child
    finally:
        child.stdin.close()
        try:
            child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def await_profiles(engine: Engine, extractor: subprocess.Popen[bytes]) -> None:
    """Wait until no content of the day waits for its profile any more.

    Raises:
        CrawlFailed: the extractor ended, or does not get on.
    """
    deadline = time.monotonic() + PATIENCE
    while waiting := open_extractions(engine):
        if extractor.poll() is not None:
            raise CrawlFailed(f"The extractor ended with status {extractor.returncode}; {waiting} contents wait")
        if time.monotonic() > deadline:
            raise CrawlFailed(f"{waiting} contents still wait for their profile after {PATIENCE} s")
        time.sleep(POLL)


def crawl_day(sites: MarketServer, home: Path, model: ModelServer) -> None:
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
            command,
            input=orjson.dumps(job),
            env=_environment(home, model),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CrawlFailed(f"The crawls of {market.date} did not end within {PATIENCE} s") from error
    if done.returncode:
        log = done.stderr.decode(errors="replace").strip().splitlines()[-12:]
        raise CrawlFailed("\n".join([f"The crawls of {market.date} failed:", *log]))


def _environment(home: Path, model: ModelServer) -> dict[str, str]:
    """The children's environment: the demonstration's own database and model, whatever is configured outside."""
    ours = {f"{PREFIX}{name}" for name in VARIABLES}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    path = os.pathsep.join(filter(None, sys.path))
    return {
        **kept,
        f"{PREFIX}HOME": str(home),
        f"{PREFIX}LLM_MODEL": f"openai/{model.model}",
        f"{PREFIX}LLM_API_BASE": model.api_base,
        f"{PREFIX}LLM_PRICE": PRICE,
        f"{PREFIX}LLM_CONCURRENCY": "8",
        "OPENAI_API_KEY": "none",
        "PYTHONPATH": path,
        "SCRAPY_SETTINGS_MODULE": "jobmonitor.settings",
    }
