"""`make bench` measures what it says: every crawl of it proves its work. Speeds are no business of a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parents[2]


def test_the_benchmark_runs(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    options = ["--items", "200", "--rounds", "1", "--history-items", "0", "--only", "tencent", "--json", str(figures)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert figures.exists(), done.stderr[-2000:]
    told = orjson.loads(figures.read_bytes())
    measured = [row["scenario"] for row in told["scenarios"]]
    assert measured == ["bare", "empty", "first", "unchanged", "naive first", "naive unchanged"]
    assert all(row["microseconds"] > 0 for row in told["scenarios"])
    litellm = next(floor for floor in told["floors"] if "litellm" in floor["text"])
    assert litellm["kept"], "an unchanged day imports litellm"
