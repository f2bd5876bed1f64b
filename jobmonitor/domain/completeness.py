"""Whether a run saw all of a listing channel: incomplete unless it proves otherwise (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jobmonitor.items import ListPage


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelVerdict:
    """What the pages of one listing channel prove."""

    listing: str
    complete: bool
    #: "total" or "whole_board"; None without a proof.
    proof: str | None
    #: Smallest total announced during the walk.
    total: int | None
    #: Distinct native ids shown, rejects included.
    distinct_ids: int
    #: Everything that stood in the way of a proof, for a person.
    prevented_by: tuple[str, ...]


def judge_listing(listing: str, pages: Sequence[ListPage], *, troubles: Iterable[str] = ()) -> ChannelVerdict:
    """What `pages` prove of `listing`; `troubles` are obstacles outside the pages, such as an interruption."""
    ids = {each for page in pages for each in page.ids}
    total = min((page.total for page in pages if page.total is not None), default=None)
    proofs = {page.proof for page in pages}
    obstacles = [*troubles, *_failures(pages)]
    if proofs <= {None}:
        obstacles.append("no proof of completeness is declared")
    if proofs & {"total"} and (total is None or len(ids) < total):
        obstacles.append("no total was announced" if total is None else f"ids {len(ids):,} of {total:,}")
    return ChannelVerdict(
        listing=listing,
        complete=not obstacles,
        proof=None if obstacles else next(iter(sorted(each for each in proofs if each))),
        total=total,
        distinct_ids=len(ids),
        prevented_by=tuple(obstacles),
    )


def _failures(pages: Sequence[ListPage]) -> list[str]:
    if not pages:
        return ["no page of it was read"]
    return [f"page {number} {page.failure}" for number, page in enumerate(pages, start=1) if page.failure]
