"""The migrations make the schema that the models describe."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.storage.migrate import head, require_head


async def test_a_fresh_clone_is_at_head(engine: AsyncEngine) -> None:
    await require_head(engine, embedded=False)
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT version_num FROM alembic_version")) == head()
