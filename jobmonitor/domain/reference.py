"""Source keys and posting references: one spelling in CLI, API, events and database.

A key is `<system>` or `<system>:<board>`; a reference is `<source key>/[<channel>:]<native id>`.
Characters of a part outside `[A-Za-z0-9._-]` are percent-encoded as UTF-8, so that `:` and `/` are
always the separators.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

from jobmonitor.errors import InvalidReference

#: A posting's name inside its source: channel ("" where ids do not collide) and native id.
LocalKey: TypeAlias = tuple[str, str]

_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]")


def encode_part(part: str) -> str:
    """Percent-encode one part of a key or reference."""
    return _OUTSIDE.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass")), part
    )


def source_key(system: str, board: str | None = None) -> str:
    """`<system>` or `<system>:<board>`, the board percent-encoded."""
    return system if not board else f"{system}:{encode_part(board)}"


def split_source_key(key: str) -> tuple[str, str | None]:
    """System and decoded board of a source key."""
    system, separator, board = key.partition(":")
    return system, unquote(board) if separator else None


def posting_reference(source: str, channel: str, native_id: str) -> str:
    """The one name of a posting in CLI, API and events."""
    prefix = f"{encode_part(channel)}:" if channel else ""
    return f"{source}/{prefix}{encode_part(native_id)}"


class ReferenceParts(NamedTuple):
    """A posting reference taken apart; channel is "" where the ids do not collide."""

    source: str
    channel: str
    native_id: str


def parse_reference(reference: str) -> ReferenceParts:
    """Take a posting reference apart.

    Raises:
        InvalidReference: no `/`, or an empty source or id.
    """
    source, separator, rest = reference.partition("/")
    channel, colon, native_id = rest.rpartition(":")
    if not separator or not source or not native_id:
        raise InvalidReference(reference)
    return ReferenceParts(source, unquote(channel) if colon else "", unquote(native_id))
