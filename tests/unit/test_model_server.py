"""The scripted model server on its own: what it chooses, what it logs, and that it can run as a process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from jobmonitor.demo.model_behaviours import BEHAVIOURS
from jobmonitor.demo.model_script import Script
from jobmonitor.demo.model_server import ModelServer, read_log, serving_model
from jobmonitor.domain.canonical import content_hash
from jobmonitor.errors import InvalidInput
from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.prompting import build

CONTRACT = load_contract(1)
DOCUMENT = "# 后端工程师\n\n- 精通 Java\n"


def ask(api_base: str, document: str = DOCUMENT, model: str = "scripted", key: str = "k") -> tuple[int, dict[str, Any]]:
    """One request without litellm: status and body."""
    request = build(document, CONTRACT)
    body = {
        "model": model,
        "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
    }
    sent = urllib.request.Request(
        f"{api_base}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {key}"},
    )
    try:
        with urllib.request.urlopen(sent, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_the_first_rule_that_applies_chooses() -> None:
    script = Script(default="empty", contents={"a": ["malformed", "good"]}, sequence=["slow", "late"], odds={"good": 0})
    assert [script.choose("a"), script.choose("b"), script.choose("a"), script.choose("a"), script.choose("b")] == [
        "malformed", "late", "good", "good", "empty",
    ]  # fmt: skip


def test_odds_do_not_depend_on_the_order_of_arrival() -> None:
    odds = {"rate_limited": 0.2, "malformed": 0.3}
    names = [f"{number:064x}" for number in range(400)]
    one, other = Script(odds=odds, seed=7), Script(odds=odds, seed=7)
    chosen = {name: one.choose(name) for name in names}
    assert chosen == {name: other.choose(name) for name in reversed(names)}
    shares = {behaviour: list(chosen.values()).count(behaviour) / 400 for behaviour in ("rate_limited", "malformed")}
    assert 0.1 < shares["rate_limited"] < 0.3 < shares["malformed"] + 0.1 < 0.5


@pytest.mark.parametrize(
    "options", [{"default": "nice"}, {"sequence": ["x"]}, {"contents": {"a": ["x"]}}, {"odds": {"x": 1}}]
)
def test_an_unknown_behaviour_is_named(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="Unknown behaviour"):
        Script(**options)


@pytest.mark.parametrize("text", ["{", "[]", '{"mood": 1}', '{"default": "nice"}'])
def test_a_file_that_is_no_script(text: str, tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(text)
    with pytest.raises(InvalidInput):
        Script.read(tmp_path / "script.json")


@pytest.mark.parametrize(
    "behaviour", sorted(set(BEHAVIOURS) - {"hanging", "dripping", "late", "slow", "cut_off", "web_page"})
)
def test_every_behaviour_answers_in_the_shape_of_the_api(behaviour: str) -> None:
    with serving_model(Script(default=behaviour)) as server:
        status, body = ask(server.api_base)
    assert status == server.log[0].status
    assert ("choices" in body) == (status == 200)
    assert ("error" in body) == (status != 200)


def test_the_log_says_what_was_sent(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    with serving_model(log=log) as server:
        before = time.time()
        ask(server.api_base)
        assert ask(server.api_base, key="any")[1]["usage"]["prompt_tokens_details"]["cached_tokens"] > 1_000
        call = server.log[1]
    assert (call.number, call.purpose, call.behaviour, call.status, call.model) == (
        2,
        "extract",
        "good",
        200,
        "scripted",
    )
    assert call.content_hash == content_hash(DOCUMENT)
    assert before <= call.at <= time.time()
    assert call.output_tokens > 0 < call.input_tokens
    assert tuple(read_log(log)) == server.log
    with log.open("ab") as file:
        file.write(b'{"torn": ')
    assert len(read_log(log)) == 2
    assert read_log(tmp_path / "none") == []


def test_a_request_is_in_the_log_before_it_is_answered() -> None:
    with serving_model(Script(default="hanging")) as server, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, server.api_base)
        end = time.monotonic() + 5
        while not server.log and time.monotonic() < end:
            time.sleep(0.01)
        assert [call.behaviour for call in server.log] == ["hanging"]
        assert not waiting.done()
        server.stop()
        assert waiting.exception(timeout=60) is not None


def test_keys_and_models() -> None:
    with serving_model(key="right", model="small") as server:
        assert ask(server.api_base, model="small", key="right")[0] == 200
        assert ask(server.api_base, model="small", key="wrong")[0] == 401
        assert ask(server.api_base, model="large", key="right")[0] == 404
        with urllib.request.urlopen(f"{server.api_base}/models", timeout=60) as response:
            assert json.load(response)["data"][0]["id"] == "small"


def test_it_runs_as_a_process(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text('{"sequence": ["server_error"]}')
    log = tmp_path / "calls.jsonl"
    command = [
        sys.executable,
        "-m",
        "jobmonitor.demo.model_server",
        "--script",
        f"{tmp_path}/script.json",
        "--log",
        str(log),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        assert said["model"] == "openai/scripted"
        assert [ask(said["api_base"])[0] for _ in range(2)] == [500, 200]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert [call.behaviour for call in read_log(log)] == ["server_error", "good"]


def test_it_can_be_stopped_at_once() -> None:
    server = ModelServer().start()
    server.stop()
    with pytest.raises(urllib.error.URLError):
        ask(server.api_base)
