"""Years of work that a posting asks for, read from a field or a sentence in Chinese or English."""

from __future__ import annotations

import re
from decimal import Decimal

from jobmonitor.domain.numerals import CHINESE_NUMBER, ENGLISH_NUMBER, normalise, number
from jobmonitor.domain.remembered import remembered
from jobmonitor.items import Experience

_N = rf"(?:\d{{1,3}}(?:\.\d)?|{CHINESE_NUMBER}|半|(?:{ENGLISH_NUMBER})(?![a-z]))"
_UNIT = r"(?P<unit>周?年(?!级|龄|度|代|终|薪|\d)|个月|years?\b|yrs?\b\.?|y(?:oe)?\b|months?\b|jahren?\b)(?P<half>半)?"
_STATED = re.compile(
    rf"(?P<before>不少于|不低于|至少|最少|最低|超过|大于|[≥>]=?|minimum(?: of)?|min\.?|at least|over|more than|"
    rf"no less than|from|"
    rf"mindestens|"
    rf"不超过|不多于|不到|不足|未满|至多|最多|少于|小于|[≤<]=?|up to|less than|under|no more than|maximum(?: of)?|"
    rf"max\.?)?\s?(?:a |an )?"
    rf"(?<![a-z\d.$€£¥])(?P<low>{_N})\s?(?:\(\d+\)\s?)?(?:(?P<range>(?:年|years?|yrs?)?\s?(?:-|至|到|to\b|or\b|"
    rf"或)\s?)(?P<high>{_N})\s?)?"
    rf"(?P<plus>\+|-?plus\b|or more|以上)?\s?[- ]?{_UNIT}"
    r"\s?(?P<side>及?以上|或以上|\+|or more|and above|or above|plus\b|minimum|以下|"
    r"以内|之内|"
    r"or less|max)?"
)  # fmt: skip
_UPPER = re.compile(
    r"不到|不足|未满|不超过|不多于|至多|最多|(?<!不)少于|小于|≤|<|up to|(?<!no )less than|under|no more than|max|"
    r"以下|以内|之内|"
    r"or less"
)
_SUBJECT = re.compile(r"经验|经历|工作|从业|年限|实践|experience|exp\b|erfahrung|work|background|経験|実務")
_OPEN_TO_NONE = re.compile(
    r"(?:无|没有|零)(?:相关|工作)*经验(?:者|的)?(?:亦|也|均)可|no experience (?:needed|required|necessary)"
)
_OTHER_YEARS = re.compile(
    r"成立|历史|合同|学制|毕业(?!生)|质保|服务期|试用|history|founded|contract|[- ]old\b|degree|programme?\b|diploma|"
    r"probation|warranty"
)
_CLAUSES = re.compile(r"[,;。!?\n\r、|·]|\.\s")
_TWO_SIDED = re.compile(rf"({_N})年?及?以上[,、]?\s?({_N})年及?以下")
#: 三五年 is three to five, not thirty-five.
SPOKEN_RANGE = re.compile(
    "(?<![零〇一二两三四五六七八九十百])(一二|[一二两]三|三[四五]|四五|五六|六七|七八|八九)(?=年)"
)
_NOT_YEARS = Decimal(50)
#: Characters that are read: a field or a sentence. Each figure is judged by its whole clause.
_LONGEST = 2_000
#: Text around a figure that may lack a word for experience: a field's own value, not a sentence.
_FIELD_REST = 10
#: Characters on each side of a figure that are looked at; no clause that a person wrote is longer.
_NEAR = 500


@remembered
def parse_experience(text: str | None) -> Experience:
    """Read the years asked for.

    `3-5年` is 3 to 5, `三年以上` and a plain `3年经验` are at least 3, `1年以下` is at most 1. 不限, 无经验 and
    应届 ask for no years: both ends stay None, as for a text that says nothing. Months become parts of a year. In a
    longer text the figure must stand in one clause with a word for experience (公司成立10年以上 is none), the first
    such figure counts, and 或 / `or` between two takes the lower.
    """
    folded = re.sub(r"[ \t]+", " ", normalise((text or "").strip()[:_LONGEST])).strip()
    folded = re.sub(r"\((?:含|不含)[^)]*\)", "", folded)
    folded = SPOKEN_RANGE.sub(lambda match: "-".join(match[0]), folded)
    folded = _TWO_SIDED.sub(r"\1-\2年", folded)
    if _OPEN_TO_NONE.search(folded):
        return Experience()
    for clause in _CLAUSES.split(folded):
        found = [_experience(match) for match in _STATED.finditer(clause) if _is_experience(match, clause)]
        found = [one for one in found if one != Experience()]
        if found:
            return _lowest(found) if re.search(r"或|\bor\b", clause) else found[0]
    return Experience()


def _is_experience(match: re.Match[str], clause: str) -> bool:
    before = clause[max(0, match.start() - _NEAR) : match.start()]
    rest = (before + clause[match.end() : match.end() + _NEAR]).strip()
    if _SUBJECT.search(rest):
        return True
    return len(rest) <= _FIELD_REST and not _OTHER_YEARS.search(rest)


def _experience(match: re.Match[str]) -> Experience:
    low, high = _years(match["low"], match), _years(match["high"], match)
    if low is None or max(low, high or low) >= _NOT_YEARS:
        return Experience()
    if high is not None:
        top = None if match["plus"] or match["side"] == "+" else high
        return Experience(min_years=low, max_years=top) if low <= high else Experience()
    sides = f"{match['before'] or ''} {match['plus'] or ''} {match['side'] or ''}"
    return Experience(max_years=low) if _UPPER.search(sides) else Experience(min_years=low)


def _years(text: str | None, match: re.Match[str]) -> Decimal | None:
    if text is None:
        return None
    value = Decimal("0.5") if text == "半" else number(text)
    if value is None:
        return None
    if match["unit"].startswith(("个月", "month")):
        return (value / 12).quantize(Decimal("0.01")).normalize()
    return value + Decimal("0.5") if match["half"] else value


def _lowest(found: list[Experience]) -> Experience:
    return min(found, key=lambda one: one.min_years if one.min_years is not None else Decimal(0))
