"""`jobmonitor events --follow`: prints events as they come, until its reader goes away or Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from sqlalchemy.exc import DBAPIError

from jobmonitor.cli.output import plain_json
from jobmonitor.config import Config, load_config
from jobmonitor.storage.engine import create_engine, database_url, reachable
from jobmonitor.storage.faults import brief
from jobmonitor.storage.migrate import require_head
from jobmonitor.storage.readers import diaries

#: Seconds between two looks while nothing comes, and before a database that is away is asked again.
PAUSE, RETRY = 1.0, 5.0
#: Events read at a time.
PAGE = 500


def follow_events(after: int, *, as_json: bool) -> None:
    """Print every event after a number, for ever.

    Raises:
        DatabaseUnavailable: the server does not answer at the start; later it is waited for.
    """
    config = load_config()
    url = database_url(config)
    try:
        with reachable(url):
            asyncio.run(_follow(config, url, after, as_json=as_json))
    except KeyboardInterrupt:
        return
    except BrokenPipeError:
        sys.stderr.close()  # the reader is gone: nothing is left to say, not even by the interpreter


async def _follow(config: Config, url: str, after: int, *, as_json: bool) -> None:
    engine = create_engine(url)
    try:
        await require_head(engine, embedded=config.database_url is None)
        while True:
            try:
                async with engine.connect() as conn:
                    found, after = await diaries.events(conn, after=after, limit=PAGE)
            except DBAPIError as error:
                sys.stderr.write(f"The database is away: {brief(error)}\n")
                await engine.dispose()
                await asyncio.sleep(RETRY)
                continue
            for event in found:
                sys.stdout.write((plain_json(event) if as_json else _line(event)) + "\n")
            sys.stdout.flush()
            if not found:
                await asyncio.sleep(PAUSE)
    finally:
        await engine.dispose()


def _line(event: dict[str, Any]) -> str:
    about = event["posting"] or event["source"] or event.get("content", "")[:12]
    return f"{event['id']:>8}  {event['at']:%Y-%m-%d %H:%M}  {event['kind']:<24} {about}"
