"""`runs` and `events`: the diary of the crawls, and the stream of changes."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import Column, cell, fields, heading, hint, listing, short
from jobmonitor.cli.output import LARGEST, MOST, JsonOption, emit, reported
from jobmonitor.cli.overview import EMPTY

runs_app = typer.Typer(invoke_without_command=True, help="List the runs, newest first.")

Limit = Annotated[int, typer.Option(min=1, max=MOST, help="At most so many.")]

_RUN_COLUMNS = (
    Column("run", right=True, style="bold"),
    Column("source"),
    Column("state"),
    Column("observed"),
    Column("seen", right=True),
    Column("new", right=True),
    Column("changed", right=True),
    Column("unchanged", right=True, from_width=100),
    Column("rejected", right=True, from_width=100),
    Column("reason", cut=True, from_width=110),
)
#: The counts that close a run, in the order in which they add up.
_LEDGER = ("seen", "new", "changed", "unchanged", "rejected")


@runs_app.callback()
def runs(
    context: typer.Context,
    source: Annotated[str | None, typer.Option(help="Source key.")] = None,
    limit: Limit = 20,
    as_json: JsonOption = False,
) -> None:
    """List the runs, newest first."""
    if context.invoked_subcommand is not None:
        return
    with reported(as_json):
        from jobmonitor.storage.readers import diaries

        found = ask(lambda conn: diaries.runs(conn, source=source, limit=limit))
        emit({"runs": found}, as_json=as_json, render=lambda console: _show_runs(console, found))


def _show_runs(console: Console, found: list[dict[str, Any]]) -> None:
    if not found:
        hint(console, EMPTY)
        return
    listing(
        console,
        _RUN_COLUMNS,
        (
            (
                *_names(run, "run", "source", "state", "observed_at"),
                *(run["ledger"].get(name) for name in _LEDGER),
                run["reason"],
            )
            for run in found
        ),
    )


@runs_app.command("show")
def show_run(
    number: Annotated[int, typer.Argument(metavar="ID", help="Number of the run.")], as_json: JsonOption = False
) -> None:
    """Show one run: its ledger, its channels and what proves them complete, its pages."""
    with reported(as_json):
        from jobmonitor.storage.readers import diaries

        found = ask(lambda conn: diaries.run(conn, number))
        emit(found, as_json=as_json, render=lambda console: _show_run(console, found))


_CHANNEL_COLUMNS = (
    Column("channel"),
    Column("complete"),
    Column("proof"),
    Column("total", right=True),
    Column("ids", right=True),
    Column("prevented by"),
)
_PAGE_COLUMNS = (Column("channel"), Column("kind"), Column("pages", right=True), Column("failed", right=True))
_FAILURE_COLUMNS = (Column("failure"), Column("status", right=True), Column("url"))


def _show_run(console: Console, run: dict[str, Any]) -> None:
    summary = ("run", "source", "state", "reason", "observed_at", "started_at", "finished_at")
    fields(console, [(name.removesuffix("_at"), run[name]) for name in summary])
    heading(console, "Ledger")
    ledger = run["ledger"]
    names = [*(name for name in _LEDGER if name in ledger), *(name for name in sorted(ledger) if name not in _LEDGER)]
    fields(console, [(name, _entry(ledger[name])) for name in names])
    for title, columns, lines in (
        ("Channels", _CHANNEL_COLUMNS, [_channel(each) for each in run["channels"]]),
        ("Pages", _PAGE_COLUMNS, [_names(each, "channel", "kind", "pages", "failed") for each in run["pages"]]),
        ("Pages that failed", _FAILURE_COLUMNS, [_names(each, "failure", "status", "url") for each in run["failures"]]),
    ):
        if lines:
            heading(console, title)
            listing(console, columns, lines)


def _entry(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_entry(inner)}" for name, inner in value.items())
    return cell(value)


def _names(row: dict[str, Any], *names: str) -> list[object]:
    return [row[name] for name in names]


def _channel(row: dict[str, Any]) -> list[object]:
    return _names(row, "channel", "complete", "proof", "total", "distinct_ids", "prevented_by")


_EVENT_COLUMNS = (
    Column("id", right=True, style="bold"),
    Column("kind"),
    Column("posting"),
    Column("v", right=True),
    Column("content", from_width=110),
    Column("at"),
)


def events(
    after: Annotated[int, typer.Option(min=0, max=LARGEST, help="Go on after this event.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="At most so many.")] = 100,
    follow: Annotated[
        bool, typer.Option("--follow", help="Stay and print what comes; --json: one object a line.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read the numbered stream of changes. Ids are in commit order: a reader that goes on after `next` misses none."""
    with reported(as_json):
        if follow:
            from jobmonitor.cli.following import follow_events

            follow_events(after, as_json=as_json)
            return
        from jobmonitor.storage.readers import diaries

        found, following = ask(lambda conn: diaries.events(conn, after=after, limit=limit))
        data = {"events": found, "next": following}
        emit(data, as_json=as_json, render=lambda console: _show_events(console, found, following))


def _show_events(console: Console, found: list[dict[str, Any]], following: int) -> None:
    if not found:
        hint(console, f"No event after {following}.")
        return
    listing(
        console,
        _EVENT_COLUMNS,
        (
            (
                event["id"],
                event["kind"],
                event["posting"] or (f"text {short(event['content'])}" if "content" in event else None),
                event.get("version"),
                short(event.get("content")),
                event["at"],
            )
            for event in found
        ),
    )
    hint(console, f"Go on with --after {following}")
