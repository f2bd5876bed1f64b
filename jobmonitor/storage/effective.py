"""Effective values as `current_posting` shows them, for the events of postings whose text may have a profile."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.columns import EFFECTIVE, plain

_QUERY = text(
    f"SELECT posting, {', '.join(EFFECTIVE)} FROM current_posting WHERE posting = ANY(:references)"  # noqa: S608 - our own names
)


async def effective_values(conn: AsyncConnection, references: Collection[str]) -> dict[str, dict[str, Any]]:
    """The effective values of postings as they stand in this transaction, ready for JSON, by reference."""
    if not references:
        return {}
    found = await conn.execute(_QUERY, {"references": list(references)})
    return {row.posting: {name: plain(getattr(row, name)) for name in EFFECTIVE} for row in found}
