"""`jobmonitor run-due`: one round of duty, for a cron line or a timer."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from rich.console import Console

from jobmonitor.cli.display import Column, hint, listing
from jobmonitor.cli.output import JsonOption, emit, reported
from jobmonitor.errors import InvalidInput

_COLUMNS = (Column("source", style="bold"), Column("outcome"))


def run_due(
    parallel: Annotated[int, typer.Option(min=1, max=64, help="Hosts that are crawled at a time.")] = 2,
    jitter: Annotated[float, typer.Option(min=0, help="Seconds that a crawl waits at most before it begins.")] = 30.0,
    scrapyd: Annotated[str | None, typer.Option(help="Hand the jobs to the scrapyd at this address.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what is due.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Crawl what is due, oldest first and one source at a time per host, then make the profiles that wait.

    The exit status is 1 if a crawl failed or there is an alarm. Switch sources on with `jobmonitor sources enable`.
    """
    with reported(as_json):
        if scrapyd is not None and urlsplit(scrapyd).scheme not in {"http", "https"}:
            raise InvalidInput(f"--scrapyd is an address such as http://127.0.0.1:6800, not {scrapyd!r}")
        data = _plan() if dry_run else _round(parallel, jitter, scrapyd)
        emit(data, as_json=as_json, render=lambda console: _show(console, data))
        if data["alarms"] or "failed" in data.get("outcomes", {}).values():
            raise typer.Exit(1)


def _plan() -> dict[str, Any]:
    from jobmonitor.cli.database import ask
    from jobmonitor.domain.duty import alarms, rounds
    from jobmonitor.storage import duty

    now = dt.datetime.now(dt.UTC)
    due = ask(lambda conn: duty.due(conn, now))
    return {"due": [name for queue in rounds(due) for name in queue], "alarms": alarms(ask(duty.on_duty), now)}


def _round(parallel: int, jitter: float, scrapyd: str | None) -> dict[str, Any]:
    from jobmonitor.config import load_config
    from jobmonitor.storage.engine import database_url, reachable

    config = load_config()
    url = database_url(config)
    with reachable(url):
        report = asyncio.run(_run(config, url, parallel, jitter, scrapyd))
    return {"outcomes": report.outcomes, "extracted": report.extracted, "alarms": report.alarms}


async def _run(config: Any, url: str, parallel: int, jitter: float, scrapyd: str | None) -> Any:
    from jobmonitor.crawling.rounds import Round
    from jobmonitor.storage.engine import create_engine
    from jobmonitor.storage.migrate import require_head

    engine = create_engine(url)
    try:
        await require_head(engine, embedded=config.database_url is None)
        return await Round(config, engine, parallel=parallel, jitter=jitter, scrapyd=scrapyd).run()
    finally:
        await engine.dispose()


def _show(console: Console, data: dict[str, Any]) -> None:
    outcomes = data.get("outcomes") or dict.fromkeys(data.get("due", ()), "due")
    if outcomes:
        listing(console, _COLUMNS, outcomes.items())
    else:
        hint(console, "Nothing is due.")
    for alarm in data["alarms"]:
        console.print(f"[bold red]Alarm:[/] {alarm}")
