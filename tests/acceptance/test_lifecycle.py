"""Postings that vanish, come back, vanish in masses or on one bad day: real crawls, one a day."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.acceptance.crawling import ROOT, Crawls, job, write_board

JOBS = [job(number, f"Engineer {number}", f"<p>Text {number}.</p>") for number in range(1, 21)]
STATES = "SELECT state, count(*) FROM posting GROUP BY 1 ORDER BY 1"
EVENTS = "SELECT kind, payload FROM event WHERE posting LIKE '%%/20' ORDER BY id"
API = "https://boards-api.greenhouse.io/v1/boards/acme/jobs"


def at(day: int, hour: int = 6) -> str:
    return f"2026-11-{day:02}T{hour:02}:00:00+00:00"


def test_a_posting_that_left_is_suspected_then_gone_and_may_come_back(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, JOBS, at=at(1))
    crawls.day(tmp_path, JOBS[:-1], at=at(2))
    assert crawls.rows(STATES) == [("active", 20)]
    crawls.day(tmp_path, JOBS[:-1], at=at(2, 9))
    assert crawls.rows("SELECT misses FROM posting_channel WHERE misses > 0") == [(1,)], (
        "three hours are no second look"
    )
    crawls.day(tmp_path, JOBS[:-1], at=at(3))
    assert crawls.rows(STATES) == [("active", 19), ("suspected", 1)]
    crawls.day(tmp_path, JOBS[:-1], at=at(4))
    assert crawls.rows(STATES) == [("active", 19), ("gone", 1)]
    crawls.day(tmp_path, JOBS, at=at(5))
    assert crawls.rows(STATES) == [("active", 20)]
    assert crawls.rows("SELECT count(*) FROM presence WHERE closed_at IS NOT NULL") == [(1,)]
    assert crawls.rows("SELECT count(*) FROM presence") == [(21,)]
    told = crawls.rows(EVENTS)
    assert [kind for kind, _ in told] == ["posting.new", "posting.suspected", "posting.gone", "posting.reopened"]
    assert told[2][1]["evidence"] == "missed by 3 complete runs"
    assert told[3][1]["from"] == "gone"
    assert crawls.rows("SELECT count(*) FROM version") == [(20,)], "absence closes no version"


def test_one_bad_day_closes_nothing_and_a_mass_is_held(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, JOBS, at=at(1))
    crawls.day(tmp_path, JOBS[:4], at=at(2))
    held = crawls.rows("SELECT payload FROM event WHERE kind = 'source.held'")
    assert [each["missing"] for (each,) in held] == [16]
    crawls.day(tmp_path, JOBS, at=at(3))
    assert crawls.rows(STATES) == [("active", 20)]
    assert crawls.rows("SELECT released_by FROM hold") == [("run",)]
    assert crawls.rows("SELECT count(*) FROM posting_channel WHERE misses > 0") == [(0,)]


def test_a_mass_that_stays_away_is_gone_within_three_runs(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, JOBS, at=at(1))
    for day in (2, 3, 4):
        crawls.day(tmp_path, JOBS[:4], at=at(day))
    assert crawls.rows(STATES) == [("active", 4), ("gone", 16)]


def test_a_person_releases_what_is_held(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, JOBS, at=at(1))
    for day, left in (
        (2, JOBS[:10]),
        (3, JOBS[:4]),
    ):  # a second disappearance: the first one's postings have two misses
        crawls.day(tmp_path, left, at=at(day))
    assert crawls.rows(STATES) == [("active", 20)]
    command = [sys.executable, "-m", "jobmonitor", "sources", "release", "greenhouse:acme", "--json"]
    options = {"cwd": ROOT, "env": crawls.environment, "capture_output": True, "text": True}
    first, second = (subprocess.run(command, check=False, **options) for _ in range(2))
    assert len(json.loads(first.stdout)["data"]["moved"]) == 10
    assert (second.returncode, json.loads(second.stdout)["error"]["code"]) == (1, "not_found")
    assert crawls.rows(STATES) == [("active", 10), ("suspected", 10)]
    assert crawls.rows("SELECT released_by FROM hold ORDER BY id") == [("run",), ("person",)]
    crawls.day(tmp_path, JOBS[:4], at=at(4))
    assert crawls.rows("SELECT state FROM posting WHERE native_id = '20'") == [("gone",)]


def test_a_board_that_does_not_answer_closes_only_what_its_own_address_closes(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, JOBS[:3], at=at(1))
    for day in (2, 3, 4, 5, 6):
        probes = {1: (404, {}), 2: (200, JOBS[1]), 3: (503, {})}
        replay = answering(write_board(tmp_path / str(day), [], at=at(day)), probes, at=at(day))
        status, errors = crawls.run("greenhouse:acme", REPLAY_DIR=str(replay))
        assert status == 0, errors
    states = crawls.rows("SELECT native_id, state FROM posting ORDER BY 1")
    assert states == [("1", "gone"), ("2", "active"), ("3", "active")]
    assert crawls.rows("SELECT closed_evidence FROM presence WHERE closed_at IS NOT NULL") == [("the site says 404",)]
    incomplete = crawls.rows("SELECT payload FROM event WHERE kind = 'source.incomplete'")
    assert len(incomplete) == 5


def answering(folder: Path, probes: Mapping[int, tuple[int, Mapping[str, Any]]], *, at: str) -> Path:
    """The board itself answers 503; each job answers for itself."""
    exchanges = json.loads((folder / "exchanges.json").read_text(encoding="utf-8"))
    exchanges[0]["status"] = 503
    for number, (status, body) in probes.items():
        file = f"{number}.json"
        (folder / file).write_text(json.dumps(body), encoding="utf-8")
        exchanges.append({"method": "GET", "url": f"{API}/{number}", "status": status, "file": file, "at": at})
    (folder / "exchanges.json").write_text(json.dumps(exchanges), encoding="utf-8")
    return folder
