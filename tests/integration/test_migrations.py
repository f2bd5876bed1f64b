"""The migrations make the schema that the models describe, and no crawl starts on another one."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.errors import DatabaseUnavailable, WrongRevision
from jobmonitor.storage import migrate
from jobmonitor.storage.binaries import programs
from jobmonitor.storage.embedded import VERSION
from jobmonitor.storage.engine import create_engine, create_sync_engine
from jobmonitor.storage.migrate import current_of, head, require_head, scripts, upgrade
from jobmonitor.storage.models import Base

ROOT = Path(__file__).parents[2]
SCHEMA = Path(__file__).with_name("schema.sql")
#: Lines of a dump that differ from one pg_dump to the next, or say nothing about the schema.
NOISE = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*|)$")


def dump(url: str, *options: str) -> str:
    """The schema as pg_dump writes it, less its noise."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    program = str(programs(VERSION) / "pg_dump")
    arguments = (program, "--schema-only", "--no-owner", "--no-privileges", *options, plain)
    printed = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    return "".join(f"{line}\n" for line in printed.splitlines() if not NOISE.match(line))


async def test_a_migrated_database_is_at_head(engine: AsyncEngine) -> None:
    await require_head(engine, embedded=False)
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT version_num FROM alembic_version")) == head()


def test_alembic_sees_no_difference_to_the_models(database: str) -> None:
    engine = create_sync_engine(database)
    with scripts() as folder, engine.connect() as connection:
        config = Config()
        config.set_main_option("script_location", str(folder))
        config.attributes["connection"] = connection
        command.check(config)


def test_the_migrations_make_what_the_models_describe(database: str, empty_database: str) -> None:
    """Checks, comments and collations too, which `alembic check` does not see. Views live in migrations alone."""
    engine = create_sync_engine(empty_database)
    with engine.begin() as connection:
        Base.metadata.create_all(connection)
    views = [f"--exclude-table={name}" for name in ("alembic_version", "current_*")]
    assert _sorted_columns(dump(database, *views)) == _sorted_columns(dump(empty_database))


def _sorted_columns(dumped: str) -> list[str]:
    """A column added later stands last in its table, whatever its place in the model."""
    return sorted(line.strip().rstrip(",") for line in dumped.splitlines())


def test_the_committed_schema_is_what_the_migrations_make(database: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--renew-schema"):
        SCHEMA.write_text(dump(database), encoding="utf-8")
    assert dump(database) == SCHEMA.read_text(encoding="utf-8"), "read the change, then run with --renew-schema"


def test_processes_that_upgrade_at_once_wait_for_each_other(empty_database: str) -> None:
    script = "import sys; from jobmonitor.storage.migrate import upgrade; upgrade(sys.argv[1])"
    running = [subprocess.Popen((sys.executable, "-c", script, empty_database), cwd=ROOT) for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert current_of(empty_database) == head()


def test_threads_that_upgrade_at_once_wait_for_each_other(empty_database: str) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(upgrade, [empty_database] * 3)) == [None] * 3
    assert current_of(empty_database) == head()


def test_an_upgrade_at_head_changes_nothing(database: str) -> None:
    before = dump(database)
    upgrade(database)
    assert dump(database) == before


async def test_the_embedded_database_migrates_itself(empty_database: str) -> None:
    engine = create_engine(empty_database)
    await require_head(engine, embedded=True)
    await engine.dispose()
    assert current_of(empty_database) == head()


async def test_an_empty_external_database_names_the_command(external_database: str) -> None:
    message = await _refusal(external_database)
    assert "no tables of ours yet" in message
    assert "jobmonitor db upgrade" in message


async def test_an_external_database_is_upgraded_by_the_command(external_database: str) -> None:
    upgrade(external_database)
    engine = create_engine(external_database)
    await require_head(engine, embedded=False)
    await engine.dispose()


async def test_an_external_database_that_is_behind_names_the_command(
    external_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade(external_database)
    known = migrate._revisions()[1] | {"fffffffffff1"}
    monkeypatch.setattr(migrate, "_revisions", lambda: ("fffffffffff1", known))
    message = await _refusal(external_database)
    assert "is behind" in message
    assert "jobmonitor db upgrade" in message


async def test_a_database_ahead_asks_for_the_newer_release(external_database: str) -> None:
    upgrade(external_database)
    with create_sync_engine(external_database).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'ffffffffffff'"))
    message = await _refusal(external_database)
    assert "newer release" in message
    assert "cannot go back" in message
    with pytest.raises(WrongRevision):
        upgrade(external_database)


async def _refusal(url: str) -> str:
    """What `require_head` says of a database it refuses."""
    engine = create_engine(url)
    with pytest.raises(WrongRevision) as caught:
        await require_head(engine, embedded=False)
    await engine.dispose()
    password = make_url(url).password
    assert password is None or str(password) not in str(caught.value)
    return str(caught.value)


async def test_an_unreachable_database_names_its_host_and_not_its_password() -> None:
    engine = create_engine("postgresql+psycopg://someone:swordfish@127.0.0.1:1/jobs")
    with pytest.raises(DatabaseUnavailable) as caught:
        await require_head(engine, embedded=False)
    await engine.dispose()
    assert "127.0.0.1:1" in str(caught.value)
    assert "swordfish" not in str(caught.value)


def test_a_wrong_password_is_said_so(external_postgres: object) -> None:
    url = make_url(external_postgres.url()).set(password="wrong")  # type: ignore[attr-defined]
    with pytest.raises(DatabaseUnavailable, match="password authentication failed"):
        upgrade(url.render_as_string(hide_password=False))


def test_an_old_server_is_refused_by_name(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "OLDEST_SERVER", 99)
    with pytest.raises(DatabaseUnavailable, match=r"PostgreSQL 99 or newer is needed; the server is 18\."):
        upgrade(database)


def test_migrations_are_copied_out_of_an_egg(tmp_path: Path) -> None:
    egg = tmp_path / "product.egg"
    with scripts() as folder, zipfile.ZipFile(egg, "w") as archive:
        for path in sorted(folder.rglob("*.*")):
            archive.write(path, path.relative_to(folder.parent))
    with zipfile.ZipFile(egg) as archive, scripts(zipfile.Path(archive, "migrations/")) as copied:
        assert (copied / "env.py").is_file()
        assert (copied / "script.py.mako").is_file()
        assert list((copied / "versions").glob("2*.py"))
    assert not copied.exists()
