"""Inserts many rows by one statement and one parameter: a JSON array that PostgreSQL reads into the table's row type.

A statement per row, or one whose text grows with the rows, costs more than the insert itself (docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import orjson
from sqlalchemy import CursorResult, TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.models import Base

Rows = Sequence[Mapping[str, Any]]


async def insert_rows(
    conn: AsyncConnection,
    table: type[Base],
    rows: Rows,
    *,
    skip_present: bool = False,
    returning: tuple[str, ...] = (),
) -> CursorResult[Any]:
    """Insert rows in their order.

    Args:
        conn: the transaction.
        table: whose columns the rows name; every row names the same ones. The others get their defaults.
        rows: at least one.
        skip_present: leave rows that are there already as they are.
        returning: columns to return of each inserted row, in no promised order.

    Raises:
        ValueError: a value cannot be sent (a lone surrogate, an integer beyond 64 bits).
    """
    statement = _statement(table.__tablename__, tuple(rows[0]), skip_present, returning)
    return await conn.execute(statement, {"rows": encoded(rows)})


@cache
def _statement(table: str, columns: tuple[str, ...], skip_present: bool, returning: tuple[str, ...]) -> TextClause:
    """The names are those of our own models, never from outside."""
    names = ", ".join(columns)
    conflict = " ON CONFLICT DO NOTHING" if skip_present else ""
    answer = f" RETURNING {', '.join(returning)}" if returning else ""
    return text(
        f"INSERT INTO {table} ({names}) SELECT {names} "  # noqa: S608 - see above
        f"FROM json_populate_recordset(NULL::{table}, CAST(:rows AS json)){conflict}{answer}"
    )


def encoded(rows: Rows) -> str:
    """The rows as one JSON array that PostgreSQL reads.

    Raises:
        ValueError: a value cannot be sent.
    """
    try:
        return orjson.dumps(rows, default=_plain).decode()
    except TypeError as error:
        raise ValueError(str(error)) from error


def _plain(value: object) -> object:
    """What JSON has no form for, in the spelling that PostgreSQL reads."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a column's value")
