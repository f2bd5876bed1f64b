"""Reads boards.toml: companies on a shared system are lines of data, not code (docs/add-a-source.md)."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from jobmonitor.config import project_root
from jobmonitor.errors import ConfigurationError

SHIPPED = "boards.toml"
#: What the table form of a line may set.
KEYS = frozenset({"name", "base_url", "plausible", "settings"})
#: Scrapy settings that a line may set, all of them numbers: how gently a source is asked, and how it ages. What a
#: crawl is made of, and whether robots.txt is obeyed, is no matter of data.
SETTINGS = frozenset(
    {
        "AUTOTHROTTLE_MAX_DELAY", "AUTOTHROTTLE_START_DELAY", "AUTOTHROTTLE_TARGET_CONCURRENCY",
        "CONCURRENT_REQUESTS_PER_DOMAIN", "CONFIRM_GAP", "DETAIL_MAX_AGE", "DOWNLOAD_DELAY", "DOWNLOAD_MAXSIZE",
        "DOWNLOAD_TIMEOUT", "DOWNLOAD_WARNSIZE", "HOST_PATIENCE", "PROBE_AFTER", "RETRY_TIMES",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One line of a boards file."""

    system: str
    board: str
    #: The employer's name for people.
    name: str
    base_url: str | None = None
    #: Fewest and most postings that are believable.
    plausible: tuple[int, int] | None = None
    #: Scrapy settings of this source alone, of those in `SETTINGS`.
    settings: Mapping[str, Any]
    #: Where the line stands, for messages.
    where: str


def load_boards(own_file: str | None = None) -> list[Board]:
    """The shipped boards and then the user's own (`own_file`, else boards.toml beside scrapy.cfg; without one, in the
    working folder).

    Raises:
        ConfigurationError: a file or a line cannot be read; the message names it.
    """
    shipped = resources.files("jobmonitor").joinpath(SHIPPED).read_text(encoding="utf-8")
    boards = list(parse_boards(shipped, SHIPPED))
    own = _own_file(own_file)
    if own is not None:
        boards.extend(parse_boards(_read(own), str(own)))
    return boards


def parse_boards(text: str, file: str) -> Iterator[Board]:
    """The lines of a boards file.

    Raises:
        ConfigurationError: not TOML (with line and column), or a line that does not have the form above.
    """
    try:
        systems = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{file}: {error}") from error
    for system, lines in systems.items():
        if not isinstance(lines, dict):
            raise ConfigurationError(f"{file}: {system!r} must be a section such as [greenhouse]")
        for board, value in lines.items():
            yield _board(system, board, value, f"{file}: [{system}] {board}")


def _board(system: str, board: str, value: object, where: str) -> Board:
    options = {"name": value} if isinstance(value, str) else value
    if not isinstance(options, dict) or not isinstance(options.get("name", board), str):
        raise ConfigurationError(f'{where}: write {board} = "Name" or {board} = {{ name = "Name", … }}')
    unknown = sorted(options.keys() - KEYS)
    if unknown:
        raise ConfigurationError(f"{where}: unknown key {unknown[0]!r}; known are {', '.join(sorted(KEYS))}")
    return Board(
        system=system,
        board=board,
        name=options.get("name", board),
        base_url=_typed(options.get("base_url"), str, where, "base_url must be a text"),
        plausible=_plausible(options.get("plausible"), where),
        settings=_settings(options.get("settings"), where),
        where=where,
    )


def _settings(value: Any, where: str) -> Mapping[str, Any]:
    settings = _typed(value, dict, where, "settings must be a table") or {}
    for name, setting in settings.items():
        if name not in SETTINGS:
            raise ConfigurationError(f"{where}: a line may not set {name}; it may set {', '.join(sorted(SETTINGS))}")
        if isinstance(setting, bool) or not isinstance(setting, int | float) or not 0 <= setting < math.inf:
            raise ConfigurationError(f"{where}: {name} is a number from 0 on, not {setting!r}")
    return settings


def _typed(value: Any, kind: type, where: str, complaint: str) -> Any:
    if value is not None and not isinstance(value, kind):
        raise ConfigurationError(f"{where}: {complaint}")
    return value


def _plausible(value: Any, where: str) -> tuple[int, int] | None:
    if value is None:
        return None
    match value:
        case [int(low), int(high)] if 0 <= low <= high:
            return low, high
    raise ConfigurationError(f"{where}: plausible is two counts, fewest and most, such as [1, 400]")


def _own_file(setting: str | None) -> Path | None:
    folder = project_root() or Path.cwd()  # an egg has no scrapy.cfg: there it is scrapyd's folder
    if setting:
        return folder / setting
    beside = folder / SHIPPED
    return beside if beside.is_file() else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"BOARDS_FILE {path} cannot be read: {error}") from error
