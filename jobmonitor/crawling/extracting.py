"""Who makes the profiles of a crawl's new contents: the rules beside it, or one child process that asks a model.

Only the child imports litellm and uses the provider's key. It is started by the first new content, so an unchanged day
starts none. The end of its standard input tells it that no more contents come, however this process ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

from scrapy.settings import BaseSettings
from sqlalchemy.ext.asyncio import AsyncEngine

import jobmonitor
from jobmonitor.crawling.opening import OpenRun
from jobmonitor.extraction.worker import RulesWorker
from jobmonitor.storage.readers.ledger import newest_batch

logger = logging.getLogger(__name__)

#: Seconds between two looks at the child.
_POLL = 0.1


class ProfileMaker(Protocol):
    """Makes profiles beside a crawl that never waits for one."""

    def announce(self, content_hash: str) -> None:
        """A content wants its profile. Returns at once."""
        ...

    async def wait(self, *, interrupted: bool) -> None:
        """No more contents come: wait, within bounds, for work that goes on elsewhere."""
        ...

    async def drain(self, source: str, *, interrupted: bool) -> int:
        """Finish a part of what is left in the database, safe to be tried again; 0 = nothing is left to do."""
        ...

    def counts(self) -> dict[str, int]:
        """What was made, for the run's ledger."""
        ...


def profile_maker(run: OpenRun, settings: BaseSettings) -> ProfileMaker:
    """The one that the configuration asks for."""
    if run.config.llm_model is None:
        return RulesWorker(run.engine, contract=run.config.contract, observed_at=run.observed_at)
    if not settings.getbool("EXTRACT_BESIDE"):
        return LeftWaiting()
    return ExtractorProcess(run.engine, run_id=run.lease.run_id, patience=settings.getfloat("EXTRACT_DRAIN"))


class LeftWaiting:
    """Nobody beside this crawl: `jobmonitor extract`, here or on another host, works the contents off."""

    def announce(self, content_hash: str) -> None:
        """The content waits in the database."""

    async def wait(self, *, interrupted: bool) -> None:
        """There is nobody to wait for."""

    async def drain(self, source: str, *, interrupted: bool) -> int:
        """What waits is somebody else's."""
        return 0

    def counts(self) -> dict[str, int]:
        """Nothing was made here."""
        return {}


class ExtractorProcess:
    """`jobmonitor extract --run R --until-idle` as a child.

    Args:
        engine: the database, to read what the child did.
        run_id: whose new contents it works off.
        patience: seconds that `wait` gives it.
    """

    def __init__(self, engine: AsyncEngine, *, run_id: int, patience: float) -> None:
        self._engine = engine
        self._run_id = run_id
        self._patience = patience
        self._child: subprocess.Popen[bytes] | None = None
        self._counts: dict[str, int] = {}

    def announce(self, content_hash: str) -> None:
        """Start the child if there is none; it finds the content in the database."""
        if self._child is None:
            self._child = self._start()
            logger.info("Profiles are made by process %d", self._child.pid)

    async def wait(self, *, interrupted: bool) -> None:
        """Wait for the child, but not for ever: it ends by itself. After an interruption it is asked to stop."""
        child = self._child
        if child is None:
            return
        assert child.stdin is not None
        child.stdin.close()
        if interrupted:
            child.terminate()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        while child.poll() is None and loop.time() < deadline:  # noqa: ASYNC110 - a process sets no event
            await asyncio.sleep(_POLL)

    async def drain(self, source: str, *, interrupted: bool) -> int:
        """Read what the child did so far."""
        if self._child is not None:
            await self._read_batch(self._child.poll())
        return 0

    def counts(self) -> dict[str, int]:
        """What the child had made when it was last looked at."""
        return self._counts

    def _start(self) -> subprocess.Popen[bytes]:
        # Where the package lies in an egg, a new interpreter would not find it.
        places = [str(Path(jobmonitor.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        command = [sys.executable, "-m", "jobmonitor", "extract", "--until-idle", "--fed", "--run", str(self._run_id)]
        # Its output would keep whoever reads the crawl's waiting; what it has to say stands in its batch.
        return subprocess.Popen(  # noqa: S603 - our own command
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places))},
            start_new_session=True,
        )

    async def _read_batch(self, status: int | None) -> None:
        async with self._engine.connect() as conn:
            batch = await newest_batch(conn, self._run_id)
        made = batch["counts"] if batch else {}
        self._counts = {
            "profiles": sum(made.get(name, 0) for name in ("profiles", "degraded", "skipped")),
            "profiles_empty": made.get("empty", 0),
            "profiles_failed": made.get("failed", 0),
            "model_calls": made.get("calls", 0),
        }
        if status is None:
            logger.info("The extractor goes on by itself; `jobmonitor batches` shows how far it is")
        elif batch is None:
            logger.warning(
                "The extractor ended with status %d; `jobmonitor extract --run %d` says why", status, self._run_id
            )
        elif batch["reason"]:
            logger.warning(
                "The extractor stopped: %s. The contents wait; `jobmonitor extract` goes on", batch["reason"]
            )
