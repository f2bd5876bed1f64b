"""The closing ledger closes, whatever comes twice."""

from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.crawling.tally import Tally

KINDS = st.sampled_from(["new", "reverted", "content", "salary", "facts", "source_only", "unchanged", "rejected"])


@given(st.lists(st.tuples(st.integers(0, 20), KINDS)))
def test_seen_is_the_sum_of_its_sides(items: list[tuple[int, str]]) -> None:
    tally = Tally()
    for number, kind in items:
        if kind == "rejected":
            tally.reject(("", str(number)), "no_title")
        else:
            tally.posting(("", str(number)), kind)  # type: ignore[arg-type]
    ledger = tally.ledger()
    assert ledger["seen"] == ledger["new"] + ledger["changed"] + ledger["unchanged"] + ledger["rejected"]
    assert ledger["seen"] == len({number for number, _ in items})


def test_a_posting_outdoes_a_reject_of_the_same_id() -> None:
    tally = Tally()
    tally.reject(("", "1"), "detail_failed")
    tally.posting(("", "1"), "new")
    tally.reject(("", "1"), "no_title")
    assert (tally.ledger()["new"], tally.ledger()["rejected"], tally.seen) == (1, 0, 1)
