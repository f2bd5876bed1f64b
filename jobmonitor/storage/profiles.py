"""Where profiles stand: what waits for one, and how one is stored. Rows of `profile` are added, never changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, null, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain.canonical import canonical_json, sha256_hex
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.models import Content, Extraction, ExtractionConfig, Posting, Profile, Version
from jobmonitor.storage.profile_changes import changes_of_contents


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A content that waits for its profile; locked until the transaction ends."""

    content_hash: str
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A profile made for a content."""

    content_hash: str
    profile: dict[str, Any]
    #: Quotes by JSON pointer.
    evidence: dict[str, Any]
    empty: bool
    ungrounded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an answer makes of its content's extraction."""

    #: `succeeded`, or `skipped` where no call was wanted and the rules' profile is current.
    state: str = "succeeded"
    #: The rules answered because the content's own failures were used up.
    degraded: bool = False
    #: Why skipped or degraded.
    reason: str | None = None


async def ensure_config(
    conn: AsyncConnection, *, producer: str, model: str, prompt: str | None = None, parameters: dict[str, Any]
) -> int:
    """The number of an extraction config, recorded the first time it is used."""
    row = {"producer": producer, "model": model, "prompt": prompt, "parameters": parameters}
    name = sha256_hex(canonical_json(row))
    await conn.execute(upsert(ExtractionConfig).values(hash=name, **row).on_conflict_do_nothing())
    query = select(ExtractionConfig.id).where(ExtractionConfig.hash == name)
    return int((await conn.execute(query)).scalar_one())


async def lock_pending(conn: AsyncConnection, contract: int, hashes: Collection[str]) -> list[Pending]:
    """Those of `hashes` that still wait, locked; others' locks are passed over."""
    return await _lock(conn, _waiting(contract).where(Extraction.content_hash.in_(hashes)))


async def lock_pending_of(conn: AsyncConnection, contract: int, source: str, limit: int) -> list[Pending]:
    """Up to `limit` contents of the source's versions that still wait, locked."""
    of_source = (
        select(Version.content_hash)
        .join(Posting, Posting.id == Version.posting_id)
        .where(Posting.source == source, Version.content_hash == Extraction.content_hash)
        .exists()
    )
    return await _lock(conn, _waiting(contract).where(of_source).limit(limit))


async def store(
    conn: AsyncConnection,
    answers: Sequence[Answered],
    *,
    contract: int,
    producer: str,
    config_id: int,
    at: dt.datetime,
    batch_id: int | None = None,
    verdict: Verdict | None = None,
) -> None:
    """Make the answers current, with one `profile.ready` event each and what they change of postings; leases end.

    The caller commits at once.

    Args:
        verdict: what else is to be said of the contents; by default that they succeeded.
    """
    answers = await _of_texts_that_are_there(conn, contract, answers)
    if not answers:
        return
    verdict = verdict or Verdict()
    rows = [
        {
            "content_hash": each.content_hash,
            "contract": contract,
            "producer": producer,
            "config_id": config_id,
            "profile": each.profile,
            "evidence": each.evidence,
            "ungrounded": each.ungrounded,
            "batch_id": batch_id,
        }
        for each in answers
    ]
    statement = insert(Profile).returning(Profile.id, sort_by_parameter_order=True)
    ids = list((await conn.execute(statement, rows)).scalars())
    done = [
        {"content": each.content_hash, "made": profile_id, "is_empty": each.empty}
        for each, profile_id in zip(answers, ids, strict=True)
    ]
    await conn.execute(_succeed(contract, producer, verdict), done)
    changed = await changes_of_contents(conn, contract, [each.content_hash for each in answers], at)
    await append(conn, [*(_ready(each, contract, producer, verdict, at) for each in answers), *changed])


async def _of_texts_that_are_there(conn: AsyncConnection, contract: int, answers: Sequence[Answered]) -> list[Answered]:
    """The answers less those whose text was erased while they were made: a late answer brings nothing back.

    The extractions are locked first: an erasure under way is waited for, a later one waits for this transaction.
    """
    hashes = sorted(each.content_hash for each in answers)
    held = select(Extraction.content_hash).where(Extraction.contract == contract, Extraction.content_hash.in_(hashes))
    await conn.execute(held.order_by(Extraction.content_hash).with_for_update())
    gone = select(Content.hash).where(Content.hash.in_(hashes), Content.erased_at.is_not(None))
    erased = set((await conn.execute(gone)).scalars())
    return [each for each in answers if each.content_hash not in erased]


async def fail(conn: AsyncConnection, contract: int, content_hash: str, reason: str) -> None:
    """Not even the rules gave a valid profile: an alarm."""
    await conn.execute(
        update(Extraction)
        .where(Extraction.content_hash == content_hash, Extraction.contract == contract)
        .values(
            state="failed", reason=reason[:2000], lease_token=null(), lease_expires_at=null(), updated_at=func.now()
        )
    )


def _waiting(contract: int) -> Select[str, str | None]:
    return (
        select(Extraction.content_hash, Content.document)
        .join(Content, Content.hash == Extraction.content_hash)
        .where(Extraction.contract == contract, Extraction.state == "pending", Content.document.is_not(None))
        .order_by(Extraction.content_hash)
        .with_for_update(of=Extraction, skip_locked=True)
    )


async def _lock(conn: AsyncConnection, query: Select[str, str | None]) -> list[Pending]:
    rows = await conn.execute(query)
    return [Pending(content_hash=row.content_hash, document=row.document or "") for row in rows]


def _succeed(contract: int, producer: str, verdict: Verdict) -> Any:
    return (
        update(Extraction)
        .where(Extraction.content_hash == bindparam("content"), Extraction.contract == contract)
        .values(
            state=verdict.state,
            producer=producer,
            profile_id=bindparam("made"),
            empty=bindparam("is_empty"),
            degraded=verdict.degraded,
            reason=verdict.reason,
            lease_token=null(),
            lease_expires_at=null(),
            updated_at=func.now(),
        )
    )


def _ready(answer: Answered, contract: int, producer: str, verdict: Verdict, at: dt.datetime) -> NewEvent:
    payload = {
        "contract": contract,
        "producer": producer,
        "degraded": verdict.degraded,
        "empty": answer.empty,
        "profile": answer.profile,
    }
    return NewEvent(kind="profile.ready", at=at, content=answer.content_hash, payload=payload)
