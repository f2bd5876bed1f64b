"""`postings` (with `postings release`) and `show`."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

import typer
from rich.console import Console

from jobmonitor.cli.database import ask
from jobmonitor.cli.display import (
    Column,
    cell,
    day,
    document,
    fields,
    heading,
    hint,
    listing,
    moment,
    one_line,
    paragraph,
    salary,
    short,
    years,
)
from jobmonitor.cli.output import MOST, JsonOption, emit, reported
from jobmonitor.cli.overview import EMPTY
from jobmonitor.errors import InvalidInput

postings_app = typer.Typer(invoke_without_command=True, help="List postings, last changed first.")

Reference = Annotated[str, typer.Argument(metavar="REF", help="Posting reference, such as greenhouse:stripe/123.")]


@postings_app.callback()
def postings(
    context: typer.Context,
    source: Annotated[str | None, typer.Option(help="Source key, or a system for all its boards.")] = None,
    state: Annotated[str | None, typer.Option(help="active, suspected or gone.")] = None,
    title: Annotated[str | None, typer.Option(help="Part of the title.")] = None,
    since: Annotated[
        str | None, typer.Option("--changed-since", help="Date or time since which it changed, or days: 7d.")
    ] = None,
    quarantine: Annotated[bool, typer.Option("--quarantine", help="Only those held in quarantine.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="At most so many.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List postings, last changed first."""
    if context.invoked_subcommand is not None:
        return
    with reported(as_json):
        from jobmonitor.storage.readers.postings import PostingFilter
        from jobmonitor.storage.readers.postings import postings as read

        if state not in (None, "active", "suspected", "gone"):
            raise InvalidInput(f"--state is active, suspected or gone, not {state!r}")
        wanted = PostingFilter(
            source=source,
            state=state,
            title=title,
            changed_since=None if since is None else _since(since),
            quarantine=quarantine,
            limit=limit,
        )
        found, more = ask(lambda conn: read(conn, wanted))
        filtered = wanted != PostingFilter(limit=limit)
        data = {"postings": found, "more": more}
        emit(data, as_json=as_json, render=lambda console: _show_list(console, found, more, filtered=filtered))


def _since(text: str) -> dt.datetime:
    """A time given as ISO date or time (in the configured zone), or as a number of days back."""
    from jobmonitor.config import load_config

    zone = load_config().timezone
    if text.endswith("d") and text[:-1].isdecimal():
        return dt.datetime.now(zone) - dt.timedelta(days=min(int(text[:-1]), 36500))
    try:
        value = dt.datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"--changed-since is a date such as 2026-03-01 or days such as 7d, not {text!r}") from error
    return value if value.tzinfo else value.replace(tzinfo=zone)


_LIST_COLUMNS = (
    Column("posting", style="bold"),
    Column("title", cut=True),
    Column("state"),
    Column("places", cut=True, from_width=130),
    Column("degree", from_width=110),
    Column("pay", from_width=100),
    Column("v", right=True),
    Column("changed"),
)


def _show_list(console: Console, found: list[dict[str, Any]], more: bool, *, filtered: bool) -> None:
    if not found:
        hint(console, "No posting is like that." if filtered else EMPTY)
        return
    listing(
        console,
        _LIST_COLUMNS,
        (
            (
                row["posting"],
                row["title"],
                f"{row['state']}, held" if row["quarantine"] else row["state"],
                row["locations"],
                row["education_minimum"],
                salary(row),
                row["version"],
                day(row["changed_at"]),
            )
            for row in found
        ),
    )
    if more:
        hint(console, f"The first {len(found)}; --limit shows more.")


@postings_app.command("release")
def release(reference: Reference, as_json: JsonOption = False) -> None:
    """Release a posting's text from quarantine: it may be extracted, indexed and exported from now on."""
    with reported(as_json):
        from jobmonitor.storage.release import release as write

        done = ask(lambda conn: write(conn, reference))
        emit(done, as_json=as_json, render=lambda console: _show_release(console, done))


def _show_release(console: Console, done: dict[str, Any]) -> None:
    paragraph(console, f"Released {', '.join(done['postings'])} (was held: {done['quarantine']}).")


def show(reference: Reference, as_json: JsonOption = False) -> None:
    """Show one posting: its text, what the site states, effective values, versions, presence."""
    with reported(as_json):
        from jobmonitor.storage.readers.postings import posting as read

        found = ask(lambda conn: read(conn, reference))
        emit(found, as_json=as_json, render=lambda console: _show(console, found))


def _show(console: Console, row: dict[str, Any]) -> None:
    paragraph(console, one_line(row["title"]), style="bold")
    fields(console, _summary(row))
    heading(console, "Effective values")
    fields(console, _effective(row))
    if row["facts"]:
        heading(console, "The site states")
        fields(console, row["facts"].items())
    heading(console, "Versions")
    listing(console, _VERSION_COLUMNS, (_version(each) for each in row["versions"]))
    heading(console, "Text")
    if row["document"] is None:
        paragraph(console, f"Erased {cell(row['erased_at'])}.")
    else:
        document(console, row["document"])


def _summary(row: dict[str, Any]) -> list[tuple[str, object]]:
    posted = None if row["posted_at"] is None else f"{cell(row['posted_at'])} (to the {row['posted_precision']})"
    producer = f" by {row['profile_producer']}" if row["profile_producer"] else ""
    reason = f": {row['profile_reason']}" if row["profile_reason"] else ""
    return [
        ("posting", row["posting"]),
        ("url", row["url"]),
        ("state", row["state"]),
        ("held", row["quarantine"]),
        ("employer", row["employer"]),
        ("open", "; ".join(_span(span) for span in row["presence"])),
        ("first seen", row["first_observed_at"]),
        ("last seen", row["last_seen_at"]),
        ("posted", posted),
        ("content", f"{row['content_hash']} ({row['scheme']})"),
        ("record", row["record_hash"]),
        ("profile", f"{row['profile_state'] or 'none yet'}{producer}{reason}"),
    ]


def _span(span: dict[str, Any]) -> str:
    end = "now" if span["closed_at"] is None else f"{moment(span['closed_at'])} ({span['closed_evidence']})"
    return f"{moment(span['opened_at'])} to {end}"


def _effective(row: dict[str, Any]) -> list[tuple[str, object]]:
    values = [
        ("kind", row["recruit_type"], "recruit_type"),
        ("degree", row["education_minimum"], "education_minimum"),
        ("full-time degree", row["full_time_required"], "full_time_required"),
        ("experience", years(row["experience_min_years"], row["experience_max_years"]), "experience"),
        ("pay", salary(row) or None, "salary"),
        ("openings", row["head_count"], "head_count"),
    ]
    return [(name, _with_origin(row, value, field)) for name, value, field in values]


def _with_origin(row: dict[str, Any], value: object, field: str) -> str:
    if value is None:
        return "-"
    origin = row[f"{field}_origin"] or "site"
    other = "text" if origin == "site" else "site"
    disagreement = f", the {other} says otherwise" if row[f"{field}_disagrees"] else ""
    return f"{cell(value)} ({origin}{disagreement})"


_VERSION_COLUMNS = (Column("v", right=True), Column("kind"), Column("from"), Column("to"), Column("content"))


def _version(row: dict[str, Any]) -> tuple[object, ...]:
    return row["number"], row["kind"], row["valid_from"], row["valid_to"] or "now", short(row["content_hash"])
