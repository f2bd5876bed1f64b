"""`cite` and `erase`: the exact text that a hash names, and its end on a person's request."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import paragraph, plain
from jobmonitor.cli.output import JsonOption, emit, reported
from jobmonitor.errors import InvalidInput


def cite(
    name: Annotated[str, typer.Argument(metavar="HASH", help="Hash of a text, or its first digits.")],
    raw: Annotated[bool, typer.Option("--raw", help="The record as the site sent it, instead of the text.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the exact document that a hash names; in a pipe byte for byte, on a terminal without control characters.

    With --raw the record behind it: that of the newest version with this text, or the object of that very hash.
    """
    with reported(as_json):
        found = ask(lambda conn: _record(conn, name) if raw else _document(conn, name))
        body: bytes = found.pop("body") if raw else found["document"].encode()
        if as_json:
            emit({**found, "body": _as_text(body)} if raw else found, as_json=True, render=lambda console: None)
        elif sys.stdout.isatty():
            sys.stdout.write(plain(body.decode(errors="replace")))
        else:
            sys.stdout.buffer.write(body)


def _as_text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("The record is not UTF-8 text: take its bytes, without --json.") from error


async def _document(conn: Any, name: str) -> dict[str, Any]:
    from jobmonitor.storage.readers import contents

    return await contents.document(conn, await contents.full_hash(conn, name))


async def _record(conn: Any, name: str) -> dict[str, Any]:
    from jobmonitor.config import load_config
    from jobmonitor.storage.objects import ObjectStore, read_object
    from jobmonitor.storage.readers import contents

    full = await contents.full_hash(conn, name, tables=("object", "content"))
    record = await contents.record_of(conn, full)
    return {**record, "body": await read_object(conn, ObjectStore(load_config().object_store), record["hash"])}


def erase(
    name: Annotated[
        str, typer.Argument(metavar="REF|HASH", help="Posting reference (all its texts), or one text's hash.")
    ],
    reason: Annotated[str, typer.Option(help="Why, for the record; never who asked.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Really erase: there is no way back.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a text, its records and its profiles on a person's request; hashes, history and a tombstone stay.

    Without --yes nothing is erased: the command says what would be.
    """
    with reported(as_json):
        if not reason.strip():
            raise InvalidInput("Say why with --reason; it is kept in the record of the erasure.")
        done = ask(lambda conn: _erase(conn, name, reason=reason.strip(), yes=yes))
        emit(done, as_json=as_json, render=lambda console: _show_erased(console, done))


async def _erase(conn: Any, name: str, *, reason: str, yes: bool) -> dict[str, Any]:
    from jobmonitor.config import load_config
    from jobmonitor.storage import erasure
    from jobmonitor.storage.objects import ObjectStore
    from jobmonitor.storage.readers import contents, postings

    if "/" in name:
        key = await postings.find_posting(conn, name)
        scope = await erasure.scope_of_posting(conn, key["id"])
    else:
        scope = await erasure.scope_of_contents(conn, [await contents.full_hash(conn, name)])
    counts = f"{len(scope.contents)} texts, {len(scope.records)} records"
    if not yes:
        raise InvalidInput(f"This would erase for ever {counts} of {', '.join(scope.postings)}. Confirm with --yes.")
    scope = await erasure.erase(conn, scope, reason=reason, store=ObjectStore(load_config().object_store))
    return {"postings": scope.postings, "contents": scope.contents, "records": scope.records}


def _show_erased(console: Console, done: dict[str, Any]) -> None:
    counts = f"{len(done['contents'])} texts, {len(done['records'])} records"
    paragraph(console, f"Erased {counts} of {', '.join(done['postings']) or 'no posting'}.")
