"""The words that rules and grounding know: skills, majors, certificates, benefits, places (the TOML files here)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jobmonitor.extraction.phrases import phrase_key, phrase_pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill of the vocabulary."""

    name: str
    #: Group of contract 1.
    group: str
    #: Words that always mean the skill.
    aliases: tuple[str, ...]
    #: Words that mean it only in these letters and in good company: Go, C, R, Swift.
    strict: tuple[str, ...] = ()
    #: What must not follow a strict word ("Go" + " ahead").
    unless: re.Pattern[str] | None = None

    def knows(self, word: str) -> bool:
        """True if the word is one of the skill's own words."""
        return phrase_key(word) in {phrase_key(alias) for alias in (self.name, *self.aliases, *self.strict)}


@cache
def read_table(name: str) -> dict[str, Any]:
    """One vocabulary file as shipped."""
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def _skills() -> Iterator[Skill]:
    for group, entries in read_table("skills").items():
        for name, entry in entries.items():
            strict = tuple(entry.get("strict", ())) if isinstance(entry, dict) else ()
            aliases = tuple(entry.get("aliases", ())) if isinstance(entry, dict) else tuple(entry)
            unless = (
                re.compile(entry["unless"], re.IGNORECASE) if isinstance(entry, dict) and "unless" in entry else None
            )
            own = () if name in strict else (name,)
            yield Skill(name=name, group=group, aliases=own + aliases, strict=strict, unless=unless)


@cache
def skills() -> dict[str, Skill]:
    """Every skill by its name."""
    return {skill.name: skill for skill in _skills()}


@cache
def skill_words() -> dict[str, Skill]:
    """Every word of every skill, as `phrase_key` forms it."""
    return {phrase_key(word): skill for skill in skills().values() for word in (*skill.aliases, *skill.strict)}


@cache
def skill_pattern() -> re.Pattern[str]:
    """Finds every word of every skill."""
    return phrase_pattern(word for skill in skills().values() for word in (*skill.aliases, *skill.strict))


def find_skill(name: str) -> Skill | None:
    """The skill that a name or alias means, in any letter case."""
    return skills().get(name) or skill_words().get(phrase_key(name))


@cache
def certificate_words() -> dict[str, str]:
    """Name of the certificate by each of its words, as `phrase_key` forms them."""
    table = read_table("certificates")
    return {phrase_key(word): name for name, aliases in table.items() for word in (name, *aliases)}


@cache
def certificate_pattern() -> re.Pattern[str]:
    """Finds every certificate."""
    return phrase_pattern(word for name, aliases in read_table("certificates").items() for word in (name, *aliases))


@dataclass(frozen=True, slots=True)
class Benefit:
    """A benefit of the contract by one of its phrases."""

    word: str
    #: True if the phrase counts anywhere; otherwise only outside duties and requirements.
    sure: bool


@cache
def benefit_words() -> dict[str, Benefit]:
    """Benefit by each of its phrases, as `phrase_key` forms them."""
    return {
        phrase_key(phrase): Benefit(word, kind == "sure")
        for word, kinds in read_table("benefits").items()
        for kind, phrases in kinds.items()
        for phrase in phrases
    }


@cache
def benefit_pattern() -> re.Pattern[str]:
    """Finds every phrase of every benefit."""
    tables = read_table("benefits").values()
    return phrase_pattern(phrase for kinds in tables for phrases in kinds.values() for phrase in phrases)


@cache
def major_pattern() -> re.Pattern[str]:
    """Finds majors, in Chinese and English."""
    table = read_table("majors")
    return phrase_pattern([*table["zh"], *table["en"]])


@cache
def city_pattern() -> re.Pattern[str]:
    """Finds cities, in Chinese and English."""
    table = read_table("places")
    return phrase_pattern([*table["zh"], *table["en"]])
