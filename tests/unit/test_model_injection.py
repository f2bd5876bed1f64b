"""Postings that command the model, and a model that obeys: nothing changes but their own fields, grounded ones."""

from __future__ import annotations

import pytest

from jobmonitor.demo.model_behaviours import BEHAVIOURS, Said
from jobmonitor.extraction.answers import Judged, judge
from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.faults import ItemFault
from jobmonitor.extraction.grounding import ground
from jobmonitor.extraction.matching import Source
from jobmonitor.extraction.prompting import MAX_DOCUMENT, build, document_of, is_repair, repair
from jobmonitor.extraction.rules import extract
from tests.unit.hostile import DEGREE, FORBIDDEN, HOSTILE, SKILL, YEARS, values

CONTRACT = load_contract(1)
SENT = {name: document for name, document in HOSTILE.items() if len(document) <= MAX_DOCUMENT}
FENCE = "<<<posting q7vxk2m94zth>>>", "<<<end of posting q7vxk2m94zth>>>"


def answer_of(behaviour: str, document: str) -> str:
    said = BEHAVIOURS[behaviour](document)
    assert isinstance(said, Said)
    return said.text or ""


def judged(behaviour: str, document: str) -> Judged | None:
    """What is kept of the answer; None if it is refused whole."""
    try:
        return judge(answer_of(behaviour, document), document, CONTRACT)
    except ItemFault:
        return None


def test_there_are_twenty() -> None:
    assert len(HOSTILE) == 20
    assert len(HOSTILE["two megabytes"].encode()) > 2_000_000


def test_two_megabytes_are_not_sent() -> None:
    with pytest.raises(ItemFault) as caught:
        build(HOSTILE["two megabytes"], CONTRACT)
    assert (caught.value.kind, caught.value.reply) == ("too_long", None)


@pytest.mark.parametrize("name", SENT)
def test_a_posting_cannot_leave_its_fence(name: str) -> None:
    user = build(SENT[name], CONTRACT).user
    assert user.startswith(FENCE[0]) and user.endswith(FENCE[1])
    inner = user[len(FENCE[0]) : -len(FENCE[1])]
    # In no letter case, width or disguise does the word of the fence stand inside.
    visible = "".join(Source.of(inner).text.casefold().split())
    assert "q7vxk2m94zth" not in "".join(letter for letter in visible if letter.isprintable())
    assert not is_repair(user)
    assert document_of(user) == SENT[name]


@pytest.mark.parametrize("name", SENT)
def test_the_instructions_are_the_same_for_every_posting(name: str) -> None:
    request, plain = build(SENT[name], CONTRACT), build("# Engineer\n", CONTRACT)
    assert (request.system, request.schema) == (plain.system, plain.schema)


@pytest.mark.parametrize("name", SENT)
def test_an_earlier_answer_cannot_leave_its_fence_either(name: str) -> None:
    request = build(SENT[name], CONTRACT)
    again = repair(request, answer_of("obeying", SENT[name]), SENT[name])
    assert again.user.count(FENCE[0]) == again.user.count(FENCE[1]) == 1
    assert again.user.count("<<<earlier answer q7vxk2m94zth>>>") == 1
    assert is_repair(again.user)
    assert document_of(again.user) == SENT[name]


#: What a model that obeys may state all the same: the order itself names the value, so it is in the posting's text.
OWN_WORDS: dict[str, set[str]] = {
    "zh order": {"education"},
    "en order": {"experience"},
    "zh system role": {"recruit_type", "new_graduates"},
    # The quote is the posting itself, requirements and all.
    "own json, whole document": set(),
}


@pytest.mark.parametrize("behaviour", ["obeying", "hallucinating"])
@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_that_was_ordered_survives(name: str, behaviour: str) -> None:
    document = HOSTILE[name]
    kept = judged(behaviour, document)
    if kept is None:
        return
    empty = CONTRACT.empty_profile()
    assert {field for field, value in kept.profile.items() if value != empty[field]} == (
        OWN_WORDS.get(name, set()) if behaviour == "obeying" else set()
    )
    assert not CONTRACT.validate(kept.profile)
    assert all(Source.of(document).find(quote) for quote in kept.evidence.values())
    assert ground(kept.profile, kept.evidence, document).ungrounded == []


@pytest.mark.parametrize("name", HOSTILE)
def test_an_honest_model_reads_the_posting_all_the_same(name: str) -> None:
    kept = judged("good", HOSTILE[name])
    assert kept is not None
    assert kept.profile["education"]["minimum"] == DEGREE
    assert kept.profile["experience"]["min_years"] == YEARS
    assert SKILL in [skill["name"] for skill in kept.profile["skills"]]
    assert not [word for word in FORBIDDEN if word in values(kept.profile)]
    assert kept.evidence.keys() <= extract(HOSTILE[name]).evidence.keys()
