"""`jobmonitor events --follow`: what comes is printed as it comes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.acceptance.crawling import ROOT, Crawls, ended, job

PROGRAM = [sys.executable, "-m", "jobmonitor", "events", "--follow"]


def start(crawls: Crawls, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=ROOT,
        env=crawls.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_old_events_and_new_ones_until_ctrl_c(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, [job(1, "Engineer", "<p>Go</p>")], at="2026-11-01T06:00:00+00:00")
    process = start(crawls, "--json")
    assert process.stdout is not None
    first = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert [each["kind"] for each in first] == ["posting.new", "profile.ready"]
    crawls.day(tmp_path, [job(1, "Engineer", "<p>Rust, bachelor required</p>")], at="2026-11-02T06:00:00+00:00")
    then = [json.loads(process.stdout.readline()) for _ in range(3)]
    assert [each["kind"] for each in then] == ["posting.content_changed", "profile.ready", "profile.changed"]
    assert [each["id"] for each in first + then] == sorted(each["id"] for each in first + then)
    process.send_signal(signal.SIGINT)
    status, errors = ended(process)
    assert (status, errors) == (0, "")


def test_it_ends_when_its_reader_goes(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, [job(1, "Engineer")], at="2026-11-01T06:00:00+00:00")
    with start(crawls) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "posting.new" in process.stdout.readline()
        process.stdout.close()
        crawls.day(tmp_path, [job(1, "Senior Engineer")], at="2026-11-02T06:00:00+00:00")
        assert "Traceback" not in process.stderr.read()
