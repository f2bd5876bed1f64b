"""`jobmonitor extract` in real processes, through litellm, against the scripted server: by the server's own log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from jobmonitor.demo.model_script import Script
from jobmonitor.demo.model_server import ModelServer, serving_model
from tests.acceptance.crawling import PATIENCE, ROOT
from tests.acceptance.extracting import Extractors, posting_text, queue

STATES = "SELECT state, producer, degraded, attempts, count(*) FROM extraction GROUP BY 1, 2, 3, 4 ORDER BY 1, 2"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model that answers well unless the test changes its script."""
    with serving_model(key="sk-test") as server:
        yield server


# -- eight at once

CONTENTS, PROCESSES, KILLED = 2000, 8, 3
#: Seconds that eight processes may take on a busy machine; half a minute on two idle cores.
LONG = 600


def fork(extractors: Extractors, *arguments: str) -> tuple[subprocess.Popen[str], list[int]]:
    """Eight extractors, by their process numbers, and the process that waits for them."""
    program = [sys.executable, "-m", "tests.acceptance.forking", str(PROCESSES), *arguments]
    parent = subprocess.Popen(
        program,
        cwd=ROOT,
        env=extractors.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    return parent, [int(each) for each in parent.stdout.readline().split()]


def holder_of_a_slow_call(extractors: Extractors, server: ModelServer) -> tuple[int, str] | None:
    """The process whose request the server is sitting on right now, and the content."""
    for call in server.log[-40:]:
        if call.behaviour == "slow" and time.time() - call.at < server.script.slow / 2:
            found = extractors.rows(
                "SELECT split_part(b.holder, '/', 3)::int FROM model_call c JOIN batch b ON b.id = c.batch_id "
                "WHERE c.content_hash = %s AND c.outcome IS NULL",
                call.content_hash,
            )
            if found:
                return found[0][0], call.content_hash
    return None


def kill_some(extractors: Extractors, server: ModelServer, pids: list[int]) -> dict[int, str]:
    """SIGKILL processes in the middle of a call, some way into the work; the call of each."""
    killed: dict[int, str] = {}
    deadline = time.monotonic() + LONG
    while len(killed) < KILLED and time.monotonic() < deadline:
        found = (
            holder_of_a_slow_call(extractors, server) if len(server.log) > CONTENTS * (len(killed) + 1) // 8 else None
        )
        if found and found[0] in pids and found[0] not in killed:
            os.kill(found[0], signal.SIGKILL)
            killed[found[0]] = found[1]
        time.sleep(0.02)
    return killed


def test_eight_at_once_some_killed_mid_call(extractors: Extractors, server: ModelServer, database: str) -> None:
    hashes = queue(database, [posting_text(number) for number in range(CONTENTS)])
    server.script = Script(odds={"slow": 0.03}, slow=1.0)
    extractors.set(CONCURRENCY="16")
    parent, pids = fork(extractors, "extract", "--until-idle")
    killed = kill_some(extractors, server, pids)
    out, errors = parent.communicate(timeout=LONG)
    statuses = dict(tuple(map(int, line.split())) for line in out.splitlines())  # type: ignore[misc]
    assert len(killed) == KILLED
    assert statuses == {pid: -signal.SIGKILL if pid in killed else 0 for pid in pids}, errors

    assert extractors.rows(STATES) == [("succeeded", "model", False, 0, CONTENTS)]
    assert extractors.rows("SELECT count(*), count(DISTINCT content_hash) FROM profile") == [(CONTENTS, CONTENTS)]
    assert extractors.rows("SELECT count(*) FROM event WHERE kind = 'profile.ready'") == [(CONTENTS,)]
    sent = Counter(call.content_hash for call in server.log)
    assert set(sent) == set(hashes)
    again = {content for content, times in sent.items() if times > 1}
    lost = {row[0] for row in extractors.rows("SELECT content_hash FROM model_call WHERE outcome = 'lost'")}
    assert set(killed.values()) <= again <= lost
    assert max(sent.values()) <= 1 + KILLED
    assert len(lost) <= 16 * KILLED


# -- the provider's troubles


def test_an_outage_costs_nobody_an_attempt(extractors: Extractors, server: ModelServer, database: str) -> None:
    queue(database, [posting_text(number) for number in range(20)])
    server.script = Script(sequence=["good"] * 3, default="server_error")
    status, envelope = extractors.run()
    assert status == 1
    assert envelope["error"]["code"] == "model_server_error"
    assert "contents wait" in envelope["error"]["message"]
    made = len(extractors.rows("SELECT 1 FROM profile"))
    assert extractors.rows(STATES) == [("pending", None, False, 0, 20 - made), ("succeeded", "model", False, 0, made)]
    server.script = Script()
    status, envelope = extractors.run()
    assert (status, envelope["data"]["left"]) == (0, 0)
    assert extractors.rows(STATES) == [("succeeded", "model", False, 0, 20)]


@pytest.mark.parametrize(
    ("settings", "key", "code", "fix"),
    [
        ({}, "sk-wrong", "model_auth", "OPENAI_API_KEY"),
        ({}, "", "model_auth", "OPENAI_API_KEY"),
        ({"MODEL": "openai/unheard-of"}, "sk-test", "model_unknown_model", "JOBMONITOR_LLM_MODEL"),
        ({"MODEL": "nonsense"}, "sk-test", "model_unknown_model", "JOBMONITOR_LLM_MODEL"),
        ({"API_BASE": "http://127.0.0.1:9/v1"}, "sk-test", "model_unreachable", "JOBMONITOR_LLM_API_BASE"),
        ({"DAILY_BUDGET": "5", "PRICE": ""}, "sk-test", "unknown_price", "JOBMONITOR_LLM_PRICE"),
        ({"MODEL": ""}, "sk-test", "configuration", "JOBMONITOR_LLM_MODEL"),
    ],
)
def test_what_is_wrong_is_said_once_with_the_fix(
    extractors: Extractors, database: str, settings: dict[str, str], key: str, code: str, fix: str
) -> None:
    queue(database, [posting_text(number) for number in range(5)])
    extractors.set(**settings)
    extractors.environment["OPENAI_API_KEY"] = key
    with extractors.start() as process:
        out, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert out == ""
    assert errors.startswith("Error: ")
    assert fix in errors
    assert errors.count("Error") == 1
    assert errors.count("\n") <= 2
    assert "sk-" not in errors
    assert extractors.rows(STATES) == [("pending", None, False, 0, 5)]
    reasons = extractors.rows("SELECT state, reason FROM batch")
    assert reasons == [] if code in {"unknown_price", "configuration"} else reasons[0][0] == "failed"


def test_the_budget_holds_over_processes(extractors: Extractors, server: ModelServer, database: str) -> None:
    queue(database, [posting_text(number) for number in range(60)])
    extractors.set(DAILY_BUDGET="0.5", PRICE="10/10", CONCURRENCY="8")
    server.script = Script(default="slow", slow=0.05)
    parent, _ = fork(extractors, "extract", "--until-idle")
    highest = 0
    while parent.poll() is None:
        highest = max(
            highest, extractors.rows("SELECT COALESCE(sum(COALESCE(cost, reserved)), 0) FROM model_call")[0][0]
        )
        time.sleep(0.05)
    out, errors = parent.communicate(timeout=PATIENCE)
    assert float(highest) <= 0.5
    assert {line.split()[1] for line in out.splitlines()} == {"1"}
    assert errors.count("Today's budget of 0.5 USD") == PROCESSES
    done = extractors.rows("SELECT count(*) FROM profile")[0][0]
    assert 0 < done < 60


def test_a_signal_lets_what_was_sent_come_home(extractors: Extractors, server: ModelServer, database: str) -> None:
    queue(database, [posting_text(number) for number in range(30)])
    server.script = Script(default="slow", slow=1.0)
    process = extractors.start("--json")
    deadline = time.monotonic() + PATIENCE
    while not server.log and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    sent = len(server.log)
    assert 0 < sent < 30
    assert extractors.rows(STATES) == [
        ("pending", None, False, 0, 30 - sent),
        ("succeeded", "model", False, 0, sent),
    ]
    assert extractors.rows("SELECT state FROM batch") == [("interrupted",)]
