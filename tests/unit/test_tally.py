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
    assert ledger["duplicates"] == len(items) - ledger["seen"]
