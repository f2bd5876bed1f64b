"""Taking up a run that was cut off: what it has done, so that the rest is all that is done again.

A run that was killed or stopped keeps its number and its logical time. Its done pages are not fetched again, its
pending ones are, and what it has counted so far is read back from the database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from scrapy import Spider
from scrapy.http import Request
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.crawling.pages import restored
from jobmonitor.crawling.tally import Tally
from jobmonitor.domain.reference import LocalKey
from jobmonitor.items import ChangeKind, ListPage, PageName
from jobmonitor.storage import pages as storage

#: States of a page that was not read to its end.
UNFINISHED = frozenset({"pending", "fetched", "extracted"})
#: Kinds of pages that show a listing.
LISTINGS = frozenset({"list", "sitemap", "feed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """What a run did before it was cut off."""

    rows: Sequence[Row[Any]]
    #: Change kind of each posting that it wrote a version of.
    kinds: Mapping[LocalKey, str]
    #: Reason of each reject that it met, by native id.
    rejects: Mapping[str, str]
    #: What it had counted when its heart last beat.
    ledger: Mapping[str, Any] = field(default_factory=dict)

    def asked(self) -> set[tuple[str, int, str]]:
        """Identities of the pages that need not be asked for: they are done, or asked for by `requests`."""
        return {_identity(row) for row in self.rows if row.request_hash and (_is_done(row) or row.request)}

    def requests(self, spider: Spider) -> Iterator[Request]:
        """The pages that were not read to their end, in the order in which they were found."""
        for row in self.rows:
            if not _is_done(row) and row.request:
                about = row.ids[0] if row.kind not in LISTINGS and row.ids else None
                request = restored(row.request, _name(row), about, spider)
                if request is not None:
                    yield request

    def list_pages(self) -> list[ListPage]:
        """List pages that were read to their end, in order."""
        return [_list_page(row) for row in self.rows if row.kind in LISTINGS and _is_done(row)]

    def withdrawn(self, known: Collection[LocalKey]) -> dict[LocalKey, str]:
        """Postings that the site said are closed, with its words."""
        told = [row for row in self.rows if _is_done(row) and row.evidence is not None]
        return {_local(row.channel, row.ids[0], known): row.evidence for row in told if row.ids}

    def probed(self, known: Collection[LocalKey]) -> tuple[set[LocalKey], set[LocalKey]]:
        """Postings whose own address was asked, and those of them that answered that they are open."""
        rows = [row for row in self.rows if row.kind == "probe" and row.ids and _is_done(row)]
        asked = {_local(row.channel, row.ids[0], known) for row in rows}
        alive = [row for row in rows if row.failure is None and row.evidence is None and row.status is not None]
        return asked, {_local(row.channel, row.ids[0], known) for row in alive}

    def recount(self, tally: Tally, known: Collection[LocalKey]) -> None:
        """Count what the done pages showed as the run counted it."""
        tally.remember({key: cast(ChangeKind, kind) for key, kind in self.kinds.items()})
        for listing, native_id in self._met():
            key = _local(listing, native_id, known)
            if key in known:
                tally.posting(key, "unchanged")
            elif native_id in self.rejects:
                tally.reject(key, self.rejects[native_id])

    def _met(self) -> list[tuple[str, str]]:
        """(listing, native id) of everything on the done pages whose own page is not still to be read."""
        waiting = _shown(row for row in self.rows if row.kind == "detail" and not _is_done(row))
        met = _shown(row for row in self.rows if row.kind != "probe" and _is_done(row))
        return [each for each in met if each not in waiting]


async def load_resumed(conn: AsyncConnection, run_id: int, ledger: Mapping[str, Any]) -> Resumed:
    """Read what a run has done."""
    return Resumed(
        rows=await storage.pages_of(conn, run_id),
        kinds=await storage.kinds_of(conn, run_id),
        rejects=await storage.rejects_of(conn, run_id),
        ledger=ledger,
    )


def _shown(rows: Iterable[Row[Any]]) -> dict[tuple[str, str], None]:
    """(listing, native id) of everything that the pages show, in order."""
    return dict.fromkeys((row.channel, each) for row in rows for each in row.ids)


def _is_done(row: Row[Any]) -> bool:
    return row.state not in UNFINISHED


def _identity(row: Row[Any]) -> tuple[str, int, str]:
    return row.channel, row.walk, row.request_hash


def _name(row: Row[Any]) -> PageName:
    return PageName(kind=row.kind, listing=row.channel, walk=row.walk, number=row.number, fingerprint=row.request_hash)


def _local(listing: str, native_id: str, known: Collection[LocalKey]) -> LocalKey:
    """A posting's name in its source: with its channel only where ids collide."""
    return (listing, native_id) if (listing, native_id) in known else ("", native_id)


def _list_page(row: Row[Any]) -> ListPage:
    return ListPage(
        source=row.source,
        kind=row.kind,
        listing=row.channel,
        walk=row.walk,
        number=row.number,
        method=row.method,
        url=row.url,
        fingerprint=row.request_hash,
        status=row.status,
        ids=tuple(row.ids),
        total=row.total,
        proof=row.proof,
        body_hash=row.body_hash,
        failure=row.failure,
    )
