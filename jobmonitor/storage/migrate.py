"""Brings a database to the schema of this release, or says which command would.

`migrations/` is shipped as data. Alembic cannot read inside a zipped egg (measured), so it is copied out there first.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.errors import DatabaseUnavailable, WrongRevision
from jobmonitor.storage.engine import create_sync_engine, place, reachable

OLDEST_SERVER = 15
UPGRADE = "jobmonitor db upgrade"

#: Alembic keeps its environment in module globals, so threads of one process take turns here.
_ALEMBIC = Lock()


@contextmanager
def scripts(package: Traversable | None = None) -> Iterator[Path]:
    """The migrations as a real folder, for as long as the block runs.

    Args:
        package: where they are; None = the installed package, which may lie in a zipped egg.
    """
    source = package or files("migrations")
    if isinstance(source, Path):
        yield source
        return
    with TemporaryDirectory(prefix="jobmonitor-") as folder:
        target = Path(folder) / "migrations"
        _copy(source, target)
        yield target


def _copy(source: Traversable, target: Path) -> None:
    if source.is_dir():
        target.mkdir()
        for each in source.iterdir():
            if each.name != "__pycache__":
                _copy(each, target / each.name)
        return
    with source.open("rb") as reader, target.open("wb") as writer:
        shutil.copyfileobj(reader, writer)


def _config(scripts: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    return config


@cache
def _revisions() -> tuple[str, frozenset[str]]:
    with scripts() as folder:
        directory = ScriptDirectory.from_config(_config(folder))
        (newest,) = directory.get_heads()
        return newest, frozenset(each.revision for each in directory.walk_revisions())


def head() -> str:
    """The revision that this release needs."""
    return _revisions()[0]


def current(connection: Connection) -> str | None:
    """The revision of a database; None = it has never been migrated."""
    return MigrationContext.configure(connection).get_current_revision()


def current_of(url: str) -> str | None:
    """The revision of the database at `url`.

    Raises:
        DatabaseUnavailable: it cannot be reached, or its server is too old.
    """
    engine = create_sync_engine(url)
    with reachable(url), engine.connect() as connection:
        _require_version(connection)
        return current(connection)


def upgrade(url: str) -> None:
    """Migrate the database at `url` to `head()`. Two processes that upgrade at once wait for each other.

    Raises:
        DatabaseUnavailable: it cannot be reached, or its server is too old.
        WrongRevision: a newer release has migrated it.
    """
    engine = create_sync_engine(url, name="jobmonitor upgrade")
    with scripts() as folder, reachable(url), engine.connect() as connection:
        _require_version(connection)
        _refuse_newer(current(connection), url)
        connection.rollback()  # so that the migration's transaction begins with its lock
        config = _config(folder)
        config.attributes["connection"] = connection
        with _ALEMBIC:
            command.upgrade(config, "head")
        connection.commit()


async def require_head(engine: AsyncEngine, *, embedded: bool) -> None:
    """See that the database has the schema of this release before anything is asked of it.

    The embedded one is migrated on the spot; an external one is its administrator's.

    Raises:
        DatabaseUnavailable: it cannot be reached, or its server is too old.
        WrongRevision: it is behind, ahead or empty; the message names the command that helps.
    """
    url = engine.url.render_as_string(hide_password=False)
    with reachable(url):
        async with engine.connect() as connection:
            await connection.run_sync(_require_version)
            found = await connection.run_sync(current)
    if found == head():
        return
    _refuse_newer(found, url)
    if not embedded:
        state = "has no tables of ours yet" if found is None else f"is behind (revision {found}, needed {head()})"
        raise WrongRevision(f"The database at {place(url)} {state}. Run: {UPGRADE}")
    await asyncio.to_thread(upgrade, url)


def _require_version(connection: Connection) -> None:
    number = int(connection.exec_driver_sql("SHOW server_version_num").scalar_one())
    if number < OLDEST_SERVER * 10_000:
        shown = connection.exec_driver_sql("SHOW server_version").scalar_one()
        raise DatabaseUnavailable(f"PostgreSQL {OLDEST_SERVER} or newer is needed; the server is {shown}.")


def _refuse_newer(found: str | None, url: str) -> None:
    if found is not None and found not in _revisions()[1]:
        raise WrongRevision(
            f"The database at {place(url)} was migrated by a newer release (revision {found}, unknown here). "
            "Install that release; a database cannot go back."
        )
