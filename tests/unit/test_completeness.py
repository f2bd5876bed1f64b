"""A channel is incomplete unless its pages prove otherwise."""

from dataclasses import replace

import pytest

from jobmonitor.domain.completeness import judge_listing
from jobmonitor.items import ListPage

PAGE = ListPage(source="tencent", url="https://example.com/1", ids=("1", "2"), total=4, proof="total")
LAST = replace(PAGE, ids=("3", "4"))
BOARD = replace(PAGE, proof="whole_board", total=None)


@pytest.mark.parametrize(
    ("pages", "complete", "proof", "prevented_by"),
    [
        ([PAGE, LAST], True, "total", ()),
        ([PAGE, replace(LAST, ids=("2", "3", "4"))], True, "total", ()),
        ([PAGE], False, None, ("ids 2 of 4",)),
        ([PAGE, replace(LAST, ids=("2", "1"))], False, None, ("ids 2 of 4",)),
        ([PAGE, replace(LAST, failure="http_503", ids=(), proof=None)], False, None, ("page 2 http_503", "ids 2 of 4")),
        ([BOARD], True, "whole_board", ()),
        ([replace(BOARD, ids=())], True, "whole_board", ()),
        ([replace(BOARD, proof=None)], False, None, ("no proof of completeness is declared",)),
        ([replace(PAGE, total=None)], False, None, ("no total was announced",)),
    ],
)
def test_proofs(pages: list[ListPage], complete: bool, proof: str | None, prevented_by: tuple[str, ...]) -> None:
    verdict = judge_listing("", pages)
    assert (verdict.complete, verdict.proof, verdict.prevented_by) == (complete, proof, prevented_by)


def test_the_smallest_total_of_the_walk_counts() -> None:
    verdict = judge_listing("", [replace(PAGE, total=5), LAST])
    assert (verdict.complete, verdict.total, verdict.distinct_ids) == (True, 4, 4)


def test_an_interrupted_run_proves_nothing() -> None:
    assert not judge_listing("", [PAGE, LAST], troubles=["the run was interrupted"]).complete


def test_nothing_read_is_not_an_empty_board() -> None:
    assert not judge_listing("", []).complete
