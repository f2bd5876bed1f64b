"""Validators of a source's pages, written in the transaction that makes durable what their bodies said."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, delete, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain.canonical import clean_text
from jobmonitor.items import Validator
from jobmonitor.storage import models
from jobmonitor.storage.models import Source


async def load_validators(conn: AsyncConnection, source: str) -> dict[str, Validator]:
    """Every validator of a source by its request's fingerprint; none of a source whose validators are not trusted."""
    query = select(*models.Validator.__table__.c).join(Source, Source.key == models.Validator.source)
    rows = await conn.execute(query.where(Source.key == source, Source.unconditional.is_(None)))
    return {row.request_hash: _validator(row) for row in rows}


async def note_validators(conn: AsyncConnection, source: str, found: Sequence[Validator], at: dt.datetime) -> None:
    """Keep the newest validators, and forget those of pages that have none any more."""
    newest = {each.fingerprint: each for each in found}
    forgotten = sorted(name for name, each in newest.items() if not each.names_a_body)
    if forgotten:
        table = models.Validator
        await conn.execute(delete(table).where(table.source == source, table.request_hash.in_(forgotten)))
    rows = [_row(source, newest[name], at) for name in sorted(newest) if newest[name].names_a_body]
    if rows:
        statement = upsert(models.Validator)
        changed = {name: statement.excluded[name] for name in rows[0]}
        await conn.execute(
            statement.on_conflict_do_update(index_elements=["source", "request_hash"], set_=changed), rows
        )


async def distrust(conn: AsyncConnection, source: str, reason: str) -> None:
    """Ask a source without conditions from now on; its validators are forgotten."""
    await conn.execute(update(Source).where(Source.key == source).values(unconditional=clean_text(reason)))
    await conn.execute(delete(models.Validator).where(models.Validator.source == source))


def _validator(row: Row[Any]) -> Validator:
    return Validator(
        fingerprint=row.request_hash,
        url=row.url,
        etag=row.etag,
        last_modified=row.last_modified,
        body_hash=row.body_hash,
        ids=tuple(row.ids),
        total=row.total,
        proof=row.proof,
    )


def _row(source: str, each: Validator, at: dt.datetime) -> dict[str, Any]:
    return {
        "source": source,
        "request_hash": each.fingerprint,
        "url": clean_text(each.url),
        "etag": each.etag,
        "last_modified": each.last_modified,
        "body_hash": each.body_hash,
        "ids": [clean_text(name) for name in each.ids],
        "total": each.total,
        "proof": each.proof,
        "observed_at": at,
    }
