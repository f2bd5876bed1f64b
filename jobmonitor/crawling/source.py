"""Which source a spider covers: its system, its board, and the arguments that name them.

Every spelling of a source comes to one key: `greenhouse -a board=stripe`, `greenhouse:stripe`, a pasted
address, a line of boards.toml.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Literal, TypeAlias
from urllib.parse import urlsplit

import scrapy
from scrapy.settings import BaseSettings

from jobmonitor.config import load_config
from jobmonitor.domain.reference import source_key
from jobmonitor.errors import ConfigurationError

Boards: TypeAlias = Literal["none", "optional", "required"]


class SourceSpider(scrapy.Spider):
    """A spider that knows its source key. Arguments: `-a board=`, `-a base_url=`."""

    #: Name of the system: file name, spider name and first part of the source key.
    system: ClassVar[str]
    #: Whether a board must, may or must not be named.
    boards: ClassVar[Boards] = "none"
    #: Scheme, host and path prefix of every request; `-a base_url=` sets another host of the same shape.
    base_url: str = ""
    #: The board, for a class made from a line of boards.toml.
    board: str | None = None

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        self.check_arguments(arguments)
        given = arguments.pop("board", None)
        base_url = arguments.pop("base_url", None)
        super().__init__(name, **arguments)
        self.board = self.board or (self.normalise_board(given) if given is not None else None)
        self.base_url = (base_url or self.base_url).rstrip("/")
        #: Key of the source this run covers.
        self.source = source_key(self.system, self.board)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that this run asks, each by one source at a time; none when a folder answers."""
        replayed = self.settings.get("REPLAY_DIR")
        return () if replayed else (urlsplit(self.base_url).netloc.lower(),)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """The source's own settings; that robots.txt is obeyed is none of them, nor of the command line's."""
        super().update_settings(settings)
        settings.set("ROBOTSTXT_OBEY", True, priority="cmdline")
        with suppress(ConfigurationError):  # said when the run is opened
            contact = load_config().contact
            if contact is not None:
                agent = str(settings["USER_AGENT"]).partition(" (")[0]
                settings.set("USER_AGENT", f"{agent} (+{contact})", priority="cmdline")

    @classmethod
    def normalise_board(cls, board: str) -> str:
        """The one spelling of a board; adapters extend it to take a pasted address."""
        return unicodedata.normalize("NFC", board.strip())

    @classmethod
    def check_arguments(cls, arguments: Mapping[str, str]) -> None:
        """Refuse what this system cannot use, before anything starts.

        Raises:
            ConfigurationError: unknown argument, missing or superfluous board, unusable base_url.
        """
        # scrapyd hands its own bookkeeping over as arguments that begin with an underscore.
        unknown = sorted(name for name in arguments if name not in {"board", "base_url"} and not name.startswith("_"))
        if unknown:
            raise ConfigurationError(f"{cls.name} has no argument {unknown[0]!r}; it takes board and base_url")
        cls._check_board(arguments.get("board"))
        base_url = arguments.get("base_url")
        if base_url is not None and (
            urlsplit(base_url).scheme not in {"http", "https"} or not urlsplit(base_url).netloc
        ):
            raise ConfigurationError(f"base_url must look like http://host:port, not {base_url!r}")

    @classmethod
    def _check_board(cls, given: str | None) -> None:
        board = cls.normalise_board(given) if given is not None else ""
        if given is not None and cls.boards == "none":
            raise ConfigurationError(f"{cls.system} has no boards; leave -a board={given} out")
        if given is not None and not board:
            raise ConfigurationError("board is empty")
        if given is not None and cls.board and board != cls.board:
            raise ConfigurationError(f"{cls.name} already names a board; leave -a board={given} out")
        if given is None and not cls.board and cls.boards == "required":
            raise ConfigurationError(f"{cls.system} needs a board: scrapy crawl {cls.system}:BOARD")
