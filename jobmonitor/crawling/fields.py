"""Strict reading of a site's record: fields are taken out one by one, and what is left over is reported.

A source that renames a required field fails loudly on that day; a field nobody read is named in the
run's statistics unless the adapter's ignore list says that it is out of scope.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from jobmonitor.errors import InvalidInput


class UnreadableRecord(InvalidInput):
    """The record does not have the shape that the adapter knows."""

    code = "unreadable_record"


class Fields:
    """One JSON object whose fields are popped as they are read; the object itself is not changed."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, Mapping):
            raise UnreadableRecord(f"{where} is not an object but {type(value).__name__}")
        self._left: dict[str, Any] = dict(value)
        self._where = where

    def pop(self, name: str) -> Any:
        """A required field.

        Raises:
            UnreadableRecord: the key is missing.
        """
        try:
            return self._left.pop(name)
        except KeyError:
            raise UnreadableRecord(f"{self._where}.{name} is missing") from None

    def pop_text(self, name: str) -> str:
        """A required text; null counts as empty, so that the validate stage can name what is wrong."""
        return as_text(self.pop(name), f"{self._where}.{name}") or ""

    def maybe(self, name: str) -> Any:
        """An optional field, None where it is missing."""
        return self._left.pop(name, None)

    def maybe_text(self, name: str) -> str | None:
        """An optional text, None where it is missing, null or blank."""
        return as_text(self.maybe(name), f"{self._where}.{name}")

    def unread(self, ignored: Collection[str]) -> frozenset[str]:
        """Dotted names of the fields that were neither read nor ignored on purpose; a null one says nothing."""
        left = self._left.items()
        return frozenset(f"{self._where}.{name}" for name, value in left if value is not None and name not in ignored)


def as_text(value: object, where: str) -> str | None:
    """A stated string as sent, numbers in their JSON spelling, None for null and blank.

    Raises:
        UnreadableRecord: a list, object or boolean stands where a text should.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UnreadableRecord(f"{where} is not a text but {type(value).__name__}")
    text = str(value)
    return text if text.strip() else None


def web_address(url: str | None) -> str | None:
    """An http(s) address, None for anything else: it comes from outside and is shown as a link."""
    if url is None:
        return None
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return url.strip() if parts.scheme in {"http", "https"} and parts.netloc else None
