"""Small helpers that turn SQL answers into plain dictionaries."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

Row: TypeAlias = dict[str, Any]


async def rows(conn: AsyncConnection, sql: str, **parameters: object) -> list[Row]:
    """Every row of a query, column name → value."""
    answer = await conn.execute(text(sql), parameters)
    return [dict(row) for row in answer.mappings()]


async def first(conn: AsyncConnection, sql: str, **parameters: object) -> Row | None:
    """The first row of a query, or None."""
    answer = await conn.execute(text(sql), parameters)
    row = answer.mappings().first()
    return None if row is None else dict(row)


def like(fragment: str) -> str:
    """A LIKE pattern that finds `fragment` anywhere, whatever signs it holds (escape character `\\`)."""
    escaped = fragment.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
