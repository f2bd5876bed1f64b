"""Skills, by the vocabulary; words that are also plain words (Go, C, R, Swift) need good company."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.phrases import phrase_key
from jobmonitor.extraction.reading import Page
from jobmonitor.extraction.vocabulary import Skill, skill_pattern, skill_words

_CUE_BEFORE = re.compile(
    r"(?:熟悉|精通|掌握|熟练|使用|运用|了解|会|基于|擅长|语言|用|包括|如|[:：]|编程|开发"
    r"|\b(?:experienced?|proficien(?:t|cy)|knowledge|familiar(?:ity)?|skills?|fluent|fluency|expertise|expert"
    r"|background|comfortable|programming|code|coding|written|developing|building|development|strong|solid|using"
    r"|in|with|of|like|as|know|learn))\s*$"
    r"|\b(?:experience|proficien(?:t|cy)|knowledge|familiar(?:ity)?|expertise|skills?|fluent|programming"
    r"|coding)\s+(?:in|with|of|using|working with)\s*$",
    re.IGNORECASE,
)
_WEAK_CUE = re.compile(r"\b(?:in|with|of|like|as|using|know|learn)\s*$", re.IGNORECASE)
_CUE_AFTER = re.compile(
    r"\s{0,2}(?:语言|编程|开发|程序|工程师|后端|后台|服务端|服务器|框架|技术栈|优先|加分|引擎|脚本|数据库|等|办公|表格"
    r"|\b(?:language|programming|developers?|engineers?|programmer|development|scripting|code|backend|stack"
    r"|preferred|required|experience"
    r"|framework|services|skills)\b)",
    re.IGNORECASE,
)
#: What stands between two skills of one list.
_JOIN = re.compile(
    r"\s{0,3}(?:[、,，/|+&]|和|或|与|及|以及|\band\b|\bor\b|(?:,\s*)(?:and|or))\s{0,3}(?:\b(?:and|or)\b\s{0,3})?",
    re.IGNORECASE,
)
#: Neighbours that make a strict word part of a longer one; a single letter is the more easily taken in.
_BEFORE_WORD = frozenset("&'’@#_-")
_BEFORE_LETTER = _BEFORE_WORD | frozenset("+.*")
_AFTER_WORD = re.compile(r"[&@#*_'’-][A-Za-z0-9]|&")
_AFTER_LETTER = re.compile(r"[+#&*'’_@\d-]|\.[A-Za-z0-9]")
_WINDOW = 40
#: Parts in which a skill is asked for, and those in which it is only named as part of the work.
_ASKED = frozenset({"title", "requirements"})
_NAMED = frozenset({"preferred", "duties", "intro", "other"})


class _Hit(NamedTuple):
    skill: Skill
    start: int
    end: int
    strict: bool


def find_skills(text: str) -> list[tuple[Skill, int, int]]:
    """Every skill that a text names, with its span, strict words only where they mean it."""
    hits = list(_words(text))
    trusted = {index for index, hit in enumerate(hits) if not hit.strict or _has_cue(text, hit)}
    # A strict word in a list is trusted through its neighbours, from both ends: "Java, Go, Rust".
    for order in (range(len(hits)), reversed(range(len(hits)))):
        for index in order:
            for other in (index - 1, index + 1):
                if other in trusted and _joined(text, hits[min(index, other)], hits[max(index, other)]):
                    trusted.add(index)
    return [(hits[index].skill, hits[index].start, hits[index].end) for index in sorted(trusted)]


def read_skills(page: Page, draft: Draft) -> None:
    """State each skill once. Required where a requirement, a title or a text without headings asks for it;
    not required where it is preferred, or named only in the duties or the introduction."""
    # Without a heading for them, the requirements stand in the plain text.
    asked = _ASKED if any(segment.part == "requirements" for segment in page.segments) else _ASKED | {"other"}
    places: dict[str, tuple[Skill, int, int, bool]] = {}
    for skill, start, end in find_skills(page.text):
        segment = page.at(start)
        if segment.denied or segment.part not in _ASKED | _NAMED or _is_noise(skill, segment.part):
            continue
        required = segment.part in asked and not segment.preferred
        known = places.get(skill.name)
        if known is None or (required and not known[3]):
            places[skill.name] = (skill, start, end, required)
    for skill, start, end, required in places.values():
        draft.add("/skills", {"name": skill.name, "group": skill.group, "required": required}, start, end)


def _is_noise(skill: Skill, part: str) -> bool:
    """Soft skills count only where they are asked for: "communication" in the duties is the work."""
    return skill.group == "soft" and part in {"duties", "intro", "title"}


def _words(text: str) -> Iterator[_Hit]:
    words = skill_words()
    for match in skill_pattern().finditer(text):
        skill = words[phrase_key(match[0])]
        strict = _is_strict(skill, match[0])
        if strict is None or (strict and _is_spoilt(text, skill, match)):
            continue
        yield _Hit(skill, match.start(), match.end(), strict)


def _is_strict(skill: Skill, word: str) -> bool | None:
    """Whether a word is one of the strict ones; None if it is one in the wrong letters (GO AHEAD, react)."""
    if any(phrase_key(alias) == phrase_key(word) for alias in skill.aliases):
        return False
    return True if word in skill.strict else None


def _is_spoilt(text: str, skill: Skill, match: re.Match[str]) -> bool:
    """True for a strict word that is part of something else (R&D, C-level, C++) or before what spoils it (go ahead)."""
    start, end = match.span()
    is_letter = len(match[0]) == 1
    if text[start - 1 : start] in (_BEFORE_LETTER if is_letter else _BEFORE_WORD):
        return True
    if (_AFTER_LETTER if is_letter else _AFTER_WORD).match(text, end):
        return True
    return skill.unless is not None and skill.unless.match(text, end) is not None


def _has_cue(text: str, hit: _Hit) -> bool:
    before = text[max(0, hit.start - _WINDOW) : hit.start]
    if _CUE_AFTER.match(text, hit.end):
        return True
    cue = _CUE_BEFORE.search(before)
    # "in Go" is a cue for a capital word only: "in go" is a typing slip or something else.
    return cue is not None and not (_WEAK_CUE.search(before) and text[hit.start].islower())


def _joined(text: str, left: _Hit, right: _Hit) -> bool:
    if right.start - left.end > 8:
        return False
    return _JOIN.fullmatch(text, left.end, right.start) is not None
