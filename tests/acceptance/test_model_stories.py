"""One model call per content, played by name: crawls with a model, counted from the server's own log."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jobmonitor.demo.model_server import ModelServer
from jobmonitor.extraction.prompting import load_prompt
from tests.acceptance.crawling import PATIENCE, ROOT, Crawls, job, write_board
from tests.acceptance.extracting import PROGRAM, Extractors

A = "<p>Build the payments service in Python.</p><p>Bachelor's degree required.</p>"
B = "<p>Build the payments service in Go.</p><p>Bachelor's degree required.</p>"


@pytest.fixture
def crawls(crawls_with_model: Crawls) -> Crawls:
    return crawls_with_model


def polish(extractors: Extractors, tmp_path: Path) -> None:
    """From now on ask with another prompt."""
    prompt = tmp_path / "polished.md"
    prompt.write_text(load_prompt().text + "\nBe brief.\n", encoding="utf-8")
    extractors.set(PROMPT=str(prompt))


def day(crawls: Crawls, folder: Path, jobs: list[dict[str, Any]], number: int) -> None:
    """Crawl the board on the given day of November; nobody asks the model yet."""
    replay = write_board(folder / str(number), jobs, at=f"2026-11-{number:02}T06:00:00+00:00")
    status, errors = crawls.run("greenhouse:acme", REPLAY_DIR=str(replay), EXTRACT_BESIDE="False")
    assert status == 0, errors


def profile(extractors: Extractors, reference: str) -> dict[str, Any]:
    """What `jobmonitor profile` says."""
    command = [*PROGRAM, "profile", reference, "--json"]
    done = subprocess.run(
        command, cwd=ROOT, env=extractors.environment, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    data: dict[str, Any] = json.loads(done.stdout)["data"]
    return data


def test_a_polished_prompt_serves_new_contents_only(
    crawls: Crawls, extractors: Extractors, server: ModelServer, tmp_path: Path
) -> None:
    jobs = [job(number, f"Engineer {number}", A) for number in range(1, 401)]
    day(crawls, tmp_path, jobs, 1)
    assert extractors.run()[0] == 0
    assert len(server.log) == 400
    polish(extractors, tmp_path)
    for number in (2, 3, 4, 5):
        day(crawls, tmp_path, list(reversed(jobs)), number)
        assert extractors.run("--until-idle")[0] == 0
    assert len(server.log) == 400
    day(crawls, tmp_path, [job(number, f"Designer {number}", B) for number in (901, 902, 903)], 6)
    assert extractors.run()[0] == 0
    assert len(server.log) == 403
    assert extractors.rows("SELECT count(*) FROM current_profile") == [(403,)]
    prompts = extractors.rows("SELECT prompt, count(*) FROM current_profile GROUP BY 1 ORDER BY 2")
    assert [count for _, count in prompts] == [3, 400]
    old, new = (json.dumps(profile(extractors, f"greenhouse:acme/{number}")) for number in (1, 901))
    assert prompts[1][0] in old
    assert prompts[0][0] in new
    assert prompts[0][0].startswith("polished/")


def test_a_b_a_is_two_calls_and_five_cities_one(
    crawls: Crawls, extractors: Extractors, server: ModelServer, tmp_path: Path
) -> None:
    cities = ("深圳", "北京", "上海", "广州", "成都")
    twins = [job(number, f"算法工程师（{city}）", A, places=city) for number, city in enumerate(cities, start=1)]
    for number, text in ((1, A), (2, B), (3, A)):
        day(crawls, tmp_path, [*twins, job(9, "Engineer", text)], number)
        assert extractors.run()[0] == 0
    assert len(server.log) == 3
    assert extractors.rows("SELECT count(*) FROM current_profile") == [(6,)]


def test_welcome_pay_negotiable_is_sent_once_and_stays_empty(
    crawls: Crawls, extractors: Extractors, server: ModelServer, tmp_path: Path
) -> None:
    for number in (1, 2):
        day(crawls, tmp_path, [job(1, "诚聘", "<p>欢迎加入我们，待遇面议</p>")], number)
        assert extractors.run("--until-idle")[0] == 0
    assert len(server.log) == 1
    assert extractors.rows("SELECT state, producer, empty FROM extraction") == [("succeeded", "model", True)]
