"""Objects: small ones in the database, large ones as files; whole or not at all, and checked when read."""

from __future__ import annotations

import hashlib
import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.errors import CorruptObject, Erased, InvalidInput, NotFound, ObjectStoreUnavailable
from jobmonitor.items import Record
from jobmonitor.storage.models import Object
from jobmonitor.storage.objects import (
    INLINE_LIMIT,
    ObjectStore,
    object_hash,
    object_row,
    object_rows,
    pack,
    read_object,
    unpack,
)

SMALL = Record(body='{"list":{"title":"厨师"}}'.encode())
#: Two megabytes that do not compress.
LARGE = Record(body=random.Random(7).randbytes(2_000_000), media_type="application/pdf")


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "objects")


def files(store: ObjectStore) -> list[Path]:
    return [path for path in store.root.rglob("*") if path.is_file()]


@given(st.binary(max_size=5000))
def test_unpacking_undoes_packing(body: bytes) -> None:
    assert unpack(pack(body)) == body


@pytest.mark.parametrize("data", [b"", b"no frame", pack(b"whole" * 100)[:-3]])
def test_a_broken_frame_is_reported(data: bytes) -> None:
    with pytest.raises(CorruptObject):
        unpack(data)


def test_a_small_object_needs_no_file(store: ObjectStore) -> None:
    row = object_row(SMALL, store)
    assert row["path"] is None
    assert row["data"] is not None
    assert unpack(row["data"]) == SMALL.body
    assert row["size"] == len(SMALL.body)
    assert row["hash"] == hashlib.sha256(SMALL.body).hexdigest()
    assert not store.root.exists()


def test_the_limit_counts_compressed_bytes(store: ObjectStore) -> None:
    assert object_row(Record(body=b"a" * 40 * INLINE_LIMIT), store)["path"] is None


def test_a_large_object_is_a_file_named_by_its_hash(store: ObjectStore) -> None:
    row = object_row(LARGE, store)
    name = object_hash(LARGE.body)
    assert row["data"] is None
    assert row["path"] == f"{name[:2]}/{name[2:4]}/{name}.zst"
    assert files(store) == [store.root / row["path"]]
    assert unpack(store.read(name)) == LARGE.body
    assert store.root.stat().st_mode & 0o077 == 0, "records may hold personal data"


def test_the_same_object_is_written_once(store: ObjectStore) -> None:
    object_row(LARGE, store)
    (file,) = files(store)
    before = file.stat().st_ino
    assert len(object_rows([LARGE, SMALL, LARGE, SMALL], store)) == 2
    assert file.stat().st_ino == before


def test_a_damaged_file_is_mended_by_the_next_write(store: ObjectStore) -> None:
    object_row(LARGE, store)
    (file,) = files(store)
    file.write_bytes(b"damaged")
    object_row(LARGE, store)
    assert unpack(store.read(object_hash(LARGE.body))) == LARGE.body


def test_a_write_that_fails_leaves_nothing(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ObjectStoreUnavailable, match="No space left on device"):
        object_row(LARGE, store)
    assert files(store) == []


def test_the_file_is_synced_before_it_gets_its_name(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("sync"), fsync(handle))[1])
    monkeypatch.setattr(os, "replace", lambda a, b: (steps.append("rename"), replace(a, b))[1])
    object_row(LARGE, store)
    assert steps == ["sync", "rename", "sync"]


@pytest.mark.parametrize("hash", ["../../../etc/passwd", "a" * 63, "A" * 64, "a" * 64 + "/..", "", "a" * 64 + "\n"])
def test_a_path_is_made_from_a_hash_or_not_at_all(store: ObjectStore, hash: str) -> None:
    with pytest.raises(InvalidInput):
        store.read(hash)
    with pytest.raises(InvalidInput):
        store.remove(hash)


async def _keep(engine: AsyncEngine, store: ObjectStore, *records: Record) -> None:
    async with engine.begin() as connection:
        await connection.execute(upsert(Object).on_conflict_do_nothing(), object_rows(records, store))


async def test_what_was_kept_is_read_back(engine: AsyncEngine, store: ObjectStore) -> None:
    await _keep(engine, store, SMALL, LARGE)
    await _keep(engine, store, LARGE, SMALL)
    async with engine.connect() as connection:
        for record in (SMALL, LARGE):
            assert await read_object(connection, store, object_hash(record.body)) == record.body


async def test_other_bytes_under_the_name_are_found_out(engine: AsyncEngine, store: ObjectStore) -> None:
    name = object_hash(b"true")
    async with engine.begin() as connection:
        await connection.execute(insert(Object).values(hash=name, media_type="text/html", size=5, data=pack(b"false")))
        with pytest.raises(CorruptObject, match="does not hold the bytes"):
            await read_object(connection, store, name)


async def test_a_corrupted_or_lost_file_is_found_out(engine: AsyncEngine, store: ObjectStore) -> None:
    await _keep(engine, store, LARGE)
    (file,) = files(store)
    async with engine.connect() as connection:
        whole = bytearray(file.read_bytes())
        whole[len(whole) // 2] ^= 1
        file.write_bytes(whole)
        with pytest.raises(CorruptObject):
            await read_object(connection, store, object_hash(LARGE.body))
        file.unlink()
        with pytest.raises(CorruptObject, match="has lost its file"):
            await read_object(connection, store, object_hash(LARGE.body))


async def test_absent_and_erased_are_told_apart(engine: AsyncEngine, store: ObjectStore) -> None:
    await _keep(engine, store, LARGE)
    name = object_hash(LARGE.body)
    async with engine.begin() as connection:
        with pytest.raises(NotFound):
            await read_object(connection, store, "0" * 64)
        tombstone = {Object.erased_at: Object.created_at, Object.data: None, Object.path: None}
        await connection.execute(update(Object).where(Object.hash == name).values(tombstone))
        store.remove(name)
        with pytest.raises(Erased):
            await read_object(connection, store, name)
    assert files(store) == []
