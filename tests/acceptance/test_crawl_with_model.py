"""A crawl with a model: one child asks it, the crawl never waits for it, and an unchanged day starts none."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from jobmonitor.demo.model_script import Script
from jobmonitor.demo.model_server import ModelServer
from tests.acceptance.crawling import PATIENCE, Crawls, job, write_board
from tests.acceptance.extracting import Extractors

FIRST, SECOND = "2026-11-01T06:00:00+00:00", "2026-11-02T06:00:00+00:00"
STATES = "SELECT state, producer, count(*) FROM extraction GROUP BY 1, 2 ORDER BY 1"
BATCHES = "SELECT run_id, state FROM batch ORDER BY id"


def text(years: int) -> str:
    return f"<p>We look for an engineer with {years} years of experience in Go.</p><p>Bachelor's degree required.</p>"


#: Five postings, four texts: two cities share one.
JOBS = [job(number, f"Engineer {number}", text(number)) for number in (1, 2, 3)] + [
    job(4, "Twin", text(5), places="Berlin"),
    job(5, "Twin", text(5), places="Munich"),
]


@pytest.fixture
def crawls(crawls_with_model: Crawls) -> Crawls:
    return crawls_with_model


def crawl(crawls: Crawls, folder: Path, jobs: list[dict[str, Any]], at: str, **settings: str) -> str:
    """Crawl the board as it is at a time; it must finish. What it logged."""
    replay = write_board(folder / at[:10], jobs, at=at)
    status, errors = crawls.run("greenhouse:acme", REPLAY_DIR=str(replay), **settings)
    assert status == 0, errors
    return errors


def test_the_child_makes_the_profiles_with_one_call_a_content(
    crawls: Crawls, server: ModelServer, tmp_path: Path
) -> None:
    crawl(crawls, tmp_path, JOBS, FIRST)
    assert crawls.rows(STATES) == [("succeeded", "model", 4)]
    assert len(server.log) == len({call.content_hash for call in server.log}) == 4
    assert crawls.rows(BATCHES) == [(1, "finished")]
    assert crawls.rows("SELECT ledger -> 'profiles', ledger -> 'model_calls' FROM run") == [(4, 4)]
    assert crawls.rows("SELECT DISTINCT at FROM event WHERE kind = 'profile.ready'") == crawls.rows(
        "SELECT observed_at FROM run"
    )
    edited = [job(1, "Engineer 1", text(9)), *JOBS[1:]]
    crawl(crawls, tmp_path, edited, SECOND)
    assert len(server.log) == 5


def test_an_unchanged_day_imports_no_litellm_and_starts_no_child(
    crawls: Crawls, server: ModelServer, tmp_path: Path
) -> None:
    crawl(crawls, tmp_path, JOBS, FIRST)
    # Whoever imports this one leaves a mark.
    mark = tmp_path / "imported"
    poison = tmp_path / "poison" / "litellm"
    poison.mkdir(parents=True)
    (poison / "__init__.py").write_text(f"open({str(mark)!r}, 'w').close()\n", encoding="utf-8")
    crawls.environment["PYTHONPATH"] = f"{poison.parent}:{crawls.environment['PYTHONPATH']}"
    crawl(crawls, tmp_path, JOBS, SECOND)
    assert not mark.exists()
    assert crawls.rows(BATCHES) == [(1, "finished")]
    assert len(server.log) == 4


def test_a_crawl_does_not_depend_on_the_model(
    crawls: Crawls, extractors: Extractors, server: ModelServer, tmp_path: Path
) -> None:
    extractors.set(API_BASE="http://127.0.0.1:9/v1")
    errors = crawl(crawls, tmp_path, JOBS, FIRST)
    assert "Nothing answers" in errors
    assert crawls.rows("SELECT state FROM run") == [("finished",)]
    assert crawls.rows(STATES) == [("pending", None, 4)]
    extractors.set(API_BASE=server.api_base)
    assert extractors.run()[0] == 0
    assert crawls.rows(STATES) == [("succeeded", "model", 4)]


def test_a_slow_model_is_left_to_finish_by_itself(crawls: Crawls, server: ModelServer, tmp_path: Path) -> None:
    server.script = Script(default="slow", slow=3.0)
    started = time.monotonic()
    crawl(crawls, tmp_path, JOBS, FIRST, EXTRACT_DRAIN="0.1")
    assert crawls.rows("SELECT state FROM run") == [("finished",)]
    assert crawls.rows(STATES)[0][0] != "succeeded"
    while crawls.rows(BATCHES) != [(1, "finished")] and time.monotonic() - started < PATIENCE:
        time.sleep(0.2)
    assert crawls.rows(STATES) == [("succeeded", "model", 4)]
    assert len(server.log) == 4


def test_only_the_runs_own_contents_are_taken(
    crawls: Crawls, extractors: Extractors, server: ModelServer, tmp_path: Path
) -> None:
    extractors.set(MODEL="openai/unheard-of")
    crawl(crawls, tmp_path, JOBS[:2], FIRST)
    assert crawls.rows(STATES) == [("pending", None, 2)]
    extractors.set(MODEL="openai/scripted")
    crawl(crawls, tmp_path, JOBS, SECOND)
    assert crawls.rows(STATES) == [("pending", None, 2), ("succeeded", "model", 2)]
