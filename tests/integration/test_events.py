"""The change stream: ids in commit order, nothing between the events and the commit, payloads that name columns."""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.crawling.jobs import Answer, Job, poison
from jobmonitor.crawling.patience import Patience
from jobmonitor.crawling.writer import GroupWriter, Limits
from jobmonitor.extraction.worker import RulesWorker
from jobmonitor.storage.columns import EFFECTIVE
from jobmonitor.storage.erasure import erase, scope_of_contents
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.models import Event
from jobmonitor.storage.release import release
from tests.acceptance.crawling import job
from tests.integration.groups import Board, at, read

PAYLOADS = "SELECT payload FROM event WHERE kind LIKE 'posting.%' ORDER BY id"
AT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
SECRET = "<p>password=hunter2secret123</p>"


@pytest.fixture
async def board(engine: AsyncEngine, tmp_path: Path) -> Board:
    """A board without a posting."""
    board = Board(engine, tmp_path / "objects")
    await board.create()
    return board


async def profiled(board: Board, number: int) -> None:
    """Every text of the board has its profile."""
    worker = RulesWorker(board.engine, contract=1, observed_at=at(number))
    await worker.wait(interrupted=False)
    while await worker.drain("greenhouse:acme", interrupted=False):
        continue


async def naive(conn: AsyncConnection, events: list[NewEvent]) -> None:
    """What a plain sequence does: ids in the order of the inserts, not of the commits."""
    await conn.execute(insert(Event), [{"kind": each.kind, "at": each.at, "payload": each.payload} for each in events])


class Reader:
    """Reads by cursor, as `jobmonitor events --after N` does."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.cursor = 0
        self.seen: list[str] = []

    async def look(self) -> None:
        async with self.engine.connect() as conn:
            query = select(Event.id, Event.kind).where(Event.id > self.cursor).order_by(Event.id).limit(7)
            for row in await conn.execute(query):
                self.cursor = row.id
                self.seen.append(row.kind)


async def slow_and_quick(engine: AsyncEngine, add: Any) -> list[str]:
    """What a reader sees of two writers, of whom the first to add is the last to commit."""
    reader = Reader(engine)
    async with engine.connect() as slow:
        await add(slow, [NewEvent(kind="slow", at=AT)])
        quick = asyncio.create_task(one_event(engine, add))
        await asyncio.sleep(0.3)
        await reader.look()
        await slow.commit()
    await quick
    await reader.look()
    return reader.seen


async def one_event(engine: AsyncEngine, add: Any) -> None:
    async with engine.begin() as conn:
        await add(conn, [NewEvent(kind="quick", at=AT)])


async def test_a_reader_misses_nothing_that_a_sequence_would_lose(engine: AsyncEngine) -> None:
    assert await slow_and_quick(engine, naive) == ["quick"]
    async with engine.begin() as conn:
        await conn.execute(text("DELETE FROM event"))
    assert await slow_and_quick(engine, append) == ["slow", "quick"]


async def write_events(engine: AsyncEngine, name: str, pace: random.Random) -> list[str]:
    """Forty transactions, some rolled back; the kinds that were committed."""
    kinds = []
    for number in range(40):
        async with engine.connect() as conn:
            some = [f"{name}{number}/{each}" for each in range(pace.randint(1, 3))]
            await append(conn, [NewEvent(kind=each, at=AT) for each in some])
            await asyncio.sleep(pace.random() * 0.004)
            if pace.random() < 0.8:
                await conn.commit()
                kinds += some
    return kinds


async def test_a_cursor_sees_every_event_of_two_writers_once(engine: AsyncEngine) -> None:
    reader = Reader(engine)
    writing = asyncio.gather(*(write_events(engine, name, random.Random(name)) for name in ("a", "b")))
    while not writing.done():
        await reader.look()
        await asyncio.sleep(0.001)
    first, second = writing.result()
    while len(reader.seen) < len(first) + len(second):
        await reader.look()
    assert [each for each in reader.seen if each.startswith("a")] == first
    assert [each for each in reader.seen if each.startswith("b")] == second


async def test_eight_writers_and_three_readers_beside_transactions_that_stay_open(engine: AsyncEngine) -> None:
    """A backup holds its snapshot, somebody's psql sits idle in a transaction: nobody misses anything."""
    names = "abcdefgh"
    readers = [Reader(engine) for _ in range(3)]
    async with engine.connect() as backup, engine.connect() as idle:
        await backup.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        await backup.execute(text("SELECT count(*) FROM event"))
        await idle.execute(text("INSERT INTO source (key, system) VALUES ('idle', 'idle')"))
        writing = asyncio.gather(*(write_events(engine, name, random.Random(name)) for name in names))
        while not writing.done():
            await asyncio.gather(*(reader.look() for reader in readers))
    committed = writing.result()
    for reader in readers:
        while len(reader.seen) < sum(map(len, committed)):
            await reader.look()
        for name, kinds in zip(names, committed, strict=True):
            assert [each for each in reader.seen if each.startswith(name)] == kinds
    assert readers[0].seen == readers[1].seen == readers[2].seen


