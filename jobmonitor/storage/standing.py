"""How texts that were stored before stand when a group is written: what was erased or released stays so.

The rows of `content` are locked first, so that an erasure waits for the group and the group for the erasure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.storage.models import Content, Posting, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """What an erasure or a release made of a content."""

    erased: bool
    #: Why it is held; None = it is not, or was released.
    quarantine: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How the texts of a group stand."""

    #: By content hash.
    texts: Mapping[str, StoredText]
    #: Native ids of rejected postings of which a text was erased: nothing that the site sent of them is kept.
    silenced: frozenset[str]


async def lock_standing(
    conn: AsyncConnection, source: str, contents: Collection[str], rejected: Collection[str]
) -> Standing:
    """Look how texts stand; until the transaction ends, nobody erases or releases one of them.

    Args:
        contents: hashes of the texts.
        rejected: native ids of postings of the source that are rejected; all texts they ever had are looked at.
    """
    earlier = await _texts_of(conn, source, rejected)
    texts = await _lock(conn, set(contents).union(*earlier.values()))
    silenced = {key for key, hashes in earlier.items() if any(texts[each].erased for each in hashes)}
    return Standing(texts=texts, silenced=frozenset(silenced))


async def _texts_of(conn: AsyncConnection, source: str, native_ids: Collection[str]) -> dict[str, set[str]]:
    texts: defaultdict[str, set[str]] = defaultdict(set)
    if not native_ids:
        return texts
    query = (
        select(Posting.native_id, Version.content_hash)
        .join(Version, Version.posting_id == Posting.id)
        .where(Posting.source == source, Posting.native_id.in_(native_ids))
    )
    for native_id, content_hash in await conn.execute(query):
        texts[native_id].add(content_hash)
    return texts


async def _lock(conn: AsyncConnection, hashes: Collection[str]) -> dict[str, StoredText]:
    if not hashes:
        return {}
    # Chosen by hash alone: a row whose erasure is under way is waited for, then read as it became.
    query = select(Content.hash, Content.erased_at, Content.released_at, Content.quarantine)
    query = query.where(Content.hash.in_(hashes)).order_by(Content.hash).with_for_update(read=True)
    return {
        row.hash: StoredText(
            erased=row.erased_at is not None, quarantine=row.quarantine if row.released_at is None else None
        )
        for row in await conn.execute(query)
    }
