"""The golden table: pairs of postings that must be one content, or two, and what each rule is there for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jobmonitor.domain import canonical, document
from jobmonitor.domain.canonical import content_hash
from jobmonitor.domain.document import build_document
from jobmonitor.items import Section, SectionFormat

TABLE = Path(__file__).parent / "golden" / "pairs.jsonl"
PAIRS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
#: Steps whose effect the fold levels in the hash; they are for readers of the document.
ONLY_FOR_READERS = {"blocks"}
HASHED_STEPS = [step.name for step in document.CLEANING_STEPS if step.name not in ONLY_FOR_READERS]


def hash_of(side: dict[str, Any], slogans: list[str]) -> str:
    kind: SectionFormat = "html" if "html" in side else "text"
    sections = [Section(body=side[kind], format=kind)]
    title, locations = side.get("title", "工程师"), side.get("locations", ())
    return content_hash(build_document(title, sections, locations=locations, slogans=slogans))


def is_equal(pair: dict[str, Any]) -> bool:
    slogans = pair.get("slogans", [])
    return hash_of(pair["a"], slogans) == hash_of(pair["b"], slogans)


def wrongly_judged() -> set[str]:
    return {pair["name"] for pair in PAIRS if is_equal(pair) != pair["equal"]}


def in_need_of(name: str) -> set[str]:
    """The pairs that the table declares to rest on a rule or step."""
    return {pair["name"] for pair in PAIRS if pair.get("needs") == name}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_pair(pair: dict[str, Any]) -> None:
    assert is_equal(pair) == pair["equal"], pair["why"]


def test_names_are_unique() -> None:
    assert len({pair["name"] for pair in PAIRS}) == len(PAIRS) >= 40


@pytest.mark.parametrize("name", [rule.name for rule in canonical.FOLD_RULES])
def test_every_fold_rule_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "FOLD_RULES", tuple(rule for rule in canonical.FOLD_RULES if rule.name != name))
    assert in_need_of(name)
    assert in_need_of(name) <= wrongly_judged()


@pytest.mark.parametrize("name", HASHED_STEPS)
def test_every_cleaning_step_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without = tuple(step for step in document.CLEANING_STEPS if step.name != name)
    monkeypatch.setattr(document, "CLEANING_STEPS", without)
    assert in_need_of(name)
    assert in_need_of(name) <= wrongly_judged()
