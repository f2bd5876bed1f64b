"""Pay statements as job boards write them, in Chinese, English, German and Japanese, taken apart into numbers.

A statement is read only if it can be read one way. Two amounts that are not one range, reversed ranges, two
currencies or two periods are `unparsed`: saying so is better than a wrong number.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from jobmonitor.domain.currencies import CURRENCY, CurrencyConflict, stated_currency
from jobmonitor.domain.numerals import arabic, normalise
from jobmonitor.domain.remembered import remembered
from jobmonitor.items import Salary, SalaryPeriod, UnknownSalary

_NUMBER = r"\d{1,3}(?:[,.'] ?\d{3}|[,.']\d{2}(?=[,.']\d{2,3})| \d{3}(?!\d))+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
_UNITS = {
    "k": 1_000,
    "千": 1_000,
    "thousand": 1_000,
    "tsd": 1_000,
    "w": 10_000,
    "万": 10_000,
    "萬": 10_000,
    "lakh": 100_000,
    "lakhs": 100_000,
    "lac": 100_000,
    "lpa": 100_000,
    "mio": 1_000_000,
}
_UNIT = r"(?:lakhs?|lac|lpa|thousand|tsd|k|千|w|万|萬)(?![a-z])\.?"
_EACH = r"/ ?|每|per |a |an |pro |je |p"
_PERIODS: tuple[tuple[SalaryPeriod, str, str], ...] = (
    ("hour", r"(?:/ ?|每个?)小?时|/ ?h\b|/ ?hr|/ ?hour|(?:per|an) (?:hour|hr)\b|(?:pro|je) stunde|/ ?stunde|"
        r"p\.?h\.?\b",
     r"时薪|時給|hourly|stundenlohn|stündlich"),
    ("day", r"(?:/ ?|每)[天日]|/ ?day|(?:per|a) day\b|(?:pro|je) tag\b|/ ?tag\b|p\.?d\.?\b",
     r"日薪|日給|日给|daily|day rate|tagessatz"),
    ("week", r"(?:/ ?|每)(?:周|星期|週)|/ ?week|/ ?wk|(?:per|a) week\b|(?:pro|je) woche\b|/ ?woche\b|p\.?w\.?\b",
     r"周薪|週給|weekly"),
    ("month", r"(?:/ ?|每个?)月|/ ?month|/ ?mo\b|/ ?mth|(?:per|a) month\b|(?:pro|je|im) monat\b|/ ?monat\b|p\.?m\.?\b",
     r"月薪|月給|月收入|月工资|monthly|monatlich|monatsgehalt"),
    ("year",
     r"(?:/ ?|每)年|/ ?year|/ ?yr|/ ?annum|(?:per|a) (?:year|annum|yr)\b|(?:pro|je|im) jahr\b|/ ?jahr\b|"
     r"p\.?a\.?(?![a-z])",
     r"年薪|年収|年俸|年收入|annual(?:ly)?|yearly|jährlich|jahresgehalt|lpa"),
)  # fmt: skip
_ATTACHED = "|".join(f"(?P<{name}>{each}|{word})" for name, each, word in _PERIODS)
_PERIOD_AFTER = re.compile(rf"[\s·,;()\[\]+起左右以上下]*(?:brutto|gross|税前|税后)?[\s·,;(]*(?:{_ATTACHED})")
_PERIOD_ANYWHERE = re.compile(_ATTACHED)


def _side(n: int) -> str:
    """One end of a range: signs or codes, number, unit, signs or codes."""
    signs = rf"(?:(?:{CURRENCY})\s?)*"
    return rf"(?P<pre{n}>{signs})(?P<num{n}>{_NUMBER})\s?(?P<unit{n}>{_UNIT})?\s?(?P<post{n}>{signs})"


_RANGE = r"(?:-+|至|到|to\b|bis\b|and\b|und\b)"
_FIRST_PERIOD = r"(?:/ ?(?:月|年|天|日|month|year|yr|hour|hr))?"
_AMOUNT = re.compile(rf"(?<![a-z\d.-]){_side(1)}(?:\s?{_FIRST_PERIOD}\s?{_RANGE}\s?{_side(2)})?")
_MONTHS = re.compile(
    r"[·*x×,，(\s+及]*(?<![\d.])(\d{1,2}(?:\.5)?)(-\d{1,2})?\s?"
    r"(?:个月?薪|薪|个月工资|monthly salaries|salaries|monatsgehälter)(?:[/每] ?年)?\)?"
    r"|\s?[*×x]\s?(1[2-9]|2[0-4])(?:个月| months)?(?![\d.,\w])"
)
_NEGOTIABLE = re.compile(
    r"面议|面談|面谈|议定|協議|协商|詳談|negotiable|competitive|\bdoe\b|depend(?:s|ing)? (?:up)?on|commensurate|"
    r"open to discussion|^(?:薪资|薪酬|待遇|salary)?:? ?open$|从优|优厚|"
    r"to be discussed|応相談|要相談|verhandel|nach vereinbarung|vb\b|attractive|market rate"
)  # fmt: skip
_NOT_STATED = re.compile(
    r"\W*(?:n/?a|null|none|tbd|无|暂无|未提及|不详|未公开|保密|not (?:disclosed|specified|stated|available))\W*"
)
_FILLER = r"(?:[\s:约为]|of\b|at\b|is\b|the\b|salary|pay\b|wage|base|工资|薪资|薪酬|综合|收入|[年月日时]薪)*"
_BEFORE_FLOOR = re.compile(
    rf"(?:不低于|不少于|至少|最低|保底|[≥>]=?|\bfrom\b|\bab\b|at least|starting|minimum|\bmin\b\.?|"
    rf"mindestens){_FILLER}$"
)
_BEFORE_CEILING = re.compile(
    rf"(?:不超过|不高于|至多|最多|最高|封顶|[≤<]=?|up to|\bbis(?: zu)?\b|maximum|\bmax\b\.?|under|below|"
    rf"less than|höchstens)"
    rf"{_FILLER}$"
)
_BETWEEN = r"(?:[\s(]|/ ?|每|[年月天日周时]|小时|(?:per|a|an) (?:year|month|week|day|hour|annum))*"
_AFTER_FLOOR = re.compile(rf"\+(?! ?[a-z\d提奖])|{_BETWEEN}(?:及?以上|起(?!薪)|or more|and up|から)")
_AFTER_CEILING = re.compile(rf"{_BETWEEN}(?:及?以下|以内|封顶|or less|max|まで)")
_NOISE = re.compile(r"\d+(?:[.,]\d+)?\s?%|401\s?\(?k\)?|\b(?:24/7|9-5)\b|五险一金|六险一金|\d险\d金")
_SPECIAL_WAN = re.compile(r"(\d+)[万w](\d)(?![\d.,千百万k])")
_MIXED_WAN = re.compile(r"(\d+)万(\d)千")
#: What may stand beside an amount without unit, sign or period for it to be taken as pay.
_BARE_CONTEXT = re.compile(
    r"以上|以下|及|起|左右|约|大约|大概|不低于|不少于|不超过|至少|至多|最低|最高|综合|薪资|薪酬|工资|待遇|收入|"
    r"范围|参考|税前|税后|"
    r"月薪|年薪|日薪|时薪|salary|pay|wage|range|base|from|up to|about|approx|circa|ca\b|at least|min|max|gross|brutto|"
    r"compensation|gehalt|可?面议|可议|可谈|negotiable|[\W_]"
)  # fmt: skip
#: Superscripts and fractions: folding would make 105 of 10⁵.
_NOT_PLAIN = re.compile("[²³¹⁰-⁹₀-₉¼-¾⅐-⅟]")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_HUGE = Decimal(10) ** 10
#: Characters of a pay statement. A longer text is a description; what pays is for its reader to find. The rules below
#: are tried on nothing longer: some look at each pair of characters.
_LONGEST = 600
#: Characters that are looked at to tell which kind of text a longer one is.
_LOOKED_AT = 10_000
#: Ranges wider than this are misprints (1-100K), not offers.
_WIDEST = 50
_CENT = Decimal("0.01")


class _Unreadable(ValueError):
    """The text holds numbers that cannot be read one way."""


class _Amount(NamedTuple):
    low: Decimal
    high: Decimal
    match: re.Match[str]


@remembered
def parse_salary(text: str | None) -> Salary | UnknownSalary:
    """Read a pay statement.

    A single amount is both ends (`150元/天`); 以上, `from`, `+` leave the upper end open, 以下, `up to` the lower.
    Nothing is defaulted: K and 万 state neither currency nor period, a bare `10000-20000` states the numbers only.
    `·14薪` says that *monthly* pay is paid fourteen times a year, so it states the period month, unless the text
    names another (`30-50万/年(16薪)`). A range of months (`14-16薪`) leaves `months` open.

    Returns:
        The parts that are stated, amounts in whole currency units; or `UnknownSalary`: `none` for no text or 保密,
        `negotiable` for 面议 and its kin, `unparsed` for anything that cannot be read one way.
    """
    folded = _folded((text or "").strip()[:_LOOKED_AT])
    if len(folded) <= _LONGEST:
        folded = _prepared(folded)
    if _NOT_PLAIN.search(text or ""):
        return UnknownSalary(reason="unparsed")
    if not re.search(r"\w", folded) or _NOT_STATED.fullmatch(folded):
        return UnknownSalary(reason="none")
    try:
        found = _statement(folded) if len(folded) <= _LONGEST else None
    except (_Unreadable, CurrencyConflict):
        return UnknownSalary(reason="unparsed")
    if found is not None:
        return found
    return UnknownSalary(reason="negotiable" if _NEGOTIABLE.search(folded) else "unparsed")


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", normalise(text)).strip()


def _prepared(folded: str) -> str:
    folded = arabic(_NOISE.sub(" ", folded), before=r"[薪元]|\s?k\b|个月")
    folded = _MIXED_WAN.sub(r"\1.\2万", folded)
    return _SPECIAL_WAN.sub(r"\1.\2万", folded)


def _statement(text: str) -> Salary | None:
    months, text, states_months = _taken_months(text)
    amounts = [_amount(match) for match in _AMOUNT.finditer(text)]
    marked = [amount for amount in amounts if _marked(amount.match)]
    if not marked and not (len(amounts) == 1 and _is_plain(amounts[0])):
        if amounts and not _NEGOTIABLE.search(text):
            raise _Unreadable
        return None
    if len(marked) > 1:
        raise _Unreadable
    amount = (marked or amounts)[0]
    rest = _beside(amount.match)
    low, high = _ends(amount, text)
    return Salary(
        min=low,
        max=high,
        currency=_currency(amount.match, rest),
        period=_period(amount.match, rest) or ("month" if states_months else None),
        months=months,
    )


def _taken_months(text: str) -> tuple[Decimal | None, str, bool]:
    """Monthly salaries a year, the text without them, and whether they are spoken of at all."""
    match = _MONTHS.search(text)
    if match is None:
        return None, text, False
    months = Decimal(match[1] or match[3])
    if not 12 <= months <= 36:
        raise _Unreadable
    rest = text[: match.start()] + " " + text[match.end() :]
    return (None if match[2] else months), rest.strip(), True


def _amount(match: re.Match[str]) -> _Amount:
    chinese = _CHINESE.search(match.string) is not None
    first = _plain_number(match["num1"], decimal_point=chinese or match["unit1"] is not None)
    if match["num2"] is None:
        value = _scaled(first, match["unit1"])
        return _Amount(value, value, match)
    second = _plain_number(match["num2"], decimal_point=chinese or match["unit2"] is not None)
    low, high = _range(first, match["unit1"], second, match["unit2"])
    return _Amount(low, high, match)


def _range(first: Decimal, unit1: str | None, second: Decimal, unit2: str | None) -> tuple[Decimal, Decimal]:
    """Both ends of a range whose unit may be written once: 15-30K, 8000-1.2万, 120k-150."""
    low, high = _scaled(first, unit1 or unit2), _scaled(second, unit2)
    if unit1 is None and unit2 is not None and low > high and first >= 100:
        low = first
    if unit1 is not None and unit2 is None and high < low:
        high = _scaled(second, unit1)
    return low, high


def _scaled(value: Decimal, unit: str | None) -> Decimal:
    scaled = value * _UNITS[unit.rstrip(".")] if unit else value
    whole = scaled.to_integral_value()
    return whole if scaled == whole else scaled.quantize(_CENT, ROUND_HALF_EVEN)


def _plain_number(text: str, *, decimal_point: bool) -> Decimal:
    """Value of digits with separators.

    Three digits after the only separator are a group (60.000), unless it is a point and `decimal_point` says that
    the text writes decimals so: before a unit (1.234万) and in Chinese.
    """
    compact = text.replace(" ", "").replace("'", "")
    *head, tail = re.split(r"[.,]", compact)
    if not head:
        return Decimal(tail)
    point = decimal_point and len(head) == 1 and "." in compact
    grouped = len(tail) == 3 and not point
    return Decimal("".join(head) + tail) if grouped else Decimal("".join(head) + "." + tail)


def _marked(match: re.Match[str]) -> bool:
    groups = ("pre1", "unit1", "post1", "pre2", "unit2", "post2")
    text = match.string
    if re.match(r"\s?(?:million|billion|bn\b|mn\b|m\b|亿|users|employees|customers)", text[match.end() :]):
        raise _Unreadable
    if any(match[group] for group in groups):
        return True
    after = _PERIOD_AFTER.match(text, match.end())
    return after is not None or _period_before(text[: match.start()]) is not None


def _is_plain(amount: _Amount) -> bool:
    """A bare number is pay only if nothing else is said and it is not a small one (15-20 may be K or years)."""
    return amount.high >= 100 and not _BARE_CONTEXT.sub("", _beside(amount.match))


def _beside(match: re.Match[str]) -> str:
    """The text before and after an amount."""
    return match.string[: match.start()] + " " + match.string[match.end() :]


def _ends(amount: _Amount, text: str) -> tuple[Decimal | None, Decimal | None]:
    low, high = amount.low, amount.high
    if high <= 0 or high >= _HUGE or low > high or (low > 0 and high / low > _WIDEST):
        raise _Unreadable
    if amount.match["num2"] is not None:
        return low, high
    before, after = text[: amount.match.start()], text[amount.match.end() :]
    if _BEFORE_CEILING.search(before) or _AFTER_CEILING.match(after):
        return None, high
    if _BEFORE_FLOOR.search(before) or _AFTER_FLOOR.match(after):
        return low, None
    return low, high


def _currency(match: re.Match[str], rest: str) -> str | None:
    beside = " ".join(match[group] or "" for group in ("pre1", "post1", "pre2", "post2"))
    stated = stated_currency(beside + (" " + match.string if "¥" in beside or "$" in beside else ""))
    return stated or stated_currency(rest)


def _period_before(text: str) -> SalaryPeriod | None:
    """The period whose word is the last thing said before the amount ("月薪：", "Annual salary of")."""
    found: SalaryPeriod | None = None
    for match in re.finditer("|".join(f"(?P<{name}>{word})" for name, _, word in _PERIODS), text):
        gap = text[match.end() :]
        near = re.fullmatch(
            r"(?:[\s:·(]|为|约|salary|pay|wage|rate|range|of|is|gross|base|综合|from|up to|不低于)*", gap
        )
        found = _named(match) if near else None
    return found


def _named(match: re.Match[str]) -> SalaryPeriod:
    return next(name for name, _, _ in _PERIODS if match[name])


def _period(match: re.Match[str], rest: str) -> SalaryPeriod | None:
    text = match.string
    after = _PERIOD_AFTER.match(text, match.end())
    attached = {_named(after)} if after else set()
    if (before := _period_before(text[: match.start()])) is not None:
        attached.add(before)
    inner = _PERIOD_ANYWHERE.search(match[0])
    if inner is not None:
        attached.add(_named(inner))
    found = attached or {_named(m) for m in _PERIOD_ANYWHERE.finditer(rest)}
    if len(found) > 1:
        raise _Unreadable
    return found.pop() if found else None
