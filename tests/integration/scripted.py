"""A model in the test's own process: it answers as the test says and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.domain.canonical import SCHEME, content_hash
from jobmonitor.extraction.asking import Asking
from jobmonitor.extraction.client import ModelReply, ModelRequest
from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.extractor import Extractor, Process, Report, Work
from jobmonitor.extraction.pricing import Price
from jobmonitor.extraction.prompting import document_of, is_repair
from jobmonitor.extraction.rules import extract
from jobmonitor.storage.budget import Budget
from jobmonitor.storage.claims import Scope
from jobmonitor.storage.models import Content, Extraction

#: One cent a thousand tokens, in or out.
PRICE = Price(input=Decimal("0.00001"), cached_input=Decimal("0.00001"), output=Decimal("0.00001"))

Answer = Callable[[str], str | Awaitable[str]]


def good(document: str) -> str:
    """What the rules read, in the form of an answer."""
    answer = extract(document)
    return json.dumps({"profile": answer.profile, "evidence": answer.evidence}, ensure_ascii=False)


def empty(document: str) -> str:
    """The text says nothing."""
    return json.dumps({"profile": load_contract(1).empty_profile(), "evidence": {}})


def broken(document: str) -> str:
    """No JSON at all."""
    return "I would rather talk about the weather."


def failing(error: Exception) -> Answer:
    """A behaviour that raises."""

    def answer(document: str) -> str:
        raise error

    return answer


class Model:
    """A client that answers by a function; `turns` says what the first, second … request gets, the last repeats."""

    def __init__(self, *turns: Answer, tokens: int = 100) -> None:
        self.turns = turns or (good,)
        #: Of each question and of each answer.
        self.tokens = tokens
        self.asked: list[str] = []
        self.repairs = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        document = document_of(request.user) or ""
        self.asked.append(document)
        self.repairs += is_repair(request.user)
        answer = self.turns[min(len(self.asked), len(self.turns)) - 1](document)
        said = answer if isinstance(answer, str) else await answer
        return ModelReply(
            text=said,
            input_tokens=self.tokens,
            cached_tokens=0,
            output_tokens=self.tokens,
            cost=PRICE.cost(input_tokens=self.tokens, cached_tokens=0, output_tokens=self.tokens),
            currency="USD",
            seconds=0.0,
            model="scripted",
        )


class Desk:
    """A database with contents that wait, and the batches of a test."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine

    async def queue(self, *documents: str) -> list[str]:
        """Store contents that wait for their profile; their hashes."""
        hashes = [content_hash(each) for each in documents]
        async with self.engine.begin() as conn:
            for name, document in zip(hashes, documents, strict=True):
                await conn.execute(insert(Content).values(hash=name, scheme=SCHEME, document=document))
                await conn.execute(insert(Extraction).values(content_hash=name, contract=1))
        return hashes

    def extractor(
        self,
        model: Model,
        *,
        pauses: tuple[float, ...] = (0.01, 0.01),
        process: Process | None = None,
        upgrade: Any = None,
        limit: int | None = None,
        until_idle: bool = False,
        **asking: Any,
    ) -> Extractor:
        """A batch that has not begun."""
        terms = {"price": PRICE, "budget": Budget(daily=None, zone="UTC"), "timeout": 5.0, "concurrency": 2} | asking
        how = Asking(contract=load_contract(1), model="test/scripted", **terms)
        work = Work(scope=Scope(contract=1, upgrade=upgrade), limit=limit, until_idle=until_idle)
        return Extractor(self.engine, model, how, work, process=process, pauses=pauses)

    async def run(self, model: Model, **options: Any) -> Report:
        """Run a batch to its end; it must not take long."""
        async with asyncio.timeout(30):
            return await self.extractor(model, **options).run()

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of the database."""
        async with self.engine.connect() as conn:
            return [tuple(row) for row in await conn.execute(text(query))]

    async def execute(self, statement: str) -> None:
        """Change something behind the extractor's back."""
        async with self.engine.begin() as conn:
            await conn.execute(text(statement))

    async def states(self) -> list[tuple[Any, ...]]:
        """State, producer, degraded, empty and attempts of each content."""
        return await self.rows(
            "SELECT e.state, e.producer, e.degraded, e.empty, e.attempts FROM extraction e "
            "JOIN content c ON c.hash = e.content_hash ORDER BY c.document"
        )

    async def outcomes(self) -> list[str | None]:
        """How the calls ended, in the order in which they were sent."""
        return [row[0] for row in await self.rows("SELECT outcome FROM model_call ORDER BY id")]
