"""`sources`: what is crawled and when, and what is held back."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

import typer
from rich.console import Console

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import Column, hint, listing
from jobmonitor.cli.output import JsonOption, emit, reported
from jobmonitor.cli.overview import EMPTY
from jobmonitor.errors import NotFound

sources_app = typer.Typer(
    invoke_without_command=True, help="The sources: list them, crawl them on duty, release holds."
)

Name = Annotated[str, typer.Argument(metavar="SOURCE", help="Source key, as `scrapy list` shows it.")]

_COLUMNS = (
    Column("source", style="bold"),
    Column("active", right=True),
    Column("suspected", right=True),
    Column("gone", right=True),
    Column("last run"),
    Column("observed"),
    Column("due", from_width=100),
    Column("held", from_width=100, cut=True),
)


@sources_app.callback()
def sources(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the sources, with their postings, their last run, when they are due, and what is held back."""
    if context.invoked_subcommand is not None:
        return
    with reported(as_json):
        from jobmonitor.storage.readers import overview

        found = ask(overview.sources)
        emit({"sources": found}, as_json=as_json, render=lambda console: _show(console, found))


@sources_app.command("enable")
def enable(
    name: Name,
    every: Annotated[str, typer.Option(help="Time between two crawls: 30m, 12h, 1d.")] = "24h",
    as_json: JsonOption = False,
) -> None:
    """Crawl a source on duty: `jobmonitor run-due` takes it when it is due, at once for the first time."""
    with reported(as_json):
        from jobmonitor.domain.duty import parse_period
        from jobmonitor.storage import duty

        source, period = _known(name), parse_period(every)
        ask(lambda conn: duty.enable(conn, source, period))
        said = f"{source} is crawled every {every} by `jobmonitor run-due`."
        emit({"source": source, "every": every}, as_json=as_json, render=lambda console: console.print(said))


@sources_app.command("disable")
def disable(name: Name, as_json: JsonOption = False) -> None:
    """Crawl a source no more on duty. What is known of it stays; `scrapy crawl` still works."""
    with reported(as_json):
        from jobmonitor.storage import duty

        if not ask(lambda conn: duty.disable(conn, name)):
            raise NotFound(f"{name} is not crawled on duty. `jobmonitor sources` shows which are")
        said = f"{name} is crawled no more by `jobmonitor run-due`."
        emit({"source": name}, as_json=as_json, render=lambda console: console.print(said))


@sources_app.command("release")
def release(
    name: Name,
    channel: Annotated[str | None, typer.Option(help="Only this channel.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Believe a disappearance that is held back: its misses count from now on."""
    with reported(as_json):
        from jobmonitor.crawling.settling import release_holds

        now = dt.datetime.now(dt.UTC)
        released, moved = ask(lambda conn: release_holds(conn, name, channel, now))
        if not released:
            raise NotFound(f"Nothing of {name} is held back{f' in {channel!r}' if channel else ''}")
        data = {"source": name, "channels": released, "moved": moved}
        said = f"{name}: released {', '.join(repr(each) for each in released)}; {len(moved)} postings moved on."
        emit(data, as_json=as_json, render=lambda console: console.print(said))


def _known(name: str) -> str:
    """The key of a source that `scrapy crawl` would take.

    Raises:
        NotFound: there is no such source.
    """
    from scrapy.settings import Settings

    from jobmonitor.crawling.loader import SourceLoader
    from jobmonitor.domain.reference import source_key

    settings = Settings()
    settings.setmodule("jobmonitor.settings")
    try:
        spider: Any = SourceLoader(settings).load(name)
    except KeyError as error:
        raise NotFound(str(error.args[0])) from error
    if spider.boards == "required" and not spider.board:
        raise NotFound(f"{name} needs a board: {name}:BOARD")
    return source_key(spider.system, spider.board)


def _show(console: Console, found: list[dict[str, Any]]) -> None:
    if not found:
        hint(console, EMPTY)
        return
    listing(
        console,
        _COLUMNS,
        (
            (
                row["source"],
                row["active"],
                row["suspected"],
                row["gone"],
                "" if row["run"] is None else f"{row['run']} {row['run_state']}",
                row["run_observed_at"],
                _due(row),
                "; ".join(row["held"]),
            )
            for row in found
        ),
    )
    for row in found:
        if row["failures"]:
            hint(console, f"{row['source']}: {row['failures']} crawls in a row did not finish")


def _due(row: dict[str, Any]) -> object:
    if row["period"] is None:
        return ""
    return row["due_at"] or "now"
