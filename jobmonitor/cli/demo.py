"""`demo`: several days of a simulated job market through the real pipelines, beside two simpler ways to watch it."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from jobmonitor.cli.output import JsonOption, emit, reported
from jobmonitor.domain.reference import posting_reference

if TYPE_CHECKING:
    from jobmonitor.demo.account import Account, DayAccount

DaysOption = Annotated[int, typer.Option("--days", min=1, max=60, help="Simulated days to crawl.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Which market; the same seed gives the same days.")]
HomeOption = Annotated[
    Path | None,
    typer.Option("--home", help="Folder of the demo's database, emptied first. Default: demo/ in JOBMONITOR_HOME."),
]
ScaleOption = Annotated[float, typer.Option("--scale", min=0.05, help="Size of the market; 1 is about 760 postings.")]

#: Columns of the table of days: heading, style, and what stands in it.
_COLUMNS: tuple[tuple[str, str, Callable[[DayAccount], object]], ...] = (
    ("day", "bold", lambda day: day.date[5:]),
    ("seen", "", lambda day: day.seen),
    ("noise", "dim", lambda day: day.noise),
    ("new", "green", lambda day: day.new),
    ("content", "yellow", lambda day: day.changed["content"]),
    ("reverted", "yellow", lambda day: day.changed["reverted"]),
    ("salary", "yellow", lambda day: day.changed["salary"]),
    ("facts", "yellow", lambda day: day.changed["facts"]),
    ("false", "red", lambda day: day.false_changes),
    ("missed", "red", lambda day: day.missed_changes),
    ("profiles", "cyan", lambda day: day.profiles),
)

#: What to try on a posting whose last version is of a kind.
_NEXT = (
    ("reverted", "history", "a posting that went A, B, A: three versions, two contents"),
    ("content", "diff", "the words that changed"),
    ("salary", "history", "a posting whose pay was raised"),
    ("new", "profile", "what was read from a text, with its evidence"),
)


def demo(
    days: DaysOption = 5,
    seed: SeedOption = 7,
    home: HomeOption = None,
    scale: ScaleOption = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Crawl a simulated job market for some days, and compare what was noticed with what is true."""
    with reported(as_json):
        from jobmonitor.config import load_config
        from jobmonitor.demo.runner import run_demo

        place = (home.expanduser().absolute() if home else load_config().home / "demo").absolute()
        with _progress(days) as on_day:
            account = run_demo(days, seed, place, scale=scale, on_day=on_day)
        emit(account.as_json(), as_json=as_json, render=lambda console: _show(console, account, place))
    if account.problems:
        raise typer.Exit(1)


@contextmanager
def _progress(days: int) -> Iterator[Callable[[DayAccount], None]]:
    """A bar on a terminal, nothing in a pipe. It goes to standard error, so that `--json` stays one line."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("Crawling the first day", total=days)

        def on_day(day: DayAccount) -> None:
            progress.update(task, advance=1, description=f"{day.date}: {day.seen} postings seen")

        yield on_day


def _show(console: Console, account: Account, home: Path) -> None:
    console.print(_days_table(account))
    console.print(_rivals_table(account))
    for problem in account.problems:
        console.print(f"[bold red]Differs from the truth:[/] {problem}")
    if not account.problems:
        console.print(
            f"[green]Every count equals the market's own truth:[/] {account.true_contents} different contents, "
            "no false change, no missed change.\n"
        )
    _show_next(console, account, home)


def _days_table(account: Account) -> Table:
    table = Table(
        title="What the product made of each day (noise: changed in form only, ignored)",
        title_justify="left",
        box=None,
        padding=(0, 1, 0, 0),
    )
    for heading, style, _ in _COLUMNS:
        table.add_column(heading, style=style, justify="left" if heading == "day" else "right", no_wrap=True)
    for day in account.days:
        table.add_row(*(_number(value(day)) for _, _, value in _COLUMNS))
    return table


def _rivals_table(account: Account) -> Table:
    """Calls of the model by day. Ours are the profiles that came into being, which the rules make without a model."""
    table = Table(title="\nTexts to be read by a model", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("way to watch", style="bold")
    for day in account.days:
        table.add_column(f"day {day.day}", justify="right")
    table.add_column("all", justify="right", style="bold")
    before = 0
    ours = []
    for day in account.days:
        ours.append(day.profiles - before)
        before = day.profiles
    table.add_row("this product: each content once", *map(_number, ours), _number(sum(ours)), style="green")
    for rival in account.rivals:
        calls = [day.calls for day in rival.days]
        table.add_row(rival.title, *map(_number, calls), _number(sum(calls)))
    return table


def _show_next(console: Console, account: Account, home: Path) -> None:
    prefix = f"JOBMONITOR_HOME={shlex.quote(str(home))} {_program()}"
    console.print("Look further in the demo's own database:")
    console.print(f"  {prefix} postings", soft_wrap=True, markup=False)
    for kind, command, about in _NEXT:
        if kind in account.examples:
            reference = posting_reference(account.examples[kind][0], "", account.examples[kind][1])
            console.print(f"  {prefix} {command} {shlex.quote(reference)}", soft_wrap=True, markup=False)
            console.print(f"    {about}", style="dim")
    console.print(f"  {prefix} db stop", soft_wrap=True, markup=False)
    console.print("    the commands above start the database when they need it; this stops it again", style="dim")


def _program() -> str:
    """How to call this program from here: by name if that finds it, else by its path."""
    called = Path(sys.argv[0])
    found = shutil.which("jobmonitor")
    if (found and Path(found).resolve() == called.resolve()) or called.name != "jobmonitor":
        return "jobmonitor"
    path = called.absolute()
    return shlex.quote(str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path))


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
