"""`status`: what there is, and what to do next where there is nothing."""

from __future__ import annotations

import datetime as dt
from typing import Any

from rich.console import Console

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import fields, hint, money, number
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
            ("missed, still active", number(data["stale_active"])),
            ("event cursor", str(data["cursor"])),
        ],
    )
    for alarm in data["alarms"]:
        console.print(f"[bold red]Alarm:[/] {alarm}")
    if not any(postings.values()):
        hint(console, f"\n{EMPTY}")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number(count)} {name}" for name, count in counts.items())
