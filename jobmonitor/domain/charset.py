"""Bytes of a page → text, also where the declared charset is wrong or missing.

What decodes strictly and reads like a language wins over what is declared: career sites declare UTF-8 over GBK
and GBK over UTF-8. Detectors made for long texts were wrong on short Chinese pages (see the unit test),
so candidates are scored here by how common their characters are in the charset's own first level.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

#: How much of a page is looked at to choose between charsets, in bytes.
_SAMPLE = 65_536
_DECLARATION_WINDOW = 4_096

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: What sites call a charset → the codec that also reads what they send under that name (as browsers do).
_SUPERSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030", "cp936": "gb18030", "hz": "hz",
    "big5": "big5hkscs", "big5-hkscs": "big5hkscs", "cp950": "big5hkscs", "x-x-big5": "big5hkscs",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "iso-8859-1": "cp1252", "latin1": "cp1252",
    "ascii": "cp1252", "us-ascii": "cp1252",
    "utf8": "utf-8", "utf-16": "utf-16-le", "unicode": "utf-16-le", "x-user-defined": "cp1252",
}  # fmt: skip
_DECLARED = re.compile(
    rb"""(?:<\?xml[^>]{0,80}encoding|charset)\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE
)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)


class Decoded(NamedTuple):
    """A page's text and the codec that read it."""

    text: str
    encoding: str


def decode(body: bytes, *, content_type: str | None = None) -> Decoded:
    """Decode a page. Never raises: what no charset reads is replaced by U+FFFD.

    Args:
        body: The bytes as received, Content-Encoding undone.
        content_type: The Content-Type header, if there was one.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return Decoded(body[len(bom) :].decode(encoding, "replace"), encoding)
    if wide := _utf16_without_bom(body):
        return Decoded(body.decode(wide, "replace"), wide)
    if b"\x1b$" in body and (text := _strict(body, "iso2022_jp")) is not None:
        return Decoded(text, "iso2022_jp")
    if (text := _strict(body, "utf-8")) is not None and (text.isascii() or _surely_utf8(text)):
        return Decoded(text, "utf-8")
    encoding = _most_plausible(body, list(_declared(body, content_type)))
    return Decoded(body.decode(encoding, "replace"), encoding)


def _strict(body: bytes, encoding: str) -> str | None:
    try:
        return body.decode(encoding)
    except UnicodeDecodeError:
        return None


def _surely_utf8(text: str) -> bool:
    """Some character takes three bytes or more; two-byte ones alone may be GBK by accident when the text is short."""
    return any(character > "\u07ff" for character in text) or len(text) > 200


def _utf16_without_bom(body: bytes) -> str | None:
    """The byte order of UTF-16, seen by the zero bytes of its ASCII part; None if it is not UTF-16."""
    sample = body[:_DECLARATION_WINDOW]
    if len(sample) < 4 or b"\0" not in sample:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) * 20 < len(sample) or min(even, odd) * 4 > max(even, odd):
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _declared(body: bytes, content_type: str | None) -> Iterable[str]:
    """Codecs that header and markup name, in the order of their authority."""
    names = _HEADER.findall(content_type or "")
    names += [name.decode("ascii") for name in _DECLARED.findall(body[:_DECLARATION_WINDOW])]
    for name in names:
        encoding = _SUPERSETS.get(name.lower(), name.lower())
        try:
            info = codecs.lookup(encoding)
            "".encode(info.name)
        except (LookupError, ValueError):  # unknown, or no text codec
            continue
        yield info.name if encoding not in _SUPERSETS.values() else encoding


#: Common characters of postings and of Chinese at large, both scripts.
_EVERYDAY = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十"
    "三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间"
    "样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位"
    "入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给"
    "职责岗岗聘招岗历薪经验技术项目团队负责熟悉优先具备良好沟通研发软件工程师需求参与以上学历本科专业掌握编程系统架构维护测试产品运营市场客户"
    "這個為們來時國對說發經動產會過還種樣關與當應開實現學業從點機體長見問題無總設資計統別運強處隊給職責崗聘歷薪驗術項團負熟優備溝軟師"
    "參專編構護測試營場戶縣請寫網頁電話聯絡務員區條將點東車後裡會變讓轉達遠類觀單邊幾萬財簡單歡迎應徵內容福利制度"
    "北京上海深圳广州杭州成都武汉南京苏州西安廣州臺灣台新竹"
)
_PUNCTUATION = frozenset("，。、；：？！（）“”‘’《》【】…—·「」『』　～％")


def _level_one(codec: str, first: int, last: int) -> Callable[[str], bool]:
    """Whether a character is in the everyday part of a national standard, by its lead byte."""
    known: dict[str, bool] = {}

    def check(character: str) -> bool:
        if character not in known:
            try:
                known[character] = first <= character.encode(codec)[0] <= last
            except UnicodeEncodeError:
                known[character] = False
        return known[character]

    return check


class _Candidate(NamedTuple):
    encoding: str
    everyday: Callable[[str], bool]
    #: What a kana or hangul character says for this charset.
    kana: float = -0.5
    hangul: float = -2.0


def _never(_: str) -> bool:
    return False


_CANDIDATES = (
    _Candidate("gb18030", _level_one("gb2312", 0xB0, 0xD7)),
    _Candidate("big5hkscs", _level_one("big5", 0xA4, 0xC6)),
    _Candidate("cp932", _level_one("euc_jp", 0xB0, 0xCF), kana=1.5),
    _Candidate("euc_jp", _level_one("euc_jp", 0xB0, 0xCF), kana=1.5),
    _Candidate("cp949", _never, hangul=1.2),
    _Candidate("cp1252", _never),
    _Candidate("utf-8", _level_one("gb2312", 0xB0, 0xD7), kana=1.0, hangul=1.0),
    _Candidate("utf-16-le", _level_one("gb2312", 0xB0, 0xD7), kana=1.0, hangul=-1.0),
    _Candidate("utf-16-be", _level_one("gb2312", 0xB0, 0xD7), kana=1.0, hangul=-1.0),
)
_BY_ENCODING = {candidate.encoding: candidate for candidate in _CANDIDATES}
#: What a declaration is worth, as a share of the score: it decides between charsets that read about equally well.
_DECLARED_BONUS = 0.25
#: Text that is valid UTF-8 is hardly ever anything else, unless it is two or three characters.
_VALID_UTF8_BONUS = 1.0


def _most_plausible(body: bytes, declared: list[str]) -> str:
    """The charset under which the page's characters are the most common ones."""
    sample = body[:_SAMPLE]
    extra = [_Candidate(name, _never) for name in dict.fromkeys(declared) if name not in _BY_ENCODING]
    return max((*_CANDIDATES, *extra), key=lambda candidate: _score(sample, candidate, declared)).encoding


