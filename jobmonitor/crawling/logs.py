"""Log lines name a posting and a reason; texts from outside never reach the log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter, LogFormatterResult

from jobmonitor.domain.reference import encode_part, posting_reference
from jobmonitor.items import Rejected

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Response
    from twisted.python.failure import Failure

#: Where an item keeps its posting's key, from the last stage to the first.
_PATHS = (("clean", "raw", "key"), ("raw", "key"), ("key",))


#: Characters of a foreign name that a log line holds at most.
LONGEST_NAME = 300


def printable(text: str) -> str:
    """A foreign text that can stand in a log line: short, and nothing in it ends the line or steers a terminal."""
    return "".join(each if each.isprintable() else encode_part(each) for each in text[:LONGEST_NAME])


def item_name(item: object) -> str:
    """`RawPosting greenhouse:stripe/123`; the type alone where there is no posting."""
    return f"{type(item).__name__} {printable(_reference(item))}".rstrip()


def _reference(item: object) -> str:
    for path in _PATHS:
        found: Any = item
        for name in path:
            found = getattr(found, name, None)
        if (reference := getattr(found, "reference", None)) is not None:
            return str(reference)
    if isinstance(item, Rejected):
        return posting_reference(item.source, "", item.key)
    return str(getattr(item, "posting", "") or getattr(item, "url", ""))


class ReferenceLogFormatter(LogFormatter):
    """Scrapy's lines about items, with the item's name for its content."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        """An item passed all stages."""
        return _line(logging.DEBUG, "Passed %(item)s", item)

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """A stage dropped an item; its reason is ours."""
        level = getattr(exception, "log_level", None) or logging.DEBUG
        return _line(level, "Dropped %(item)s: %(why)s", item, why=str(exception))

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """A stage failed on an item; the traceback follows."""
        return _line(logging.ERROR, "Failed on %(item)s: %(why)s", item, why=type(exception).__name__)


def _line(level: int | str, message: str, item: object, **values: str) -> LogFormatterResult:
    number = level if isinstance(level, int) else logging.getLevelNamesMapping()[level]
    return {"level": number, "msg": message, "args": {"item": item_name(item), **values}}
