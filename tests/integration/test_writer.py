"""Group commit on a real database: poison is found by halving, a lost answer is looked up, nobody waits for ever."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Sequence

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.crawling.patience import Patience
from jobmonitor.crawling.writer import GroupWriter, Limits, WriterStopped
from jobmonitor.errors import DatabaseUnavailable, JobMonitorError
from jobmonitor.storage.engine import create_engine

Writer = GroupWriter[str, str]

#: A commit that takes its time.
SLOW_COMMIT = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END $$"""
ON_COMMIT = """
CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION slow()"""


class Notebook:
    """A table of words that refuses "poison", and a writer on it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.durable: list[str] = []
        self.groups: list[int] = []
        self.reconnects = 0
        self.applied = asyncio.Event()
        self.poisoned: Callable[[str, Exception], str] = lambda job, error: "antidote"
        self.connections: list[psycopg.AsyncConnection[tuple[object, ...]]] = []

    async def create(self) -> None:
        async with self.engine.begin() as conn:
            await conn.execute(text("CREATE TABLE note (word text NOT NULL CHECK (word <> 'poison'))"))

    async def apply(self, conn: AsyncConnection, jobs: Sequence[str]) -> list[str]:
        self.connections.append((await conn.get_raw_connection()).driver_connection)
        self.groups.append(len(jobs))
        for word in jobs:
            await conn.execute(text("INSERT INTO note VALUES (:word)"), {"word": word})
        self.applied.set()
        return [word.upper() for word in jobs]

    def committed(self, jobs: Sequence[str], answers: Sequence[str]) -> None:
        self.durable.extend(jobs)

    async def reconnect(self) -> None:
        self.reconnects += 1

    def writer(self, patience: float = 10) -> Writer:
        return GroupWriter(
            self.engine,
            apply=self.apply,
            committed=self.committed,
            poison=self.poisoned,
            patience=Patience(patience, self.reconnect),
            limits=Limits(size=50, linger=0.01),
        )

    async def words(self) -> list[str]:
        async with self.engine.connect() as conn:
            return list((await conn.execute(text("SELECT word FROM note"))).scalars())


@pytest.fixture
async def notebook(engine: AsyncEngine) -> Notebook:
    notebook = Notebook(engine)
    await notebook.create()
    return notebook


async def test_a_hundred_waiters_share_a_few_transactions(notebook: Notebook) -> None:
    writer = notebook.writer()
    answers = await asyncio.gather(*(writer.submit(f"w{number}") for number in range(100)))
    await writer.close()
    assert answers == [f"W{number}" for number in range(100)]
    assert notebook.groups == [50, 50]
    assert notebook.durable == await notebook.words() == [f"w{number}" for number in range(100)]


async def test_poison_is_found_by_halving_and_replaced(notebook: Notebook) -> None:
    writer = notebook.writer()
    words = [*(f"w{number}" for number in range(20)), "poison", "nul\x00", "half \ud800", *(f"x{n}" for n in range(20))]
    answers = await asyncio.gather(*(writer.submit(word) for word in words))
    await writer.close()
    assert answers[20:23] == ["ANTIDOTE"] * 3
    assert await notebook.words() == [*words[:20], "antidote", "antidote", "antidote", *words[23:]]
    assert writer.failure is None


async def test_a_commit_whose_answer_never_came_is_not_written_twice(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = AsyncConnection.commit
    lost = iter([True])

    async def commit_then_lose(conn: AsyncConnection) -> None:
        await commit(conn)
        if next(lost, False):
            raise_connection_lost()

    monkeypatch.setattr(AsyncConnection, "commit", commit_then_lose)
    writer = notebook.writer()
    assert await writer.submit("once") == "ONCE"
    await writer.close()
    assert await notebook.words() == ["once"]
    assert notebook.reconnects == 1


async def test_a_lost_database_fails_every_waiter_in_the_end(notebook: Notebook) -> None:
    away = create_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    notebook.engine = away
    writer = notebook.writer(patience=0.2)
    results = await asyncio.gather(*(writer.submit(f"w{number}") for number in range(5)), return_exceptions=True)
    assert all(isinstance(each, DatabaseUnavailable) for each in results)
    assert "DB_PATIENCE" in str(results[0])
    with pytest.raises(DatabaseUnavailable):
        await writer.submit("late")
    await writer.close()
    await away.dispose()


async def test_a_commit_still_under_way_is_waited_for(notebook: Notebook) -> None:
    """The answer of a slow commit is lost: the group must neither be written twice nor be blamed on its items."""
    async with notebook.engine.begin() as conn:
        await conn.execute(text("CREATE UNIQUE INDEX once ON note (word)"))
        await conn.execute(text(SLOW_COMMIT))
        await conn.execute(text(ON_COMMIT))
    writer = notebook.writer()
    waiting = asyncio.ensure_future(writer.submit("once"))
    await notebook.applied.wait()
    await asyncio.sleep(0.4)
    for connection in notebook.connections:
        cut(connection)
    assert await waiting == "ONCE"
    await writer.close()
    assert await notebook.words() == notebook.durable == ["once"]


async def test_a_stalled_database_is_given_up_in_time(notebook: Notebook) -> None:
    async with notebook.engine.connect() as blocker:
        await blocker.execute(text("LOCK TABLE note IN ACCESS EXCLUSIVE MODE"))
        writer = notebook.writer(patience=1)
        with pytest.raises(DatabaseUnavailable, match="did not answer"):
            await writer.submit("late")
        await writer.close()
        await blocker.rollback()
    assert await notebook.words() == []


async def test_a_reject_that_is_refused_too_gets_a_plainer_form(notebook: Notebook) -> None:
    forms = iter(["poison", "plain"])
    notebook.poisoned = lambda job, error: next(forms)
    writer = notebook.writer()
    assert await asyncio.gather(writer.submit("a"), writer.submit("poison"), writer.submit("b")) == ["A", "PLAIN", "B"]
    await writer.close()
    assert await notebook.words() == ["a", "plain", "b"]


async def test_a_defect_of_ours_hangs_nobody(notebook: Notebook) -> None:
    async def broken(conn: AsyncConnection, jobs: Sequence[str]) -> list[str]:
        await conn.execute(text("SELECT nonsense"))
        return []

    notebook.apply = broken  # type: ignore[method-assign]
    writer = notebook.writer()
    results = await asyncio.gather(*(writer.submit(f"w{number}") for number in range(3)), return_exceptions=True)
    assert all(isinstance(each, JobMonitorError) for each in results)
    assert isinstance(writer.failure, WriterStopped)
    await writer.close()


def raise_connection_lost() -> None:
    """What SQLAlchemy raises when the server hangs up."""
    raise OperationalError(
        "COMMIT", None, psycopg.OperationalError("server closed the connection"), connection_invalidated=True
    )


def cut(connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
    """Cut a connection's socket, as a failing network does."""
    with socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)
