"""The currencies that a pay text can state, by sign, word or code."""

from __future__ import annotations

import re

#: Longer and prefixed forms first: HK$ before $, 港元 before 元.
_SIGNS: tuple[tuple[str, str], ...] = (
    (r"hk\$|港元|港币|港幣", "HKD"),
    (r"nt\$|新台币|新臺幣|台币|台幣", "TWD"),
    (r"us\$|美元|美金", "USD"),
    (r"sg\$|s\$|新加坡元|新币", "SGD"),
    (r"au\$|a\$|澳元", "AUD"),
    (r"ca\$|c\$|加元", "CAD"),
    (r"nz\$", "NZD"),
    (r"mx\$", "MXN"),
    (r"r\$", "BRL"),
    (r"日元|日圆|円|jp¥", "JPY"),
    (r"韩元|₩", "KRW"),
    (r"欧元|€|euros?\b", "EUR"),
    (r"英镑|£", "GBP"),
    (r"瑞士法郎|瑞郎|sfr\.?|\bfr\.(?=\s?\d|\s*$)", "CHF"),
    (r"人民币|rmb|cn¥|(?<![多公单])元(?![宇件数老素旦气])|块(?=钱?(?:/|每|$))", "CNY"),
    (r"₹|\brs\.?(?=\s?\d|\s*$)", "INR"),
    (r"zł", "PLN"),
    (r"₽", "RUB"),
    (r"₺", "TRY"),
    (r"₫", "VND"),
    (r"฿", "THB"),
    (r"₱", "PHP"),
    (r"₪", "ILS"),
    (r"₴", "UAH"),
    (r"\brp\.?(?=\s?\d|\s*$)", "IDR"),
    (r"\brm(?=\s?\d|\s*$)", "MYR"),
)
_CODES = (
    "USD EUR GBP CNY JPY CHF HKD TWD SGD AUD CAD NZD INR KRW SEK NOK DKK PLN CZK HUF RON BGN BRL MXN ARS CLP COP "
    "ZAR AED SAR QAR ILS TRY RUB UAH THB VND IDR MYR PHP"
).lower()
_CODE = rf"(?<![a-z])(?:{'|'.join(_CODES.split())})(?![a-z])"
_DOLLAR = "$"
_YEN = "¥"

#: Any statement of a currency, in normalised (lower-case, half-width) text.
CURRENCY = "|".join([_CODE, *(sign for sign, _ in _SIGNS), r"\$", _YEN])
_ANY = re.compile(CURRENCY)
_TABLE = tuple((re.compile(sign), code) for sign, code in _SIGNS)
_DOLLARS = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN"})
_JAPANESE = re.compile(r"円|jpy|時給|日給|月給|年収|年俸|[ぁ-ゖァ-ヺ]")


class CurrencyConflict(ValueError):
    """The text states more than one currency."""


def _code(sign: str) -> str:
    for pattern, code in _TABLE:
        if pattern.fullmatch(sign):
            return code
    return sign if sign in (_DOLLAR, _YEN) else sign.upper()


def stated_currency(text: str) -> str | None:
    """ISO 4217 code that the normalised text states, or None.

    A bare `$` states USD, unless a code or prefix beside it says which dollar. `¥` states CNY, unless the text
    is Japanese (円, 時給, kana) or says JPY.

    Raises:
        CurrencyConflict: two currencies.
    """
    found = {_code(match[0]) for match in _ANY.finditer(text)}
    if _DOLLAR in found:
        found.discard(_DOLLAR)
        found |= set() if found & _DOLLARS else {"USD"}
    if _YEN in found:
        found.discard(_YEN)
        found |= set() if found & {"CNY", "JPY"} else {"JPY" if _JAPANESE.search(text) else "CNY"}
    if len(found) > 1:
        raise CurrencyConflict(", ".join(sorted(found)))
    return found.pop() if found else None
