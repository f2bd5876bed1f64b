"""Whether a run saw all of a listing channel: incomplete unless it proves otherwise (docs/architecture.md).

Each walk through a listing is judged alone: a second walk meets another state of the site, so that the ids of one
say nothing about the total of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from jobmonitor.items import ListPage

#: A larger announced total is no total; no listing comes near.
MAX_TOTAL = 10_000_000
#: Part of the largest total, and number, by which an announced total may fall while a site is read: postings close.
_SHRINKS_BY = 100
_SHRINKS_AT_LEAST = 2


#: Reasons of failed pages, for a person; any other stands for itself.
_WORDS = {
    "timeout": "timed out",
    "dns": "has a host that is not known",
    "refused": "was refused a connection",
    "network": "was cut off",
    "not_allowed": "is forbidden by robots.txt",
    "robots_unreachable": "could not be asked for: robots.txt cannot be read",
    "page_limit": "is beyond the limit of pages",
    "row_without_id": "has a row without an id",
    "bad_total": "announces no possible total",
    "success_test": "is not the answer that it should be",
    "html": "is a page for people",
    "wall": "is a wall against machines",
    "login": "asks for a login",
    "maintenance": "says that the site is being repaired",
    "empty": "is empty",
    "not_json": "cannot be read",
    "unreadable": "cannot be read",
    "other_host": "lies on another host, which is not asked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelVerdict:
    """What the pages of one listing channel prove."""

    listing: str
    complete: bool
    #: "total", "whole_board" or "exhausted"; None without a proof.
    proof: str | None
    #: Smallest total announced during the walk that is judged: the one that proves, else the last.
    total: int | None
    #: Distinct native ids shown by all walks, rejects included.
    distinct_ids: int
    #: Everything that stood in the way of a proof, for a person.
    prevented_by: tuple[str, ...]


def is_total(value: object) -> TypeGuard[int]:
    """Whether a value from outside can be a number of postings: 0 to `MAX_TOTAL`, and no boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOTAL


def judge_listing(listing: str, pages: Sequence[ListPage], *, troubles: Iterable[str] = ()) -> ChannelVerdict:
    """What `pages` prove of `listing`; `troubles` are obstacles outside the pages, such as an interruption."""
    walks = [[page for page in pages if page.walk == number] for number in sorted({page.walk for page in pages})]
    obstacles = [_obstacles(walk) for walk in walks] or [["no page of it was read"]]
    proving = next((number for number, found in enumerate(obstacles) if not found), None)
    judged = walks[-1 if proving is None else proving] if walks else []
    prevented_by = [*troubles, *(_named(obstacles) if proving is None else ())]
    if proving is not None and all(page.proof == "exhausted" for page in walks[proving] if page.proof):
        prevented_by += _unlike(walks, obstacles)
    return ChannelVerdict(
        listing=listing,
        complete=not prevented_by,
        proof=None if prevented_by else min(page.proof for page in judged if page.proof),
        total=min(_totals(judged), default=None),
        distinct_ids=len({each for page in pages for each in page.ids}),
        prevented_by=tuple(prevented_by),
    )


def _unlike(walks: Sequence[Sequence[ListPage]], obstacles: Sequence[Sequence[str]]) -> list[str]:
    """What keeps walks from exhausting a listing without a total: two of them must show the same ids."""
    shown = [
        {each for page in walk for each in page.ids} for walk, found in zip(walks, obstacles, strict=True) if not found
    ]
    if len(shown) < 2:
        return ["one walk alone proves nothing without a total"]
    if any(one == other for place, one in enumerate(shown) for other in shown[place + 1 :]):
        return []
    return [f"two walks show different ids ({len(shown[0]):,} and {len(shown[1]):,})"]


def _named(obstacles: Sequence[Sequence[str]]) -> list[str]:
    """The obstacles of every walk, with its number where there were several."""
    if len(obstacles) == 1:
        return list(obstacles[0])
    return [f"walk {number}: {each}" for number, found in enumerate(obstacles, start=1) for each in found]


def _obstacles(walk: Sequence[ListPage]) -> list[str]:
    """Everything that keeps one walk from being a proof."""
    found = [
        f"page {page.number or place} {_words(page, walk)}" for place, page in enumerate(walk, start=1) if page.failure
    ]
    proofs = {page.proof for page in walk} - {None}
    if not proofs and not found:
        found.append("no proof of completeness is declared")
    if "total" in proofs:
        found += _doubts({each for page in walk for each in page.ids}, _totals(walk))
    return found


def _words(page: ListPage, walk: Sequence[ListPage]) -> str:
    """What was wrong with a page, for a person."""
    failure = page.failure or ""
    if failure == "repeated_page":
        first = next(
            (place for place, each in enumerate(walk, start=1) if each is not page and set(each.ids) == set(page.ids)),
            None,
        )
        return f"repeats page {walk[first - 1].number or first}" if first else "repeats an earlier page"
    if failure.startswith("http_"):
        return f"answered {failure.removeprefix('http_')}"
    return _WORDS.get(failure, failure)


def _totals(walk: Sequence[ListPage]) -> list[int]:
    """Totals that the walk announced. A page behind the end may say anything, so that it counts only if it is alone."""
    announced = [page for page in walk if page.total is not None]
    telling = [page for page in announced if page.ids] or announced
    return [page.total for page in telling if page.total is not None]


def _doubts(ids: Iterable[str], totals: Sequence[int]) -> list[str]:
    """What is wrong with the totals as a proof that these ids are all."""
    if not totals:
        return ["no total was announced"]
    shown, smallest, largest = len(set(ids)), min(totals), max(totals)
    impossible = next((total for total in totals if not is_total(total)), None)
    if impossible is not None:
        return [f"an announced total of {impossible:,}"]
    if shown > largest:
        return [f"ids {shown:,} but an announced total of {largest:,}"]
    if largest - smallest > max(_SHRINKS_AT_LEAST, largest // _SHRINKS_BY):
        return [f"the announced total moved between {smallest:,} and {largest:,}"]
    return [f"ids {shown:,} of {smallest:,}"] if shown < smallest else []
