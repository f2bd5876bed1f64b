"""Keeps objects: bytes named by their SHA-256. Small ones go into PostgreSQL, larger ones into files beside it.

A file is written before the row that names it is committed. A transaction that fails leaves at most a file that no row
names, and the next try finds it there. See docs/decisions/0003-objects-in-postgres.md.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import zstandard
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from jobmonitor.errors import CorruptObject, Erased, InvalidInput, NotFound, ObjectStoreUnavailable
from jobmonitor.items import Record
from jobmonitor.storage.models import Object

#: Compressed bytes that still go into the database, in the version's own transaction.
INLINE_LIMIT = 64 * 1024
#: Level 3 packs a 10 kB posting to 41 % in 0.16 ms; level 9 reaches 39 % in five times as long (measured).
LEVEL = 3

_HASH = re.compile(r"[0-9a-f]{64}")


class ObjectRow(TypedDict):
    """A row of table `object`, ready to be inserted. Exactly one of `data` and `path` is set."""

    hash: str
    media_type: str
    charset: str | None
    size: int
    data: bytes | None
    path: str | None


def object_hash(body: bytes) -> str:
    """The name of an object: SHA-256 of its bytes in lower-case hex."""
    return hashlib.sha256(body).hexdigest()


def pack(body: bytes) -> bytes:
    """Compress to one zstd frame, which notes the length and a checksum."""
    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(body)


def unpack(data: bytes) -> bytes:
    """Undo `pack`.

    Raises:
        CorruptObject: the bytes are not a whole zstd frame.
    """
    try:
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise CorruptObject(f"A stored object cannot be unpacked: {error}") from error


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """The files of large objects: `<root>/ab/cd/<hash>.zst`."""

    root: Path

    @staticmethod
    def name(hash: str) -> str:
        """A file's name below the root, made from nothing but a checked hash.

        Raises:
            InvalidInput: that is not a hash.
        """
        if not _HASH.fullmatch(hash):
            raise InvalidInput(f"{hash[:80]!r} is not a SHA-256 in lower-case hex.")
        return f"{hash[:2]}/{hash[2:4]}/{hash}.zst"

    def write(self, hash: str, frame: bytes) -> str:
        """Keep a frame under its hash and return its name. Readers see the whole file or none; it survives a power cut.

        Raises:
            ObjectStoreUnavailable: the file system refuses; the message says why.
        """
        name = self.name(hash)
        path = self.root / name
        try:
            if not (path.is_file() and path.read_bytes() == frame):
                self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _write_atomically(path, frame)
        except OSError as error:
            raise ObjectStoreUnavailable(
                f"The object store {self.root} cannot be written: {error.strerror}."
            ) from error
        return name

    def read(self, hash: str) -> bytes:
        """The frame under a hash.

        Raises:
            CorruptObject: its file is missing or cannot be read.
        """
        path = self.root / self.name(hash)
        try:
            return path.read_bytes()
        except OSError as error:
            raise CorruptObject(f"Object {hash} has lost its file {path}: {error.strerror}.") from error

    def remove(self, hash: str) -> None:
        """Delete the file under a hash, if there is one: an erasure."""
        (self.root / self.name(hash)).unlink(missing_ok=True)


def _write_atomically(path: Path, frame: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(frame)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def object_row(record: Record, store: ObjectStore) -> ObjectRow:
    """A record as a row; where it is too large for the database, its file has been written when this returns."""
    name = object_hash(record.body)
    frame = pack(record.body)
    inline = len(frame) <= INLINE_LIMIT
    return ObjectRow(
        hash=name,
        media_type=record.media_type,
        charset=record.charset,
        size=len(record.body),
        data=frame if inline else None,
        path=None if inline else store.write(name, frame),
    )


def object_rows(records: Iterable[Record], store: ObjectStore) -> list[ObjectRow]:
    """The rows of one transaction, each object once: insert them with `ON CONFLICT (hash) DO NOTHING`."""
    rows: dict[str, ObjectRow] = {}
    for record in records:
        row = object_row(record, store)
        rows.setdefault(row["hash"], row)
    return list(rows.values())


async def read_object(session: AsyncSession | AsyncConnection, store: ObjectStore, hash: str) -> bytes:
    """The bytes that a hash names, checked against it.

    Raises:
        InvalidInput: that is not a hash.
        NotFound: no such object.
        Erased: it was erased on request.
        CorruptObject: what is stored is not what was put there.
    """
    store.name(hash)
    query = select(Object.data, Object.path, Object.erased_at).where(Object.hash == hash)
    row: Any = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFound(f"There is no object {hash}.")
    if row.erased_at is not None:
        raise Erased
    frame = row.data if row.data is not None else await asyncio.to_thread(store.read, hash)
    body = unpack(frame)
    if object_hash(body) != hash:
        raise CorruptObject(f"Object {hash} does not hold the bytes that it names.")
    return body
