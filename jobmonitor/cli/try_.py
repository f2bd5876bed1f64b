"""`jobmonitor try`: what the product makes of an input, without a database; see docs/try.md."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jobmonitor.cli.output import JsonOption, console, envelope, fail
from jobmonitor.cli.try_kinds import KINDS, answer, page_fields
from jobmonitor.errors import InvalidInput, JobMonitorError

_KIND_HELP = f"What the input is: {', '.join(KINDS)}."
_FILE_HELP = (
    "`.jsonl`: one input a line, one answer each, in order. `.json`: one input. "
    "Any other file: the raw bytes of a page or a text as received. `-`: standard input, told apart by its content."
)
Outcome = dict[str, Any] | JobMonitorError


def try_command(
    kind: Annotated[str, typer.Argument(help=_KIND_HELP)],
    file: Annotated[str, typer.Argument(help=_FILE_HELP)] = "-",
    as_json: JsonOption = False,
    url: Annotated[str | None, typer.Option(help="Address of a raw page.")] = None,
    content_type: Annotated[str | None, typer.Option(help="Content-Type header of a raw page.")] = None,
    status: Annotated[int | None, typer.Option(help="HTTP status of a raw page.")] = None,
) -> None:
    """Show what the product makes of an input, without a database.

    A line that cannot be read gets an error of its own and the rest goes on; the exit status is then 1.
    """
    try:
        if kind not in KINDS:
            raise InvalidInput(f"There is no kind {kind!r}. Kinds are: {', '.join(KINDS)}")
        if status is not None and status >= 400 and kind != "page":
            raise InvalidInput(f"A page with status {status}{f' from {url}' if url else ''} holds no posting")
        body = _read(file)
    except JobMonitorError as error:
        fail(error, as_json=as_json)
    failed = False
    received: dict[str, Any] = {name: value for name, value in (("url", url), ("status", status)) if value is not None}
    for outcome in _outcomes(kind, file, body, content_type, received if kind == "page" else {}):
        _show(kind, outcome, as_json=as_json)
        failed = failed or isinstance(outcome, JobMonitorError)
    if failed:
        raise typer.Exit(1)


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from error


def _outcomes(
    kind: str, file: str, body: bytes, content_type: str | None, received: dict[str, Any]
) -> Iterator[Outcome]:
    suffix = Path(file).suffix.lower() if file != "-" else _suffix_of(body)
    if suffix == ".jsonl":
        for line in body.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n") if body.strip() else ():
            yield _of_json(kind, line)
    elif suffix == ".json":
        yield _of_json(kind, body)
    else:
        yield _outcome(kind, page_fields(kind, body, content_type=content_type) | received)


def _suffix_of(body: bytes) -> str:
    """What standard input holds: one JSON object, one a line, or anything else."""
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return ""
    try:
        json.loads(body)
    except ValueError:
        return ".jsonl"
    return ".json"


def _of_json(kind: str, text: bytes) -> Outcome:
    try:
        fields = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return InvalidInput(f"This is not JSON: {error}")
    return _outcome(kind, fields)


def _outcome(kind: str, fields: object) -> Outcome:
    try:
        return answer(kind, fields)
    except JobMonitorError as error:
        return error


def _show(kind: str, outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        text = envelope(error=outcome) if isinstance(outcome, JobMonitorError) else envelope(outcome)
        sys.stdout.write(text + "\n")
    elif isinstance(outcome, JobMonitorError):
        Console(stderr=True, highlight=False).print(Text(f"Error: {outcome}", style="bold red"))
    else:
        _render(kind, outcome, console())


def _render(kind: str, data: dict[str, Any], target: Console) -> None:
    """A text as it is, then its values one a line."""
    text_field = {"document": "markdown", "redact": "text"}.get(kind)
    if text_field is not None:
        target.print(Text(data[text_field]), soft_wrap=True)
    table = Table(show_header=False, box=None)
    for name, value in data.items():
        if name != text_field:
            table.add_row(Text(name, style="bold"), Text(_readable(value)))
    target.print(table)


def _readable(value: object) -> str:
    match value:
        case None:
            return "not stated"
        case bool():
            return "yes" if value else "no"
        case dict() | list():
            return json.dumps(value, ensure_ascii=False, indent=2, default=str)
        case _:
            return str(value)
