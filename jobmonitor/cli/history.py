"""`history` and `diff`: a posting's versions, and the words that changed between two of them."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import Column, cell, hang_of, heading, listing, paragraph, plain, short
from jobmonitor.cli.output import JsonOption, emit, reported
from jobmonitor.cli.postings import Reference
from jobmonitor.domain.wording import FactChange, Line, Piece, changed_lines, compare, compare_facts
from jobmonitor.errors import Erased, NotFound


def history(reference: Reference, as_json: JsonOption = False) -> None:
    """List a posting's versions: what changed, when, and what each is named."""
    with reported(as_json):
        found = _versions(reference)
        steps = [_step(old, new) for old, new in zip([None, *found], found, strict=False)]
        data = {"posting": reference, "versions": steps}
        emit(data, as_json=as_json, render=lambda console: _show_history(console, steps))


def _versions(reference: str) -> list[dict[str, Any]]:
    from jobmonitor.storage.readers import postings

    async def work(conn: Any) -> list[dict[str, Any]]:
        key = await postings.find_posting(conn, reference)
        return await postings.versions(conn, key["id"])

    return ask(work)


def _step(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    changed: list[str] = []
    if old is not None:
        changed = ["text"] if old["content_hash"] != new["content_hash"] else []
        changed += [change.fact for change in compare_facts(old["facts"], new["facts"])]
    return {**{name: value for name, value in new.items() if name != "facts"}, "changed": changed}


_COLUMNS = (
    Column("v", right=True),
    Column("kind", style="bold"),
    Column("from"),
    Column("to"),
    Column("content"),
    Column("facts", from_width=110),
    Column("record", from_width=110),
    Column("changed"),
)


def _show_history(console: Console, steps: list[dict[str, Any]]) -> None:
    listing(
        console,
        _COLUMNS,
        (
            (
                step["number"],
                step["kind"],
                step["valid_from"],
                step["valid_to"] or "now",
                short(step["content_hash"]),
                short(step["facts_hash"]),
                short(step["record_hash"]),
                step["changed"],
            )
            for step in steps
        ),
    )


def diff(
    reference: Reference,
    old: Annotated[int | None, typer.Option("--from", min=1, help="Version number; default: the one before.")] = None,
    new: Annotated[int | None, typer.Option("--to", min=1, help="Version number; default: the current one.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the words and the stated facts that changed between two versions."""
    with reported(as_json):
        found = {version["number"]: version for version in _versions(reference)}
        to = new or max(found)
        before = old or to - 1
        if before < 1:
            raise NotFound(f"{reference} has one version so far: there is nothing to compare.")
        for number in (before, to):
            if number not in found:
                raise NotFound(f"{reference} has no version {number}: it has 1 to {max(found)}.")
        pieces = _pieces(found[before], found[to])
        facts = compare_facts(found[before]["facts"], found[to]["facts"])
        data = {
            "posting": reference,
            "from": before,
            "to": to,
            "document": [piece._asdict() for piece in pieces],
            "facts": [change._asdict() for change in facts],
        }
        emit(data, as_json=as_json, render=lambda console: _show_diff(console, data, pieces, facts))


def _pieces(old: dict[str, Any], new: dict[str, Any]) -> list[Piece]:
    if old["content_hash"] == new["content_hash"]:
        return []
    from jobmonitor.storage.readers import contents

    async def work(conn: Any) -> list[str]:
        return [(await contents.document(conn, each["content_hash"]))["document"] for each in (old, new)]

    try:
        return compare(*ask(work))
    except Erased as error:
        raise Erased("One of the two texts was erased on a person's request: they cannot be compared.") from error


#: Piece → its colours on a terminal, and the marks that stand for them where there is no colour.
_STYLES = {"equal": "", "delete": "red strike", "insert": "green underline"}
_MARKS = {"equal": ("", ""), "delete": ("[-", "-]"), "insert": ("{+", "+}")}
_LINE_STYLES = {" ": "dim", "-": "red", "+": "green"}


def _show_diff(console: Console, data: dict[str, Any], pieces: list[Piece], facts: list[FactChange]) -> None:
    paragraph(console, f"{data['posting']}, version {data['from']} to {data['to']}", style="bold")
    coloured = console.is_terminal and console.color_system is not None
    for line in changed_lines(pieces):
        text = Text("  ...", style="dim") if line is None else _line(line, coloured=coloured)
        paragraph(console, text, hang=2 + hang_of(text.plain[2:]))
    if facts:
        heading(console, "The site states")
    for change in facts:
        for mark, value in (("-", change.old), ("+", change.new)):
            if value is not None:
                paragraph(console, Text(f"{mark} {change.fact}: {cell(value)}", style=_LINE_STYLES[mark]))
    if not pieces and not facts:
        paragraph(console, "The same text and the same facts.")


def _line(line: Line, *, coloured: bool) -> Text:
    text = Text(f"{line.mark} ", style=_LINE_STYLES[line.mark])
    for piece in line.pieces:
        before, after = ("", "") if coloured else _MARKS[piece.operation]
        text.append(f"{before}{plain(piece.text)}{after}", style=_STYLES[piece.operation] or None)
    return text
