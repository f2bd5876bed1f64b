"""Judges a model's answer, which is foreign text: JSON, schema, business rules, grounding. See docs/profile.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jobmonitor.domain.canonical import clean_text
from jobmonitor.extraction.business import apply_business_rules
from jobmonitor.extraction.contract import Contract
from jobmonitor.extraction.faults import ItemFault
from jobmonitor.extraction.grounding import ground
from jobmonitor.extraction.matching import Source
from jobmonitor.extraction.statements import clear_unsaid

#: A longer text is no answer: our own bound on output is far below.
MAX_TEXT = 200_000
#: Braces in the chatter before an answer.
MAX_STARTS = 50
#: Evidence is a phrase. A quote of half the posting would hold any value.
MAX_QUOTE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A profile fit to be stored."""

    #: Valid under the contract, each value grounded in the document.
    profile: dict[str, Any]
    #: Quotes that occur in the document, by JSON pointer.
    evidence: dict[str, str]
    #: Number of values that broke a business rule or had no ground, and were taken out.
    ungrounded: int
    #: True if the text says nothing that a profile holds; a success.
    empty: bool


def judge(text: str, document: str, contract: Contract) -> Judged:
    """Take from an answer what the document says.

    Args:
        text: what the model wrote; code fences and chatter around the object are tolerated.
        document: the canonical document that the model was shown.

    Raises:
        ItemFault: `malformed` (no JSON object) or `schema` (another one than was asked for).
    """
    answer = _first_object(text)
    profile, evidence = _parts(answer, contract)
    broken = apply_business_rules(profile, evidence)
    grounded = ground(profile, evidence, document)
    unsaid = clear_unsaid(grounded.profile, grounded.evidence)
    problems = contract.validate(grounded.profile)
    if problems:
        raise ItemFault("schema", f"The profile breaks its contract: {problems[0]}")
    return Judged(
        profile=grounded.profile,
        evidence=_occurring(grounded.evidence, document),
        ungrounded=len(broken) + len(grounded.ungrounded) + len(unsaid),
        empty=contract.is_empty(grounded.profile),
    )


def _parts(answer: Mapping[str, Any], contract: Contract) -> tuple[dict[str, Any], dict[str, str]]:
    profile, evidence = answer.get("profile"), answer.get("evidence")
    if not isinstance(profile, dict) or not isinstance(evidence, dict):
        raise ItemFault("schema", 'The answer must be one object {"profile": {…}, "evidence": {…}}')
    problems = contract.validate(profile)
    if problems:
        raise ItemFault("schema", "The profile breaks its schema:\n" + "\n".join(problems))
    quotes = {pointer: quote for pointer, quote in evidence.items() if isinstance(quote, str)}
    return profile, {pointer: quote for pointer, quote in quotes.items() if len(quote) <= MAX_QUOTE}


def _first_object(text: str) -> dict[str, Any]:
    """The first JSON object that looks like an answer. A part of one that is cut off does not."""
    for found in _objects(text[:MAX_TEXT]):
        if "profile" in found:
            return found
    raise ItemFault(
        "malformed", 'The answer holds no JSON object {"profile": {…}, "evidence": {…}}, or one that is cut off'
    )


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(parse_constant=_no_number, parse_float=_number, parse_int=_number)
    at = text.find("{")
    for _ in range(MAX_STARTS):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield _clean(value)
        at = text.find("{", end)


def _number(text: str) -> int | float:
    """3.0 is 3: years, months and head counts are compared with the text as whole numbers."""
    value = float(text)
    if value - value != 0:
        raise ValueError(text)
    return int(value) if value.is_integer() else value


def _no_number(text: str) -> float:
    raise ValueError(text)


def _clean(value: Any) -> Any:
    """Without NUL, control characters and lone surrogates, which no database takes."""
    match value:
        case str():
            return clean_text(value)
        case list():
            return [_clean(each) for each in value]
        case dict():
            return {clean_text(key): _clean(each) for key, each in value.items()}
        case _:
            return value


def _occurring(evidence: Mapping[str, str], document: str) -> dict[str, str]:
    """Quotes that the document holds. Grounding judges those that carry a value; the others are dropped here."""
    source = Source.of(document)
    return {pointer: quote for pointer, quote in evidence.items() if source.find(quote) is not None}
