"""The lowest degree that a posting accepts, and whether it must be a full-time one (统招/全日制)."""

from __future__ import annotations

import re
from typing import get_args

from jobmonitor.domain.numerals import normalise
from jobmonitor.domain.remembered import remembered
from jobmonitor.items import Degree, Education

_RANK: dict[Degree, int] = {degree: rank for rank, degree in enumerate(get_args(Degree))}

#: Words that name a degree, lowest first; all are tried, the lowest one found is the minimum.
_DEGREES: tuple[tuple[Degree, str], ...] = (
    ("middle_school", r"初中|middle school|junior high"),
    ("high_school", r"高中|高卒|high school|secondary school|\bged\b|abitur"),
    ("vocational", r"中专|中技|中职|职高|技校|中等职业|技工学校|vocational|\bausbildung|berufsausbildung"),
    ("associate", r"大专|专科(?!医)|高职|associate'?s?(?:'s)? degree|associate'?s\b|two[- ]year degree|"
        r"2[- ]year degree|"
        r"短大|専門卒|専門学校"),
    ("bachelor",
     r"本科|学士(?!后)|大学(?=学历|毕业|及以上|以上|文凭|程度|$)|大卒|大学卒|双一流|\b985\b|(?<!\d)(?:985|"
     r"211)(?!\d)|[一二]本(?=院校|及|以上|$)|"
     r"bachelor|\bb(?:sc|eng|tech|com|a|s)(?= ?/ ?(?:m|b)| in\b| or\b| degree)|\bbsc\b|"
     r"^(?:bs|ba|be|btech|beng)\b|(?<!post)undergraduate degree|^undergraduate$|(?:university|college|four-year|"
     r"4-year) degree|"
     r"hochschulabschluss|"
     r"abgeschlossenes (?:hochschul)?studium|abgeschlossenes studium|hochschulstudium"),
    ("master",
     r"硕士|(?<!博士)研究生|大学院|院卒|修士|master'?s\b|master degree|master of\b|\bmaster(?=abschluss| or (?:phd|"
     r"higher)| ?/ ?ph)|\bmsc\b|"
     r"\bmba\b|\bm(?:s|a|eng|tech)\b(?= in\b| or\b| degree|/)|^(?:ms|ma|mtech|masters?)$|^m[as]\b(?! office)|/ ?m(?:s|"
     r"a)\b|\bor ms\b|"
     r"postgraduate|(?<!under)graduate degree|advanced degree"),
    ("doctor", r"博士|\bph\.? ?d\b|doctorate|doctoral|doctor of|^promotion$|(?:abgeschlossene|"
        r"abgeschlossener) promotion"),
)  # fmt: skip
_TERMS = "|".join(f"(?P<{degree}>{words})" for degree, words in _DEGREES)
_TERM = re.compile(_TERMS)

_TAIL = r"(?:研究生|学历|学位|文凭|毕业|院校|及以上|或以上|以上)*"
_PREFERRED = re.compile(rf"(?:{'|'.join(words for _, words in _DEGREES)}){_TAIL}(?:者|的)?(?:更?优先|更佳|为佳|加分)")
_CEILING = re.compile(rf"(?:{'|'.join(words for _, words in _DEGREES)})(?:学历|学位)?(?:及|或)?以下")
#: A degree that is turned away: 不招大专, 大专勿扰.
_TURNED_AWAY = re.compile(
    rf"(?:不招|不接受|不考虑|谢绝|拒绝)(?:{'|'.join(words for _, words in _DEGREES)})(?:学历|毕业生)?|"
    rf"(?<!非)(?:{'|'.join(words for _, words in _DEGREES)})(?:学历|毕业生)?(?:请?勿[投扰]|免投)"
)
_PREFERENCE = re.compile(r"prefer|a plus\b|nice to have|bonus|desirable|advantage|wünschenswert|von vorteil|尚可|歓迎")
_UNLIMITED = re.compile(
    r"学历(?:要求)?[:： ]?(?:不限|无要求|不作要求|不做要求)|不限(?:制)?学历|(?:不要求|无需|无)学历|"
    r"对?学历(?:没有|无)要求|不看学历|^不限|^无要求|学歴不問|"
    r"(?:degree|education) (?:is )?not (?:required|necessary|needed)|no (?:\w+ ){0,2}degree (?:is )?(?:required|"
    r"necessary|needed)|"
    r"(?:does not|do(?:es)?n't|not) require an? (?:\w+ )?degree|no (?:formal )?(?:education|"
    r"qualifications?) (?:is |are )?required|kein(?:en?)? \w*abschluss|"
    r"(?:degree|education)(?: level)?: ?(?:none|any|unlimited)|^none$|^any$|^no degree$"
)  # fmt: skip
_OTHER_UNLIMITED = re.compile(
    r"(?:专业|性别|年龄|经验|户籍|地域|院校|学校|地区|全日制|统招)(?:要求)?不限|不限(?:制)?(?:专业|性别|年龄|"
    r"经验|户籍|地域|院校|学校|地区|全日制|统招)"
)
#: 在读 and 高年级 name who may apply, not a lower degree; product and role names that contain a degree word.
_NOT_DEGREES = re.compile(
    r"大学生|大学英语|本科室|高中低|scrum master|master data|ms (?:office|word|excel|sql|teams|project)|"
    r"博士后工作站|研究生导师"
)

