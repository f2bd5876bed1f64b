"""What the product is measured against: stages that do nothing, and a pipeline that asks the database for each item."""

from __future__ import annotations

import hashlib
import os
from typing import Any, TypeVar

import psycopg
from sqlalchemy.engine import make_url

from jobmonitor.items import RawPosting

Item = TypeVar("Item")


class Empty:
    """A stage that does nothing."""

    async def process_item(self, item: Item) -> Item:
        """The item as it came."""
        return item


#: Scrapy names a stage by its class, so seven stages are seven classes.
STAGES = tuple(type(f"Empty{number}", (Empty,), {}) for number in range(1, 8))


class Naive:
    """Select, compare, insert or update: one transaction an item, as most pipelines are written."""

    def __init__(self) -> None:
        self._connection: psycopg.AsyncConnection[Any] | None = None

    async def open_spider(self) -> None:
        """Connect and make the table."""
        url = make_url(os.environ["JOBMONITOR_DATABASE_URL"]).set(drivername="postgresql")
        self._connection = await psycopg.AsyncConnection.connect(
            url.render_as_string(hide_password=False), autocommit=True
        )
        await self._connection.execute(
            "CREATE TABLE IF NOT EXISTS naive (source text, id text, hash text NOT NULL, body bytea NOT NULL,"
            " title text, first_seen timestamptz NOT NULL DEFAULT now(), last_seen timestamptz NOT NULL DEFAULT now(),"
            " PRIMARY KEY (source, id))"
        )

    async def close_spider(self) -> None:
        """Disconnect."""
        if self._connection is not None:
            await self._connection.close()

    async def process_item(self, item: Item) -> Item:
        """One posting: is it known, is it the same?"""
        if isinstance(item, RawPosting):
            await self._store(item)
        return item

    async def _store(self, item: RawPosting) -> None:
        assert self._connection is not None
        name = hashlib.sha256(item.record.body).hexdigest()
        key = (item.key.source, item.key.native_id)
        cursor = await self._connection.execute("SELECT hash FROM naive WHERE source = %s AND id = %s", key)
        row = await cursor.fetchone()
        if row is None:
            await self._connection.execute(
                "INSERT INTO naive (source, id, hash, body, title) VALUES (%s, %s, %s, %s, %s)",
                (*key, name, item.record.body, item.title),
            )
        elif row[0] == name:
            await self._connection.execute("UPDATE naive SET last_seen = now() WHERE source = %s AND id = %s", key)
        else:
            await self._connection.execute(
                "UPDATE naive SET hash = %s, body = %s, title = %s, last_seen = now() WHERE source = %s AND id = %s",
                (name, item.record.body, item.title, *key),
            )
