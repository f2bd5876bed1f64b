"""Profiles by rules beside a crawl: announced, drained, failed one by one, and never twice."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.extraction import by_rules as module
from jobmonitor.extraction.rules import Answer, extract
from jobmonitor.extraction.worker import RulesWorker
from jobmonitor.storage.models import Content, Extraction

AT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
HASHES = [f"{number:064x}" for number in range(1, 6)]


@pytest.fixture
async def waiting(engine: AsyncEngine) -> AsyncEngine:
    """Five contents that wait for their profile."""
    async with engine.begin() as conn:
        for name in HASHES:
            document = f"# Engineer {name[-1]}\n\nThree years of Python.\n"
            await conn.execute(insert(Content).values(hash=name, scheme="canonical/1", document=document))
            await conn.execute(insert(Extraction).values(content_hash=name, contract=1))
    return engine


async def states(engine: AsyncEngine) -> list[tuple[str, str | None]]:
    async with engine.connect() as conn:
        rows = await conn.execute(text("SELECT state, reason FROM extraction ORDER BY content_hash"))
        return [(row.state, row.reason) for row in rows]


async def count(engine: AsyncEngine, table: str) -> int:
    async with engine.connect() as conn:
        return int((await conn.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one())


async def test_what_is_announced_is_profiled_once(waiting: AsyncEngine) -> None:
    first = RulesWorker(waiting, contract=1, observed_at=AT)
    second = RulesWorker(waiting, contract=1, observed_at=AT)
    for worker in (first, second):
        for name in HASHES:
            worker.announce(name)
    await first.wait(interrupted=False)
    await second.wait(interrupted=False)
    assert await states(waiting) == [("succeeded", None)] * 5
    assert await count(waiting, "profile") == await count(waiting, "event") == 5
    assert first.made + second.made == 5


async def test_a_text_on_which_the_rules_fail_costs_no_other(
    waiting: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fragile(document: str) -> Answer:
        if "Engineer 3" in document:
            raise RecursionError("too deep")
        return extract(document)

    monkeypatch.setattr(module, "extract", fragile)
    worker = RulesWorker(waiting, contract=1, observed_at=AT)
    for name in HASHES:
        worker.announce(name)
    await worker.wait(interrupted=False)
    assert [state for state, _ in await states(waiting)] == [
        "succeeded",
        "succeeded",
        "failed",
        "succeeded",
        "succeeded",
    ]
    assert (await states(waiting))[2][1] == "RecursionError: too deep"
    assert worker.counts() == {"profiles": 4, "profiles_empty": 0, "profiles_failed": 1}


async def test_an_interrupted_crawl_leaves_the_rest_to_the_next(waiting: AsyncEngine) -> None:
    worker = RulesWorker(waiting, contract=1, observed_at=AT)
    for name in HASHES:
        worker.announce(name)
    await worker.wait(interrupted=True)
    assert await worker.drain("greenhouse:acme", interrupted=True) == 0
    assert {state for state, _ in await states(waiting)} == {"pending"}
    assert worker.made == 0