_FULL_TIME = re.compile(
    r"(?<!非)(?:统招|全日制)|full[- ]time (?:\w+ ){0,2}(?:degree|bachelor|master|study|education|student)"
)
_FULL_TIME_OPEN = re.compile(
    r"非(?:全(?:日制)?|统招)(?:学历|本科|硕士|研究生)?(?:也|亦|均|都)?(?:可|接受)|(?:接受|不限|包括|含)(?:自考|"
    r"成教|函授|网教|专升本|非统招|统招|全日制|"
    r"非全)|(?:全日制|统招)(?:要求)?不限|"
    r"不(?:要求|限制?|限定)(?:必须)?(?:为)?(?:统招|全日制)|全日制(?:/|或|、|和|与|及)(?:者)?非全|(?:自考|成教|"
    r"函授|网教|专升本|成人教育)(?:也|亦|均|都)?可(?!能)"
)
_FULL_TIME_ONLY = re.compile(
    r"(?:不接受|不招|不含|不包括|拒绝|谢绝)非(?:全|统招)|非全(?:日制)?(?:勿投|勿扰|除外|"
    r"不予)"
)
_FULL_TIME_LIKED = re.compile(r"(?:统招|全日制)[^,;。]{0,8}优先")
_ABBREVIATION = re.compile(r"\b([bm])\. ?(sc|s|a|tech|eng|com|e)\b\.?")
#: Characters that are read: a field or a sentence.
_LONGEST = 2_000
_CLAUSES = re.compile(r"[,;。!?\n\r()]|\.\s")


@remembered
def parse_education(text: str | None) -> Education:
    """Read the degree asked for.

    `minimum` is the lowest degree that is accepted: `本科/硕士`, `BS/MS in CS` and `硕士优先，本科及以上` are a
    bachelor, 985/211/双一流 name universities and so a bachelor. A degree that is only preferred is not a minimum.
    `none` means that the text says none is required (学历不限, `no degree required`; also 不限/未提及); None that it
    does not say. `full_time_required` is True for 统招/全日制, False where 非全日制 is accepted, None when not stated.
    """
    folded = re.sub(r"[ \t]+", " ", normalise((text or "").strip()[:_LONGEST])).strip()
    folded = re.sub(r"\((?=prefer|optional|desir)", " ", folded)
    return Education(minimum=_minimum(folded), full_time_required=_full_time(folded))


def _minimum(text: str) -> Degree | None:
    told = _OTHER_UNLIMITED.sub("", text)
    if _UNLIMITED.search(told):
        return "none"
    told = _ABBREVIATION.sub(r"\1\2", _NOT_DEGREES.sub(" ", told))
    found = [
        match.lastgroup
        for clause in _CLAUSES.split(_TURNED_AWAY.sub(" ", _CEILING.sub(" ", _PREFERRED.sub(" ", told))))
        if not _PREFERENCE.search(clause)
        for match in _TERM.finditer(clause)
    ]
    ranked = sorted((degree for degree in _RANK if degree in found), key=_RANK.__getitem__)
    return ranked[0] if ranked else None


def _full_time(text: str) -> bool | None:
    if _FULL_TIME_ONLY.search(text):
        return True
    if _FULL_TIME_OPEN.search(text):
        return False
    return True if _FULL_TIME.search(_FULL_TIME_LIKED.sub(" ", text)) else None
