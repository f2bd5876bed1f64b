"""What every command prints: one JSON envelope with `--json`, a table for people without it."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Annotated, Any, NoReturn

import orjson
import typer
from rich.console import Console
from rich.text import Text

from jobmonitor.cli.display import plain
from jobmonitor.errors import JobMonitorError

#: The largest number of a list's entries, and of anything that is counted.
MOST, LARGEST = 2**31 - 2, 2**63 - 1
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON envelope instead of a table.")]


def console() -> Console:
    """The console for people; colour only on a terminal."""
    return Console(highlight=False)


def _default(value: object) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def envelope(data: object = None, *, error: JobMonitorError | None = None) -> str:
    """`{"ok":…,"data":…,"error":…}` on one line. Decimals become numbers, times ISO 8601."""
    problem = None if error is None else {"code": error.code, "message": str(error)}
    document = {"ok": error is None, "data": data if error is None else None, "error": problem}
    return orjson.dumps(document, default=_default, option=orjson.OPT_NON_STR_KEYS).decode()


def plain_json(data: object) -> str:
    """Anything on one line, as in an envelope."""
    return orjson.dumps(data, default=_default, option=orjson.OPT_NON_STR_KEYS).decode()


def emit(data: object, *, as_json: bool, render: Callable[[Console], None]) -> None:
    """Print `data` as an envelope, or let `render` draw it for people."""
    if as_json:
        sys.stdout.write(envelope(data) + "\n")
    else:
        render(console())


def fail(error: JobMonitorError, *, as_json: bool) -> NoReturn:
    """Print the error where its reader looks and leave with status 1."""
    if as_json:
        sys.stdout.write(envelope(error=error) + "\n")
    else:
        message = Text.assemble(("Error: ", "bold red"), plain(error))
        Console(stderr=True, highlight=False).print(message, soft_wrap=True)
    raise typer.Exit(1)


@contextmanager
def reported(as_json: bool) -> Iterator[None]:
    """Turn an error of ours inside the block into a message and exit status 1."""
    try:
        yield
    except JobMonitorError as error:
        fail(error, as_json=as_json)
