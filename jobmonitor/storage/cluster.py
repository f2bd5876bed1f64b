"""Makes a PostgreSQL data folder and writes its settings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from jobmonitor.errors import DatabaseUnavailable
from jobmonitor.storage.account import Account, Places, borrowed_account, require_account

ROLE = "jobmonitor"
#: Sizes for a small machine; times in UTC; no TCP at all; a socket that only its owner and root may open.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "max_wal_size": "512MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    "log_line_prefix": "%m [%p] %a ",
}
#: What that prefix adds to a line of the log.
_PREFIX = re.compile(r"^\d{4}-\d\d-\d\d [\d:.]+ UTC \[\d+\] (\[unknown\])? *")
#: For a database that may be lost with the machine: tests and the demo. A killed server still loses no commit.
FLEETING = {"fsync": "off", "full_page_writes": "off"}
#: Sorting and lower-casing that do not depend on the machine. Built in since 17.
LOCALE = {18: ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"), 16: ("--locale=C",)}


class Identity(TypedDict, total=False):
    """The arguments of `subprocess` that choose whom a program runs as."""

    user: int
    group: int
    extra_groups: list[int]


def identity(account: Account | None) -> Identity:
    """How to start a program as `account`; None = as we are."""
    return Identity() if account is None else Identity(user=account.uid, group=account.gid, extra_groups=[])


def run(
    command: Sequence[str | Path], account: Account | None, *, keep_open: Sequence[int] = (), detached: bool = False
) -> str:
    """Run a PostgreSQL program, as `account` if given, and return what it printed.

    Args:
        command: the program and its arguments.
        account: whom to run it as.
        keep_open: descriptors that it inherits.
        detached: in a session of its own, where no Ctrl-C of this terminal reaches it.

    Raises:
        DatabaseUnavailable: it failed; the message ends with its last words.
    """
    try:
        done = subprocess.run(  # noqa: S603
            [str(each) for each in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            cwd="/",
            umask=0o077,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            pass_fds=keep_open,
            start_new_session=detached,
            **identity(account),
        )
    except OSError as error:
        raise DatabaseUnavailable(f"The embedded database cannot run {command[0]}: {error.strerror}.") from error
    printed = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise DatabaseUnavailable(f"{Path(command[0]).name} failed: {last_words(printed)}")
    return printed


def launch(server: Sequence[str | Path], log: Path, account: Account | None, *, keep_open: Sequence[int]) -> None:
    """Start a server that outlives us. A shell puts it into the background, and init becomes its parent.

    `pg_ctl start` would do the same, but pastes the paths into a command line, where `$` and quotes in them matter.
    """
    run(("/bin/sh", "-c", '"$@" </dev/null >>"$0" 2>&1 &', log, *server), account, keep_open=keep_open, detached=True)


def last_words(printed: str) -> str:
    """The end of a program's output, where it says what went wrong: the cause often stands above the final line."""
    lines = [_PREFIX.sub("", line.strip()) for line in printed.splitlines() if line.strip()]
    return "; ".join(lines[-4:]) or "it said nothing"


def make(home: Path, where: Places, bin_folder: Path, version: int, *, durable: bool) -> None:
    """Create `<folder>/data`. A half-made one is never taken for whole: it gets its name last."""
    part = where.folder / "data.new"
    shutil.rmtree(part, ignore_errors=True)
    if where.account is None:
        require_account()
        _initdb(part, bin_folder, version, None, durable=durable)
    else:
        _initdb_as_another(part, bin_folder, version, where.account, durable=durable)
    # Root's folders are named by a hash of the home: this says to a person which one it is.
    (where.folder / "home").write_text(f"{home}\n", encoding="utf-8")
    part.rename(where.folder / "data")


def _initdb_as_another(part: Path, bin_folder: Path, version: int, owner: Account, *, durable: bool) -> None:
    """`initdb` under the borrowed account, in a folder of its own that then changes hands."""
    lent = part.with_name("lent")
    shutil.rmtree(lent, ignore_errors=True)
    borrower = borrowed_account()
    lent.mkdir(mode=0o700)
    os.chown(lent, borrower.uid, borrower.gid)
    _initdb(lent / "data", bin_folder, version, borrower, durable=durable)
    for path in (lent, *lent.rglob("*")):
        os.chown(path, owner.uid, owner.gid, follow_symlinks=False)
    (lent / "data").rename(part)
    lent.rmdir()


def _initdb(data: Path, bin_folder: Path, version: int, account: Account | None, *, durable: bool) -> None:
    command: list[str | Path] = [
        bin_folder / "initdb",
        "-D",
        data,
        "-U",
        ROLE,
        "--auth=trust",
        "--encoding=UTF8",
        *LOCALE[version],
    ]
    if not durable:
        command.append("--no-sync")
    try:
        run(command, account)
    except DatabaseUnavailable:
        shutil.rmtree(data, ignore_errors=True)
        raise


def write_settings(file: Path, socket_folder: Path, *, durable: bool) -> None:
    """Write the server's only settings file, made again at each start."""
    values = SETTINGS | ({} if durable else FLEETING) | {"unix_socket_directories": _listed(socket_folder)}
    file.write_text("".join(f"{name} = {_quoted(value)}\n" for name, value in values.items()), encoding="utf-8")
    file.chmod(0o644)


def _listed(folder: Path) -> str:
    """One folder as an element of a list of folders."""
    return '"' + str(folder).replace('"', '""') + '"'


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def guard(data: Path, bin_folder: Path, account: Account | None) -> subprocess.Popen[bytes]:
    """Stop a server when this process ends: a shell waits for its input to close, which even `kill -9` brings about."""
    script = 'read -r word; [ "$word" = done ] || exec "$@"'
    stop = (str(bin_folder / "pg_ctl"), "stop", "-s", "-m", "fast", "-D", str(data))
    return subprocess.Popen(  # noqa: S603
        ("/bin/sh", "-c", script, "sh", *stop),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        **identity(account),
    )


def dismiss(watcher: subprocess.Popen[bytes]) -> None:
    """End a guard whose server has been stopped otherwise."""
    with suppress(BrokenPipeError):
        watcher.communicate(b"done\n")
