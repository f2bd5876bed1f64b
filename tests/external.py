"""A PostgreSQL 16 over TCP with a password: what an external server looks like to the product."""

from __future__ import annotations

import secrets
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy import URL

from jobmonitor.storage import cluster
from jobmonitor.storage.account import STATE, places, prepare, socket_folder
from jobmonitor.storage.binaries import programs

VERSION = 16
ACCESS = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"


@dataclass(frozen=True, slots=True)
class External:
    """Where the server is."""

    port: int
    password: str

    def url(self, database: str = "postgres") -> str:
        """The SQLAlchemy URL of a database."""
        return URL.create(
            "postgresql+psycopg", cluster.ROLE, self.password, "127.0.0.1", self.port, database
        ).render_as_string(hide_password=False)


class ExternalServer:
    """Starts and removes one; it ends with this process."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._where = places(home, STATE)
        self._data = self._where.folder / "data"
        self._bin = programs(VERSION, self._where.copies)
        self._guard: subprocess.Popen[bytes] | None = None

    def start(self) -> External:
        """Make and start the server on a free port."""
        found = External(_free_port(), secrets.token_hex(8))
        prepare(self._where)
        cluster.make(self._home, self._where, self._bin, VERSION, durable=False)
        (self._data / "pg_hba.conf").write_text(ACCESS)
        settings = self._where.folder / "settings.conf"
        folder = socket_folder(self._where)
        cluster.write_settings(settings, folder, durable=False)
        with settings.open("a") as file:
            file.write(f"listen_addresses = '127.0.0.1'\nport = {found.port}\n")
        log = self._data / "server.log"
        options = f"-c config_file='{settings}'"
        command = (self._bin / "pg_ctl", "start", "-w", "-s", "-D", self._data, "-l", log, "-o", options)
        cluster.run(command, self._where.account)
        self._guard = cluster.guard(self._data, self._bin, self._where.account)
        self._set_password(folder, found)
        return found

    def remove(self) -> None:
        """Stop the server and delete its data."""
        stop = (self._bin / "pg_ctl", "stop", "-w", "-s", "-m", "immediate", "-D", self._data)
        cluster.run(stop, self._where.account)
        if self._guard is not None:
            cluster.dismiss(self._guard)
        shutil.rmtree(self._where.folder)

    @staticmethod
    def _set_password(folder: Path, found: External) -> None:
        with psycopg.connect(host=str(folder), port=found.port, user=cluster.ROLE, dbname="postgres") as connection:
            statement = sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                sql.Identifier(cluster.ROLE), sql.Literal(found.password)
            )
            connection.execute(statement)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
