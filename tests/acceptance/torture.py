"""Kills a crawl at random moments until it is through, and compares what is left with a crawl that nobody touched.

`python -m tests.acceptance.torture --kills 200` runs it long; the tests run a few kills.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobmonitor.storage.embedded import EmbeddedServer
from tests.acceptance.crawling import Crawls, Site, ended, rows, serving

#: Postings open on each day: more than two list pages.
COUNT = 215
#: Requests of one day, within which a kill is placed.
REQUESTS = COUNT + 3
START = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
#: Everything that must not depend on who was killed when.
POSTINGS = """
SELECT p.reference, p.state,
    array(SELECT v.kind || ' ' || v.content_hash || ' ' || v.facts_hash || ' ' || v.valid_from
        FROM version v WHERE v.posting_id = p.id ORDER BY v.number),
    array(SELECT coalesce(s.closed_evidence, 'open') FROM presence s WHERE s.posting_id = p.id ORDER BY s.opened_at),
    array(SELECT DISTINCT e.state || ' ' || coalesce(e.producer, '') FROM extraction e
        JOIN version v ON v.content_hash = e.content_hash WHERE v.posting_id = p.id)
FROM posting p ORDER BY p.reference
"""
RUNS = """
SELECT observed_at, state, ledger->'seen', ledger->'new', ledger->'changed', ledger->'unchanged', ledger->'rejected',
    (SELECT array_agg(c.complete::text || ' ' || coalesce(c.proof, '') || ' ' || c.distinct_ids || ' '
        || c.prevented_by::text) FROM run_channel c WHERE c.run_id = run.id)
