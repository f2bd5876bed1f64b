"""Pay in the text: finds the words that state it; the salary parser of the facts reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from jobmonitor.domain.salary import parse_salary
from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.fields.numbers import plain
from jobmonitor.extraction.reading import MAX_QUOTE, Page, Segment
from jobmonitor.items import Salary

_AMOUNT = r"\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3})+|\d{1,7}(?:\.\d{1,2})?"
_UNIT = r"(?:[kKwW]|万|千|元)"
_TO = r"\s{0,2}(?:[-–—~～]|至|到|\bto\b)\s{0,2}"
_MONTHS = r"(?:\s{0,2}[·*×xX,，]?\s{0,2}\(?\d{2}(?:-\d{2})?薪\)?)?"
_PER = (
    r"(?:\s{0,2}(?:/|每|per |an? |a |pro |je )\s{0,2}(?:小时|时|天|日|周|星期|月|年|hours?\b|hr\b|days?\b|weeks?\b"
    r"|months?\b|years?\b|[jJ]ahr\b|[mM]onat\b|[sS]tunde\b|yr\b|annum\b|mo\b))?"
)
_CURRENCY = r"(?:(?:US|CA|A|HK|S)?[$€£¥￥]|USD|EUR|GBP|CAD|AUD|SGD|HKD|CNY|RMB|CHF|JPY|人民币)"
_CHINESE = re.compile(
    rf"(?<![\d.])(?:{_AMOUNT})\s{{0,2}}{_UNIT}?{_TO}(?:{_AMOUNT})\s{{0,2}}(?:{_UNIT}元?{_PER}|{_PER}){_MONTHS}"
    rf"|(?<![\d.])(?:{_AMOUNT})\s{{0,2}}{_UNIT}元?(?:{_PER})(?:以上|以下|起|左右)?{_MONTHS}"
    rf"|(?<![\d.])\d{{4,6}}(?:元)?(?:以上|以下|起)",
    re.IGNORECASE,
)
_SIDE = rf"(?:{_AMOUNT})(?:\s{{0,2}}[kK]\b)?"
_AFTER = r"(?:USD|EUR|GBP|CAD|AUD|SGD|CHF|[€£])"
_ADVERB = r"(?:\s(?:annually|yearly|hourly|monthly|gross|brutto|net))?"
_ENGLISH = re.compile(
    rf"{_CURRENCY}\s{{0,2}}{_SIDE}(?:\s{{0,2}}{_AFTER}?{_TO}(?:{_CURRENCY})?\s{{0,2}}{_SIDE})?(?:\s{{0,2}}{_AFTER})?"
    rf"{_PER}{_ADVERB}"
    rf"|(?<![\d.]){_SIDE}\s{{0,2}}{_AFTER}?{_TO}{_SIDE}\s{{0,2}}{_AFTER}{_PER}{_ADVERB}"
    rf"|(?<![\d.]){_SIDE}\s{{0,2}}{_AFTER}{_PER}{_ADVERB}",
)
_LABEL = re.compile(r"薪资|薪酬|工资|月薪|年薪|底薪|薪水|待遇|日薪|时薪|实习补贴|津贴|收入", re.IGNORECASE)
_ENGLISH_LABEL = re.compile(
    r"salar|compensation|\bpay\b|\bwage|base\b|\bOTE\b|on-target|per hour|/hour|/hr|pro jahr|gehalt|vergütung"
    r"|per year|/year|annual|hourly"
    r"|\brate\b|per month|stipend|\bper annum",
    re.IGNORECASE,
)
_OWN_PERIOD = re.compile(r"(?:/|每)\s{0,2}(?:小时|时|天|日|周|月|年)|\d薪|\d[kK]", re.IGNORECASE)
_NOT_PAY = re.compile(
    r"营收|融资|销售额|预算|交易额|用户|客户|估值|GMV|流水|投资|注册资本|补贴标准|日活|奖学金|报销|保额|budget"
    r"|funding|raised|revenue|\bARR\b|valuation|million|billion|customers|users|\bmm\b|401|reimburs|stipend for"
    r"|bonus of|allowance|towards|equipment",
    re.IGNORECASE,
)
_PERIOD_LABEL = re.compile(
    r"(?:月薪|年薪|日薪|时薪|周薪)\s*[:：]?\s*$|\b(?:annual|yearly|monthly|hourly|weekly|daily)\b[\w :-]{0,40}$",
    re.IGNORECASE,
)
#: A bare 8000-10000 is pay only right behind a label; 2025-2026 elsewhere is a season.
_MARKED = re.compile(r"[kKwW万千元$€£¥￥/每薪以起]|[A-Z]{3}|人民币|per|hour|year|month")
_LABEL_BEFORE = re.compile(r"(?:薪资|薪酬|工资|月薪|年薪|底薪|薪水|待遇)[^，。；]{0,6}$")
_PARTS = ("min", "max", "currency", "period", "months")


def read_pay(page: Page, draft: Draft) -> None:
    """State the first pay that the text gives in numbers."""
    for segment, start, end in _spans(page):
        salary = parse_salary(page.text[start:end])
        if isinstance(salary, Salary) and (salary.min is not None or salary.max is not None):
            draft.set("/salary", _form(salary), start, end)
            # The amounts must be inside the quote: the segment alone may end at a comma before them.
            draft.evidence["/salary"] = page.words(segment.start if end - segment.start <= MAX_QUOTE else start, end)
            return


def _spans(page: Page) -> Iterator[tuple[Segment, int, int]]:
    """Spans that look like pay and stand in a sentence that speaks of pay."""
    for sentence in page.sentences():
        start, end = sentence[0].start, sentence[-1].end
        text = page.text[start:end]
        if not re.search(r"\d", text) or len(text) > 5_000:
            continue
        for pattern, label in ((_ENGLISH, _ENGLISH_LABEL), (_CHINESE, _LABEL)):
            for match in pattern.finditer(text):
                around = text[max(0, match.start() - 80) : match.end() + 60]
                if _NOT_PAY.search(around) or not (label.search(around) or _OWN_PERIOD.search(match[0])):
                    continue
                if not _MARKED.search(match[0]) and not _LABEL_BEFORE.search(
                    text[max(0, match.start() - 12) : match.start()]
                ):
                    continue
                first = _with_label(text, match.start())
                yield page.at(start + match.start()), start + first, start + match.end()


def _with_label(text: str, offset: int) -> int:
    """Take a label such as 月薪 or "Annual base salary:" along: it gives the period."""
    first = max(0, offset - 50)
    label = _PERIOD_LABEL.search(text[first:offset])
    return offset if label is None else first + label.start()


def _form(salary: Salary) -> dict[str, Any]:
    return {part: _json(getattr(salary, part)) for part in _PARTS}


def _json(value: Decimal | str | None) -> float | int | str | None:
    return plain(float(value)) if isinstance(value, Decimal) else value
