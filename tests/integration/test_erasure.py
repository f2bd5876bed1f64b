"""What was erased stays erased, whatever the site shows next and whoever writes at the same moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.extraction import by_rules as module
from jobmonitor.extraction.rules import Answer, extract
from jobmonitor.extraction.worker import RulesWorker
from jobmonitor.storage.erasure import Scope, erase, scope_of_contents, scope_of_posting
from jobmonitor.storage.profiles import Answered, ensure_config, store
from tests.acceptance.crawling import job
from tests.integration.groups import Board, at, reject

T = TypeVar("T")

TITLE = "Assistant of Zhang San"
TEXT = "<p>Zhang San needs Python and 5 years of experience.</p>"
#: Every place that holds what a site said, as text.
EVERYTHING = """
SELECT t.name || ': ' || t.said FROM (
    SELECT 'content' AS name, document AS said FROM content
    UNION ALL SELECT 'posting', row_to_json(r)::text FROM posting r
    UNION ALL SELECT 'version', row_to_json(r)::text FROM version r
    UNION ALL SELECT 'event', payload::text FROM event
    UNION ALL SELECT 'profile', row_to_json(r)::text FROM profile r
    UNION ALL SELECT 'reject', row_to_json(r)::text FROM reject r
    UNION ALL SELECT 'extraction', row_to_json(r)::text FROM extraction r
) t WHERE t.said ~ 'Zhang San|Python|python'
"""


def row(department: str = "A", title: str = TITLE, body: str = TEXT, number: int = 1) -> dict[str, Any]:
    return job(number, title, body, departments=[{"name": department}])


@pytest.fixture
async def board(engine: AsyncEngine, tmp_path: Path) -> Board:
    """A board without a posting."""
    board = Board(engine, tmp_path / "objects")
    await board.create()
    return board


async def profiled(board: Board) -> None:
    worker = RulesWorker(board.engine, contract=board.contract, observed_at=at(1))
    await worker.wait(interrupted=False)
    while await worker.drain("greenhouse:acme", interrupted=False):
        continue


async def scope_of(conn: AsyncConnection, board: Board) -> Scope:
    found = await conn.execute(text("SELECT id FROM posting WHERE native_id = '1'"))
    return await scope_of_posting(conn, found.scalar_one())


async def erased(board: Board) -> Scope:
    async with board.engine.begin() as conn:
        return await erase(conn, await scope_of(conn, board), reason="asked", store=board.objects)


async def nothing_left(board: Board) -> None:
    assert await board.rows(EVERYTHING) == []
    kept = "SELECT o.hash FROM object o WHERE o.data IS NOT NULL OR o.path IS NOT NULL"
    assert await board.rows(kept) == []


async def test_nothing_that_the_text_said_is_left(board: Board) -> None:
    await board.group(1, reject(row()))
    await board.group(2, row())
    await profiled(board)
    assert len(await board.rows(EVERYTHING)) > 4
    scope = await erased(board)
    assert (len(scope.contents), len(scope.records), len(scope.rejects)) == (1, 2, 1)
    await nothing_left(board)
    assert await board.rows("SELECT payload FROM event WHERE kind = 'profile.ready'") == [
        ({"contract": 1, "producer": "rules", "degraded": False, "empty": False, "profile": {}},)
    ]
    assert await board.rows("SELECT reason, key, record_hash IS NOT NULL, count FROM reject") == [
        ("detail_failed", "1", True, 1)
    ]


async def test_another_department_brings_nothing_back(board: Board) -> None:
    await board.group(1, row("A"))
    await erased(board)
    (answer,) = await board.group(2, row("B"))
    assert answer is not None
    assert (answer.change, answer.known.title, answer.wants_profile) == ("facts", "(erased)", False)
    assert await board.rows("SELECT title FROM posting") == [("(erased)",)]
    ((payload,),) = await board.rows("SELECT payload FROM event WHERE kind = 'posting.facts_changed'")
    assert payload["department"] == "B"
    assert "title" not in payload
    await nothing_left(board)


async def test_a_record_that_differs_otherwise_brings_nothing_back(board: Board) -> None:
    await board.group(1, row())
    await erased(board)
    (answer,) = await board.group(2, row() | {"first_published": "2026-10-02T10:00:00-04:00"})
    assert answer is not None
    assert (answer.change, answer.known.title) == ("source_only", "(erased)")
    await nothing_left(board)


async def test_an_edit_undone_and_another_posting_bring_nothing_back(board: Board) -> None:
    await board.group(1, row())
    await erased(board)
    await board.group(2, row(title="Cook", body="<p>Soup</p>"))
    assert await board.rows("SELECT title FROM posting") == [("Cook",)]
    await board.group(3, row(), row(number=2))
    assert await board.rows("SELECT kind, payload->>'title' FROM event WHERE posting IS NOT NULL ORDER BY id") == [
        ("posting.new", "(erased)"),
        ("posting.erased", "(erased)"),
        ("posting.content_changed", "Cook"),
        ("posting.reverted", "(erased)"),
        ("posting.new", "(erased)"),
    ]
    assert await board.rows("SELECT DISTINCT title FROM posting") == [("(erased)",)]
    assert await board.rows(EVERYTHING) == []


async def test_a_later_reject_of_the_posting_keeps_nothing(board: Board) -> None:
    await board.group(1, row())
    await erased(board)
    await board.group(2, reject(row(), "clean_failed"), reject(row(title="Baker", number=3)))
    assert await board.rows("SELECT key, detail FROM reject ORDER BY key") == [("1", ""), ("3", "of Baker")]
    kept = "SELECT r.key, o.data IS NOT NULL FROM reject r JOIN object o ON o.hash = r.record_hash ORDER BY 1"
    assert await board.rows(kept) == [("1", False), ("3", True)]
    assert await board.rows("SELECT key FROM reject WHERE hash <> record_hash") == []


async def test_a_new_contract_does_not_wait_for_an_erased_text(board: Board) -> None:
    await board.group(1, row("A"))
    await erased(board)
    board.contract = 2
    await board.group(2, row("B"))
    assert await board.rows("SELECT contract, state, reason FROM extraction ORDER BY contract") == [
        (1, "skipped", "erased"),
        (2, "skipped", "erased"),
    ]


async def test_newer_names_bring_nothing_back(board: Board) -> None:
    await board.group(1, row())
    await erased(board)
    async with board.engine.begin() as conn:
        await conn.execute(text("UPDATE content SET scheme = 'canonical/0'"))
        await conn.execute(text("UPDATE version SET cleaning = 99"))
    (answer,) = await board.group(2, row())
    assert answer is not None
    assert answer.change == "unchanged"
    await nothing_left(board)


async def waits(work: Awaitable[T]) -> asyncio.Future[T]:
    """Start work that must wait for another transaction."""
    task = asyncio.ensure_future(work)
    await asyncio.sleep(0.3)
    assert not task.done()
    return task


async def test_a_group_that_commits_after_the_scope_was_read_is_erased_too(board: Board) -> None:
    await board.group(1, row("A"))
    async with board.engine.begin() as conn:
        early = await scope_of(conn, board)
    async with board.engine.connect() as crawl, board.engine.connect() as eraser:
        await board.write(crawl, 2, row("B"), reject(row("C"), "clean_failed"))
        erasing = await waits(erase(eraser, early, reason="asked", store=board.objects))
        await crawl.commit()
        scope = await erasing
        await eraser.commit()
    assert (len(early.records), len(scope.records)) == (1, 3)
    await nothing_left(board)


async def test_a_further_text_of_the_posting_is_erased_too(board: Board) -> None:
    await board.group(1, row("A"))
    async with board.engine.begin() as conn:
        early = await scope_of(conn, board)
    await board.group(2, row("A", body="<p>Zhang San needs Go.</p>"))
    async with board.engine.begin() as conn:
        scope = await erase(conn, early, reason="asked", store=board.objects)
    assert (len(early.contents), len(scope.contents)) == (1, 2)
    await nothing_left(board)


@pytest.mark.parametrize("rejected", [False, True])
async def test_a_group_waits_for_an_erasure_and_keeps_nothing(board: Board, rejected: bool) -> None:
    await board.group(1, row("A"))
    async with board.engine.connect() as eraser, board.engine.connect() as crawl:
        await erase(eraser, await scope_of(eraser, board), reason="asked", store=board.objects)
        job = reject(row("B"), "clean_failed") if rejected else row("B")
        writing = await waits(board.write(crawl, 2, job))
        await eraser.commit()
        await writing
        await crawl.commit()
    await nothing_left(board)


async def test_an_erasure_waits_for_the_rules_at_work(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(document: str) -> Answer:
        time.sleep(0.8)
        return extract(document)

    monkeypatch.setattr(module, "extract", slow)
    await board.group(1, row())
    ((name,),) = await board.rows("SELECT hash FROM content")
    worker = RulesWorker(board.engine, contract=1, observed_at=at(1))
    worker.announce(name)
    await asyncio.sleep(0.3)
    async with board.engine.begin() as conn:
        scope = await scope_of_contents(conn, [name])
        await erase(conn, scope, reason="asked", store=board.objects)
    await worker.wait(interrupted=False)
    while await worker.drain("greenhouse:acme", interrupted=False):
        continue
    assert worker.made == 1
    assert await board.rows("SELECT profile, evidence FROM profile") == [({}, {})]
    assert await board.rows("SELECT state, reason, profile_id FROM extraction") == [("skipped", "erased", None)]
    await nothing_left(board)


async def test_a_late_answer_brings_nothing_back(board: Board) -> None:
    await board.group(1, row())
    ((name,),) = await board.rows("SELECT hash FROM content")
    late = Answered(content_hash=name, profile={"skills": ["Python"]}, evidence={"/skills/0": "Python"}, empty=False)
    async with board.engine.begin() as conn:
        config = await ensure_config(conn, producer="rules", model="rules/1", parameters={})
    async with board.engine.connect() as eraser, board.engine.connect() as extractor:
        await erase(eraser, await scope_of(eraser, board), reason="asked", store=board.objects)
        storing = await waits(store(extractor, [late], contract=1, producer="rules", config_id=config, at=at(2)))
        await eraser.commit()
        await storing
        await extractor.commit()
    assert await board.rows("SELECT state, reason FROM extraction") == [("skipped", "erased")]
    assert await board.rows("SELECT count(*) FROM profile") == [(0,)]
    await nothing_left(board)


async def test_large_files_do_not_come_back(board: Board) -> None:
    def heavy(department: str) -> dict[str, Any]:
        words = " ".join(f"{number * 7919 % 1000003:x}" for number in range(60_000))
        return row(department, body=f"<p>Zhang San {words}</p>")

    await board.group(1, heavy("A"))
    assert [path.suffix for path in board.objects.root.rglob("*.zst")] == [".zst"]
    await erased(board)
    await board.group(2, heavy("B"), reject(heavy("C"), "clean_failed"))
    assert list(board.objects.root.rglob("*.zst")) == []
