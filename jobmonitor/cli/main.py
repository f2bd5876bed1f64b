"""The command `jobmonitor`: its table of commands, and the outer edge where errors become messages.

docs/cli.md shows every command. Modules of the database are imported by the commands that need them, so that
`jobmonitor --help` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from jobmonitor.cli.diaries import events, runs_app
from jobmonitor.cli.extract import extract
from jobmonitor.cli.history import diff, history
from jobmonitor.cli.ledger import batches_app, costs
from jobmonitor.cli.output import envelope, fail
from jobmonitor.cli.overview import status
from jobmonitor.cli.postings import postings_app, show
from jobmonitor.cli.profile import profile
from jobmonitor.cli.run_due import run_due
from jobmonitor.cli.sources import sources_app
from jobmonitor.cli.texts import cite, erase
from jobmonitor.errors import InvalidInput, JobMonitorError

#: What a shell expects after Ctrl-C.
INTERRUPTED = 130
#: What Typer leaves with when it does not understand the command line; the reason is the exit's context.
NOT_UNDERSTOOD = 2

LOOK, FOLLOW, ASK, KEEP, TRY = "Look", "Follow", "Ask a model", "Keep house", "Try it out"

#: Commands whose modules are heavy and are imported when they run: name → module, attribute, panel, help.
LATER = {
    "demo": ("jobmonitor.cli.demo", "demo", TRY, "Play a simulated job market, day by day, offline."),
    "try": ("jobmonitor.cli.try_", "try_command", TRY, "Show what the product makes of an input, without a database."),
    "db": ("jobmonitor.cli.db", "db_app", KEEP, "The database: start, stop, status, upgrade."),
}

app = typer.Typer(
    name="jobmonitor",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Watches job postings: their texts, their history, what they ask for.",
    epilog="Crawling is Scrapy's: scrapy list, scrapy crawl SOURCE. Every command takes --json.",
)

app.command("status", rich_help_panel=LOOK)(status)
app.add_typer(sources_app, name="sources", rich_help_panel=LOOK)
app.add_typer(postings_app, name="postings", rich_help_panel=LOOK)
app.command("show", rich_help_panel=LOOK)(show)
app.command("profile", rich_help_panel=LOOK)(profile)
app.command("cite", rich_help_panel=LOOK)(cite)
app.command("history", rich_help_panel=FOLLOW)(history)
app.command("diff", rich_help_panel=FOLLOW)(diff)
app.add_typer(runs_app, name="runs", rich_help_panel=FOLLOW)
app.command("events", rich_help_panel=FOLLOW)(events)
app.command("extract", rich_help_panel=ASK)(extract)
app.command("costs", rich_help_panel=ASK)(costs)
app.add_typer(batches_app, name="batches", rich_help_panel=ASK)
app.command("erase", rich_help_panel=KEEP)(erase)
app.command("run-due", rich_help_panel=KEEP)(run_due)


def load_later(name: str) -> typer.Typer:
    """The app of a command that is imported when it runs."""
    module, attribute, _, _ = LATER[name]
    loaded = getattr(import_module(module), attribute)
    if isinstance(loaded, typer.Typer):
        return loaded
    alone = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    alone.command(name)(loaded)
    return alone


def _passed_on(name: str) -> Callable[[typer.Context], None]:
    def command(context: typer.Context) -> None:
        load_later(name)(args=context.args, prog_name=f"jobmonitor {name}")

    return command


for _name, (_, _, _panel, _help) in LATER.items():
    # Every argument, --help too, is the command's own.
    app.command(
        _name,
        help=_help,
        rich_help_panel=_panel,
        add_help_option=False,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(_passed_on(_name))


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
        reason = getattr(leaving.__context__, "format_message", None)
        if leaving.code == NOT_UNDERSTOOD and reason is not None and "--json" in sys.argv:
            sys.stdout.write(envelope(error=InvalidInput(reason())) + "\n")
        raise
