"""The command `jobmonitor`: its table of commands, and the outer edge where errors become messages.

docs/cli.md shows every command. Modules of the database are imported by the commands that need them, so that
`jobmonitor --help` answers at once.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from jobmonitor.cli.diaries import events, runs_app
from jobmonitor.cli.history import diff, history
from jobmonitor.cli.output import fail
from jobmonitor.cli.overview import sources, status
from jobmonitor.cli.postings import postings_app, show
from jobmonitor.cli.profile import profile
from jobmonitor.cli.texts import cite, erase
from jobmonitor.errors import JobMonitorError

#: What a shell expects after Ctrl-C.
INTERRUPTED = 130

LOOK, FOLLOW, KEEP = "Look", "Follow", "Keep house"

app = typer.Typer(
    name="jobmonitor",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Watches job postings: their texts, their history, what they ask for.",
    epilog="Crawling is Scrapy's: scrapy list, scrapy crawl SOURCE. Every command takes --json.",
)

app.command("status", rich_help_panel=LOOK)(status)
app.command("sources", rich_help_panel=LOOK)(sources)
app.add_typer(postings_app, name="postings", rich_help_panel=LOOK)
app.command("show", rich_help_panel=LOOK)(show)
app.command("profile", rich_help_panel=LOOK)(profile)
app.command("cite", rich_help_panel=LOOK)(cite)
app.command("history", rich_help_panel=FOLLOW)(history)
app.command("diff", rich_help_panel=FOLLOW)(diff)
app.add_typer(runs_app, name="runs", rich_help_panel=FOLLOW)
app.command("events", rich_help_panel=FOLLOW)(events)
app.command("erase", rich_help_panel=KEEP)(erase)


def _show_version(wanted: bool) -> None:
    if not wanted:
        return
    try:
        number = version("jobmonitor")
    except PackageNotFoundError:
        number = "(not installed)"
    sys.stdout.write(f"jobmonitor {number}\n")
    raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Watches job postings: their texts, their history, what they ask for."""


def main() -> None:
    """Run the command line. Errors of ours are one line and status 1; Ctrl-C is status 130."""
    try:
        app()
    except JobMonitorError as error:
        try:
            fail(error, as_json="--json" in sys.argv)
        except typer.Exit as leaving:
            sys.exit(leaving.exit_code)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            sys.stderr.write("Interrupted.\n")
        raise
