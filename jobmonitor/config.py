"""The one reader of the environment (`JOBMONITOR_*`): typed, frozen, checked at the door.

docs/configuration.md lists every variable; a test compares the two.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from jobmonitor.errors import ConfigurationError

PREFIX = "JOBMONITOR_"
#: Every variable that is read, without the prefix.
VARIABLES = (
    "HOME",
    "DATABASE_URL",
    "OBJECT_STORE",
    "TIMEZONE",
    "CONTRACT",
    "LLM_MODEL",
    "LLM_API_BASE",
    "LLM_CONCURRENCY",
    "LLM_TIMEOUT",
    "LLM_DAILY_BUDGET",
    "LLM_PRICE",
    "LLM_PROMPT",
    "CONTACT",
)


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
    #: The model that is asked, by litellm's name; None = the rules make the profiles.
    llm_model: str | None
    #: Address of an OpenAI-compatible server; None = the provider's own.
    llm_api_base: str | None
    #: Calls under way at a time, over all processes.
    llm_concurrency: int
    #: Seconds before a call counts as unanswered.
    llm_timeout: float
    #: What the calls of one day may cost; None = no cap.
    llm_daily_budget: Decimal | None
    #: Price stated by hand, `input/output` per million tokens; None = as litellm's cost map says.
    llm_price: str | None
    #: A prompt file of one's own in place of the shipped one.
    llm_prompt: Path | None
    #: Where a site's operator can reach whoever runs this: an address or a page, sent with every request.
    contact: str | None = None


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
        llm_model=values.get(f"{PREFIX}LLM_MODEL") or None,
        llm_api_base=_web_address(values.get(f"{PREFIX}LLM_API_BASE"), "LLM_API_BASE"),
        llm_concurrency=_positive(values.get(f"{PREFIX}LLM_CONCURRENCY") or "4", "LLM_CONCURRENCY"),
        llm_timeout=_seconds(values.get(f"{PREFIX}LLM_TIMEOUT") or "25", "LLM_TIMEOUT"),
        llm_daily_budget=_money(values.get(f"{PREFIX}LLM_DAILY_BUDGET"), "LLM_DAILY_BUDGET"),
        llm_price=values.get(f"{PREFIX}LLM_PRICE") or None,
        llm_prompt=_file(values.get(f"{PREFIX}LLM_PROMPT"), "LLM_PROMPT"),
        contact=_header(values.get(f"{PREFIX}CONTACT"), "CONTACT"),
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


def _file(text: str | None, name: str) -> Path | None:
    if not text:
        return None
    path = Path(text).expanduser().absolute()
    if not path.is_file():
        raise ConfigurationError(f"{PREFIX}{name} {text!r} is not a file")
    return path


def _header(text: str | None, name: str) -> str | None:
    if text and (not text.isascii() or not text.isprintable() or set(text) & set("()")):
        raise ConfigurationError(f"{PREFIX}{name} is sent in a header: an address such as mailto:you@example.com")
    return text or None


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


def _positive(text: str, name: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ConfigurationError(f"{PREFIX}{name} must be a whole number from 1, not {text!r}")
    return int(text)


def _contract(text: str) -> int:
    number = _positive(text, "CONTRACT")
    if not files("jobmonitor.extraction").joinpath("contracts", f"{number}.json").is_file():
        raise ConfigurationError(f"{PREFIX}CONTRACT {text}: this release has no such contract")
    return number


def _web_address(text: str | None, name: str) -> str | None:
    if not text:
        return None
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ConfigurationError(f"{PREFIX}{name} must be an address such as http://127.0.0.1:8000/v1, not {text!r}")
    return text


def _seconds(text: str, name: str) -> float:
    number = _decimal(text)
    if number is None or number <= 0:
        raise ConfigurationError(f"{PREFIX}{name} must be a number of seconds above 0, not {text!r}")
    return float(number)


def _money(text: str | None, name: str) -> Decimal | None:
    if not text:
        return None
    amount = _decimal(text)
    if amount is None or amount < 0:
        raise ConfigurationError(f"{PREFIX}{name} must be an amount such as 2.50, not {text!r}")
    return amount


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
