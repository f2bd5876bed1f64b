"""The embedded server comes up whatever happened before, for root and for an ordinary user, and widens no folder."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from jobmonitor.errors import DatabaseUnavailable
from jobmonitor.storage import account, cluster
from jobmonitor.storage.binaries import wheel_folder
from jobmonitor.storage.embedded import EmbeddedServer

ROOT = Path(__file__).parents[2]
#: An account that every Debian has.
NOBODY = 65534
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user or mount a small disk")

IMPORTS = """
import os, sys
from pathlib import Path
import encodings.idna
from jobmonitor.storage.embedded import EmbeddedServer
"""
#: The interpreter may lie in root's closed home, so everything is imported before root becomes another user.
BECOME = """
os.setgroups([]); os.setgid({0}); os.setuid({0})
"""
START = """
server = EmbeddedServer(Path(sys.argv[1]), durable=False, bound=len(sys.argv) > 2)
print(server.start(), flush=True)
"""
WAIT = "sys.stdin.read()\n"
STOP = "EmbeddedServer(Path(sys.argv[1])).remove()"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    server = EmbeddedServer(tmp_path / "home", durable=False)
    yield server
    server.remove()


def python(script: str, *arguments: str | Path, uid: int | None = None) -> subprocess.Popen[str]:
    """A process of its own that runs `script`, as another user if wanted."""
    become = "" if uid is None else BECOME.format(uid)
    return subprocess.Popen(
        (sys.executable, "-c", IMPORTS + become + script, *map(str, arguments)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )


def output(process: subprocess.Popen[str]) -> str:
    """What a process that ends well prints."""
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0, printed
    return printed.strip()


def connect(url: str) -> psycopg.Connection[tuple[object, ...]]:
    parsed = make_url(url)
    return psycopg.connect(host=str(parsed.query["host"]), user=parsed.username, dbname=parsed.database)


def ask(url: str, question: str) -> object:
    with connect(url) as connection:
        row = connection.execute(question).fetchone()  # type: ignore[call-overload]
        return row[0] if row else None


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


# The ordinary life


def test_it_starts_answers_and_stops(server: EmbeddedServer) -> None:
    assert not server.status().running
    url = server.start()
    assert server.start() == url
    assert ask(url, "SELECT current_setting('TimeZone')") == "UTC"
    assert ask(url, "SELECT lower('ÄÖ') || current_setting('server_encoding')") == "äöUTF8"
    assert server.status().running
    assert server.stop()
    assert not server.stop()
    assert not server.status().running
    with pytest.raises(DatabaseUnavailable, match="jobmonitor db start"):
        server.url()


def test_it_listens_on_nothing_but_a_closed_socket(server: EmbeddedServer) -> None:
    url = server.start()
    assert ask(url, "SELECT current_setting('listen_addresses')") == ""
    folder = server.status().socket_folder
    assert folder is not None
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_data_survive_a_stop(server: EmbeddedServer) -> None:
    with connect(server.start()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
    server.stop()
    assert ask(server.start(), "SELECT number FROM kept") == 42


def test_a_durable_server_waits_for_the_disk(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "home", bound=True)
    try:
        assert ask(server.start(), "SELECT current_setting('fsync') || current_setting('synchronous_commit')") == "onon"
    finally:
        server.remove()


def test_processes_that_start_it_at_once_share_one(server: EmbeddedServer) -> None:
    urls = {output(process) for process in [python(START, server.home) for _ in range(3)]}
    assert urls == {server.url()}


def test_removing_leaves_nothing(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "home", durable=False)
    server.start()
    folder = server.status().folder
    server.remove()
    assert not folder.exists()


# Violence


def test_it_outlives_the_process_that_started_it(server: EmbeddedServer) -> None:
    owner = python(START + WAIT, server.home)
    assert owner.stdout is not None
    url = owner.stdout.readline().strip()
    owner.kill()
    owner.communicate()
    assert ask(url, "SELECT 1") == 1
    assert server.start() == url


def test_a_bound_one_ends_with_its_owner_even_if_killed(server: EmbeddedServer) -> None:
    owner = python(START + WAIT, server.home, "bound")
    assert owner.stdout is not None
    owner.stdout.readline()
    assert server.status().running
    owner.kill()
    owner.communicate()
    assert wait_until(lambda: not server.status().running)


def test_it_recovers_after_its_first_process_was_killed(server: EmbeddedServer) -> None:
    url = server.start()
    with connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
        connection.commit()
        pid = server.status().pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        # The connection's own process is alive for a moment longer: starting must wait for it, not run beside it.
        assert ask(server.start(), "SELECT number FROM kept") == 42
    assert server.status().pid != pid


def test_a_stale_pid_file_whose_pid_is_in_use_stops_nothing(server: EmbeddedServer) -> None:
    server.start()
    folder = server.status().folder
    noted = (folder / "data" / "postmaster.pid").read_text().splitlines()
    server.stop()
    owner = (folder / "data").stat()
    same_user = {} if os.geteuid() != 0 else {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
    bystander = subprocess.Popen(("sleep", "60"), cwd="/", **same_user)  # type: ignore[call-overload]
    try:
        stale = folder / "data" / "postmaster.pid"
        stale.write_text("\n".join([str(bystander.pid), *noted[1:]]) + "\n")
        os.chown(stale, owner.st_uid, owner.st_gid)
        assert not server.status().running
        assert ask(server.start(), "SELECT 1") == 1
        server.stop()
        assert bystander.poll() is None, "the process with that number is not ours to end"
    finally:
        bystander.kill()
        bystander.wait()


def test_a_half_made_data_folder_is_made_again(server: EmbeddedServer) -> None:
    account.prepare(server._where)
    for name in ("data.new", "lent"):
        (server.status().folder / name / "base").mkdir(parents=True)
    assert ask(server.start(), "SELECT 1") == 1


def test_a_server_that_cannot_start_says_why(server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cluster.SETTINGS, "shared_buffers", "64 bananas")
    with pytest.raises(DatabaseUnavailable, match="shared_buffers") as caught:
        server.start()
    assert "/log" in str(caught.value)


# Whoever starts it, from wherever


@pytest.fixture
def public(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder that other users may enter, owned by nobody; pytest's own are closed."""
    folder = Path(tempfile.mkdtemp(prefix="jm-", dir="/tmp"))
    os.chmod(folder, 0o755)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def _need_open_programs() -> None:
    """Another user must reach PostgreSQL's programs; a virtual environment in a closed home hides them."""
    if not all(folder.stat().st_mode & 0o001 for folder in (wheel_folder(), *wheel_folder().parents)):
        pytest.skip(f"{wheel_folder()} lies where another user cannot enter")


