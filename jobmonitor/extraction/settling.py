"""What becomes of a claimed content, written down: one short transaction per decision.

Each begins by locking the content's row. An answer whose lease passed on is stored only if there is no profile yet;
otherwise it stands in the ledger alone.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.extraction.answers import Judged
from jobmonitor.extraction.by_rules import answer_by_rules
from jobmonitor.extraction.client import ModelReply
from jobmonitor.extraction.contract import Contract
from jobmonitor.extraction.faults import ItemFault, ProviderFault
from jobmonitor.extraction.rules import RULES_VERSION
from jobmonitor.storage import calls, claims, profiles
from jobmonitor.storage.calls import Outcome
from jobmonitor.storage.claims import Candidate, Claimed, Held, Terms
from jobmonitor.storage.patiently import patiently
from jobmonitor.storage.profiles import Answered, Verdict

T = TypeVar("T")

#: Faults after which the provider may still have worked, and billed.
_UNCERTAIN = {"timeout"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settler:
    """Writes for one batch."""

    engine: AsyncEngine
    contract: Contract
    terms: Terms
    #: Logical time of the events.
    at: dt.datetime
    #: What the batch did so far.
    counts: Counter[str]
    currency: str

    async def succeed(self, claimed: Claimed, call_id: int, judged: Judged, reply: ModelReply) -> None:
        """The answer becomes the content's profile, unless another one was there first."""

        async def work(conn: AsyncConnection) -> str:
            held = await claims.hold(conn, self.contract.number, claimed.content_hash)
            if not _may_store(held, claimed):
                await calls.settle(conn, call_id, self._outcome("late", reply))
                return "late"
            await calls.settle(conn, call_id, self._outcome("ok", reply))
            await self._store(conn, _answered(claimed, judged), "model", self.terms.config_id)
            return "profiles"

        done = await self._write(work)
        self.counts[done] += 1
        if done == "profiles":
            self.counts["empty"] += judged.empty
            self.counts["ungrounded"] += judged.ungrounded

    async def degrade(self, claimed: Claimed, call_id: int, fault: ItemFault | ProviderFault) -> None:
        """The content's own failures are used up: the rules answer, marked so."""
        answer = await asyncio.to_thread(answer_by_rules, self.contract, claimed.content_hash, claimed.document)
        reason = f"{fault.kind}: {fault.message}"

        async def work(conn: AsyncConnection) -> str:
            held = await claims.hold(conn, self.contract.number, claimed.content_hash)
            await calls.settle(conn, call_id, self._failed(fault))
            if held.token != claimed.token:
                return "late"
            await claims.charge(conn, self.contract.number, claimed.content_hash)
            return await self._by_rules(conn, claimed.content_hash, held, answer, Verdict(degraded=True, reason=reason))

        self.counts[await self._write(work)] += 1

    async def release(self, claimed: Claimed, call_id: int, fault: ProviderFault) -> None:
        """The provider's fault: the content waits as before, and no attempt is used up."""

        async def work(conn: AsyncConnection) -> None:
            await calls.settle(conn, call_id, self._failed(fault))
            await claims.free(conn, [claimed.token])

        await self._write(work)
        self.counts["released"] += 1

    async def is_own(self, call_id: int) -> bool:
        """Whether a call's failure is its content's own."""
        return await self._write(lambda conn: calls.is_own_failure(conn, call_id))

    async def repair(self, claimed: Claimed, call_id: int, fault: ItemFault, worst_case: Decimal | None) -> int | None:
        """Count the failure and write the repair down; None if the budget has no room: then the content waits."""

        async def work(conn: AsyncConnection) -> int | None:
            # The claim's lock comes before any row's: a claim that waits for this row would wait for ever.
            second = await claims.reserve_repair(conn, claimed, self.contract.number, self.terms, worst_case)
            await claims.charge(conn, self.contract.number, claimed.content_hash)
            await calls.settle(conn, call_id, self._failed(fault))
            if second is None:
                await claims.free(conn, [claimed.token])
            return second

        return await self._write(work)

    async def without_call(self, conn: AsyncConnection, candidate: Candidate, reason: str) -> None:
        """A locked content that is not asked about: the rules answer, and the reason is kept. The caller commits."""
        answer = answer_by_rules(self.contract, candidate.content_hash, candidate.document)
        held = await claims.hold(conn, self.contract.number, candidate.content_hash)
        degraded = reason.startswith("too_long")
        if held.profile_id is not None and not degraded:
            await claims.skip(conn, self.contract.number, candidate.content_hash, reason)
            self.counts["skipped"] += 1
            return
        verdict = Verdict(state="succeeded" if degraded else "skipped", degraded=degraded, reason=reason)
        done = await self._by_rules(conn, candidate.content_hash, held, answer, verdict)
        self.counts[done if degraded else "skipped"] += 1

    async def _by_rules(
        self, conn: AsyncConnection, content_hash: str, held: Held, answer: Answered | str, verdict: Verdict
    ) -> str:
        number = self.contract.number
        if held.profile_id is not None:
            await claims.degrade_current(conn, number, content_hash, verdict.reason or "")
            return "degraded"
        if isinstance(answer, str):
            await profiles.fail(conn, number, content_hash, answer)
            return "failed"
        config = await profiles.ensure_config(conn, producer="rules", model=RULES_VERSION, parameters={})
        await self._store(conn, answer, "rules", config, verdict)
        return "degraded"

    async def _store(
        self, conn: AsyncConnection, answer: Answered, producer: str, config: int, verdict: Verdict | None = None
    ) -> None:
        await profiles.store(
            conn,
            [answer],
            contract=self.contract.number,
            producer=producer,
            config_id=config,
            at=self.at,
            batch_id=self.terms.batch_id,
            verdict=verdict,
        )

    def _failed(self, fault: ItemFault | ProviderFault) -> Outcome:
        if isinstance(fault, ItemFault) and fault.reply is not None:
            return self._outcome(fault.kind, fault.reply, fault.message)
        billed = None if fault.kind in _UNCERTAIN else Decimal(0)
        return Outcome(outcome=fault.kind, cost=billed, currency=self.currency, error=fault.message)

    def _outcome(self, outcome: str, reply: ModelReply, error: str | None = None) -> Outcome:
        return Outcome(
            outcome=outcome,
            input_tokens=reply.input_tokens,
            cached_tokens=reply.cached_tokens,
            output_tokens=reply.output_tokens,
            cost=reply.cost,
            currency=reply.currency,
            error=error,
        )

    async def _write(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        return await patiently(self.engine, work)


def _may_store(held: Held, claimed: Claimed) -> bool:
    if held.token == claimed.token:
        return True
    return held.profile_id is None and held.state in {"pending", "leased"}


def _answered(claimed: Claimed, judged: Judged) -> Answered:
    return Answered(
        content_hash=claimed.content_hash,
        profile=judged.profile,
        evidence=judged.evidence,
        empty=judged.empty,
        ungrounded=judged.ungrounded,
    )
