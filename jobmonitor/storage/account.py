"""Which account and folders an embedded server uses: the user's own; for root, private ones under /var/lib/jobmonitor.

PostgreSQL refuses to run as root. Creating an account would change a machine that is not ours, so root's server runs
under a user id that has none; only `initdb` insists on an account, and borrows `nobody` for the second it takes.
"""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from jobmonitor.errors import DatabaseUnavailable

#: Root's own folder for embedded servers. `0711`: the server's account must pass through, not look around.
STATE = Path("/var/lib/jobmonitor")
#: User ids that neither Debian nor systemd hands out (systemd docs/UIDS-GIDS.md: 60578…61183 unused).
FREE_IDS = range(60832, 61184)
#: The socket's file name, which PostgreSQL chooses; a path of at most 107 bytes leaves the rest for its folder.
SOCKET = ".s.PGSQL.5432"
LONGEST_SOCKET_FOLDER = 107 - len(f"/{SOCKET}")


@dataclass(frozen=True, slots=True)
class Account:
    """A user id and group id that programs run under."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Places:
    """Where one home's embedded server lives, and as whom."""

    #: Folder of everything that belongs to the server: `data`, `run`, the log and the locks.
    folder: Path
    #: Where programs are copied to; None = the wheel's are used in place.
    copies: Path | None
    #: Whom to run the server as; None = whoever we are.
    account: Account | None


def digest(home: Path) -> str:
    """A short name for a home, for folders outside it."""
    return hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:12]


def places(home: Path, state: Path = STATE) -> Places:
    """The places for `home`: inside it for an ordinary user; for root below `state`, as others cannot enter root's."""
    if os.geteuid() != 0:
        return Places(folder=home / "postgres", copies=None, account=None)
    folder = state / "postgres" / digest(home)
    return Places(folder=folder, copies=state / "programs", account=_server_account(folder))


def prepare(where: Places) -> None:
    """Create the server's folder, and touch the permissions of nothing that was there before us.

    Root keeps that folder itself, so that the server's account cannot slip a link among the files that root writes.
    """
    if where.account is None:
        where.folder.mkdir(parents=True, exist_ok=True)
        where.folder.chmod(0o700)
        return
    for each in (where.folder.parent.parent, where.folder.parent, where.folder):  # ours: state, state/postgres, …
        each.mkdir(parents=True, exist_ok=True)
        if not each.stat().st_mode & 0o001:
            each.chmod(0o711)


def _server_account(folder: Path) -> Account:
    """The owner of the data where there is some, else the first free id."""
    data = folder / "data"
    if data.is_dir():
        return Account(data.stat().st_uid, data.stat().st_gid)
    for number in FREE_IDS:
        if not _is_taken(number):
            return Account(number, number)
    raise DatabaseUnavailable(f"Every user id from {FREE_IDS.start} to {FREE_IDS.stop - 1} has an account.")


def _is_taken(number: int) -> bool:
    for look_up in (pwd.getpwuid, grp.getgrgid):
        try:
            look_up(number)
        except KeyError:
            continue
        return True
    return False


def require_account() -> None:
    """`initdb` looks its user's name up and stops where there is none (measured, 18.4): say so in our words."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError as error:
        raise DatabaseUnavailable(
            f"The user id {os.geteuid()} has no account (/etc/passwd), which PostgreSQL needs to make a database. "
            "Run as a user that has one, or set JOBMONITOR_DATABASE_URL to a server of your own."
        ) from error


def borrowed_account() -> Account:
    """An account that `initdb` accepts when root starts it."""
    ordinary = [each for each in pwd.getpwall() if each.pw_uid != 0]
    if not ordinary:
        raise DatabaseUnavailable(
            "Started as root, the embedded database needs one account that is not root, for example nobody."
        )
    entry = max(ordinary, key=lambda each: each.pw_name == "nobody")
    return Account(entry.pw_uid, entry.pw_gid)


def socket_folder(where: Places) -> Path:
    """A closed folder for the server's socket: `run` beside the data, or a short one where that path is too long.

    The server notes in `postmaster.pid` where its socket is, so that processes with another TMPDIR find it.
    """
    near = where.folder / "run"
    if len(os.fsencode(near)) <= LONGEST_SOCKET_FOLDER:
        return _closed(near, where.account)
    uid = where.account.uid if where.account else os.geteuid()
    return _closed(Path("/tmp") / f"jobmonitor-{uid}-{digest(where.folder)}", where.account)  # noqa: S108


def _closed(folder: Path, account: Account | None) -> Path:
    """Create `folder` with mode 0700; refuse one that someone else put there first."""
    owner = account or Account(os.geteuid(), os.getegid())
    try:
        folder.mkdir(mode=0o700)
        if account is not None:
            os.chown(folder, owner.uid, owner.gid)
    except FileExistsError:
        pass
    state = folder.lstat()
    if folder.is_symlink() or not folder.is_dir() or state.st_uid != owner.uid or state.st_mode & 0o077:
        raise DatabaseUnavailable(
            f"{folder} is not a closed folder of our own (owner {owner.uid}, mode 700). Remove it."
        )
    return folder