@pytest.fixture
def user() -> int | None:
    """An ordinary user to be: ourselves, or nobody when we are root."""
    if os.geteuid() != 0:
        return None
    _need_open_programs()
    return NOBODY


def test_an_ordinary_user_starts_it_from_a_path_of_150_characters(public: Path, user: int | None) -> None:
    home = public / ("deep-" * 30)[: 150 - len(str(public)) - 1]
    assert len(str(home)) == 150
    before = _modes(public)
    url = output(python(START, home, uid=user))
    try:
        host = str(make_url(url).query["host"])
        assert len(f"{host}/.s.PGSQL.5432") <= 107
        assert stat.S_IMODE(os.stat(host).st_mode) == 0o700
        assert output(python(START, home, uid=user)) == url
    finally:
        output(python(STOP, home, uid=user))
    assert not Path(host).exists()
    assert _modes(public) == before


def test_an_ordinary_user_keeps_it_in_the_home(public: Path, user: int | None) -> None:
    home = public / "home"
    output(python(START, home, uid=user))
    try:
        assert (home / "postgres" / "data" / "PG_VERSION").is_file()
        assert stat.S_IMODE((home / "postgres").stat().st_mode) == 0o700
    finally:
        output(python(STOP, home, uid=user))


def test_an_ordinary_user_may_name_folders_freely(public: Path, user: int | None) -> None:
    home = public / "岗位 'home' \"50%\" $HOME"
    output(python(START, home, uid=user))
    output(python(STOP, home, uid=user))


@root_only
def test_root_keeps_it_apart_under_a_user_of_its_own_and_widens_no_folder(server: EmbeddedServer) -> None:
    before = _modes(server.home.parent)
    url = server.start()
    assert _modes(server.home.parent) == before
    data = server.status().folder / "data"
    assert data.is_relative_to("/var/lib/jobmonitor")
    assert data.stat().st_uid not in (0, NOBODY)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert ask(url, "SELECT 1") == 1


@root_only
def test_root_starts_it_from_a_path_of_150_characters(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / ("deep-" * 30)[: 149 - len(str(tmp_path))], durable=False, bound=True)
    assert len(str(server.home)) == 150
    try:
        assert ask(server.start(), "SELECT 1") == 1
    finally:
        server.remove()


@root_only
def test_a_user_id_without_an_account_is_told_what_to_do(public: Path) -> None:
    _need_open_programs()
    os.chown(public, 54321, 54321)
    printed, _ = python(START, public / "home", uid=54321).communicate(timeout=60)
    assert "The user id 54321 has no account" in printed


def _modes(*folders: Path) -> dict[Path, tuple[int, int, int]]:
    """Mode and owner of folders that are not ours to change."""
    foreign = [Path(each) for each in ("/", "/root", "/home", "/tmp", "/var", "/var/lib", "/var/tmp", "/run", "/etc")]
    chain = [each for folder in folders for each in (folder, *folder.parents)]
    venv = Path(sys.prefix)
    watched = [each for each in (*foreign, *chain, *venv.parents, venv, Path.home()) if each.is_dir()]
    states = {each: each.stat() for each in watched}
    return {each: (state.st_mode, state.st_uid, state.st_gid) for each, state in states.items()}


def test_a_socket_folder_that_someone_else_made_is_refused(tmp_path: Path) -> None:
    trap = tmp_path / "run"
    trap.symlink_to(tmp_path)
    with pytest.raises(DatabaseUnavailable, match="not a closed folder of our own"):
        account._closed(trap, None)
    wide = tmp_path / "wide"
    wide.mkdir(mode=0o755)
    with pytest.raises(DatabaseUnavailable, match="not a closed folder of our own"):
        account._closed(wide, None)


# A full disk


@pytest.fixture
def small_disk(public: Path) -> Iterator[Callable[[int], Path]]:
    """Mounts a disk of so many megabytes."""
    folder = public / "disk"
    folder.mkdir()

    def mount(megabytes: int) -> Path:
        command = ("mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder))
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("this machine lets nobody mount a small disk")
        return folder

    yield mount
    subprocess.run(("umount", "-l", str(folder)), capture_output=True, check=False)


@root_only
@pytest.mark.parametrize("megabytes", [5, 40])
def test_a_full_disk_is_said_so(small_disk: Callable[[int], Path], tmp_path: Path, megabytes: int) -> None:
    """Five megabytes hold not even the programs, forty hold those but not the data."""
    server = EmbeddedServer(tmp_path / "home", durable=False, state=small_disk(megabytes))
    with pytest.raises(DatabaseUnavailable, match="No space left on device"):
        server.start()
    assert not server.status().running
