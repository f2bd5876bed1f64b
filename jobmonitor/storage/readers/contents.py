"""Contents, profiles and objects, by the hash that names them."""

from __future__ import annotations

import re

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.errors import Erased, InvalidInput, NotFound
from jobmonitor.storage.readers.rows import Row, first, rows

_HASH = re.compile(r"[0-9a-f]{6,64}")

_PROFILES = """
SELECT f.id, f.content_hash, f.contract, f.producer, f.profile, f.evidence, f.ungrounded, f.created_at,
    f.id IS NOT DISTINCT FROM e.profile_id AS current, e.degraded, e.empty,
    g.model, g.prompt, g.parameters, g.hash AS config
FROM profile f
JOIN extraction e ON e.content_hash = f.content_hash AND e.contract = f.contract
JOIN extraction_config g ON g.id = f.config_id
WHERE f.content_hash = :hash
ORDER BY current DESC, f.contract DESC, f.id DESC
"""

_RECORD = """
SELECT hash, media_type, charset FROM object WHERE hash = :name OR hash = (
    SELECT record_hash FROM version WHERE content_hash = :name ORDER BY valid_from DESC, id DESC LIMIT 1
)
ORDER BY (hash = :name) DESC LIMIT 1
"""


async def full_hash(conn: AsyncConnection, prefix: str, *, tables: tuple[str, ...] = ("content",)) -> str:
    """The whole hash that `prefix` (6 to 64 hex digits) begins, among contents or objects.

    Raises:
        InvalidInput: not a hash, or several begin so.
        NotFound: none begins so.
    """
    wanted = prefix.lower()
    if not _HASH.fullmatch(wanted):
        raise InvalidInput(f"{prefix!r} is not a hash: 6 to 64 hex digits, as `jobmonitor show` prints them.")
    for table in tables:
        found = await _beginning_with(conn, table, wanted)
        if len(found) > 1:
            raise InvalidInput(f"Several hashes begin with {prefix}: give more digits.")
        if found:
            return found[0]
    raise NotFound(f"Nothing is named {prefix}. `jobmonitor show REFERENCE` prints a posting's hashes.")


async def _beginning_with(conn: AsyncConnection, table: str, prefix: str) -> list[str]:
    # `g` sorts after every hex digit: a range that the primary key's bytewise order can use.
    sql = f"SELECT hash FROM {table} WHERE hash >= :low AND hash < :high ORDER BY hash LIMIT 2"  # noqa: S608
    return [row["hash"] for row in await rows(conn, sql, low=prefix, high=f"{prefix}g")]


async def document(conn: AsyncConnection, content_hash: str) -> Row:
    """A content's row: hash, scheme, document.

    Raises:
        NotFound: no content has this hash.
        Erased: only its tombstone is left.
    """
    found = await first(
        conn, "SELECT hash, scheme, document, erased_at FROM content WHERE hash = :hash", hash=content_hash
    )
    if found is None:
        raise NotFound(f"No content is named {content_hash}.")
    if found.pop("erased_at") is not None:
        raise Erased(f"The text {content_hash} was erased on a person's request; its hash and its history remain.")
    return found


async def record_of(conn: AsyncConnection, name: str) -> Row:
    """Hash, media type and charset of the object that `name` means: that very object, or a content's newest record.

    Raises:
        NotFound: neither.
    """
    found = await first(conn, _RECORD, name=name)
    if found is None:
        raise NotFound(f"No record belongs to {name}.")
    return found


async def content_of(conn: AsyncConnection, posting_id: int) -> str:
    """The content hash of a posting's current version.

    Raises:
        NotFound: it has no version.
    """
    found = await first(
        conn, "SELECT content_hash FROM version WHERE posting_id = :id AND valid_to IS NULL", id=posting_id
    )
    if found is None:
        raise NotFound("This posting has no version yet.")
    return str(found["content_hash"])


async def profiles(conn: AsyncConnection, content_hash: str) -> list[Row]:
    """Every profile that a content ever had: the current one of each contract first, then the older ones."""
    return await rows(conn, _PROFILES, hash=content_hash)


async def extractions(conn: AsyncConnection, content_hash: str) -> list[Row]:
    """Where a content's profile stands, per contract, newest contract first."""
    return await rows(
        conn,
        "SELECT contract, state, reason, producer, degraded, empty, attempts FROM extraction"
        " WHERE content_hash = :hash ORDER BY contract DESC",
        hash=content_hash,
    )
