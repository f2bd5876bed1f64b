"""A real scrapyd: deploy with scrapyd-deploy, schedule, cancel, deploy again. docs/deploy.md says the same in words."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobmonitor.storage.embedded import EmbeddedServer
from tests.acceptance.crawling import PATIENCE, QUICK, Site, job, rows, write_board
from tests.acceptance.crawling import serving as serving_site
from tests.conftest import cloned
from tests.packaging.conftest import ROOT
from tests.packaging.deployment import PROJECT, Host, make_interpreter, name_target, scrapyd_deploy, serving

#: A board of the host's own, beside scrapyd.conf.
OWN_BOARDS = '[greenhouse]\nacme = "Acme"\n'
#: What version 2 of the project adds.
TABLE = "[greenhouse]\n"
NEW_LINE = 'newco = "Newco"\n'
#: More postings than Scrapy has under way at once, so that a cancelled job leaves some.
COUNT = 40
RUNS = "SELECT state FROM run WHERE source = %s ORDER BY id"
PROFILES = "SELECT count(*) FROM current_profile WHERE starts_with(posting, %s || '/')"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture(scope="module")
def url(postgres: EmbeddedServer, template: str) -> Iterator[str]:
    """An external database, for all jobs of this module."""
    with cloned(postgres, template) as url:
        yield url


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_interpreter(tmp_path_factory.mktemp("interpreter"))


@pytest.fixture(scope="module")
def host(source: Path, python: Path, url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A host with version 1 of the project."""
    folder = tmp_path_factory.mktemp("scrapyd")
    (folder / "boards.toml").write_text(OWN_BOARDS)
    with serving(Host(folder, python, url), free_port()) as host:
        name_target(source, host.port)
        answer = json.loads(scrapyd_deploy(source, "--version", "1"))
        assert answer["status"] == "ok", answer
        yield host


@pytest.fixture(scope="module")
def egg(host: Host) -> Path:
    """Version 1, as scrapyd stores it."""
    return host.folder / "eggs" / PROJECT / "1.egg"


def crawl(host: Host, spider: str, replay: Path, **arguments: str) -> str:
    """Run a job to its end; its log."""
    number = host.schedule(spider, {"REPLAY_DIR": str(replay)}, **arguments)
    host.await_end(number)
    return host.job_log(spider, number)


def test_every_source_is_listed(host: Host) -> None:
    command = [sys.executable, "-m", "scrapy", "list"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert host.spiders() == {*listed, "greenhouse:acme"}


def test_the_egg_is_what_runs(host: Host, egg: Path) -> None:
    done = host.run("-c", "import jobmonitor, migrations; print(jobmonitor.__file__)", egg=egg)
    assert done.stdout.startswith(str(egg)), done.stderr
    assert host.run("-c", "import jobmonitor").returncode == 1, "only the egg may bring the project"


def test_jobs_fill_the_database(host: Host, url: str, tmp_path: Path) -> None:
    first = write_board(tmp_path / "1", [job(1, "Baker", "<p>Bake bread</p>")], at="2026-11-01T06:00:00+00:00")
    log = crawl(host, "greenhouse", first, board="acme")
    assert rows(url, RUNS, "greenhouse:acme") == [("finished",)], log
    edited = [job(1, "Baker", "<p>Bake cakes</p>"), job(2, "Cook", "<p>Cook soup</p>")]
    second = write_board(tmp_path / "2", edited, at="2026-11-02T06:00:00+00:00")
    log = crawl(host, "greenhouse:acme", second)
    assert rows(url, RUNS, "greenhouse:acme") == [("finished",), ("finished",)], log
    query = "SELECT title, version FROM current_posting WHERE source = 'greenhouse:acme' ORDER BY title"
    assert rows(url, query) == [("Baker", 2), ("Cook", 1)]
    assert rows(url, PROFILES, "greenhouse:acme") == [(2,)]


def test_a_newer_version_runs_and_the_older_stays(host: Host, url: str, source: Path, tmp_path: Path) -> None:
    boards = source / PROJECT / "boards.toml"
    boards.write_text(boards.read_text(encoding="utf-8").replace(TABLE, TABLE + NEW_LINE), encoding="utf-8")
    scrapyd_deploy(source, "--version", "2")
    assert host.get("listversions.json", project=PROJECT)["versions"] == ["1", "2"]
    assert host.spiders() - host.spiders(_version="1") == {"greenhouse:newco"}
    board = write_board(tmp_path, [job(1, "Baker")], at="2026-11-01T06:00:00+00:00")
    exchanges = board / "exchanges.json"
    exchanges.write_text(exchanges.read_text().replace("acme", "newco"))
    log = crawl(host, "greenhouse:newco", board)
    assert rows(url, RUNS, "greenhouse:newco") == [("finished",)], log


def test_a_cancelled_job_is_an_interrupted_run_and_the_next_completes(host: Host, egg: Path, url: str) -> None:
    with serving_site(Site(COUNT, hold_at=5)) as site:
        number = host.schedule("tencent", base_url=site.url)
        assert site.held.wait(PATIENCE), host.log()
        assert states(host, egg) == ["running"]
        assert host.post("cancel.json", [("job", number)])["prevstate"] == "running"
        site.release.set()
        host.await_end(number)
        assert "Process died: exitstatus=1" in host.log()
        assert states(host, egg) == ["interrupted"]
        assert 0 < rows(url, "SELECT count(*) FROM posting WHERE source = 'tencent'")[0][0] < COUNT
        number = host.schedule("tencent", base_url=site.url)
        host.await_end(number)
    assert rows(url, RUNS, "tencent") == [("finished",)], host.job_log("tencent", number)
    assert rows(url, PROFILES, "tencent") == [(COUNT,)]


def states(host: Host, egg: Path) -> list[str]:
    """States of the runs of `tencent`, newest first, as the host's operator sees them."""
    return [run["state"] for run in host.jobmonitor("runs", "--source", "tencent", egg=egg)["runs"]]


def test_a_job_that_cannot_start_says_so_in_scrapyds_log(host: Host) -> None:
    number = host.schedule("greenhouse")
    host.await_end(number)
    assert "greenhouse needs a board" in host.log()


def test_the_embedded_database_is_made_and_migrated_from_a_zipped_egg(
    source: Path, python: Path, tmp_path: Path
) -> None:
    """What scrapyd starts for a job, without scrapyd."""
    host = Host(tmp_path, python, None)
    egg = tmp_path / "eggs" / PROJECT / "1.egg"
    egg.parent.mkdir(parents=True)
    scrapyd_deploy(source, "--build-egg", str(egg))
    home = use_default_home(host)
    board = write_board(tmp_path / "board", [job(1, "Baker", "<p>Bake</p>")], at="2026-11-01T06:00:00+00:00")
    host.environment["SCRAPY_PROJECT"] = PROJECT
    settings = [f"{name}={value}" for name, value in {**QUICK, "REPLAY_DIR": str(board)}.items()]
    options = [word for setting in settings for word in ("-s", setting)]
    server = EmbeddedServer(home)
    try:
        done = host.run("-m", "scrapyd.runner", "crawl", "greenhouse", "-a", "board=acme", *options)
        assert done.returncode == 0, done.stderr
        assert rows(server.url(), "SELECT count(*) FROM current_profile") == [(1,)]
    finally:
        server.remove()


def use_default_home(host: Host) -> Path:
    """The home that a host uses when it names none; root's is the machine's own and not for tests."""
    if os.geteuid() == 0:
        return host.home
    del host.environment["JOBMONITOR_HOME"]
    host.environment["XDG_STATE_HOME"] = str(host.folder)
    return host.folder / "jobmonitor"
