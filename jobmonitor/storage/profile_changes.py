"""Events `profile.changed`: what a posting asks for is another thing than under its text before. No call is made."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain.profile_changes import profile_changes
from jobmonitor.storage.events import NewEvent


async def changes_of_contents(
    conn: AsyncConnection, contract: int, contents: Collection[str], at: dt.datetime
) -> list[NewEvent]:
    """Of every posting whose present text, or the text before it, has just got its profile and the other has one."""
    if not contents:
        return []
    return await _changes(conn, _OF_CONTENTS, contract, list(contents), at)


async def changes_of_postings(
    conn: AsyncConnection, contract: int, posting_ids: Collection[int], at: dt.datetime
) -> list[NewEvent]:
    """Of those of these postings whose present text and the one before it have profiles already."""
    if not posting_ids:
        return []
    return await _changes(conn, _OF_POSTINGS, contract, list(posting_ids), at)


async def _changes(
    conn: AsyncConnection, where: str, contract: int, keys: list[str] | list[int], at: dt.datetime
) -> list[NewEvent]:
    rows = await conn.execute(text(f"{_PAIRS} {where} ORDER BY p.reference"), {"contract": contract, "keys": keys})
    found = [(row, profile_changes(row.before, row.after)) for row in rows]
    return [
        NewEvent(
            kind="profile.changed",
            at=at,
            posting_id=row.id,
            posting=row.reference,
            source=row.source,
            version=row.number,
            content=row.content_hash,
            payload={"contract": contract, "changes": changes},
        )
        for row, changes in found
        if changes
    ]


#: The present text of a posting, and the newest text before it that is another one, each with its current profile.
_PAIRS = """
SELECT p.id, p.reference, p.source, v.number, v.content_hash, old.profile AS before, new.profile AS after
FROM version v
JOIN posting p ON p.id = v.posting_id
JOIN LATERAL (
    SELECT w.content_hash FROM version w
    WHERE w.posting_id = v.posting_id AND w.number < v.number AND w.content_hash <> v.content_hash
    ORDER BY w.number DESC LIMIT 1
) was ON true
JOIN extraction here ON here.content_hash = v.content_hash AND here.contract = :contract
JOIN extraction there ON there.content_hash = was.content_hash AND there.contract = :contract
JOIN profile new ON new.id = here.profile_id
JOIN profile old ON old.id = there.profile_id
WHERE v.valid_to IS NULL AND v.number > 1 AND
"""
_OF_CONTENTS = """
v.posting_id IN (SELECT posting_id FROM version WHERE content_hash = ANY(CAST(:keys AS text[])))
AND (v.content_hash = ANY(CAST(:keys AS text[])) OR was.content_hash = ANY(CAST(:keys AS text[])))
"""
_OF_POSTINGS = "v.posting_id = ANY(CAST(:keys AS bigint[]))"
