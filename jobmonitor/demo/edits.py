"""The table of true changes: what an employer does to a posting, each as a function from state to state."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, TypeAlias

from jobmonitor.demo.companies import CHINESE, SYSTEMS, WESTERN, Company, System
from jobmonitor.demo.compose import YEARS
from jobmonitor.demo.postings import Posting
from jobmonitor.demo.texts import Block, Text, bank

Change: TypeAlias = Callable[[Posting, Company, Random], Posting | None]
Effect: TypeAlias = Literal["content", "reverted", "salary", "facts"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One kind of true change. `apply` returns None where the posting has nothing of the sort."""

    apply: Change
    effect: Effect
    within: tuple[System, ...] = SYSTEMS
    #: Probability per posting and day.
    rate: float = 0.0004


def _swap_text(pattern: str, replacement: str) -> Change:
    """A change of one expression in the first line that holds it."""
    expression = re.compile(pattern)

    def apply(posting: Posting, _company: Company, _rng: Random) -> Posting | None:
        done: list[bool] = []

        def once(_block: Block, line: str) -> str:
            if done or not expression.search(line):
                return line
            done.append(True)
            return expression.sub(replacement, line, count=1)

        text = posting.text.map_lines(once)
        return replace(posting, text=text) if done else None

    return apply


def _reword(part: str) -> Change:
    """One line of a part's first list replaced by another sentence of the bank."""
    name = "duties" if part == "duties" else "requirements"

    def apply(posting: Posting, _company: Company, rng: Random) -> Posting | None:
        block = next((each for each in posting.text.blocks if each.part == part and each.kind in _LISTS), None)
        if block is None:
            return None
        bank_lines = bank(posting.language)["families"][posting.family][name]
        said = "\n".join(block.lines)
        fresh = [line for each in bank_lines if (line := each.format_map(dict(posting.slots))) not in said]
        if not fresh:
            return None
        spot = rng.randrange(len(block.lines))
        ending = block.lines[spot][-1] if block.lines[spot][-1] in "；。" else ""
        changed = (*block.lines[:spot], rng.choice(fresh) + ending, *block.lines[spot + 1 :])
        return replace(posting, text=_exchange(posting.text, block, changed))

    return apply


_LISTS = ("bullets", "numbers")


def _exchange(text: Text, block: Block, lines: tuple[str, ...]) -> Text:
    return Text(text.title, tuple(replace(each, lines=lines) if each is block else each for each in text.blocks))


def _order(posting: Posting, _company: Company, _rng: Random) -> Posting | None:
    """The first two duties change places: an employer's priorities are content."""
    block = next((each for each in posting.text.part("duties") if each.kind in _LISTS and len(each.lines) > 2), None)
    if block is None or any(line.startswith("\t") for line in block.lines):
        return None
    first, second, *rest = block.lines
    return replace(posting, text=_exchange(posting.text, block, (second, first, *rest)))


def _title(posting: Posting, _company: Company, rng: Random) -> Posting | None:
    family = bank(posting.language)["families"][posting.family]
    titles = [each for each in family["titles"] if each != posting.text.title]
    return replace(posting, text=posting.text.with_title(rng.choice(titles)))


def _revert(posting: Posting, _company: Company, _rng: Random) -> Posting | None:
    """Back to the text before."""
    if not posting.past or posting.past[-1] == posting.text:
        return None
    return replace(posting, text=posting.past[-1])


def _place_added(posting: Posting, company: Company, rng: Random) -> Posting | None:
    if posting.bracketed or len(posting.stated.locations) > 3:
        return None
    fresh = [city for city in company.cities if city not in posting.stated.locations]
    places = (*posting.stated.locations, rng.choice(fresh))
    return replace(posting, stated=replace(posting.stated, locations=places))


def _place_moved(posting: Posting, company: Company, rng: Random) -> Posting | None:
    fresh = [city for city in company.cities if city not in posting.stated.locations]
    return replace(posting, stated=replace(posting.stated, locations=(rng.choice(fresh),)))


def _department(posting: Posting, company: Company, rng: Random) -> Posting | None:
    fresh = [name for name in company.departments if name != posting.stated.department]
    return replace(posting, stated=replace(posting.stated, department=rng.choice(fresh)))


def _years(posting: Posting, _company: Company, rng: Random) -> Posting | None:
    fresh = [number for number in YEARS if number != posting.stated.years]
    return replace(posting, stated=replace(posting.stated, years=rng.choice(fresh)))


def _raise(posting: Posting, _company: Company, rng: Random) -> Posting | None:
    pay = posting.stated.pay
    if pay is None:
        return None
    step = (1 if pay.by_the_hour else 1000) * rng.randint(1, 9)
    return replace(posting, stated=replace(posting.stated, pay=replace(pay, low=pay.low + step, high=pay.high + step)))


def _restate(posting: Posting, _company: Company, _rng: Random) -> Posting | None:
    """The same pay in other words: the facts differ, the parsed value does not."""
    pay = posting.stated.pay
    forms = {"short": "long", "long": "short"}
    if pay is None or pay.form not in forms or pay.low % 1000 or pay.high % 1000:
        return None
    other = replace(pay, form="long" if pay.form == "short" else "short")
    return replace(posting, stated=replace(posting.stated, pay=other))


#: The first digit of a number that counts something.
_COUNT = r"[1-9](?=\d? ?(?:万次|万样本|人|条|年以上|thousand|Tausend|Kunden|questions|\+ years))"

EDITS: dict[str, Edit] = {
    "reverted": Edit(_revert, "reverted", rate=0.0008),
    "reworded": Edit(_reword("duties"), "content", rate=0.003),
    "silent": Edit(_reword("requirements"), "content", rate=0.002),
    "retitled": Edit(_title, "content", rate=0.001),
    "reordered": Edit(_order, "content"),
    "number": Edit(_swap_text(_COUNT, "7"), "content"),
    "degree": Edit(_swap_text("本科", "硕士"), "content", CHINESE),
    "pay_in_text": Edit(_swap_text("2[.]5万", "3.5万"), "content", CHINESE),
    "power": Edit(_swap_text("10⁵", "105"), "content"),
    "language": Edit(_swap_text(r"\bC(?=语言| and | und )", "C++"), "content"),
    "letter_case": Edit(_swap_text("Python(?= 与| for | gehört)", "python"), "content"),
    "place_added": Edit(_place_added, "facts", (*WESTERN, "joinqq"), rate=0.0008),
    "place_moved": Edit(_place_moved, "facts", ("tencent",), rate=0.0004),
    "department": Edit(_department, "facts", rate=0.0004),
    "years": Edit(_years, "facts", ("tencent",), rate=0.0004),
    "raised": Edit(_raise, "salary", WESTERN, rate=0.001),
    "restated": Edit(_restate, "facts", ("greenhouse",), rate=0.0002),
}
"""Kinds by name. `silent` changes Tencent's detail alone: its list row shows nothing but LastUpdateTime."""
