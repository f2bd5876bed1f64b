"""`status` and `sources`: what there is, and what to do next where there is nothing."""

from __future__ import annotations

import datetime as dt
from typing import Any

from rich.console import Console

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import Column, fields, hint, listing, money, number
from jobmonitor.cli.output import JsonOption, emit, reported

EMPTY = """Nothing has been crawled yet. To begin:
  scrapy list                 every source
  scrapy crawl tencent        crawl one of them
  jobmonitor demo             a simulated job market, offline"""


def status(as_json: JsonOption = False) -> None:
    """Count postings, contents, versions, profiles and model calls."""
    with reported(as_json):
        from jobmonitor.config import load_config
        from jobmonitor.storage.readers import overview

        config = load_config()
        day = dt.datetime.now(config.timezone).replace(hour=0, minute=0, second=0, microsecond=0)
        data = ask(lambda conn: overview.status(conn, contract=config.contract, day=day))
        emit(data, as_json=as_json, render=lambda console: _show_status(console, data))


def _show_status(console: Console, data: dict[str, Any]) -> None:
    postings, profiles, cost = data["postings"], data["profiles"], data["cost"]
    fields(
        console,
        [
            ("postings", _counts(postings)),
            ("contents", number(data["contents"])),
            ("versions", number(data["versions"])),
            ("profiles", _counts({name: profiles[name] for name in profiles if name != "of_which"})),
            ("of which", _counts(profiles["of_which"])),
            ("model calls", _counts(data["model_calls"])),
            ("cost", f"{money(cost['total'])} {cost['currency']}, today {money(cost['today'])}"),
            ("event cursor", str(data["cursor"])),
        ],
    )
    if not any(postings.values()):
        hint(console, f"\n{EMPTY}")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number(count)} {name}" for name, count in counts.items())


def sources(as_json: JsonOption = False) -> None:
    """List the sources that were crawled, with their postings and their last run."""
    with reported(as_json):
        from jobmonitor.storage.readers import overview

        found = ask(overview.sources)
        emit({"sources": found}, as_json=as_json, render=lambda console: _show_sources(console, found))


_SOURCE_COLUMNS = (
    Column("source", style="bold"),
    Column("active", right=True),
    Column("suspected", right=True),
    Column("gone", right=True),
    Column("last run"),
    Column("observed"),
)


def _show_sources(console: Console, found: list[dict[str, Any]]) -> None:
    if not found:
        hint(console, EMPTY)
        return
    listing(
        console,
        _SOURCE_COLUMNS,
        (
            (row["source"], row["active"], row["suspected"], row["gone"], _run(row), row["run_observed_at"])
            for row in found
        ),
    )


def _run(row: dict[str, Any]) -> str:
    return "" if row["run"] is None else f"{row['run']} {row['run_state']}"
