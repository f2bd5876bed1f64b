"""`costs` and `batches`: what the model calls took, and the diary of the extractor."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import typer
from rich.console import Console

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import Column, cell, fields, heading, hint, listing, money, number
from jobmonitor.cli.output import JsonOption, emit, reported

NO_CALLS = "No model was ever called. `jobmonitor extract` calls one; docs/extraction.md says how to set it."
NO_BATCHES = "No batch yet. `jobmonitor extract` runs one, and so does a crawl where JOBMONITOR_LLM_MODEL is set."

_SUMS = (
    Column("calls", right=True),
    Column("input", right=True),
    Column("cached", right=True),
    Column("output", right=True),
    Column("cost", right=True),
    Column("unsettled", right=True),
    Column("unpriced", right=True, from_width=100),
)


def costs(
    days: Annotated[int, typer.Option(min=1, help="So many of the newest days with calls.")] = 14,
    as_json: JsonOption = False,
) -> None:
    """Show tokens and money: today against the budget, by day, by model."""
    with reported(as_json):
        from jobmonitor.config import load_config
        from jobmonitor.storage.readers import ledger

        config = load_config()
        found = ask(lambda conn: ledger.costs(conn, zone=str(config.timezone), days=days))
        found["budget"] = _budget(config.llm_daily_budget, found["today"])
        emit(found, as_json=as_json, render=lambda console: _show_costs(console, found))


def _budget(daily: Decimal | None, today: dict[str, Any]) -> dict[str, Decimal] | None:
    if daily is None:
        return None
    spent = today["cost"] + today["unsettled"]
    return {"daily": daily, "spent": spent, "left": max(daily - spent, Decimal(0))}


def _show_costs(console: Console, found: dict[str, Any]) -> None:
    if not found["total"]["calls"]:
        hint(console, NO_CALLS)
        return
    budget, currency = found["budget"], found["currency"]
    fields(
        console,
        [
            ("today", f"{money(found['today']['cost'])} {currency}, {number(found['today']['calls'])} calls"),
            ("budget", budget and f"{money(budget['left'])} of {money(budget['daily'])} {currency} left today"),
            ("total", f"{money(found['total']['cost'])} {currency}, {number(found['total']['calls'])} calls"),
            ("outcomes", ", ".join(f"{number(count)} {name}" for name, count in found["outcomes"].items())),
        ],
    )
    heading(console, "By day")
    listing(console, (Column("day", style="bold"), *_SUMS), ([row["day"], *_sums(row)] for row in found["days"]))
    heading(console, "By model and prompt")
    columns = (Column("model", style="bold"), Column("prompt", cut=True), *_SUMS)
    listing(console, columns, ([row["model"], row["prompt"], *_sums(row)] for row in found["models"]))
    if found["total"]["unpriced"]:
        hint(console, "Unpriced calls cost money that nobody knows: JOBMONITOR_LLM_PRICE states a price by hand.")


def _sums(row: dict[str, Any]) -> list[object]:
    tokens = [number(row[name]) for name in ("calls", "input_tokens", "cached_tokens", "output_tokens")]
    return [*tokens, money(row["cost"]), money(row["unsettled"]), number(row["unpriced"])]


batches_app = typer.Typer(invoke_without_command=True, help="List the batches of the extractor, newest first.")

_BATCH_COLUMNS = (
    Column("batch", right=True, style="bold"),
    Column("run", right=True),
    Column("state"),
    Column("model"),
    Column("started"),
    Column("counts", cut=True),
    Column("reason", cut=True, from_width=110),
)


@batches_app.callback()
def batches(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the batches of the extractor, newest first."""
    if context.invoked_subcommand is not None:
        return
    with reported(as_json):
        from jobmonitor.storage.readers import ledger

        found = ask(lambda conn: ledger.batches(conn, limit=limit))
        emit({"batches": found}, as_json=as_json, render=lambda console: _show_batches(console, found))


def _show_batches(console: Console, found: list[dict[str, Any]]) -> None:
    if not found:
        hint(console, NO_BATCHES)
        return
    names = ("batch", "run", "state", "model", "started_at")
    lines = ([*(row[name] for name in names), _counts(row["counts"]), row["reason"]] for row in found)
    listing(console, _BATCH_COLUMNS, lines)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {cell(count)}" for name, count in counts.items() if count)


@batches_app.command("show")
def show_batch(
    batch: Annotated[int, typer.Argument(metavar="ID", help="Number of the batch.")], as_json: JsonOption = False
) -> None:
    """Show one batch: model, prompt, counts, how its calls ended."""
    with reported(as_json):
        from jobmonitor.storage.readers import ledger

        found = ask(lambda conn: ledger.batch(conn, batch))
        emit(found, as_json=as_json, render=lambda console: _show_batch(console, found))


def _show_batch(console: Console, found: dict[str, Any]) -> None:
    names = ("batch", "run", "state", "reason", "model", "prompt", "started_at", "heartbeat_at", "finished_at")
    fields(console, [(name.removesuffix("_at"), found[name]) for name in names])
    heading(console, "Counts")
    fields(console, [(name, cell(count)) for name, count in found["counts"].items()])
    heading(console, "Calls")
    columns = (Column("outcome"), Column("calls", right=True), Column("example", cut=True))
    listing(console, columns, ([row["outcome"], row["calls"], row["example"]] for row in found["calls"]))
