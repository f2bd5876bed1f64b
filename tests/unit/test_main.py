"""The outer edge of the command line: version, Ctrl-C, and what cannot be understood."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A test runner in the background ignores Ctrl-C, and so would its children.
PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from jobmonitor.cli.main import main; main()"
)


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def mute() -> Iterator[socket.socket]:
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_version() -> None:
    with start("--version") as process:
        out, _ = process.communicate(timeout=60)
    assert out.startswith("jobmonitor ")
    assert process.returncode == 0


def test_ctrl_c_is_one_word_and_status_130(mute: socket.socket) -> None:
    with start("status", JOBMONITOR_DATABASE_URL=f"postgresql://a@127.0.0.1:{mute.getsockname()[1]}/a") as process:
        waiting, _ = mute.accept()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        waiting.close()
    assert (out, err, process.returncode) == ("", "Interrupted.\n", 130)


def test_what_is_not_understood_is_status_2() -> None:
    with start("frobnicate") as process:
        _, err = process.communicate(timeout=60)
    assert "No such command" in err
    assert process.returncode == 2


@pytest.mark.parametrize("arguments", [("events", "--after", "-1"), ("demo", "--days", "0"), ("db", "frobnicate")])
def test_what_is_not_understood_has_an_envelope(arguments: tuple[str, ...]) -> None:
    with start(*arguments, "--json") as process:
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 2
    envelope = json.loads(out)
    assert (envelope["ok"], envelope["data"], envelope["error"]["code"]) == (False, None, "invalid_input")
    assert arguments[1] in envelope["error"]["message"]


def test_a_wrong_setting_is_one_line() -> None:
    with start("status", JOBMONITOR_DATABASE_URL="mysql://a/b") as process:
        out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("", 1)
    assert err.startswith("Error: JOBMONITOR_DATABASE_URL must name a PostgreSQL server")
    assert err.count("\n") == 1
