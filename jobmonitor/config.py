"""The one reader of the environment (`JOBMONITOR_*`): typed, frozen, checked at the door.

docs/configuration.md lists every variable; a test compares the two.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from jobmonitor.errors import ConfigurationError

PREFIX = "JOBMONITOR_"
#: Every variable that is read, without the prefix.
VARIABLES = ("HOME", "DATABASE_URL", "OBJECT_STORE", "TIMEZONE", "CONTRACT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the environment says."""

    #: Folder of the embedded database and of large objects.
    home: Path
    #: SQLAlchemy URL of an external PostgreSQL; None = the embedded server under `home`.
    database_url: str | None
    #: Folder of large objects; hosts that share a database share it too.
    object_store: Path
    #: The zone whose days `--days` and budgets count.
    timezone: ZoneInfo
    #: Contract number that profiles are made under.
    contract: int


def project_root(start: Path | None = None) -> Path | None:
    """The nearest folder at or above `start` (default: the working folder) that holds scrapy.cfg."""
    folder = (start or Path.cwd()).resolve()
    return next((each for each in (folder, *folder.parents) if (each / "scrapy.cfg").is_file()), None)


def default_home(environ: Mapping[str, str]) -> Path:
    """`.jobmonitor/` beside scrapy.cfg; elsewhere the user's state folder; for root /var/lib/jobmonitor."""
    if os.geteuid() == 0:
        return Path("/var/lib/jobmonitor")
    root = project_root()
    if root is not None:
        return root / ".jobmonitor"
    state = environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "jobmonitor"


def load_config(environ: Mapping[str, str] | None = None) -> Config:
    """Read the configuration from `environ` (default: the process environment).

    Raises:
        ConfigurationError: a variable has a value that cannot be used; the message names it and says what would do.
    """
    values = os.environ if environ is None else environ
    home = _folder(values.get(f"{PREFIX}HOME"), "HOME") or default_home(values)
    return Config(
        home=home,
        database_url=_database_url(values.get(f"{PREFIX}DATABASE_URL")),
        object_store=_folder(values.get(f"{PREFIX}OBJECT_STORE"), "OBJECT_STORE") or home / "objects",
        timezone=_timezone(values.get(f"{PREFIX}TIMEZONE") or "UTC"),
        contract=_contract(values.get(f"{PREFIX}CONTRACT") or "1"),
    )


def _folder(text: str | None, name: str) -> Path | None:
    if not text:
        return None
    try:
        text.encode()
        folder = Path(text).expanduser().absolute()
    except (UnicodeEncodeError, RuntimeError) as error:  # RuntimeError: ~nobody
        raise ConfigurationError(f"{PREFIX}{name} {text!r} names no folder: {error}") from error
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{PREFIX}{name} {text!r} is not a folder")
    return folder


def _database_url(text: str | None) -> str | None:
    if not text:
        return None
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:  # ValueError: the port is no number
        raise ConfigurationError(
            f"{PREFIX}DATABASE_URL is not a database URL. It looks like postgresql://user:password@host:5432/name"
        ) from error
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        raise ConfigurationError(
            f"{PREFIX}DATABASE_URL must name a PostgreSQL server (postgresql://…), version 15 or newer"
        )
    return url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)


def _timezone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ConfigurationError(f"{PREFIX}TIMEZONE {name!r} is not an IANA time zone such as Asia/Shanghai") from error


def _contract(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ConfigurationError(f"{PREFIX}CONTRACT must be a whole number from 1, not {text!r}")
    if not files("jobmonitor.extraction").joinpath("contracts", f"{int(text)}.json").is_file():
        raise ConfigurationError(f"{PREFIX}CONTRACT {text}: this release has no such contract")
    return int(text)
