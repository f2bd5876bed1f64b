"""`profile`: what is known of a text, with the words that prove it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import Console

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import Column, cell, fields, heading, listing, paragraph
from jobmonitor.cli.output import JsonOption, emit, reported
from jobmonitor.extraction.pointers import quote_for


def profile(
    name: Annotated[str, typer.Argument(metavar="REF|HASH", help="Posting reference, or a content hash.")],
    as_json: JsonOption = False,
) -> None:
    """Show the profile of a posting's text: values, evidence, what made it, older answers."""
    with reported(as_json):
        found = ask(lambda conn: _read(conn, name))
        emit(found, as_json=as_json, render=lambda console: _show(console, found))


async def _read(conn: Any, name: str) -> dict[str, Any]:
    from jobmonitor.storage.readers import contents, postings

    if "/" in name:
        key = await postings.find_posting(conn, name)
        content_hash = await contents.content_of(conn, key["id"])
    else:
        content_hash = await contents.full_hash(conn, name)
    every = await contents.profiles(conn, content_hash)
    newest = next((each for each in every if each["current"]), None)
    return {
        "content_hash": content_hash,
        "extractions": await contents.extractions(conn, content_hash),
        "profile": newest,
        "older": [each for each in every if each is not newest],
    }


#: Fields in the order of the contract; the database keeps none. Others follow.
_ORDER = (
    "recruit_type",
    "new_graduates",
    "graduation_years",
    "education",
    "experience",
    "seniority",
    "people_management",
    "salary",
    "locations",
    "remote",
    "head_count",
    "skills",
    "languages",
    "certificates",
    "benefits",
)
#: What names an object of a list.
_NAMES = ("name", "language")
_COLUMNS = (Column("field", style="bold"), Column("value"), Column("evidence", cut=True, style="dim"))
_OLDER = (Column("contract", right=True), Column("producer"), Column("model"), Column("made"))


def _show(console: Console, found: dict[str, Any]) -> None:
    newest = found["profile"]
    fields(console, [("content", found["content_hash"]), *_states(found["extractions"]), *_maker(newest)])
    if newest is None:
        paragraph(console, "\nNo profile yet.")
    elif newest["empty"]:
        paragraph(console, "\nThe text says nothing that a profile asks for. That is an answer, not a failure.")
    else:
        console.print()
        listing(console, _COLUMNS, _leaves(newest["profile"], newest["evidence"]))
    if found["older"]:
        heading(console, "Older answers")
        listing(
            console,
            _OLDER,
            ((each["contract"], each["producer"], each["model"], each["created_at"]) for each in found["older"]),
        )


def _states(extractions: list[dict[str, Any]]) -> Iterator[tuple[str, object]]:
    for each in extractions:
        reason = f": {each['reason']}" if each["reason"] else ""
        degraded = ", degraded" if each["degraded"] else ""
        yield f"contract {each['contract']}", f"{each['state']}{degraded}{reason}"


def _maker(newest: dict[str, Any] | None) -> list[tuple[str, object]]:
    if newest is None:
        return []
    return [
        ("made by", f"{newest['producer']} {newest['model']}"),
        ("prompt", newest["prompt"]),
        ("made", newest["created_at"]),
        ("ungrounded", newest["ungrounded"] or None),
    ]


def _leaves(value: Any, evidence: dict[str, Any], pointer: str = "") -> Iterator[tuple[str, str, str]]:
    """One line per stated value: its path, the value, the quotes that stand below its pointer."""
    if value in (None, [], {}):
        return
    if isinstance(value, dict) and "/" not in pointer[1:]:
        for name, inner in sorted(value.items(), key=_rank):
            yield from _leaves(inner, evidence, f"{pointer}/{name}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _leaves(inner, evidence, f"{pointer}/{place}")
    else:
        yield pointer.lstrip("/").replace("/", "."), _said(value), _quotes(evidence, pointer)


def _rank(pair: tuple[str, Any]) -> int:
    return _ORDER.index(pair[0]) if pair[0] in _ORDER else len(_ORDER)


def _said(value: Any) -> str:
    if not isinstance(value, dict):
        return cell(value)
    stated = [(name, inner) for name, inner in value.items() if inner not in (None, [], {})]
    stated.sort(key=lambda pair: pair[0] not in _NAMES)
    head = cell(stated[0][1]) if stated else ""
    details = ", ".join(_detail(name, inner) for name, inner in stated[1:])
    return f"{head} ({details})" if details else head


def _detail(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f"{name} {cell(value)}"


def _quotes(evidence: dict[str, Any], pointer: str) -> str:
    quotes = [quote for place, quote in evidence.items() if place == pointer or place.startswith(f"{pointer}/")]
    if not quotes and (held := quote_for(evidence, pointer)):
        quotes = [held]
    return " · ".join(dict.fromkeys(cell(quote) for quote in quotes))
