"""Runs the scenarios, each crawl in a process and each round in databases of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import psycopg
from sqlalchemy.engine import make_url

from jobmonitor.demo.companies import System
from jobmonitor.storage.embedded import EmbeddedServer
from jobmonitor.storage.migrate import upgrade
from tests.bench.crawl import Figures, Job
from tests.bench.history import multiply
from tests.bench.payload import PAGE_SIZE, write_pages

ROOT = Path(__file__).resolve().parents[2]
DAYS = ("2026-11-02T06:00:00+00:00", "2026-11-03T06:00:00+00:00")
#: How many times longer the long history is.
LONGER = 100
SCRAPED = "item_scraped_count"


class WrongCrawl(Exception):
    """A crawl did not do what its scenario says; its figures would mean nothing."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One crawl."""

    name: str
    system: System
    #: A key of `crawl.PIPELINES`.
    pipelines: str
    #: 1 = nothing is known; 2 = everything is, and nothing changed.
    day: int = 1
    #: Stat that must equal the number of items, so that a crawl that did nothing is no record.
    proof: str = SCRAPED


#: In this order; a second day stands right behind its first, in the same database.
SCENARIOS = (
    Scenario("bare", "tencent", "bare"),
    Scenario("empty", "tencent", "empty"),
    Scenario("first", "tencent", "product", proof="jobmonitor/version/new"),
    Scenario("unchanged", "tencent", "product", day=2, proof="jobmonitor/recognise/same_record"),
    Scenario("naive first", "tencent", "naive"),
    Scenario("naive unchanged", "tencent", "naive", day=2),
    Scenario("bare", "greenhouse", "bare"),
    Scenario("first", "greenhouse", "product", proof="jobmonitor/version/new"),
    Scenario("unchanged", "greenhouse", "product", day=2, proof="jobmonitor/recognise/same_record"),
    Scenario("naive first", "greenhouse", "naive"),
)


@dataclass(slots=True)
class Results:
    """Every figure of one run of the benchmark."""

    items: int
    #: Mean bytes of a record by system.
    sizes: dict[str, float] = field(default_factory=dict)
    #: Figures of each round by (system, scenario).
    rounds: defaultdict[tuple[str, str], list[Figures]] = field(default_factory=lambda: defaultdict(list))
    history_items: int = 0
    history_versions: int = 0

    def best(self, system: str, name: str) -> Figures:
        """The least disturbed round: other work on the machine only ever adds time."""
        return min(self.rounds[system, name], key=lambda figures: figures["seconds"])


class Bench:
    """The folder, server and payload of one run.

    Args:
        server: a running server with durable settings.
        folder: for the payload, and for profiles.
        items: postings per crawl.
        note: told what is going on.
        profile: write cProfile files of each crawl (which makes it slower).
    """

    def __init__(
        self, server: EmbeddedServer, folder: Path, items: int, note: Callable[[str], None], *, profile: bool = False
    ) -> None:
        self._server = server
        self._folder = folder
        self._note = note
        self._profile = profile
        self._databases = 0
        self.results = Results(items=items)

    def prepare(self, systems: set[System]) -> None:
        """Write the payload and migrate the template database."""
        upgrade(self._server.url())
        for system in sorted(systems):
            self._note(f"{self.results.items:,} {system} records")
            self.results.sizes[system] = write_pages(system, self.results.items, self._pages(system))

    def round(self, scenarios: tuple[Scenario, ...]) -> None:
        """Run the scenarios once."""
        self._drop_databases()
        database = ""
        for scenario in scenarios:
            if scenario.day == 1:
                database = self._new_database()
            figures = self._crawl(scenario, database, self._pages(scenario.system), self.results.items)
            self.results.rounds[scenario.system, scenario.name].append(figures)

    def history(self, items: int, rounds: int) -> None:
        """An unchanged day with a history of one day and with one a hundred times longer."""
        self.results.history_items = items
        pages = self._folder / "history.jsonl"
        write_pages("tencent", items, pages)
        first = Scenario("first", "tencent", "product", proof="jobmonitor/version/new")
        day = Scenario("unchanged", "tencent", "product", day=2, proof="jobmonitor/recognise/same_record")
        short, long = self._new_database(), self._new_database()
        for database in (short, long):
            self._crawl(first, database, pages, items)
        self._note(f"history of {LONGER} versions a posting")
        self.results.history_versions = multiply(self._conninfo(long), LONGER)
        for _ in range(rounds):
            for database, name in ((short, "history 1"), (long, f"history {LONGER}")):
                self.results.rounds["tencent", name].append(self._crawl(day, database, pages, items))

    def _crawl(self, scenario: Scenario, database: str, pages: Path, items: int) -> Figures:
        name = f"{scenario.system} {scenario.name}"
        job = Job(
            system=scenario.system,
            pipelines=scenario.pipelines,
            pages=str(pages),
            page_count=-(-items // PAGE_SIZE),
            observed_at=DAYS[scenario.day - 1],
            profile=str(self._folder / f"{name.replace(' ', '-')}.prof") if self._profile else None,
        )
        figures = run_job(job, self._environment(database))
        # Without our stages nothing takes the pages out: they are items like all others.
        expected = items + job["page_count"] if scenario.proof == SCRAPED else items
        if figures["stats"].get(scenario.proof) != expected:
            raise WrongCrawl(f"{name}: {scenario.proof} is not {expected}: {figures['stats']}")
        self._note(f"{name}: {figures['seconds'] / items * 1e6:.0f} µs an item")
        return figures

    def _pages(self, system: System) -> Path:
        return self._folder / f"{system}.jsonl"

    def _new_database(self) -> str:
        """A migrated, empty database; its name."""
        self._databases += 1
        name = f"bench_{self._databases}"
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE jobmonitor")
            connection.execute("CHECKPOINT")
        return name

    def _drop_databases(self) -> None:
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            for number in range(1, self._databases + 1):
                connection.execute(f"DROP DATABASE IF EXISTS bench_{number}")

    def _conninfo(self, database: str) -> str:
        url = make_url(self._server.url(database)).set(drivername="postgresql")
        return url.render_as_string(hide_password=False)

    def _environment(self, database: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("JOBMONITOR_")}
        return kept | {
            "PYTHONPATH": str(ROOT),
            "JOBMONITOR_DATABASE_URL": self._server.url(database),
            "JOBMONITOR_OBJECT_STORE": str(self._folder / "objects"),
        }


def run_job(job: Job, environment: dict[str, str]) -> Figures:
    """Crawl in a child process.

    Raises:
        WrongCrawl: the child failed.
    """
    command = [sys.executable, "-m", "tests.bench.crawl"]
    done = subprocess.run(command, input=orjson.dumps(job), env=environment, cwd=ROOT, capture_output=True, check=False)
    if done.returncode or not done.stdout:
        raise WrongCrawl(done.stderr.decode(errors="replace")[-3000:])
    figures: Figures = orjson.loads(done.stdout)
    return figures


@contextmanager
def durable_server(folder: Path) -> Iterator[EmbeddedServer]:
    """An embedded server as users have it, with fsync; removed at the end."""
    server = EmbeddedServer(folder / "home", bound=True)
    try:
        server.start()
        yield server
    finally:
        server.remove()
