"""Fixtures for every test: a clean environment, no network beyond this machine, and real PostgreSQL databases.

A migrated template database is made once and cloned per test; nothing pretends to be a database.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import pytest_socket
from psycopg import sql
from psycopg.rows import dict_row
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.config import PREFIX
from jobmonitor.storage.embedded import DATABASE, EmbeddedServer
from jobmonitor.storage.engine import create_engine
from jobmonitor.storage.event_kinds import check_event
from jobmonitor.storage.migrate import upgrade
from tests.external import External, ExternalServer


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-schema", action="store_true", help="write tests/integration/schema.sql anew")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the developer's shell says of the product must not reach a test."""
    for name in tuple(os.environ):
        if name.startswith(PREFIX):
            monkeypatch.delenv(name)


def pytest_runtest_setup() -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A running server in a home of its own. It ends with the tests, even when they are killed."""
    server = EmbeddedServer(tmp_path_factory.mktemp("home"), durable=False, bound=True)
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def template(postgres: EmbeddedServer) -> str:
    """The name of a migrated database that nobody connects to."""
    upgrade(postgres.url())
    return DATABASE


def administer(url: str, statement: str, *names: str) -> None:
    """Run one statement about databases, outside a transaction."""
    conninfo = make_url(url).set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@contextmanager
def cloned(postgres: EmbeddedServer, template: str) -> Iterator[str]:
    """The URL of a migrated database that lasts as long as the block."""
    name = f"test_{secrets.token_hex(6)}"
    url = postgres.url(name)
    administer(url, "CREATE DATABASE {} TEMPLATE {}", name, template)
    yield url
    administer(url, "DROP DATABASE {} WITH (FORCE)", name)


@pytest.fixture
def database(postgres: EmbeddedServer, template: str) -> Iterator[str]:
    """The URL of a migrated database for one test."""
    with cloned(postgres, template) as url:
        yield url
        check_events(url)


def check_events(url: str) -> None:
    """Every event that a test made is one that the documentation knows."""
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    query = "SELECT kind, posting, source, version, content, payload FROM event WHERE kind LIKE '%.%' LIMIT 3000"
    with psycopg.connect(conninfo, row_factory=dict_row) as connection:
        problems = {check_event(row) for row in connection.execute(query)} - {None}
    assert not problems


@pytest.fixture
def empty_database(postgres: EmbeddedServer) -> Iterator[str]:
    """The URL of a database without any table, for one test."""
    name = f"test_{secrets.token_hex(6)}"
    url = postgres.url(name)
    administer(url, "CREATE DATABASE {} TEMPLATE template0", name)
    yield url
    administer(url, "DROP DATABASE {} WITH (FORCE)", name)


@pytest.fixture
async def engine(database: str) -> AsyncIterator[AsyncEngine]:
    """An async engine on the test's database."""
    engine = create_engine(database, name="tests")
    yield engine
    await engine.dispose()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """JOBMONITOR_HOME, empty."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv(f"{PREFIX}HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def external_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[External]:
    """PostgreSQL 16 over TCP with a password, standing for a server that is not ours."""
    server = ExternalServer(tmp_path_factory.mktemp("external"))
    found = server.start()
    yield found
    server.remove()


@pytest.fixture
def external_database(external_postgres: External) -> Iterator[str]:
    """The URL of an empty database on the external server, for one test."""
    name = f"test_{secrets.token_hex(6)}"
    url = external_postgres.url(name)
    administer(url, "CREATE DATABASE {} TEMPLATE template0", name)
    yield url
    administer(url, "DROP DATABASE {} WITH (FORCE)", name)
