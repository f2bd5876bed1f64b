"""Requests: static first, the document last and fenced, reversibly; prices known before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from jobmonitor.errors import ConfigurationError, NotFound
from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.faults import ItemFault
from jobmonitor.extraction.pricing import Price, most_input_tokens, parse_price, price_of, unknown_price, worst_case
from jobmonitor.extraction.prompting import (
    MAX_ANSWER,
    MAX_DOCUMENT,
    MAX_ERROR,
    Prompt,
    build,
    document_of,
    is_repair,
    load_prompt,
    repair,
)
from jobmonitor.extraction.rules import extract

CONTRACT = load_contract(1)
WORD = "q7vxk2m94zth"


def test_the_system_prompt_is_static_and_holds_the_contract() -> None:
    first, second = build("# a\n", CONTRACT), build("# b\n", CONTRACT)
    assert first.system == second.system
    assert CONTRACT.text.strip() in first.system
    assert "# a" not in first.system


def test_a_prompt_has_a_version_and_can_be_polished() -> None:
    shipped = load_prompt()
    polished = Prompt(name="profile-1", text=shipped.text + "\nBe brief.\n")
    assert shipped.version.startswith("profile-1/") and shipped.version != polished.version
    assert "Be brief." in build("# a\n", CONTRACT, polished).system
    with pytest.raises(NotFound):
        load_prompt("profile-0")


@given(st.text(max_size=60), st.sampled_from([WORD, "q7vxk2~m94zth", WORD.upper(), "q7vxk2 m94zth", "<<<posting", "~"]))
def test_the_document_comes_back_as_it_was(text: str, hostile: str) -> None:
    document = f"{text}{hostile}{text}"
    request = build(document, CONTRACT)
    assert document_of(request.user) == document
    assert request.user.count(WORD) == 2
    again = repair(request, document, document)
    assert document_of(again.user) == document
    assert again.user.count(WORD) == 6
    assert is_repair(again.user) and not is_repair(request.user)


def test_text_without_a_document() -> None:
    assert document_of("hello") is None


def test_a_repair_is_bounded_and_keeps_the_prefix() -> None:
    request = build("# a\n", CONTRACT)
    again = repair(request, "x" * 100_000, "y" * 100_000)
    assert again.user.startswith(request.user)
    assert again.system == request.system
    assert len(again.user) < len(request.user) + MAX_ANSWER + MAX_ERROR + 500


def test_what_is_too_long_is_not_sent() -> None:
    assert build("x" * MAX_DOCUMENT, CONTRACT)
    with pytest.raises(ItemFault, match="60,001 characters") as caught:
        build("x" * (MAX_DOCUMENT + 1), CONTRACT)
    assert caught.value.kind == "too_long"


def test_the_schema_of_an_answer() -> None:
    schema = build("# a\n", CONTRACT).schema
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)
    answer = extract("# 后端工程师\n\n- 本科及以上，3年以上经验，精通 Java\n")
    assert judge.is_valid({"profile": answer.profile, "evidence": answer.evidence})
    assert judge.is_valid({"profile": CONTRACT.empty_profile(), "evidence": {}})
    assert not judge.is_valid({"profile": {}, "evidence": {}})
    assert "description" not in json.dumps(schema)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("0.15/0.60", ("0.15", "0.15", "0.60")),
        ("2 / 0.5 / 10", ("2", "0.5", "10")),
        ("0/0", ("0", "0", "0")),
    ],
)
def test_a_price_in_configuration(text: str, price: tuple[str, str, str]) -> None:
    million = Decimal(1_000_000)
    each = [Decimal(part) / million for part in price]
    assert parse_price(text) == Price(input=each[0], cached_input=each[1], output=each[2])


@pytest.mark.parametrize("text", ["", "1", "a/b", "1/-1", "1/2/3/4", "inf/1", "nan/1"])
def test_what_is_no_price(text: str) -> None:
    with pytest.raises(ConfigurationError, match="JOBMONITOR_LLM_PRICE"):
        parse_price(text)


def test_cached_tokens_have_their_own_price() -> None:
    price = parse_price("10/1/100")
    million = Decimal(1_000_000)
    assert (
        price.cost(input_tokens=1_000, cached_tokens=400, output_tokens=10) == Decimal(600 * 10 + 400 + 1_000) / million
    )
    assert price.cost(input_tokens=100, cached_tokens=400, output_tokens=0) == Decimal(100) / million


def test_prices_in_the_entries_of_the_cost_map() -> None:
    assert price_of({}) is None
    assert price_of({"input_cost_per_token": 1e-6}) is None
    plain = price_of({"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6})
    assert plain is not None and plain.cached_input == plain.input == Decimal("0.000001")
    free = price_of({"input_cost_per_token": 0, "output_cost_per_token": 0.0})
    assert free is not None and free.output == 0
    tiers = [
        {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "range": [0, 32_000]},
        {"input_cost_per_token": 3e-6, "output_cost_per_token": 4e-6, "range": [32_000, 256_000]},
        {"input_cost_per_token": 9e-6, "output_cost_per_token": 9e-6, "range": [256_000, 1_000_000]},
    ]
    tiered = price_of({"tiered_pricing": tiers})
    assert tiered is not None
    assert (tiered.input, tiered.most_input, tiered.most_output) == (
        Decimal("0.000001"),
        Decimal("0.000003"),
        Decimal("0.000004"),
    )
    dearer = price_of(
        {
            "input_cost_per_token": 1e-6,
            "output_cost_per_token": 2e-6,
            "cache_read_input_token_cost": 1e-7,
            "cache_creation_input_token_cost": 1.25e-6,
            "input_cost_per_token_above_200k_tokens": 2e-6,
            "input_cost_per_token_above_272k_tokens": 8e-6,
            "input_cost_per_token_priority": 9e-6,
            "output_cost_per_reasoning_token": 5e-6,
        }
    )
    assert dearer is not None
    assert (dearer.cached_input, dearer.most_input, dearer.most_output) == (
        Decimal("1e-7"),
        Decimal("0.000002"),
        Decimal("0.000005"),
    )
    request = build("# a\n", CONTRACT)
    assert worst_case(request, dearer) == most_input_tokens(request) * Decimal("0.000002") + 4_000 * Decimal("0.000005")


@given(st.text(max_size=200))
def test_the_bound_on_tokens_counts_bytes(text: str) -> None:
    request = build(text, CONTRACT)
    assert most_input_tokens(request) > len(request.system.encode()) + len(text.encode("utf-8", "surrogatepass"))


def test_ligatures_that_grow_are_counted_as_grown() -> None:
    plain, grown = (most_input_tokens(build(text, CONTRACT)) for text in ("aaa", "\ufdfa"))
    assert grown - plain >= 28


def test_a_missing_price_says_what_to_set() -> None:
    fault = unknown_price("openai/x")
    assert (fault.kind, fault.permanent) == ("budget", True)
    assert "JOBMONITOR_LLM_PRICE" in fault.message


def test_every_list_and_string_of_an_answer_has_an_end() -> None:
    schema = build("# a\n", CONTRACT).schema
    assert list(unbounded(schema, "")) == []
    pointers = schema["properties"]["evidence"]["properties"]
    assert {"/skills/39", "/salary", "/salary/min", "/education/minimum", "/education/majors/0"} <= pointers.keys()
    assert "/skills/40" not in pointers


def unbounded(node: object, path: str) -> Iterator[str]:
    """Places in a schema where an answer could go on for ever."""
    if isinstance(node, list):
        for number, each in enumerate(node):
            yield from unbounded(each, f"{path}/{number}")
    if not isinstance(node, dict):
        return
    if node.get("type") == "array" and "maxItems" not in node:
        yield path
    if node.get("type") == "string" and not node.keys() & {"maxLength", "pattern", "enum"}:
        yield path
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        yield path
    for key, each in node.items():
        yield from unbounded(each, f"{path}/{key}")
