"""A host of scrapyd as docs/deploy.md sets it up, and the developer's side that deploys to it."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import sysconfig
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.acceptance.crawling import PATIENCE, QUICK, environment

PROJECT = "jobmonitor"
PAUSE = 0.1
CONFIG = """
[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
poll_interval = 0.2
max_proc = 2
"""


def make_interpreter(folder: Path) -> Path:
    """The Python of a host: every package that this one sees, but never the project itself.

    A .pth file inside a folder that a .pth file names is not read, so an editable install stays out of sight.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    places = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (packages / "packages.pth").write_text("\n".join(places))
    return folder / "bin" / "python"


class Host:
    """One folder from which scrapyd runs.

    Args:
        folder: scrapyd's working folder.
        python: its interpreter.
        url: JOBMONITOR_DATABASE_URL; None = the embedded database.
    """

    def __init__(self, folder: Path, python: Path, url: str | None) -> None:
        self.folder = folder
        self.python = python
        self.port = 0
        self.home = folder / "home"
        self.environment = environment(url, self.home) | {"HOME": str(folder)}
        for name in ("PYTHONPATH", "SCRAPY_SETTINGS_MODULE", "XDG_CONFIG_HOME"):
            self.environment.pop(name, None)

    # The machine

    def start(self, port: int) -> subprocess.Popen[bytes]:
        """Start scrapyd and wait until it answers."""
        self.port = port
        (self.folder / "scrapyd.conf").write_text(CONFIG.format(port=port))
        with (self.folder / "scrapyd.log").open("ab") as log:
            process = subprocess.Popen(
                [self.python, "-m", "scrapyd"], cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )
        for _ in patiently("scrapyd"):
            assert process.poll() is None, self.log()
            try:
                self.get("daemonstatus.json")
            except OSError:
                continue
            return process
        raise AssertionError

    def log(self) -> str:
        """What scrapyd said."""
        return (self.folder / "scrapyd.log").read_text()

    def job_log(self, spider: str, job: str) -> str:
        """What one job said."""
        return (self.folder / "logs" / PROJECT / spider / f"{job}.log").read_text()

    def run(self, *arguments: str, egg: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the host's Python, with an egg on its path or without."""
        variables = self.environment | ({"PYTHONPATH": str(egg)} if egg else {})
        command = [str(self.python), *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=variables, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    def jobmonitor(self, *arguments: str, egg: Path) -> Any:
        """What a read command says, run from a deployed egg."""
        done = self.run("-m", "jobmonitor", *arguments, "--json", egg=egg)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["data"]

    # Its API

    def get(self, call: str, **query: str) -> dict[str, Any]:
        """Ask."""
        return self._call("GET", f"/{call}?{urllib.parse.urlencode(query)}")

    def post(self, call: str, fields: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Order; the answer must be ok."""
        answer = self._call("POST", f"/{call}", urllib.parse.urlencode([("project", PROJECT), *fields]))
        assert answer["status"] == "ok", answer
        return answer

    def spiders(self, **query: str) -> set[str]:
        """Names that listspiders.json shows."""
        return set(self.get("listspiders.json", project=PROJECT, **query)["spiders"])

    def schedule(self, spider: str, settings: dict[str, str] | None = None, **arguments: str) -> str:
        """Schedule a job without politeness; its id."""
        chosen = QUICK | {"LOG_LEVEL": "INFO"} | (settings or {})
        fields = [("setting", f"{name}={value}") for name, value in chosen.items()]
        return str(self.post("schedule.json", [("spider", spider), *fields, *arguments.items()])["jobid"])

    def await_end(self, job: str) -> None:
        """Wait until a job's process has ended."""
        for _ in patiently(f"job {job}"):
            if self.get("status.json", job=job)["currstate"] == "finished":
                return

    def _call(self, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {"Content-Type": "application/x-www-form-urlencoded"})
            answer: dict[str, Any] = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        return answer


def patiently(what: str) -> Iterator[None]:
    """Turns of a loop that waits; fails when it has waited too long."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        yield
        time.sleep(PAUSE)
    raise AssertionError(f"{what}: nothing came of it in {PATIENCE} seconds")


@contextmanager
def serving(host: Host, port: int) -> Iterator[Host]:
    """scrapyd, answering while the block runs."""
    process = host.start(port)
    try:
        yield host
    finally:
        process.terminate()
        process.wait(PATIENCE)


def name_target(source: Path, port: int) -> None:
    """Let the deploy target of scrapy.cfg be a host of the tests."""
    config = source / "scrapy.cfg"
    config.write_text(re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{port}", config.read_text()))


def scrapyd_deploy(source: Path, *options: str) -> str:
    """Run scrapyd-deploy in the project's folder, as a developer does."""
    variables = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    command = [sys.executable, "-m", "scrapyd_client.deploy", *options]
    done = subprocess.run(command, cwd=source, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
