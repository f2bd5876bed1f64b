"""Writes groups of a Greenhouse board straight through the committer, as a crawl's writer does."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.crawling.commit import Committer
from jobmonitor.crawling.jobs import Answer, Job
from jobmonitor.domain.derivation import derive_posting
from jobmonitor.items import FingerprintedPosting, Record, Rejected
from jobmonitor.storage.known import load_known
from jobmonitor.storage.leases import Lease, acquire_source
from jobmonitor.storage.models import Run, Source
from jobmonitor.storage.objects import ObjectStore
from spiders.greenhouse import GreenhouseSpider

SOURCE = "greenhouse:acme"


def read(row: Mapping[str, Any]) -> FingerprintedPosting:
    """A row of the board as it comes to the version stage."""
    return derive_posting(GreenhouseSpider.parse({"list": row}, SOURCE))


def reject(row: Mapping[str, Any], reason: str = "detail_failed") -> Rejected:
    """A row of the board that became no posting."""
    record = Record(body=orjson.dumps({"list": row}))
    return Rejected(source=SOURCE, key=str(row["id"]), reason=reason, detail=f"of {row['title']}", record=record)


def at(day: int) -> dt.datetime:
    return dt.datetime(2026, 11, day, 6, tzinfo=dt.UTC)


class Board:
    """The board's crawls: each group as in a run of its own, on a day."""

    def __init__(self, engine: AsyncEngine, folder: Path) -> None:
        self.engine = engine
        self.objects = ObjectStore(folder)
        self.contract = 1

    async def create(self) -> None:
        async with self.engine.begin() as conn:
            await conn.execute(insert(Source).values(key=SOURCE, system="greenhouse", board="acme"))
            run = await conn.execute(insert(Run).values(source=SOURCE, observed_at=at(1)).returning(Run.id))
            self.lease = Lease(source=SOURCE, run_id=run.scalar_one(), token=uuid.uuid4(), holder="tests")
            assert await acquire_source(conn, self.lease, ttl=600, is_dead=lambda holder: False) is None

    async def write(self, conn: AsyncConnection, day: int, *jobs: Job | Mapping[str, Any]) -> list[Answer]:
        """One group; rows of the board are read first. The caller commits."""
        committer = Committer(
            lease=self.lease,
            observed_at=at(day),
            contract=self.contract,
            known=await load_known(conn, SOURCE),
            objects=self.objects,
            rederive=lambda body: derive_posting(GreenhouseSpider.parse(orjson.loads(body), SOURCE)),
        )
        return await committer.apply(conn, [read(job) if isinstance(job, Mapping) else job for job in jobs])

    async def group(self, day: int, *jobs: Job | Mapping[str, Any]) -> list[Answer]:
        """One group, committed."""
        async with self.engine.begin() as conn:
            return await self.write(conn, day, *jobs)

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of the database."""
        async with self.engine.connect() as conn:
            return [tuple(row) for row in await conn.execute(text(query))]
