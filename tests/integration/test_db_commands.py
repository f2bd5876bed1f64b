"""`jobmonitor db`: what a person and a script see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url
from typer.testing import CliRunner

from jobmonitor.cli.db import db_app
from jobmonitor.storage.embedded import EmbeddedServer
from jobmonitor.storage.migrate import head


def run(*arguments: str, status: int = 0) -> str:
    """What a command prints, having left with the status."""
    result = CliRunner().invoke(db_app, arguments)
    assert result.exit_code == status, result.output
    return result.output


def data(*arguments: str) -> dict[str, Any]:
    """The data of a command's envelope."""
    envelope = json.loads(run(*arguments, "--json"))
    assert envelope["ok"] is True
    assert envelope["error"] is None
    return dict(envelope["data"])


def problem(*arguments: str) -> dict[str, str]:
    """The error of a failing command's envelope."""
    envelope = json.loads(run(*arguments, "--json", status=1))
    assert envelope["ok"] is False
    return dict(envelope["error"])


@pytest.fixture
def ended(home: Path) -> Iterator[None]:
    """Whatever the commands start is removed."""
    yield
    EmbeddedServer(home).remove()


@pytest.mark.usefixtures("ended")
def test_the_life_of_an_embedded_database() -> None:
    assert data("status")["running"] is False
    assert make_url(data("start")["url"]).get_backend_name() == "postgresql"
    state = data("status")
    assert state["kind"] == "embedded"
    assert state["running"] is True
    assert state["up_to_date"] is True
    assert state["revision"] == head()
    assert state["server_version"].startswith("18.")
    assert state["size_bytes"] > 0
    assert "up to date" in run("status")
    assert run("url", "--plain").startswith("postgresql://jobmonitor@/jobmonitor?host=")
    assert data("stop") == {"stopped": True}
    assert data("stop") == {"stopped": False}


@pytest.fixture
def external(external_database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("JOBMONITOR_DATABASE_URL", external_database)
    return external_database


def test_an_external_database_is_looked_at_and_upgraded(external: str) -> None:
    before = data("status")
    assert before["kind"] == "external"
    assert before["revision"] is None
    assert before["up_to_date"] is False
    assert data("upgrade") == {"revision": head()}
    assert data("status")["up_to_date"] is True
    assert str(make_url(external).password) not in run("status") + run("upgrade")


@pytest.mark.usefixtures("external")
@pytest.mark.parametrize("command", ["start", "stop"])
def test_an_external_database_is_not_ours_to_start_or_stop(command: str) -> None:
    assert problem(command)["code"] == "configuration"


@pytest.mark.parametrize("command", ["status", "upgrade"])
def test_an_unreachable_database_is_said_so(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBMONITOR_DATABASE_URL", "postgresql://someone:swordfish@127.0.0.1:1/jobs")
    error = problem(command)
    assert error["code"] == "database_unavailable"
    assert "127.0.0.1:1" in error["message"]
    assert "swordfish" not in error["message"]


def test_the_programs_are_there() -> None:
    folder = Path(data("programs")["folder"])
    assert (folder / "psql").is_file()
    assert (folder / "pg_dump").is_file()
