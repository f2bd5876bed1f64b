"""The unattended day: what is due is crawled, what fails comes again, nothing is done twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from jobmonitor.demo.loopback import LoopbackServer
from tests.acceptance.crawling import ROOT, Crawls, Site, serving

DUE = "SELECT key, failures, due_at > now() + interval '20 hours', due_at > now() FROM source ORDER BY key"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a scrapy.cfg and a boards.toml of its own."""
    (tmp_path / "scrapy.cfg").write_text(
        "[settings]\ndefault = jobmonitor.settings\n[deploy]\nproject = mine\n", "utf-8"
    )
    return tmp_path


def board(project: Path, **addresses: str) -> None:
    """Boards of the Tencent shape at these addresses, crawled quickly."""
    settings = "{ DOWNLOAD_DELAY = 0, RETRY_TIMES = 0 }"
    lines = [f'{name} = {{ base_url = "{url}", settings = {settings} }}' for name, url in addresses.items()]
    (project / "boards.toml").write_text("[tencent]\n" + "\n".join(lines) + "\n", "utf-8")


def command(crawls: Crawls, project: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = crawls.environment | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "jobmonitor", *arguments, "--json"],
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def done(process: subprocess.Popen[str]) -> tuple[int, Any]:
    out, errors = process.communicate(timeout=120)
    assert out, errors
    return process.returncode, json.loads(out)["data"]


def duty(crawls: Crawls, project: Path, *arguments: str) -> tuple[int, Any]:
    return done(command(crawls, project, "run-due", "--jitter", "0", *arguments))


def test_what_is_due_is_crawled_and_what_fails_comes_again_soon(crawls: Crawls, project: Path) -> None:
    with serving(Site(5)) as site:
        board(project, good=site.url, bad="http://127.0.0.1:1")
        for name in ("good", "bad"):
            assert done(command(crawls, project, "sources", "enable", f"tencent:{name}"))[0] == 0
        assert duty(crawls, project, "--dry-run")[1]["due"] == ["tencent:bad", "tencent:good"]
        status, data = duty(crawls, project)
        assert data["outcomes"]["tencent:good"] == "finished"
        assert (status, data["alarms"]) == (0, [])
        assert duty(crawls, project) == (0, {"outcomes": {}, "extracted": None, "alarms": []})
    assert crawls.rows("SELECT count(*) FROM posting WHERE source = 'tencent:good'") == [(5,)]
    logs = sorted(path.parent.name for path in (project / "home" / "logs").rglob("*.log"))
    assert logs == ["tencent%3Abad", "tencent%3Agood"]


def test_a_source_that_cannot_run_fails_and_backs_off(crawls: Crawls, project: Path) -> None:
    board(project, good="http://127.0.0.1:1")
    assert done(command(crawls, project, "sources", "enable", "tencent:good", "--every", "12h"))[0] == 0
    (project / "boards.toml").write_text("[tencent]\ngood = { base_url = 'nonsense' }\n", "utf-8")
    for failures in (1, 2, 3):
        status, data = duty(crawls, project)
        assert (status, data["outcomes"]) == (1, {"tencent:good": "failed"})
        assert crawls.rows("SELECT failures, due_at > now() FROM source") == [(failures, True)]
        crawls.execute("UPDATE source SET due_at = now()")
    assert data["alarms"] == ["tencent:good has failed 3 times in a row"]


def test_two_rounds_share_the_work_and_a_stop_leaves_it_resumable(crawls: Crawls, project: Path) -> None:
    with serving(Site(20, hold_at=10)) as site:
        board(project, good=site.url)
        assert done(command(crawls, project, "sources", "enable", "tencent:good"))[0] == 0
        first = command(crawls, project, "run-due", "--jitter", "0")
        assert site.held.wait(60)
        crawls.execute("UPDATE source SET due_at = now()")
        assert duty(crawls, project)[1]["outcomes"] == {}
        first.send_signal(signal.SIGTERM)
        site.release.set()
        assert done(first)[1]["outcomes"] == {"tencent:good": "interrupted"}
        assert crawls.rows(DUE) == [("tencent:good", 1, False, True)]
        crawls.execute("UPDATE source SET due_at = now()")
        assert duty(crawls, project)[1]["outcomes"] == {"tencent:good": "finished"}
        assert crawls.rows(DUE) == [("tencent:good", 0, True, True)]
    assert crawls.rows("SELECT state, resumed, ledger->'seen' FROM run") == [("finished", 1, 20)]


@contextmanager
def scrapyd() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A scrapyd that takes jobs and never does them."""
    jobs: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pending = [{"id": str(number), "spider": spider} for number, (_, spider) in enumerate(jobs)]
            self._say({"status": "ok", "pending": pending, "running": [], "finished": []})

        def do_POST(self) -> None:
            form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            jobs.append((form["project"], form["spider"]))
            self._say({"status": "ok", "jobid": "1"})

        def _say(self, data: object) -> None:
            body = json.dumps(data).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *values: object) -> None:
            """Say nothing."""

    server = LoopbackServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", jobs
    finally:
        server.shutdown()
        server.server_close()


def test_jobs_are_handed_to_scrapyd_once(crawls: Crawls, project: Path) -> None:
    assert done(command(crawls, project, "sources", "enable", "tencent"))[0] == 0
    with scrapyd() as (url, jobs):
        for _ in range(2):
            assert duty(crawls, project, "--scrapyd", url)[1]["outcomes"] == {"tencent": "handed_over"}
            crawls.execute("UPDATE source SET due_at = now()")
        assert jobs == [("mine", "tencent")]
    status, data = duty(crawls, project, "--scrapyd", url)
    assert (status, data["outcomes"]) == (1, {"tencent": "failed"})


def test_wrong_names_say_what_to_do(crawls: Crawls, project: Path) -> None:
    for arguments in (
        ("sources", "enable", "nonsense"),
        ("sources", "enable", "greenhouse"),
        ("sources", "enable", "tencent", "--every", "soon"),
        ("sources", "disable", "tencent"),
        ("sources", "release", "tencent"),
        ("run-due", "--scrapyd", "ftp://x"),
    ):
        process = command(crawls, project, *arguments)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 1
        assert json.loads(out)["error"]["message"]