def _score(sample: bytes, candidate: _Candidate, declared: list[str]) -> float:
    """Mean plausibility of the characters beyond ASCII, plus what a declaration is worth."""
    text = sample.decode(candidate.encoding, "replace")
    foreign = [(index, character) for index, character in enumerate(text) if character > "\x7f"]
    bonus = (
        _DECLARED_BONUS
        if candidate.encoding in declared[:1]
        else _DECLARED_BONUS / 2
        if candidate.encoding in declared
        else 0.0
    )
    if candidate.encoding == "utf-8" and "\ufffd" not in text:
        bonus += _VALID_UTF8_BONUS
    if not foreign:
        return bonus
    if foreign[-1][1] == "\ufffd" and foreign[-1][0] == len(text) - 1:  # the sample may end inside a character
        foreign.pop()
    # Charsets that use fewer bytes a character make more of them: compare by byte, not by character.
    total = sum(_plausibility(character, candidate, text, index) for index, character in foreign)
    return total / max(1, len(foreign)) + bonus


def _plausibility(character: str, candidate: _Candidate, text: str, index: int) -> float:
    code = ord(character)
    if character in _EVERYDAY:
        return 1.6 if candidate.everyday(character) or candidate.encoding.startswith("utf") else 0.4
    if 0x4E00 <= code < 0xA000:
        return 0.8 if candidate.everyday(character) else -1.0
    if character in _PUNCTUATION:
        return 1.0
    if 0x3041 <= code < 0x3100:
        return candidate.kana
    if 0xAC00 <= code < 0xD7A4:
        return candidate.hangul
    if code == 0xFFFD or 0x80 <= code < 0xA0 or 0xE000 <= code < 0xF900:
        return -6.0
    if 0xFF61 <= code < 0xFFA0 or code > 0xFFFF or 0x3400 <= code < 0x4E00:
        return -1.5
    if 0xFF01 <= code < 0xFF5F:
        return 0.5
    return _latin_plausibility(code, text, index)


def _latin_plausibility(code: int, text: str, index: int) -> float:
    """A letter with an accent stands among ASCII letters; typographic marks stand anywhere; the rest is doubtful."""
    if 0xC0 <= code < 0x250:
        around = text[max(0, index - 1) : index] + text[index + 1 : index + 2]
        return 0.7 if any(neighbour.isascii() and neighbour.isalpha() for neighbour in around) else -1.0
    return 0.5 if 0x2010 <= code < 0x2040 or code in {0x20AC, 0xB7, 0xA0, 0xAE, 0xA9, 0xAB, 0xBB, 0x2122} else -0.5
