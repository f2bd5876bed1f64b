"""Grounding: a value stays only if a quote that occurs in the document holds it. See docs/profile.md.

What a model makes up has no quote, or a quote that does not say so. Such a value becomes null and is counted.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from jobmonitor.extraction.fields.degree import DEGREE_WORDS
from jobmonitor.extraction.fields.languages import LANGUAGE_WORDS
from jobmonitor.extraction.matching import Source, is_latin, match_form
from jobmonitor.extraction.phrases import phrase_key
from jobmonitor.extraction.pointers import clear, get, keep_items, quote_for
from jobmonitor.extraction.quantities import says_number
from jobmonitor.extraction.vocabulary import Skill, certificate_words, find_skill, skill_pattern

_NUMBERS = (
    "/experience/min_years",
    "/experience/max_years",
    "/salary/min",
    "/salary/max",
    "/salary/months",
    "/head_count",
)
_DEGREES = ("/education/minimum", "/education/preferred")
#: Single values that need a quote which occurs; what they mean is not judged.
_STATED = (
    "/recruit_type",
    "/new_graduates",
    "/education/full_time_required",
    "/remote",
    "/seniority",
    "/people_management",
)
_PATTERNS = {degree: re.compile(words, re.IGNORECASE) for degree, words in DEGREE_WORDS.items()}
_LANGUAGES = {code: re.compile(words, re.IGNORECASE) for code, words in LANGUAGE_WORDS.items()}
#: A single degree word at the end of a quote lacks what its pattern wants to see next (高中 + 及以上).
_BARE_DEGREES = {"high_school": "高中", "middle_school": "初中"}


@dataclass(frozen=True, slots=True)
class Grounded:
    """A profile of which every part is in the text."""

    profile: dict[str, Any]
    #: Quotes of the values that stayed, by JSON pointer.
    evidence: dict[str, str]
    #: Pointers of the values that were taken out, as they were numbered before.
    ungrounded: list[str]


def ground(profile: Mapping[str, Any], evidence: Mapping[str, str], document: str) -> Grounded:
    """Take out of a profile what the document does not say.

    Args:
        profile: valid under contract 1; it is not changed.
        evidence: exact quotes by JSON pointer; the quote of `/salary` speaks for its parts.
        document: the canonical document.
    """
    return _Grounding(copy.deepcopy(dict(profile)), dict(evidence), Source.of(document)).run()


class _Grounding:
    """One profile being compared with its document."""

    def __init__(self, profile: dict[str, Any], evidence: dict[str, str], source: Source) -> None:
        self.profile = profile
        self.evidence = evidence
        self.source = source
        self.ungrounded: list[str] = []

    def run(self) -> Grounded:
        for pointer in (*_DEGREES, *_NUMBERS, *_STATED):
            value = get(self.profile, pointer)
            if value is not None and not self._holds(pointer, value):
                self._take_out(pointer)
        for pointer in _ITEMS:
            self.ungrounded += keep_items(self.profile, self.evidence, pointer, partial(self._item_holds, pointer))
        self._without_amounts()
        self.evidence = {pointer: quote for pointer, quote in self.evidence.items() if self._is_said(pointer)}
        return Grounded(self.profile, self.evidence, self.ungrounded)

    def _take_out(self, pointer: str) -> None:
        clear(self.profile, self.evidence, pointer)
        self.ungrounded.append(pointer)

    def _holds(self, pointer: str, value: Any) -> bool:
        """True if the value's quote occurs in the document and contains the value."""
        quote = quote_for(self.evidence, pointer)
        words = self.source.find(quote) if quote else None
        if words is None:
            return False
        if pointer in _DEGREES:
            return says_degree(words, value)
        if pointer in _NUMBERS:
            return says_number(words, value, unit=pointer)
        if pointer in _STATED:
            return True
        return _ITEMS[pointer.rpartition("/")[0]](words, value)

    def _item_holds(self, pointer: str, index: int, item: Any) -> bool:
        return self._holds(f"{pointer}/{index}", item)

    def _without_amounts(self) -> None:
        """A pay without any amount says nothing."""
        salary = self.profile["salary"]
        if salary is not None and salary["min"] is None and salary["max"] is None:
            self._take_out("/salary")

    def _is_said(self, pointer: str) -> bool:
        *parents, last = pointer.split("/")
        node = get(self.profile, "/".join(parents)) if len(parents) > 1 else self.profile
        if isinstance(node, list):
            return last.isdigit() and int(last) < len(node)
        return get(self.profile, pointer) is not None


