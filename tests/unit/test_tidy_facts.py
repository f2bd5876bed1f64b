"""Facts are shown as stated and named by their fold."""

from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.canonical import facts_hash, fold_facts, tidy_facts
from jobmonitor.items import Facts


def test_facts_keep_their_spelling() -> None:
    facts = tidy_facts(
        Facts(locations=(" Amsterdam,  Netherlands", "amsterdam, Netherlands"), salary="15k - 20k ", department=" ")
    )
    assert facts.locations == ("Amsterdam, Netherlands", "amsterdam, Netherlands")
    assert (facts.salary, facts.department) == ("15k - 20k", None)


@given(st.lists(st.text(max_size=12), max_size=4), st.text(max_size=12))
def test_tidying_never_changes_the_name(places: list[str], salary: str) -> None:
    facts = Facts(locations=tuple(places), salary=salary)
    tidy = tidy_facts(facts)
    assert facts_hash(tidy) == facts_hash(facts)
    assert tidy_facts(tidy) == tidy
    assert len(tidy.locations) == len(fold_facts(facts).locations)
