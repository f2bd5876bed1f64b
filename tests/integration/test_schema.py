"""The constraints carry the truth: what must never be, the database refuses."""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import Any

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from jobmonitor.storage.models import Content, Extraction, Object, Posting, Presence, Source, Version

NOW = dt.datetime(2026, 3, 2, 8, tzinfo=dt.UTC)
ONE, TWO = (hashlib.sha256(word).hexdigest() for word in (b"one", b"two"))
VERSION: dict[str, Any] = {
    "posting_id": 1,
    "kind": "new",
    "content_hash": ONE,
    "facts_hash": TWO,
    "facts": {},
    "record_hash": ONE,
    "cleaning": 1,
    "valid_from": NOW,
}


async def _prepare(connection: AsyncConnection) -> None:
    """One source, one object, one content, one posting."""
    await connection.execute(insert(Source).values(key="acme", system="acme"))
    await connection.execute(insert(Object).values(hash=ONE, media_type="application/json", size=3, data=b"..."))
    await connection.execute(insert(Content).values(hash=ONE, scheme="canonical/1", document="# Cook\n"))
    await connection.execute(
        insert(Posting).values(
            source="acme",
            native_id="1",
            reference="acme/1",
            title="Cook",
            identity_hash=ONE,
            first_observed_at=NOW,
        )
    )


async def _refuses(connection: AsyncConnection, statement: Any, constraint: str) -> None:
    """The database refuses the statement, by that constraint, and what stood before stands."""
    savepoint = await connection.begin_nested()
    with pytest.raises(IntegrityError) as caught:
        await connection.execute(statement)
    await savepoint.rollback()
    assert constraint in str(caught.value.orig)


@pytest.mark.parametrize("hash", ["", "a" * 63, "a" * 65, "A" * 64, "g" * 64, "a" * 64 + "\n", " " + "a" * 63])
async def test_a_hash_is_64_hex_digits(engine: AsyncEngine, hash: str) -> None:
    async with engine.connect() as connection:
        content = insert(Content).values(hash=hash, scheme="canonical/1", document="")
        await _refuses(connection, content, "ck_content_hash_is_sha256")
        stored = insert(Object).values(hash=hash, media_type="text/html", size=0, data=b"")
        await _refuses(connection, stored, "ck_object_hash_is_sha256")


@pytest.mark.parametrize("column", ["content_hash", "facts_hash", "record_hash", "facts", "valid_from", "kind"])
async def test_a_version_lacks_nothing(engine: AsyncEngine, column: str) -> None:
    async with engine.connect() as connection:
        await _prepare(connection)
        values = VERSION | {"number": 1, column: None}
        if column == "facts":
            values[column] = text("NULL::jsonb")
        await _refuses(connection, insert(Version).values(values), f'null value in column "{column}"')


async def test_no_hash_column_of_a_version_or_content_is_nullable(engine: AsyncEngine) -> None:
    query = text(
        "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public' "
        "AND table_name IN ('object', 'content', 'version', 'extraction', 'profile') "
        "AND (column_name = 'hash' OR column_name LIKE '%\\_hash') AND is_nullable = 'YES'"
    )
    async with engine.connect() as connection:
        assert (await connection.scalars(query)).all() == []


async def test_versions_are_numbered_without_gaps(engine: AsyncEngine) -> None:
    closed = VERSION | {"valid_to": NOW}
    async with engine.connect() as connection:
        await _prepare(connection)
        await _refuses(connection, insert(Version).values(closed | {"number": 2}), "fk_version_no_gap")
        await connection.execute(insert(Version).values(closed | {"number": 1}))
        await _refuses(connection, insert(Version).values(closed | {"number": 1}), "uq_version_posting_id_number")
        await _refuses(connection, insert(Version).values(closed | {"number": 3}), "fk_version_no_gap")
        await _refuses(connection, insert(Version).values(closed | {"number": 0}), "ck_version_number_positive")
        await connection.execute(insert(Version).values(closed | {"number": 2}))
        await _refuses(connection, text("DELETE FROM version WHERE number = 1"), "fk_version_no_gap")


