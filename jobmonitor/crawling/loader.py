"""The spider loader: every system of `spiders/`, and a class made for every line of boards.toml."""

from __future__ import annotations

import difflib
import re
from typing import Any

from scrapy import Spider
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader

from jobmonitor.crawling.boards import Board, load_boards
from jobmonitor.crawling.spider import JobSpider
from jobmonitor.domain.reference import source_key, split_source_key
from jobmonitor.errors import ConfigurationError


class SourceLoader(SpiderLoader):
    """Finds a spider by source key in any spelling; `scrapy list` shows one name per source."""

    def __init__(self, settings: BaseSettings) -> None:
        self._boards_file: str | None = settings.get("BOARDS_FILE")
        super().__init__(settings)

    def _load_all_spiders(self) -> None:
        super()._load_all_spiders()
        places: dict[str, str] = {}
        for board in load_boards(self._boards_file):
            spider = self._line(board)
            file = board.where.partition(":")[0]
            if places.get(spider.name) == file:
                raise ConfigurationError(f"{board.where}: {spider.name} stands in the file twice")
            places[spider.name] = file
            self._spiders[spider.name] = spider

    def load(self, spider_name: str) -> type[Spider]:
        """The class of a source; a board that is in no file is made on the spot.

        Raises:
            KeyError: no such source; the message names near ones.
        """
        if spider_name in self._spiders:
            return self._spiders[spider_name]
        system, board = split_source_key(spider_name)
        base = self._spiders.get(system)
        if base is None or not board or not issubclass(base, JobSpider) or base.boards == "none":
            raise KeyError(self._unknown(spider_name))
        key = source_key(system, base.normalise_board(board))
        return self._spiders.get(key) or board_spider(base, board)

    def _line(self, board: Board) -> type[JobSpider]:
        base = self._spiders.get(board.system)
        if base is None or not issubclass(base, JobSpider):
            raise ConfigurationError(f"{board.where}: there is no system {board.system!r}")
        if base.boards == "none":
            raise ConfigurationError(f"{board.where}: {board.system} has no boards")
        try:
            base.check_arguments({"board": board.board, **({"base_url": board.base_url} if board.base_url else {})})
        except ConfigurationError as error:
            raise ConfigurationError(f"{board.where}: {error}") from error
        return board_spider(base, board.board, board)

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.list(), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "`scrapy list` shows every source."
        return f"There is no source {name!r}; {hint}"


def board_spider(base: type[JobSpider], board: str, line: Board | None = None) -> type[JobSpider]:
    """A class for one board of a system, named by its source key."""
    board = base.normalise_board(board)
    attributes: dict[str, Any] = {
        "__doc__": f"{line.name if line else board} on {base.system}.",
        "__module__": base.__module__,
        "name": source_key(base.system, board),
        "board": board,
    }
    if line and line.base_url:
        attributes["base_url"] = line.base_url
    if line and line.plausible:
        attributes["plausible"] = line.plausible
    if line and line.settings:
        attributes["custom_settings"] = {**(base.custom_settings or {}), **line.settings}
    stem = re.sub(r"\W", "_", board)
    return type(f"{base.__name__}_{stem}", (base,), attributes)