@contextmanager
def statements(engine: AsyncEngine) -> Iterator[list[str]]:
    """What is sent to the database, commits included."""
    sent: list[str] = []

    def executed(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        sent.append(" ".join(statement.split()))

    def committed(conn: Any) -> None:
        sent.append("COMMIT")

    event.listen(engine.sync_engine, "before_cursor_execute", executed)
    event.listen(engine.sync_engine, "commit", committed)
    try:
        yield sent
    finally:
        event.remove(engine.sync_engine, "before_cursor_execute", executed)
        event.remove(engine.sync_engine, "commit", committed)


async def crawled(board: Board, *rows: dict[str, Any]) -> None:
    """Write rows as a crawl does: through its writer, in one group."""

    async def reconnect() -> None:
        raise AssertionError("the database is there")

    writer: GroupWriter[Job, Answer] = GroupWriter(
        board.engine,
        apply=lambda conn, jobs: board.write(conn, 1, *jobs),
        committed=lambda jobs, answers: None,
        poison=poison,
        patience=Patience(1, reconnect),
        limits=Limits(size=50, linger=0.01),
    )
    await asyncio.gather(*(writer.submit(read(row)) for row in rows))
    await writer.close()


async def test_nothing_comes_between_the_events_and_the_commit(board: Board) -> None:
    with statements(board.engine) as sent:
        await crawled(board, job(1, "Cook", SECRET), job(2, "Baker"))
        async with board.engine.begin() as conn:
            await release(conn, "greenhouse:acme/1")
        await profiled(board, 1)
        ((name,),) = await board.rows("SELECT content_hash FROM current_posting WHERE native_id = '2'")
        async with board.engine.begin() as conn:
            await erase(conn, await scope_of_contents(conn, [name]), reason="asked", store=board.objects)
    places = [place for place, statement in enumerate(sent) if statement.startswith("INSERT INTO event ")]
    assert len(places) == 4
    for place in places:
        assert "pg_advisory_xact_lock" in sent[place - 1]
        assert sent[place + 1] == "COMMIT"


DAYS: list[dict[str, Any]] = [
    {"content": "One", "departments": [{"name": "A"}], "employment": "Full-time", "pay": "$100k - $120k per year"},
    {"content": "One", "departments": [{"name": "B"}], "employment": "Part-time", "pay": "negotiable"},
    {
        "content": "One",
        "departments": [{"name": "B"}],
        "pay": "negotiable",
        "places": "Bonn; Berlin",
        "first_published": "2026-10-03T10:00:00-04:00",
    },
    {"content": "One", "departments": [{"name": "B"}], "pay": "15-30K·14薪"},
    {"content": "Two", "title": "Chef", "absolute_url": "https://acme.example/2", "application_deadline": "2026-12-31"},
    {"content": SECRET, "title": "Chef"},
    {"content": "One", "departments": [{"name": "A"}]},
]
KINDS = ["new", "salary", "facts", "salary", "content", "content", "reverted"]
FIELDS = ("recruit_type", "education_minimum", "full_time_required", "experience", "salary", "head_count")
#: What an event says beside its payload, what follows from `profile.ready`, and what a comparison of the two tells.
BESIDE = (
    {"posting", "source", "system", "board", "channel", "native_id", "state", "opened_at", "first_observed_at"}
    | {"changed_at", "contract", "profile_state", "profile_reason", "profile_producer"}
    | {f"{name}_{ending}" for name in FIELDS for ending in ("origin", "disagrees")}
)


def on(day: dict[str, Any]) -> dict[str, Any]:
    """The board's row on a day."""
    rest = dict(day)
    text, title = rest.pop("content"), rest.pop("title", "Cook")
    stated = {"Salary Range": rest.pop("pay", None), "Employment Type": rest.pop("employment", None)}
    metadata = [{"name": name, "value": value} for name, value in stated.items() if value]
    return job(1, title, text, places=rest.pop("places", "Berlin"), metadata=metadata, **rest)


def plain(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    return float(value) if isinstance(value, Decimal) else value


async def shown(board: Board) -> dict[str, Any]:
    """The posting's row of the view."""
    async with board.engine.connect() as conn:
        row = (await conn.execute(text("SELECT * FROM current_posting"))).mappings().one()
        return {name: plain(value) for name, value in row.items()}


async def test_payloads_carry_effective_values_where_the_text_speaks(board: Board) -> None:
    said = "<p>Cook. Salary: $50k - $60k per year. Bachelor degree required.</p>"
    days = [
        {"content": said, "pay": "$100k - $120k per year"},
        {"content": said},
        {"content": said, "pay": "15-30K·14薪"},
        {"content": "Nothing"},
    ]
    for number, day in enumerate(days, start=1):
        before = await shown(board) if number > 1 else {}
        await board.group(number, on(day))
        after = await shown(board)
        ((payload,),) = await board.rows(
            "SELECT payload FROM event WHERE kind LIKE 'posting.%' ORDER BY id DESC LIMIT 1"
        )
        expected = {name: after[name] for name in EFFECTIVE if after[name] != before.get(name)}
        assert {name: payload[name] for name in payload.keys() & set(EFFECTIVE)} == expected
        await profiled(board, number)
    async with board.engine.begin() as conn:
        ((first,),) = await board.rows("SELECT content_hash FROM version WHERE number = 1")
        await erase(conn, await scope_of_contents(conn, [first]), reason="asked", store=board.objects)
    assert await board.rows("SELECT payload->'salary_min' FROM event WHERE kind LIKE 'posting.%' ORDER BY id") == [
        (100000,),
        (50000,),
        (15000,),
        (None,),
        (None,),
    ]


async def test_an_erasure_tells_what_the_text_alone_had_told(board: Board) -> None:
    await board.group(1, job(1, "Cook", "<p>Salary: $50k - $60k per year. Bachelor degree required.</p>"))
    await profiled(board, 1)
    ((name,),) = await board.rows("SELECT hash FROM content")
    before = await shown(board)
    async with board.engine.begin() as conn:
        await erase(conn, await scope_of_contents(conn, [name]), reason="asked", store=board.objects)
    after = await shown(board)
    ((payload,),) = await board.rows("SELECT payload FROM event WHERE kind = 'posting.erased'")
    changed = {each: value for each, value in after.items() if value != before[each] and each not in BESIDE}
    assert payload == changed
    assert payload.keys() >= {"title", "erased_at", "salary_min", "education_minimum"}


async def test_payloads_carry_the_new_values_of_the_views_columns(board: Board) -> None:
    before: dict[str, Any] = {}
    for number, day in enumerate(DAYS, start=1):
        (answer,) = await board.group(number, on(day))
        assert answer is not None
        assert answer.change == KINDS[number - 1]
        ((payload,),) = await board.rows("SELECT payload FROM event ORDER BY id DESC LIMIT 1")
        after = await shown(board)
        assert {name: after.get(name, "no column") for name in payload} == payload
        changed = {name for name, value in after.items() if value != before.get(name)}
        assert changed <= payload.keys() | BESIDE
        before = after