async def test_versions_of_one_statement_have_no_gaps_either(engine: AsyncEngine) -> None:
    """A group commit inserts several versions of a posting at once, in any order."""
    rows = [VERSION | {"number": number, "valid_to": NOW if number < 3 else None} for number in (3, 1, 2)]
    async with engine.connect() as connection:
        await _prepare(connection)
        await connection.execute(insert(Version).values(rows))


async def test_one_version_is_open(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        await _prepare(connection)
        await connection.execute(insert(Version).values(VERSION | {"number": 1}))
        await _refuses(connection, insert(Version).values(VERSION | {"number": 2}), "uq_version_open")


async def test_a_span_runs_forward(engine: AsyncEngine) -> None:
    earlier = NOW - dt.timedelta(seconds=1)
    async with engine.connect() as connection:
        await _prepare(connection)
        version = insert(Version).values(VERSION | {"number": 1, "valid_to": earlier})
        await _refuses(connection, version, "ck_version_span_forward")


async def test_one_presence_is_open_and_a_closed_one_says_why(engine: AsyncEngine) -> None:
    presence = {"posting_id": 1, "opened_at": NOW, "opened_evidence": "list"}
    async with engine.connect() as connection:
        await _prepare(connection)
        silent = insert(Presence).values(presence | {"closed_at": NOW})
        await _refuses(connection, silent, "ck_presence_closing_has_evidence")
        closed = presence | {"closed_at": NOW, "closed_evidence": "404"}
        await connection.execute(insert(Presence).values(closed))
        await connection.execute(insert(Presence).values(presence))
        await _refuses(connection, insert(Presence).values(presence), "uq_presence_open")


async def test_one_extraction_per_content_and_contract(engine: AsyncEngine) -> None:
    row = {"content_hash": ONE, "contract": 1}
    async with engine.connect() as connection:
        await _prepare(connection)
        await connection.execute(insert(Extraction).values(row))
        await connection.execute(insert(Extraction).values(row | {"contract": 2}))
        await _refuses(connection, insert(Extraction).values(row), "pk_extraction")
        await _refuses(connection, insert(Extraction).values(row | {"content_hash": TWO}), "fk_extraction_content_hash")


async def test_success_without_a_profile_is_refused(engine: AsyncEngine) -> None:
    row = {"content_hash": ONE, "contract": 1}
    async with engine.connect() as connection:
        await _prepare(connection)
        success = insert(Extraction).values(row | {"state": "succeeded"})
        await _refuses(connection, success, "ck_extraction_success_has_profile")
        leased = insert(Extraction).values(row | {"state": "leased"})
        await _refuses(connection, leased, "ck_extraction_lease_has_token")


async def test_one_posting_per_source_channel_and_id(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        await _prepare(connection)
        twin = insert(Posting).values(
            source="acme",
            native_id="1",
            reference="acme/other",
            title="Cook",
            identity_hash=ONE,
            first_observed_at=NOW,
        )
        await _refuses(connection, twin, "uq_posting_source_channel_native_id")


async def test_a_content_is_a_document_or_a_tombstone(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        neither = insert(Content).values(hash=TWO, scheme="canonical/1")
        await _refuses(connection, neither, "ck_content_document_or_tombstone")
        both = insert(Content).values(hash=TWO, scheme="canonical/1", document="# Cook\n", erased_at=NOW)
        await _refuses(connection, both, "ck_content_document_or_tombstone")


async def test_keys_compare_bytewise_and_times_are_aware(engine: AsyncEngine) -> None:
    naive = text(
        "SELECT table_name || '.' || column_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND data_type = 'timestamp without time zone'"
    )
    loose = text(
        "SELECT c.relname || '.' || a.attname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey) "
        "WHERE k.contype IN ('p', 'u', 'f') AND a.atttypid = 'text'::regtype "
        "AND a.attcollation <> '\"C\"'::regcollation AND k.connamespace = 'public'::regnamespace"
    )
    async with engine.connect() as connection:
        assert (await connection.scalars(naive)).all() == []
        assert (await connection.scalars(loose)).all() == []
