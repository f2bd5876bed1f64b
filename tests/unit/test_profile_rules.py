"""The rules extractor on own-written postings (profile_cases.jsonl): what it must find, and what it must not."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobmonitor.extraction import pointers
from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.grounding import ground
from jobmonitor.extraction.rules import extract
from jobmonitor.extraction.vocabulary import skills

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "profile_cases.jsonl").read_text(encoding="utf-8").splitlines()
]
CONTRACT = load_contract(1)


def shown(profile: dict[str, Any]) -> set[str]:
    """Skills as the cases write them: a question mark for one that is not required."""
    return {skill["name"] + ("" if skill["required"] else "?") for skill in profile["skills"]}


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    answer = extract(case["text"])
    for pointer, value in case.get("expect", {}).items():
        assert pointers.get(answer.profile, pointer) == value, pointer
    if "skills" in case:
        assert shown(answer.profile) == set(shlex.split(case["skills"]))
    if case.get("empty"):
        assert CONTRACT.is_empty(answer.profile)
    assert_sound(case["text"])


def assert_sound(document: str) -> None:
    """Valid, grounded, each quote exact, each value with a quote."""
    answer = extract(document)
    assert CONTRACT.validate(answer.profile) == []
    assert all(quote and quote in document for quote in answer.evidence.values())
    grounded = ground(answer.profile, answer.evidence, document)
    assert grounded.ungrounded == []
    assert grounded.profile == answer.profile
    assert grounded.evidence == answer.evidence


PIECES = st.sampled_from(
    [piece for case in CASES for piece in case["text"].split()]
    + ["，", "。", "\n", "- ", "：", "/", "、", " ", "1.", "优先"]
)


@given(st.lists(PIECES, max_size=60).map("".join))
@settings(max_examples=80, deadline=None)
def test_any_mixture_of_phrases_gives_a_sound_answer(document: str) -> None:
    assert_sound(document)


@given(st.text(max_size=400))
@settings(max_examples=80, deadline=None)
def test_any_text_gives_a_sound_answer(document: str) -> None:
    assert_sound(document)


@pytest.mark.parametrize(
    "piece",
    [
        "年",
        "3-",
        "1,",
        "熟悉 Go、",
        "a" * 50 + " ",
        "招聘人数",
        "English ",
        "$1",
        "（",
        "优先",
        "\n",
        "- x\n",
        "本科",
        "20",
    ],
)
def test_hostile_length_is_read_in_seconds(piece: str) -> None:
    document = "# 工程师\n\n" + piece * (2_000_000 // len(piece))
    started = time.perf_counter()
    answer = extract(document)
    assert CONTRACT.validate(answer.profile) == []
    assert time.perf_counter() - started < 20


def test_a_reader_gets_the_same_answer_twice() -> None:
    document = CASES[3]["text"]
    assert extract(document) == extract(document)


def test_the_vocabulary_is_large_and_its_groups_are_those_of_the_contract() -> None:
    assert len(skills()) >= 250
    assert {skill.group for skill in skills().values()} <= set(CONTRACT.vocabulary("skills", "items", "group"))
