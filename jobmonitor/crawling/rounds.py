"""One round of duty: crawls what is due, each source in a process of its own, then works off what waits for a profile.

Sources that share a host stand in one queue. A stop is handed on to the crawls, which close cleanly and are taken up
again by the next round.
"""

from __future__ import annotations

import asyncio
import configparser
import datetime as dt
import json
import os
import random
import signal
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from sqlalchemy.ext.asyncio import AsyncEngine

import jobmonitor
from jobmonitor.config import Config, project_root
from jobmonitor.domain.duty import Outcome, alarms, next_due, rounds
from jobmonitor.errors import JobMonitorError
from jobmonitor.storage import duty

#: Logs kept of each source.
LOGS = 14
#: States of a run that are an outcome as they stand.
_OUTCOMES: dict[str | None, Outcome] = {"finished": "finished", "interrupted": "interrupted", "deferred": "deferred"}


class ScrapydRefused(JobMonitorError):
    """scrapyd does not take a job."""

    code = "scrapyd"


@dataclass(slots=True, kw_only=True)
class Report:
    """What a round did."""

    outcomes: dict[str, str] = field(default_factory=dict)
    extracted: int | None = None
    alarms: list[str] = field(default_factory=list)


class Round:
    """One round.

    Args:
        config: the configuration.
        engine: the database.
        parallel: hosts that are crawled at a time.
        jitter: seconds that a crawl waits at most, at random, before it begins.
        scrapyd: address of a scrapyd that gets the jobs, None = crawl here.
    """

    def __init__(
        self, config: Config, engine: AsyncEngine, *, parallel: int, jitter: float, scrapyd: str | None = None
    ) -> None:
        self._config = config
        self._engine = engine
        self._parallel = parallel
        self._jitter = jitter
        self._scrapyd = scrapyd.rstrip("/") if scrapyd else None
        self._children: set[asyncio.subprocess.Process] = set()
        self._stopping = False
        self.report = Report()

    async def run(self) -> Report:
        """Crawl what is due, then extract; what happened."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        async with self._engine.begin() as conn:
            queues = rounds(await duty.due(conn, _now()))
        turns = asyncio.Semaphore(self._parallel)
        await asyncio.gather(*(self._work_off(queue, turns) for queue in queues))
        if not self._stopping and self._scrapyd is None:
            await self._extract()
        async with self._engine.begin() as conn:
            self.report.alarms = alarms(await duty.on_duty(conn), _now())
        return self.report

    async def _work_off(self, queue: Sequence[str], turns: asyncio.Semaphore) -> None:
        async with turns:
            for source in queue:
                if self._stopping:
                    return
                await asyncio.sleep(random.uniform(0, self._jitter))  # noqa: S311 - so that not all begin at once
                async with self._engine.begin() as conn:
                    claimed = await duty.claim(conn, source, _now())
                if claimed:
                    await self._serve(source)

    async def _serve(self, source: str) -> None:
        try:
            outcome = await asyncio.to_thread(self._hand_over, source) if self._scrapyd else await self._crawl(source)
        except ScrapydRefused as error:
            sys.stderr.write(f"{source}: {error}\n")
            outcome = "failed"
        self.report.outcomes[source] = outcome
        async with self._engine.begin() as conn:
            now = await duty.standing(conn, source)
            if now is not None:
                period = dt.timedelta(seconds=now.period)
                spread = random.uniform(-1, 1)  # noqa: S311 - see above
                due_at, failures = next_due(outcome, period=period, failures=now.failures, now=_now(), spread=spread)
                await duty.note(conn, source, due_at, failures)

    async def _crawl(self, source: str) -> Outcome:
        with self._log(source) as log:
            status = await self._child(["scrapy", "crawl", source], log)
        async with self._engine.connect() as conn:
            state = await duty.newest_state(conn, source)
        return "finished" if status == 0 else _OUTCOMES.get(state if state != "finished" else None, "failed")

    async def _extract(self) -> None:
        async with self._engine.connect() as conn:
            waiting = await duty.waiting_profiles(conn)
        if waiting and self._config.llm_model is not None:
            with self._log("extract") as log:
                self.report.extracted = await self._child(["jobmonitor", "extract", "--until-idle"], log)

    async def _child(self, module: list[str], log: IO[bytes]) -> int:
        places = [str(Path(jobmonitor.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            *module,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=project_root() or Path.cwd(),
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places))},
            start_new_session=True,
        )
        self._children.add(process)
        try:
            return await process.wait()
        finally:
            self._children.discard(process)

    def _stop(self) -> None:
        self._stopping = True
        for child in self._children:
            child.send_signal(signal.SIGTERM)

    def _log(self, source: str) -> IO[bytes]:
        """A new log file of a source; the oldest ones go."""
        folder = self._config.home / "logs" / urllib.parse.quote(source, safe="")
        folder.mkdir(parents=True, exist_ok=True)
        for old in sorted(folder.glob("*.log"))[: -(LOGS - 1)]:
            old.unlink(missing_ok=True)
        return (folder / f"{_now():%Y%m%dT%H%M%S.%f}.log").open("wb")

    def _hand_over(self, source: str) -> Outcome:
        """Give the job to scrapyd, unless it has it already.

        Raises:
            ScrapydRefused: scrapyd does not answer or does not take it.
        """
        project = _project()
        jobs = self._ask(f"listjobs.json?{urllib.parse.urlencode({'project': project})}")
        if any(job.get("spider") == source for state in ("pending", "running") for job in jobs.get(state, ())):
            return "handed_over"
        self._ask("schedule.json", {"project": project, "spider": source})
        return "handed_over"

    def _ask(self, path: str, form: dict[str, str] | None = None) -> dict[str, Any]:
        body = urllib.parse.urlencode(form).encode() if form else None
        try:
            with urllib.request.urlopen(f"{self._scrapyd}/{path}", data=body, timeout=30) as response:  # noqa: S310 - checked
                answer: dict[str, Any] = json.load(response)
        except (OSError, ValueError, urllib.error.URLError) as error:
            raise ScrapydRefused(f"scrapyd at {self._scrapyd} does not answer: {error}") from error
        if answer.get("status") != "ok":
            raise ScrapydRefused(f"scrapyd refuses: {answer.get('message', answer)}")
        return answer


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _project() -> str:
    """The project's name under scrapyd: that of scrapy.cfg."""
    parser = configparser.ConfigParser()
    root = project_root()
    if root is not None:
        parser.read(root / "scrapy.cfg")
    return parser.get("deploy", "project", fallback="jobmonitor")
