"""`jobmonitor db`: start, stop, look at and upgrade the database."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from sqlalchemy import text
from sqlalchemy.engine import make_url

from jobmonitor.cli.output import JsonOption, emit, reported
from jobmonitor.config import Config, load_config
from jobmonitor.errors import ConfigurationError
from jobmonitor.storage.binaries import programs
from jobmonitor.storage.embedded import VERSION, EmbeddedServer
from jobmonitor.storage.engine import create_sync_engine, database_url, place, reachable
from jobmonitor.storage.migrate import current, head, upgrade

db_app = typer.Typer(no_args_is_help=True, add_completion=False, help="The database: start, stop, status, upgrade.")


def _embedded(config: Config) -> EmbeddedServer:
    if config.database_url is not None:
        raise ConfigurationError(
            f"JOBMONITOR_DATABASE_URL names an external database ({place(config.database_url)}); "
            "it is started and stopped by its own administrator."
        )
    return EmbeddedServer(config.home)


@db_app.command()
def start(as_json: JsonOption = False) -> None:
    """Start the embedded database and bring its schema up to date."""
    with reported(as_json):
        url = _embedded(load_config()).start()
        upgrade(url)
        emit({"url": url}, as_json=as_json, render=lambda out: _say(out, f"The database runs at {place(url)}."))


@db_app.command()
def stop(as_json: JsonOption = False) -> None:
    """Stop the embedded database. What uses it loses its connection."""
    with reported(as_json):
        stopped = _embedded(load_config()).stop()
        word = "The database has stopped." if stopped else "The database was not running."
        emit({"stopped": stopped}, as_json=as_json, render=lambda out: _say(out, word))


@db_app.command("upgrade")
def upgrade_command(as_json: JsonOption = False) -> None:
    """Bring the schema to what this release needs. Safe to run twice, even at once."""
    with reported(as_json):
        url = database_url(load_config())
        upgrade(url)
        data = {"revision": head()}
        emit(data, as_json=as_json, render=lambda out: _say(out, f"{place(url)} is at revision {head()}."))


@db_app.command()
def url(
    plain: Annotated[bool, typer.Option("--plain", help="In the form that psql and pg_dump take.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the database's URL, with its password if it has one; starts the embedded database."""
    with reported(as_json):
        address = database_url(load_config())
        if plain:
            address = make_url(address).set(drivername="postgresql").render_as_string(hide_password=False)
        emit({"url": address}, as_json=as_json, render=lambda _: _print_line(address))


@db_app.command("programs")
def programs_command(as_json: JsonOption = False) -> None:
    """Print the folder of psql, pg_dump and pg_restore that fit the embedded database."""
    with reported(as_json):
        folder = str(programs(VERSION))
        emit({"folder": folder}, as_json=as_json, render=lambda _: _print_line(folder))


@db_app.command()
def status(as_json: JsonOption = False) -> None:
    """Whether the database runs, its version, its size, and whether its schema is up to date."""
    with reported(as_json):
        config = load_config()
        facts = _external_status(config.database_url) if config.database_url else _embedded_status(config)
        emit(facts, as_json=as_json, render=lambda out: _draw(out, facts))


def _embedded_status(config: Config) -> dict[str, Any]:
    server = EmbeddedServer(config.home)
    state = server.status()
    facts: dict[str, Any] = {
        "kind": "embedded",
        "running": state.running,
        "pid": state.pid,
        "folder": str(state.folder),
        "log": str(server.log),
    }
    return facts | (_schema(server.url()) if state.socket_folder else {"needed_revision": head()})


def _external_status(address: str) -> dict[str, Any]:
    return {"kind": "external", "running": True, "place": place(address)} | _schema(address)


def _schema(address: str) -> dict[str, Any]:
    """What the server says of itself and of our tables."""
    with reachable(address), create_sync_engine(address).connect() as connection:
        found = current(connection)
        query = text("SELECT current_setting('server_version'), pg_database_size(current_database())")
        version, size = connection.execute(query).one()
    return {
        "server_version": version,
        "size_bytes": size,
        "revision": found,
        "needed_revision": head(),
        "up_to_date": found == head(),
    }


def _draw(out: Console, facts: dict[str, Any]) -> None:
    width = max(map(len, facts))
    for name, value in facts.items():
        out.print(f"{name.replace('_', ' '):<{width}}  {_shown(value)}", markup=False, soft_wrap=True)


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _say(out: Console, sentence: str) -> None:
    """A sentence with a path in it, which no wrapping may break."""
    out.print(sentence, markup=False, soft_wrap=True)


def _print_line(line: str) -> None:
    """Whole and alone on its line, for `$(…)`: no console may wrap it."""
    sys.stdout.write(line + "\n")