def says_degree(words: str, degree: str) -> bool:
    """True if the words name the degree by one of its aliases."""
    bare = _BARE_DEGREES.get(degree)
    pattern = _PATTERNS.get(degree)  # type: ignore[call-overload]
    return (pattern is not None and pattern.search(words) is not None) or (
        bare is not None and words.strip().endswith(bare)
    )


def says_word(words: str, word: str) -> bool:
    """True if the words contain a word, in match form, as a whole word where it is of Latin script."""
    return bool(match_form(word)) and _contains(words, word)


def says_skill(words: str, skill: Mapping[str, Any]) -> bool:
    """True if the words contain the skill's name or a known alias. Words like Go only in their own letters."""
    name = skill["name"]
    known = find_skill(name)
    if known is None:
        return says_word(words, name)
    keys = {phrase_key(alias) for alias in known.aliases}
    found = {phrase_key(match[0]) for match in skill_pattern().finditer(words)}
    if keys & found or any(_contains(words, alias) for alias in known.aliases):
        return True
    return any(_contains_strict(words, known, word) for word in known.strict)


def says_language(words: str, spoken: Mapping[str, Any]) -> bool:
    """True if the words name the language; a code that no table knows is taken on its quote."""
    pattern = _LANGUAGES.get(spoken["language"])
    return pattern is None or pattern.search(words) is not None


def says_certificate(words: str, name: str) -> bool:
    """True if the words contain the certificate's name or an alias."""
    aliases = [alias for alias, known in certificate_words().items() if known == name]
    return any(_contains(words, alias) for alias in (name, *aliases))


def _contains(words: str, word: str) -> bool:
    form, wanted = match_form(words), match_form(word)
    at = Source.of(words).find(word) if len(wanted) <= len(form) else None
    return at is not None or _contains_short(words, wanted)


def _contains_short(words: str, wanted: str) -> bool:
    """A short Chinese word inside a longer run (审计 in 审计经验) is still said; a Latin one must stand alone."""
    if not wanted or any(is_latin(character) for character in (wanted[0], wanted[-1])):
        return False
    return wanted in match_form(words)


def _contains_strict(words: str, skill: Skill, word: str) -> bool:
    """The word in exactly these letters, not inside another one (C in C++) nor before what spoils it (go ahead)."""
    at = words.find(word)
    while at >= 0:
        end = at + len(word)
        before, after = words[at - 1 : at], words[end : end + 1]
        inside = _goes_on(before, word[0], "&'’-") or _goes_on(after, word[-1], "+#&'’")
        inside = inside or re.match(r"-[A-Za-z0-9]", words[end:]) is not None
        if not inside and not (skill.unless and skill.unless.match(words, end)):
            return True
        at = words.find(word, at + 1)
    return False


def _goes_on(neighbour: str, edge: str, signs: str) -> bool:
    """True if a neighbour makes the word part of a longer one (C++, R&D, Swiftly)."""
    return bool(neighbour) and (neighbour in signs or (is_latin(edge) and is_latin(neighbour)))


def _says_class_year(words: str, year: int) -> bool:
    return says_number(words, year, unit="/graduation_years")


def _is_quoted(words: str, benefit: str) -> bool:
    """A benefit is a word of the contract; that its quote occurs is all there is to see."""
    return bool(words and benefit)


_ITEMS: dict[str, Callable[[str, Any], bool]] = {
    "/skills": says_skill,
    "/graduation_years": _says_class_year,
    "/languages": says_language,
    "/locations": says_word,
    "/certificates": says_certificate,
    "/education/majors": says_word,
    "/benefits": _is_quoted,
}
