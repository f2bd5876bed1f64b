"""One question to the database: opens it (starting the embedded server on demand), asks, closes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from jobmonitor.config import Config

Answer = TypeVar("Answer")


def ask(work: Callable[[AsyncConnection], Awaitable[Answer]]) -> Answer:
    """Run `work` in one transaction of the configured database and commit it.

    Raises:
        InvalidInput: what is asked for is no text (bytes of the command line that are not UTF-8).
        DatabaseUnavailable: the server does not answer.
        WrongRevision: an external database is not at the revision this version needs.
    """
    # Imported here: SQLAlchemy takes a quarter of a second, and `--help` needs none of it.
    from jobmonitor.config import load_config
    from jobmonitor.errors import InvalidInput
    from jobmonitor.storage.engine import database_url, reachable

    config = load_config()
    url = database_url(config)
    with reachable(url):
        try:
            return asyncio.run(_ask(config, url, work))
        except UnicodeEncodeError as error:
            raise InvalidInput(f"{error.object!r} is not text in UTF-8") from error


async def _ask(config: Config, url: str, work: Callable[[AsyncConnection], Awaitable[Answer]]) -> Answer:
    from jobmonitor.storage.engine import create_engine
    from jobmonitor.storage.migrate import require_head

    engine = create_engine(url)
    try:
        await require_head(engine, embedded=config.database_url is None)
        async with engine.begin() as conn:
            return await work(conn)
    finally:
        await engine.dispose()
