"""A text that was let out of quarantine stays out, whatever else changes; an erased one cannot be let out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.errors import NotFound
from jobmonitor.storage.erasure import erase, scope_of_contents
from jobmonitor.storage.release import release
from tests.acceptance.crawling import job
from tests.integration.groups import Board

SECRET = "<p>Log in with password=hunter2secret123 and AKIAIOSFODNN7EXAMPLE</p>"
EXTRACTIONS = "SELECT contract, state, reason FROM extraction ORDER BY contract"


def row(department: str = "A") -> dict[str, Any]:
    return job(1, "Engineer", SECRET, departments=[{"name": department}])


@pytest.fixture
async def board(engine: AsyncEngine, tmp_path: Path) -> Board:
    """A board with one posting, whose text is held."""
    board = Board(engine, tmp_path / "objects")
    await board.create()
    await board.group(1, row("A"))
    assert await board.rows("SELECT quarantine FROM current_posting") == [("credentials",)]
    return board


async def let_out(board: Board) -> None:
    async with board.engine.begin() as conn:
        await release(conn, "greenhouse:acme/1")


async def test_a_held_text_stays_held(board: Board) -> None:
    board.contract = 2
    (answer,) = await board.group(2, row("B"))
    assert answer is not None
    assert answer.known.quarantine == "credentials"
    ((payload,),) = await board.rows("SELECT payload FROM event WHERE kind = 'posting.facts_changed'")
    assert "quarantine" not in payload
    assert await board.rows(EXTRACTIONS) == [(1, "skipped", "quarantined"), (2, "skipped", "quarantined")]


async def test_a_released_text_is_not_held_again(board: Board) -> None:
    await let_out(board)
    board.contract = 2
    (answer,) = await board.group(2, row("B"))
    assert answer is not None
    assert (answer.change, answer.known.quarantine, answer.wants_profile) == ("facts", None, True)
    ((payload,),) = await board.rows("SELECT payload FROM event WHERE kind = 'posting.facts_changed'")
    assert payload["department"] == "B"
    assert "quarantine" not in payload
    assert await board.rows("SELECT quarantine FROM current_posting") == [(None,)]
    assert await board.rows(EXTRACTIONS) == [(1, "pending", None), (2, "pending", None)]


async def test_another_posting_with_a_released_text_is_not_held(board: Board) -> None:
    await let_out(board)
    (answer,) = await board.group(2, row() | {"id": 2})
    assert answer is not None
    assert (answer.change, answer.known.quarantine) == ("new", None)
    assert await board.rows("SELECT payload->>'quarantine' FROM event WHERE kind = 'posting.new'") == [
        ("credentials",),
        (None,),
    ]


async def test_an_erased_text_is_not_released(board: Board) -> None:
    ((name,),) = await board.rows("SELECT hash FROM content")
    async with board.engine.begin() as conn:
        await erase(conn, await scope_of_contents(conn, [name]), reason="asked", store=board.objects)
    with pytest.raises(NotFound):
        await let_out(board)
    assert await board.rows(EXTRACTIONS) == [(1, "skipped", "erased")]
