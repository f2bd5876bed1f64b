"""Fold and hashes: pinned values, order that does not matter, and order that does."""

from __future__ import annotations

import dataclasses
import json
import time
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobmonitor.domain.canonical import (
    FACTS_SCHEME,
    MAX_LEVELS,
    SCHEME,
    canonical_json,
    clean_text,
    content_hash,
    facts_hash,
    facts_json,
    fold,
    fold_facts,
    identity_hash,
    sha256_hex,
)
from jobmonitor.items import Facts

RECORD: dict[str, Any] = {
    "list": {"PostId": "1", "LastUpdateTime": "2026年05月11日", "Name": "后台", "Tag": None},
    "detail": {"Data": {"LastUpdateTime": "x", "Parts": [{"id": 1, "seen": 3}, {"id": 2, "seen": 4}]}},
}
VOLATILE = frozenset({"list.LastUpdateTime", "detail.Data.LastUpdateTime", "detail.Data.Parts.seen", "absent.path"})
KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(KEYS, children, max_size=4),
    max_leaves=12,
)


def test_pinned() -> None:
    """A new value here is a new scheme number, never a new expectation."""
    assert (SCHEME, FACTS_SCHEME) == ("canonical/1", "facts/1")
    document = "# 后台 工程师\n\n## 岗位职责\n\n1. 熟悉 Python、C++ 与 Go；\n2. 月薪 2.5万，日处理 10⁵ 笔 —— “可靠”\n"
    assert fold(document) == '#后台工程师#岗位职责1.熟悉Python、C++与Go;2.月薪2.5万,日处理10⁵笔- "可靠"'
    assert content_hash(document) == "92fe8cf28712af324ad7aead1e5d51b33582f90dac62c0adca12290a5d149e7b"
    facts = Facts(locations=("上海", "北京 ", "上海"), salary="２０Ｋ", department=" ")
    assert facts_json(fold_facts(facts)) == {"locations": ["上海", "北京"], "salary": "20K"}
    assert facts_hash(facts) == "f8a8c709eb53a415aec0fcd69281a4a798e8738f7e5706207427c4e183e6c959"
    assert identity_hash(RECORD, VOLATILE) == "1977dc54d84c024e76840b6f6dee3964223e7ee4d72a8f403f683642ece484ad"


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(clean_text(text))
    assert fold(once) == once


@given(st.text(st.characters(codec="utf-8"), max_size=100), st.sampled_from([" ", "\n", "\u200b", "\u3000", "\t"]))
@settings(deadline=None)
def test_spacing_at_the_edges_is_nothing(text: str, space: str) -> None:
    assert content_hash(f"{space}{text}{space}") == content_hash(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10⁵", "105"),
        ("½", "1/2"),
        ("①", "1"),
        ("Go", "go"),
        ("-5", "5"),
        ("1, 2", "1,2"),
        ("C++", "C"),
    ],
)
def test_meaning_stays(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_facts_are_sets_of_folded_strings() -> None:
    one = Facts(locations=("北京", "上海"), salary="20K – 30K", employer="Acme  Inc")
    other = Facts(locations=("上海", "北京", "北京"), salary="20K - 30K", employer="Acme Inc", project="")
    assert facts_hash(one) == facts_hash(other)
    assert facts_hash(one) != facts_hash(dataclasses.replace(one, salary="20K - 35K"))
    assert fold_facts(fold_facts(one)) == fold_facts(one)
    assert facts_json(Facts()) == {}


@pytest.mark.parametrize(
    "change",
    [
        {"LastUpdateTime": "2026年06月01日"},
        {"Tag": "new"},
        {"Name": "前端"},
        {"PostId": "2"},
    ],
)
def test_identity_notices_all_but_the_volatile(change: dict[str, str]) -> None:
    changed = {**RECORD, "list": {**RECORD["list"], **change}}
    same = identity_hash(changed, VOLATILE) == identity_hash(RECORD, VOLATILE)
    assert same == ("LastUpdateTime" in change)


def test_identity_walks_lists_and_leaves_the_record_alone() -> None:
    before = json.dumps(RECORD)
    changed = json.loads(before.replace('"seen": 3', '"seen": 9'))
    assert identity_hash(changed, VOLATILE) == identity_hash(RECORD, list(VOLATILE))
    changed["detail"]["Data"]["Parts"].reverse()
    assert identity_hash(changed, VOLATILE) != identity_hash(RECORD, VOLATILE)
    assert json.dumps(RECORD) == before


def test_a_key_that_arrives_as_null_changes_nothing() -> None:
    record = {**RECORD, "new": None, "list": {**RECORD["list"], "other": None}}
    assert identity_hash(record, VOLATILE) == identity_hash(RECORD, VOLATILE)
    assert identity_hash({"a": "x:null"}, ()) != identity_hash({"a": "x"}, ())


@given(st.dictionaries(KEYS, JSON, max_size=5))
@settings(max_examples=200, deadline=None)
def test_key_order_is_nothing(record: dict[str, Any]) -> None:
    turned = dict(reversed(record.items()))
    assert identity_hash(turned, {"a.b"}) == identity_hash(record, {"a.b"})
    assert json.loads(canonical_json(record)) is not None


def test_canonical_json_cleans_only_when_needed() -> None:
    assert canonical_json({"b": "\ud800x\x00", "a": 2**70}) == b'{"a":"1180591620717411303424","b":"x"}'
    assert canonical_json({"b": 1, "a": "中\n"}) == '{"a":"中\\n","b":1}'.encode()
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_record_that_nests_deeper_than_the_encoder_has_a_spelling(opening: str) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening]
    record = orjson.loads('{"list":' + opening * 900 + "1" + closing * 900 + "}")
    spelled = canonical_json(record)
    assert canonical_json(orjson.loads(spelled)) == spelled
    assert len(identity_hash(record, VOLATILE)) == 64


def test_clean_text() -> None:
    assert clean_text("a\x00b\r\nc\td\ud800\x7f\x85") == "ab\nc\td"


def test_an_unchanged_posting_is_cheap() -> None:
    record = {
        "list": {f"key{n}": "岗位职责" * 4 for n in range(40)},
        "detail": {f"key{n}": "v" * 20 for n in range(20)},
    }
    best = min(_timed(record) for _ in range(50))
    assert best < 400e-6  # 20 µs alone on a machine; the test shares one


def _timed(record: dict[str, Any]) -> float:
    started = time.perf_counter()
    identity_hash(record, VOLATILE)
    return time.perf_counter() - started


@pytest.mark.parametrize("levels", [10, 64, 65, 253, 254, 500, 900, 5000])
def test_json_of_any_depth_has_one_spelling(levels: int) -> None:
    value: Any = {"b": 1, "a": "\x00deep"}
    for _ in range(levels):
        value = [value, {"k": 1}]
    once = canonical_json(value)
    assert canonical_json(orjson.loads(once)) == once


def test_what_lies_too_deep_becomes_its_json_text() -> None:
    value: Any = {"b": [1, {}], "a": 'say "hi"'}
    for _ in range(300):
        value = {"in": value}
    inner = orjson.loads(canonical_json(value))
    while isinstance(inner, dict):
        inner = inner["in"]
    for _ in range(300 - MAX_LEVELS):
        inner = orjson.loads(inner)["in"] if isinstance(inner, str) else inner["in"]
    assert inner == {"a": 'say "hi"', "b": [1, {}]}
