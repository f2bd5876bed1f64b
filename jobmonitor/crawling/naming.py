"""After an upgrade of fold or cleaning, a known version is derived again from its record before it is compared.

Hashes made under different rules say nothing about each other. Without this, every posting of a source would look
edited on the day its cleaning gets better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain.versioning import KnownPosting, same_naming, under_known_names
from jobmonitor.errors import Erased
from jobmonitor.items import FingerprintedPosting
from jobmonitor.storage.objects import ObjectStore, read_object
from jobmonitor.storage.writes import previous_versions

#: Derives a stored record's body under the rules of now.
Rederive = Callable[[bytes], FingerprintedPosting]


async def compared_fairly(
    conn: AsyncConnection,
    known: Sequence[KnownPosting | None],
    items: Sequence[FingerprintedPosting],
    *,
    rederive: Rederive,
    objects: ObjectStore,
) -> list[FingerprintedPosting]:
    """The items, in order; a part that the rules of now find unchanged keeps the name it is known by."""
    pairs = list(zip(known, items, strict=True))
    stale = {each.posting_id for each, item in pairs if each is not None and not same_naming(each, item.clean.raw)}
    if not stale:
        return list(items)
    records = {key: row["record_hash"] for key, row in (await previous_versions(conn, stale)).items()}
    named = []
    for each, item in pairs:
        if each is None or each.posting_id not in records:
            named.append(item)
            continue
        again = await _derived_again(conn, records[each.posting_id], rederive, objects)
        if again is None and each.identity_hash == item.clean.raw.identity_hash:
            # Its record was erased, but the site says what it said then: no text comes back under a newer name.
            again = item
        named.append(item if again is None else under_known_names(item, each, again))
    return named


async def _derived_again(
    conn: AsyncConnection, record_hash: str, rederive: Rederive, objects: ObjectStore
) -> FingerprintedPosting | None:
    try:
        return rederive(await read_object(conn, objects, record_hash))
    except Erased:
        return None
