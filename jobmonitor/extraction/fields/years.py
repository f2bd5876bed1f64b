"""Years of work. A company's own age, a term of contract and the last ten years are not meant."""

from __future__ import annotations

import re
from typing import NamedTuple

from jobmonitor.domain.experience import SPOKEN_RANGE, parse_experience
from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.fields.numbers import NUMBER, plain
from jobmonitor.extraction.reading import Page, Segment
from jobmonitor.items import Experience

_TO = r"\s*(?:[-–—~～]|至|到|\bto\b)\s*"
_CHINESE = re.compile(
    rf"(?:至少|不少于|不低于|最少|超过|不超过|少于|小于|[≤<]=?)?\s*(?<![\d./])(?P<low>{NUMBER}|半)\s*年?"
    rf"(?:{_TO}{NUMBER})?\s*\+?\s*"
    r"(?:年(?!龄|度|级|轻|终|会(?!计)|假|薪|底|初|后(?![端台])|前(?!端)|代(?!码)|来|期|月|\d)|(?P<months>个月))"
    r"(?:\+|[(（]?含?[)）]?(?:及|或|或者)?以上|以下|以内|之内|内)?"
)
_ENGLISH = re.compile(
    rf"(?:at least|minimum(?: of)?|more than|over|up to|less than|under|no more than)?\s*(?<![\d./$])(?P<low>{NUMBER})"
    rf"\s*(?:\+|plus|or more)?(?:{_TO}{NUMBER}\s*\+?)?\s*\+?\s*(?:or more |plus )?"
    r"(?:years?|yrs?)\b['’]?(?P<after>[^\n]{0,70})",
    re.IGNORECASE,
)
_WORK = re.compile(r"经验|工作|从业|经历|年限|开发|资历|以上|实务|背景|管理|研发|运营|设计|执业")
_GENERAL = re.compile(
    r"工作经[验历]|工作年限|从业|相关经验|相关工作|经验要求|professional|work(?:ing)? experience|relevant"
    r"|industry experience|total",
    re.IGNORECASE,
)
_NOT_WORK = re.compile(
    r"历史|成立|创立|创办|深耕|近\s*\d|近[一二三五十]|过去|未来|合同|服务期|连续|保修|毕业\s*\d|年\s*毕业"
    r"|毕业[一二两三]|毕业工作|年内|周岁|之久|学制|届|工龄|试用|有效期|实习期|实习时间|可实习"
    r"|\blast\b|\bpast\b|\bnext\b|\bago\b|\bhistory\b|\bfounded\b|\bestablished\b|in business|years? old|of age"
    r"|\bsince\b|\bcontract\b|\bfor (?:over|more than|nearly|the)\b|anniversary|\bin a row\b",
    re.IGNORECASE,
)
_ENGLISH_WORK = re.compile(
    r"experience|working|work |in (?:a|an|the)? ?\w|of \w|building|developing|designing|managing|as an? |with "
    r"|hands|leading|required|$",
    re.IGNORECASE,
)
_OURSELVES = re.compile(
    r"\b(?:we|our|us|company|firm|organi[sz]ation|has been|have been|leader)\b|公司|集团|企业|品牌|我司|我们",
    re.IGNORECASE,
)
_CANDIDATE = re.compile(
    r"\b(?:you|your|candidates?|require|must|minimum|at least|seeking|looking for|someone|need)\b|要求|寻找|需要"
    r"|具备|至少|从业|工作经验",
    re.IGNORECASE,
)
_NO_YEARS = re.compile(
    r"经验不限|不限经验|(?:无需|不需要?|不要求)[^，。；]{0,6}经验|经验[:：]\s*不限|\bno (?:prior |previous "
    r"|work )?experience (?:is )?(?:required|necessary|needed)",
    re.IGNORECASE,
)
_READ_IN = frozenset({"requirements", "other", "title", "intro", "duties"})


class _Hit(NamedTuple):
    low: float | None
    high: float | None
    start: int
    end: int
    general: bool


def read_years(page: Page, draft: Draft) -> None:
    """State the years of work asked for: the general demand before the ones for single skills."""
    hits = [
        hit for segment in page.with_words(("年", "个月", "year", "yr")) if _is_read(segment) for hit in _hits(segment)
    ]
    if not hits:
        return
    best = next((hit for hit in hits if hit.general), hits[0])
    for pointer, value in (("/experience/min_years", best.low), ("/experience/max_years", best.high)):
        if value is not None:
            draft.set(pointer, plain(value), best.start, best.end)


def _is_read(segment: Segment) -> bool:
    return segment.part in _READ_IN and segment.stance == "plain"


def _hits(segment: Segment) -> list[_Hit]:
    text = segment.text
    if _NO_YEARS.search(text) or (_OURSELVES.search(text) and not _CANDIDATE.search(text)):
        return []
    found = []
    general = _GENERAL.search(text) is not None
    for pattern, judge in ((_CHINESE, _chinese_bounds), (_ENGLISH, _english_bounds)):
        for match in pattern.finditer(text):
            if (bounds := judge(segment, match)) is not None:
                start, end = segment.start + match.start("low"), segment.start + min(match.end(), len(text))
                found.append(_Hit(*bounds, start, end, general))
    return found


def _chinese_bounds(segment: Segment, match: re.Match[str]) -> tuple[float | None, float | None] | None:
    text = segment.text
    around = text[max(0, match.start() - 12) : match.end() + 24]
    if _NOT_WORK.search(text[max(0, match.start() - 8) : match.end() + 6]) or not _WORK.search(around):
        return None
    if segment.part == "duties" and "经验" not in around and "工作年限" not in around:
        return None
    if match["months"] and not re.search("经验|经历", around):
        return None
    return _bounds(match[0] + "工作经验")


def _english_bounds(segment: Segment, match: re.Match[str]) -> tuple[float | None, float | None] | None:
    text = segment.text
    near = text[max(0, match.start() - 20) : match.start()] + " " + match["after"][:40]
    if segment.part in {"duties", "intro"} and "experience" not in segment.lower:
        return None
    if _NOT_WORK.search(near) or not _ENGLISH_WORK.search(match["after"]):
        return None
    if segment.part == "intro" and not _CANDIDATE.search(text):
        return None
    return _bounds(text[match.start() : match.start("after")].strip("'’ ") + " of experience")


def _bounds(statement: str) -> tuple[float | None, float | None] | None:
    """The years of one statement, as the parser of stated facts reads them. No quote can prove 三五年."""
    if SPOKEN_RANGE.search(statement):
        return None
    years = parse_experience(statement)
    if years == Experience():
        return None
    low, high = years.min_years, years.max_years
    return None if low is None else float(low), None if high is None else float(high)