FROM run WHERE state = 'finished' ORDER BY observed_at
"""
EVENTS = "SELECT kind, count(*) FROM event GROUP BY kind ORDER BY kind"
DONE = "SELECT url FROM page WHERE state IN ('done', 'failed') AND status IS NOT NULL AND observed_at = %s"


class ChangingSite(Site):
    """A careers site that changes from day to day: edits, returns, arrivals, and whatever may go wrong with a row."""

    def __init__(self, count: int = COUNT) -> None:
        super().__init__(count)
        self.day = 0
        self.trap: Callable[[int], None] | None = None

    def on_request(self, number: int) -> None:
        """Whoever waits for this request, strikes."""
        if self.trap is not None:
            self.trap(number)

    def numbers(self) -> Sequence[int]:
        """One leaves and one comes every day."""
        return range(1 + self.day, self.count + 1 + self.day)

    def row(self, number: int) -> dict[str, Any]:
        """A row whose stamp moves every day, so that every detail is asked for."""
        row = super().row(number) | {"LastUpdateTime": f"2026年11月{self.day + 1:02d}日"}
        if number % 7 == self.day % 7:
            row["Responsibility"] += f"\n3、第 {self.day} 天的新职责。"
        if number % 5 == 0 and self.day % 2:
            row["LocationName"] = "上海"
        if number % 17 == 4:
            row["RecruitPostName"] = ""
        return row

    def detail(self, number: int) -> tuple[int, dict[str, Any]]:
        """Some never come, some are closed."""
        if number % 11 == 3:
            return 502, {}
        if number % 13 == 5 and self.day:
            return 500, {"Code": 500, "Data": "E1005"}
        return super().detail(number)


@dataclass(slots=True)
class Outcome:
    """What a torture found."""

    kills: int
    untouched: list[tuple[Any, ...]]
    torn: list[tuple[Any, ...]]
    #: Addresses that were asked for again after they were done.
    again: list[str]
    resumed: int


class Torture:
    """Crawls the same days on two databases, one of them under fire.

    Args:
        folder: for both homes.
        seed: of the moments.
        victims: whom each kill hits, "spider" or "database".
    """

    def __init__(self, folder: Path, seed: int, victims: Sequence[str]) -> None:
        self._homes = folder / "untouched", folder / "torn"
        self._random = random.Random(seed)
        self._victims = list(victims)
        self._again: list[str] = []
        self._kills = 0

    def run(self, days: int) -> Outcome:
        """Crawl so many days; the kills are spread over them evenly."""
        servers = [EmbeddedServer(home) for home in self._homes]
        try:
            for day in range(days):
                due = len(self._victims) * (day + 1) // days
                with serving(ChangingSite()) as site:
                    site.day = day
                    untouched, torn = (Crawls(None, home) for home in self._homes)
                    status, errors = untouched.run("tencent", **_options(site))
                    assert status == 0, errors
                    site.asked.clear()
                    self._fire(torn, site, servers[1], due)
            found = [
                [row for query in (POSTINGS, RUNS, EVENTS) for row in rows(server.start(), query)] for server in servers
            ]
            resumed = rows(servers[1].start(), "SELECT sum(resumed) FROM run")[0][0]
        finally:
            for server in servers:
                server.remove()
        return Outcome(kills=self._kills, untouched=found[0], torn=found[1], again=self._again, resumed=resumed)

    def _fire(self, crawls: Crawls, site: ChangingSite, server: EmbeddedServer, until: int) -> None:
        """Crawl one day to its end, with kills until there were so many."""
        done: set[str] = set()
        status = 1
        while status:
            before = len(site.asked)
            process = crawls.start("tencent", **_options(site), DB_PATIENCE="60")
            self._trap(site, process, server, until)
            status, errors = ended(process)
            site.trap = None
            assert status in {0, 1, -signal.SIGKILL}, errors
            self._again += [url for url in (site.url + each for each in site.asked[before:]) if url in done]
            done |= {row[0] for row in rows(server.start(), DONE, START + dt.timedelta(days=site.day))}

    def _trap(self, site: ChangingSite, process: subprocess.Popen[str], server: EmbeddedServer, until: int) -> None:
        """Strike at a random request from now, just before it is answered or a moment later."""
        if self._kills == until:
            return
        left = max(REQUESTS - len(set(site.asked)), 1)
        at = len(site.asked) + self._random.randint(1, max(left // (until - self._kills), 1))
        delay = self._random.choice((0.0, 0.0, self._random.uniform(0, 0.05)))
        victim = self._victims[self._kills]

        def strike(number: int) -> None:
            if number < at:
                return
            site.trap = None
            self._kills += 1
            blow = threading.Timer(delay, _kill, (process, server if victim == "database" else None))
            blow.start()
            if not delay:
                blow.join()
            if victim == "database":  # the crawl lives on
                self._trap(site, process, server, until)

        site.trap = strike


def _kill(process: subprocess.Popen[str], server: EmbeddedServer | None) -> None:
    pid = process.pid if server is None else server.status().pid
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _options(site: ChangingSite) -> dict[str, Any]:
    moment = START + dt.timedelta(days=site.day)
    return {"arguments": {"board": "acme", "base_url": site.url}, "OBSERVED_AT": moment.isoformat()}


def main() -> int:
    """Run it from the command line; status 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    victims = ["database" if number % 5 == 4 else "spider" for number in range(arguments.kills)]
    with tempfile.TemporaryDirectory() as folder:
        outcome = Torture(Path(folder), arguments.seed, victims).run(arguments.days)
    differing = sum(a != b for a, b in zip(outcome.untouched, outcome.torn, strict=False))
    differing += abs(len(outcome.untouched) - len(outcome.torn))
    print(
        f"seed {arguments.seed}: {outcome.kills} kills, {outcome.resumed} times taken up again, "
        f"{len(outcome.untouched)} rows compared, {differing} differ, {len(outcome.again)} pages fetched again"
    )
    for row in sorted(set(map(repr, outcome.untouched)) ^ set(map(repr, outcome.torn))):
        print(row)
    return 1 if differing or outcome.again else 0


if __name__ == "__main__":
    raise SystemExit(main())
