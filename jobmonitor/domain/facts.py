"""Parsed values of the facts that a site states: columns of a version, outside every hash."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from jobmonitor.domain.education import parse_education
from jobmonitor.domain.experience import parse_experience
from jobmonitor.domain.numerals import CHINESE_NUMBER, normalise, number
from jobmonitor.domain.remembered import remembered
from jobmonitor.domain.salary import parse_salary
from jobmonitor.items import DerivedFacts, Facts

RecruitType: TypeAlias = Literal["campus", "experienced", "intern"]

#: The first that applies: 校招实习 is an internship, 校园社会招聘 says campus.
_RECRUIT_TYPES: tuple[tuple[RecruitType, re.Pattern[str]], ...] = (
    ("intern", re.compile(r"实习|實習|\bintern(?:s|ship|ships)?\b|インターン|praktik|werkstudent|\bco-?op\b")),
    ("campus", re.compile(
        r"校招|校园|校園|应届|應屆|秋招|春招|提前批|管培|毕业生|campus|graduate|new ?grad|university|universities|"
        r"early career|entry program|新卒|absolvent")),
    ("experienced", re.compile(
        r"社招|社会|社會|社聘|experienced|professional|lateral|mid[- ]career|中途|キャリア採用|berufserfahren")),
)  # fmt: skip
#: Characters of a field that are read.
_LONGEST = 200
_HEAD_COUNT = re.compile(
    rf"(?:招聘?|共|约)?\s?(\d{{1,5}}|{CHINESE_NUMBER})\s?(?:人|名|个|位|positions?|openings?|"
    rf"headcount)?"
)


def derive(facts: Facts) -> DerivedFacts:
    """Everything that is read out of the stated strings; what is not stated or not understood stays None."""
    return DerivedFacts(
        salary=parse_salary(facts.salary),
        experience=parse_experience(facts.experience),
        education=parse_education(facts.education),
        recruit_type=recruit_type(facts.recruit_type) or _internship(facts.employment_type),
        head_count=head_count(facts.head_count),
    )


@remembered
def recruit_type(text: str | None) -> RecruitType | None:
    """校招, `Campus` → campus; 社招, `Experienced` → experienced; 实习, `Intern` → intern; else None."""
    folded = normalise((text or "").strip()[:_LONGEST])
    return next((name for name, pattern in _RECRUIT_TYPES if pattern.search(folded)), None)


def _internship(employment_type: str | None) -> RecruitType | None:
    """实习 or `Internship` as a type of employment; full time and part time say nothing about recruiting."""
    return "intern" if recruit_type(employment_type) == "intern" else None


def head_count(text: str | None) -> int | None:
    """Persons wanted: `3`, `3人`, 招三名 → 3; 若干, ranges, 0 and anything else → None."""
    match = _HEAD_COUNT.fullmatch(normalise((text or "").strip()[:_LONGEST]).strip())
    value = number(match[1]) if match else None
    return int(value) if value else None
