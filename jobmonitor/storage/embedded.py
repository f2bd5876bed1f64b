"""Our own launcher for an embedded PostgreSQL: started on demand, shared by every process of the same home.

A lock that the server's own processes hold (they inherit its descriptor) tells whether any of them lives. No process
number is ever trusted, so neither a stale `postmaster.pid` nor a `kill -9` confuses it. See docs/database.md.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import pq, sql
from sqlalchemy import URL

from jobmonitor.errors import DatabaseUnavailable
from jobmonitor.storage import cluster
from jobmonitor.storage.account import SOCKET, STATE, places, prepare, socket_folder
from jobmonitor.storage.binaries import programs

VERSION = 18
DATABASE = cluster.ROLE
#: Seconds: recovery after a crash may replay half a gigabyte of log.
START_PATIENCE = 120.0
STOP_PATIENCE = 60.0
PAUSE = 0.02
#: Bytes of log that a start keeps.
LONGEST_LOG = 10_000_000
#: With fewer bytes free than these, a server cannot even write down why it stops.
ROOM_TO_SPEAK = 100_000


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What can be said of an embedded server without starting it."""

    running: bool
    pid: int | None
    folder: Path
    socket_folder: Path | None


class EmbeddedServer:
    """The PostgreSQL server of one home.

    Args:
        home: JOBMONITOR_HOME. For root the data is kept below /var/lib/jobmonitor, under a name made from `home`.
        durable: False trades safety in a power cut for speed; for tests and the demo.
        bound: the server ends with this process, however the process ends. Without it, it runs until `stop()`.
        state: root's folder, for tests.
    """

    def __init__(self, home: Path, *, durable: bool = True, bound: bool = False, state: Path = STATE) -> None:
        self.home = home
        self._durable = durable
        self._bound = bound
        self._where = places(home, state)
        self._data = self._where.folder / "data"
        self._log_start = 0
        self._guard: subprocess.Popen[bytes] | None = None

    # What others call

    def start(self) -> str:
        """Start the server unless it runs; several processes may call this at once. Returns its SQLAlchemy URL.

        Raises:
            DatabaseUnavailable: it cannot be made or started; the message says why and where the log is.
        """
        if not self._reachable():
            try:
                with self._starting():
                    self._start()
            except (OSError, psycopg.Error) as error:
                raise DatabaseUnavailable(f"The embedded database cannot start: {error}") from error
        return self.url()

    def stop(self) -> bool:
        """Stop the server and wait until its last process is gone. Returns whether it was running."""
        if not self._data.is_dir():
            return False
        with self._starting():
            running = self._is_alive()
            if not (self._end("fast") or self._end("immediate")):
                raise DatabaseUnavailable(f"The embedded database does not stop. Its log: {self.log}")
            self._release_guard()
            return running

    def remove(self) -> None:
        """Stop the server and delete its data. For homes that were made to be thrown away."""
        self.stop()
        with suppress(OSError):
            shutil.rmtree(socket_folder(self._where))
        shutil.rmtree(self._where.folder, ignore_errors=True)

    def status(self) -> ServerStatus:
        """Whether it runs, its process, and where things are."""
        alive = self._data.is_dir() and self._is_alive()
        pid, folder = self._noted() if alive else (None, None)
        return ServerStatus(alive, pid, self._where.folder, folder)

    def url(self, database: str = DATABASE) -> str:
        """The SQLAlchemy URL of a database of the running server."""
        _, folder = self._noted()
        if folder is None:
            raise DatabaseUnavailable("The embedded database is not running. Start it: jobmonitor db start")
        url = URL.create("postgresql+psycopg", username=cluster.ROLE, database=database, query={"host": str(folder)})
        return url.render_as_string(hide_password=False)

    @property
    def log(self) -> Path:
        """The server's log file."""
        return self._where.folder / "log"

    # Starting

    def _start(self) -> None:
        bin_folder = programs(VERSION, self._where.copies)
        if not self._data.is_dir():
            cluster.make(self.home, self._where, bin_folder, VERSION, durable=self._durable)
        self._await_server(bin_folder)
        self._create_database()
        if self._bound and self._guard is None:
            self._guard = cluster.guard(self._data, bin_folder, self._where.account)

    def _await_server(self, bin_folder: Path) -> None:
        """Launch it once no process of an earlier one is left, and wait until it answers.

        Raises:
            DatabaseUnavailable: it gave up, or did not answer in time.
        """
        deadline = time.monotonic() + START_PATIENCE
        launched = False
        while not self._ping():
            if not self._is_alive():
                if launched:
                    raise DatabaseUnavailable(f"The embedded database stopped while starting: {self._complaint()}")
                self._launch(bin_folder)
                launched = True
            if time.monotonic() > deadline:
                raise DatabaseUnavailable(f"The embedded database does not answer: {self._complaint()}")
            time.sleep(PAUSE)

    def _launch(self, bin_folder: Path) -> None:
        """Start the server with the alive lock in its hands."""
        lock = self._open("alive.lock")
        try:
            self._take(lock)
            folder = socket_folder(self._where)
            self._forget_the_dead(folder)
            settings = self._where.folder / "settings.conf"
            cluster.write_settings(settings, folder, durable=self._durable)
            self._prepare_log()
            server = (bin_folder / "postgres", "-D", self._data, "-c", f"config_file={settings}")
            cluster.launch(server, self.log, self._where.account, keep_open=[lock])
        finally:
            os.close(lock)

    def _forget_the_dead(self, folder: Path) -> None:
        """Remove what a killed server leaves: PostgreSQL would ask whether the pids in there are in use, by anyone.

        Only for whoever holds the alive lock: no process of this server lives, so those pids are a stranger's or a
        zombie's.
        """
        for stale in (self._data / "postmaster.pid", folder / SOCKET, folder / f"{SOCKET}.lock"):
            stale.unlink(missing_ok=True)

    @staticmethod
    def _take(lock: int) -> None:
        """Take the alive lock; another process may hold it for the moment in which it looks."""
        deadline = time.monotonic() + 5
        while True:
            try:
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(PAUSE)

    def _prepare_log(self) -> None:
        """The log belongs to the server; a long one begins anew."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(self.log, flags, 0o600)
        try:
            if os.fstat(file).st_size > LONGEST_LOG:
                os.ftruncate(file, 0)
            if self._where.account is not None:
                os.fchown(file, self._where.account.uid, self._where.account.gid)
            self._log_start = os.fstat(file).st_size
        finally:
            os.close(file)

    def _create_database(self) -> None:
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
            if found is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    # Asking

    def _reachable(self) -> bool:
        """Whether our database answers, without taking a lock: the way of every start but the first."""
        if self._bound or not self._ping():
            return False
        try:
            psycopg.connect(self._conninfo(DATABASE)).close()
        except psycopg.OperationalError:
            return False
        return True

    def _ping(self) -> bool:
        """What pg_isready asks, without a process."""
        _, folder = self._noted()
        return folder is not None and pq.PGconn.ping(self._conninfo(DATABASE).encode()) == pq.Ping.OK

    def _conninfo(self, database: str) -> str:
        _, folder = self._noted()
        return psycopg.conninfo.make_conninfo(host=str(folder), user=cluster.ROLE, dbname=database, connect_timeout=5)

    def _noted(self) -> tuple[int | None, Path | None]:
        """Process and socket folder as `postmaster.pid` notes them; its fifth line appears once the socket is open."""
        try:
            lines = (self._data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except OSError:
            return None, None
        pid = int(lines[0]) if lines and lines[0].isdecimal() else None
        return pid, Path(lines[4]) if len(lines) > 4 and lines[4] else None

    def _is_alive(self) -> bool:
        """Whether any process of the server lives, a dying one included."""
        try:
            lock = self._open("alive.lock")
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False

    def _complaint(self) -> str:
        """What the server's log says since it was launched."""
        try:
            with self.log.open("rb") as file:
                file.seek(self._log_start)
                said = file.read().decode(errors="replace")
        except OSError:
            said = ""
        full = shutil.disk_usage(self._where.folder).free < ROOM_TO_SPEAK
        cause = "No space left on device" if full else cluster.last_words(said)
        return f"{cause} (log: {self.log})"

    # Ending

    def _end(self, mode: str) -> bool:
        """Ask the server to stop, as its own account, and wait until its last process is gone."""
        deadline = time.monotonic() + STOP_PATIENCE
        pid, _ = self._noted()
        if self._is_alive() and pid is not None:
            command = (
                programs(VERSION, self._where.copies) / "pg_ctl",
                "stop",
                "-W",
                "-s",
                "-m",
                mode,
                "-D",
                self._data,
            )
            with suppress(DatabaseUnavailable):  # it went by itself
                cluster.run(command, self._where.account)
        while self._is_alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(PAUSE)
        return True

    def _release_guard(self) -> None:
        if self._guard is not None:
            cluster.dismiss(self._guard)
            self._guard = None

    # Locks

    @contextmanager
    def _starting(self) -> Iterator[None]:
        """One process at a time makes, starts or stops this server."""
        prepare(self._where)
        lock = self._open("start.lock")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _open(self, name: str) -> int:
        return os.open(self._where.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
