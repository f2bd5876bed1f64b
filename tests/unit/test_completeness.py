"""A channel is incomplete unless its pages prove otherwise."""

from dataclasses import replace

import pytest

from jobmonitor.domain.completeness import judge_listing
from jobmonitor.items import ListPage

PAGE = ListPage(source="tencent", url="https://example.com/1", ids=("1", "2"), total=4, proof="total")
LAST = replace(PAGE, ids=("3", "4"))
FAILED = replace(LAST, failure="http_503", ids=(), proof=None)
BOARD = replace(PAGE, proof="whole_board", total=None)


@pytest.mark.parametrize(
    ("pages", "complete", "proof", "prevented_by"),
    [
        ([PAGE, LAST], True, "total", ()),
        ([PAGE, replace(LAST, ids=("2", "3", "4"))], True, "total", ()),
        ([PAGE], False, None, ("ids 2 of 4",)),
        ([PAGE, replace(LAST, ids=("2", "1"))], False, None, ("ids 2 of 4",)),
        (
            [PAGE, replace(LAST, failure="http_503", ids=(), proof=None)],
            False,
            None,
            ("page 2 answered 503", "ids 2 of 4"),
        ),
        ([BOARD], True, "whole_board", ()),
        ([replace(BOARD, ids=())], True, "whole_board", ()),
        ([replace(BOARD, proof=None)], False, None, ("no proof of completeness is declared",)),
        ([replace(PAGE, total=None)], False, None, ("no total was announced",)),
    ],
)
def test_proofs(pages: list[ListPage], complete: bool, proof: str | None, prevented_by: tuple[str, ...]) -> None:
    verdict = judge_listing("", pages)
    assert (verdict.complete, verdict.proof, verdict.prevented_by) == (complete, proof, prevented_by)


EXHAUSTED = replace(PAGE, proof="exhausted", total=None)


@pytest.mark.parametrize(
    ("pages", "prevented_by"),
    [
        ([EXHAUSTED, replace(EXHAUSTED, walk=2)], ()),
        ([EXHAUSTED, replace(EXHAUSTED, ids=("2", "1"), walk=2)], ()),
        ([EXHAUSTED], ("one walk alone proves nothing without a total",)),
        (
            [EXHAUSTED, replace(EXHAUSTED, ids=("1", "2", "3"), walk=2)],
            ("two walks show different ids (2 and 3)",),
        ),
        (
            [EXHAUSTED, replace(EXHAUSTED, failure="timeout", walk=2)],
            ("one walk alone proves nothing without a total",),
        ),
    ],
)
def test_two_walks_that_show_the_same_exhaust_a_listing(pages: list[ListPage], prevented_by: tuple[str, ...]) -> None:
    verdict = judge_listing("", pages)
    assert verdict.prevented_by == prevented_by
    assert verdict.proof == (None if prevented_by else "exhausted")


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (replace(LAST, number=7, failure="timeout"), "page 7 timed out"),
        (replace(PAGE, number=3, failure="repeated_page"), "page 3 repeats page 1"),
        (replace(LAST, number=9, failure="page_limit"), "page 9 is beyond the limit of pages"),
        (replace(LAST, failure="of_its_own"), "page 2 of_its_own"),
    ],
)
def test_an_obstacle_names_its_page(page: ListPage, words: str) -> None:
    assert words in judge_listing("", [replace(PAGE, number=1), page]).prevented_by


def test_the_smallest_total_of_a_walk_counts() -> None:
    """A posting that closes while the list is read is no obstacle."""
    verdict = judge_listing("", [replace(PAGE, total=5), LAST])
    assert (verdict.complete, verdict.total, verdict.distinct_ids) == (True, 4, 4)


def numbered(first: int, last: int, total: int | None, *, walk: int = 1) -> ListPage:
    return replace(PAGE, ids=tuple(map(str, range(first, last))), total=total, walk=walk)


WRONG_TOTALS = [
    ([numbered(0, 100, 0)], "ids 100 but an announced total of 0"),
    ([numbered(0, 100, -5)], "an announced total of -5"),
    ([numbered(0, 100, True)], "an announced total of 1"),
    ([numbered(0, 100, 10)], "ids 100 but an announced total of 10"),
    ([numbered(0, 0, -1)], "an announced total of -1"),
    ([numbered(0, 100, 3_000_000_000)], "an announced total of 3,000,000,000"),
    ([numbered(0, 100, 8500), numbered(100, 200, 200)], "the announced total moved between 200 and 8,500"),
    ([numbered(0, 100, 250), numbered(100, 200, 0)], "the announced total moved between 0 and 250"),
    ([numbered(0, 100, None)], "no total was announced"),
]


@pytest.mark.parametrize(("pages", "obstacle"), WRONG_TOTALS)
def test_a_wrong_total_proves_nothing(pages: list[ListPage], obstacle: str) -> None:
    verdict = judge_listing("", pages)
    assert (verdict.complete, verdict.prevented_by) == (False, (obstacle,))


def test_a_page_behind_the_end_may_announce_anything() -> None:
    assert judge_listing("", [numbered(0, 100, 100), numbered(0, 0, 0)]).complete
    assert judge_listing("", [numbered(0, 0, 0)]).complete


def test_two_walks_do_not_add_up() -> None:
    """Ids 0 and 1 were withdrawn between the walks, 98 and 99 were never shown: no walk saw all."""
    pages = [numbered(0, 97, 100), numbered(0, 0, 100), numbered(2, 98, 98, walk=2)]
    verdict = judge_listing("", pages)
    assert not verdict.complete
    assert verdict.prevented_by == ("walk 1: ids 97 of 100", "walk 2: ids 96 of 98")
    assert verdict.distinct_ids == 98


def test_a_second_walk_proves_by_itself() -> None:
    failed = replace(PAGE, ids=(), total=None, proof=None, failure="http_503")
    verdict = judge_listing("", [numbered(0, 97, 100), failed, numbered(0, 98, 98, walk=2)])
    assert (verdict.complete, verdict.proof, verdict.total, verdict.prevented_by) == (True, "total", 98, ())


def test_an_interrupted_run_proves_nothing() -> None:
    assert not judge_listing("", [PAGE, LAST], troubles=["the run was interrupted"]).complete


def test_nothing_read_is_not_an_empty_board() -> None:
    assert not judge_listing("", []).complete
