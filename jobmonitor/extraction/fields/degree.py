"""Degree, full-time degree, preferred degree, majors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.reading import Page, Segment
from jobmonitor.extraction.vocabulary import major_pattern
from jobmonitor.items import Degree

#: Words of each degree, from the lowest. Grounding uses the same table: a quote must hold one of them.
DEGREE_WORDS: dict[Degree, str] = {
    "none": r"学历不限|不限学历|学历无要求|学历要求[:：]?\s*不限|无学历要求|对学历(?:不作|不做|没有|无)要求"
    r"|不要求学历|不看学历"
    r"|\bno (?:formal )?(?:college |university )?degree (?:is )?(?:required|necessary|needed)"
    r"|\bdegree (?:is )?not (?:required|necessary|needed)|without a degree",
    "middle_school": r"初中(?=及|以上|学历|毕业|文化|或|/|、|\s|$)",
    "high_school": r"(?<!提)(?<!最)高中(?=及|以上|学历|毕业|文化|或|/|、|\s|$)|\bhigh[ -]school (?:diploma|degree"
    r"|education|graduate|or)|\bhigh school$|\bGED\b",
    "vocational": r"中专|中技|技校|职高|中职(?!位)|\bvocational (?:school|degree|training|qualification)",
    "associate": r"大专(?!院校)|(?<!大)专科(?!医|护|门|学|生|室|院|诊)|高职(?!位)"
    r"|\bassociate(?:['’]?s)?[ -]degree|\bassociates degree",
    "bachelor": r"本科(?!室)|学士|大学(?=学历|毕业|文化|及以上|以上学历)|[一二]本(?=院校|及以上|以上)"
    r"|\bbachelor(?:['’]?s|s)?\b|\bB\.?S\.?c?\.?(?=[ /,]*(?:/|or |degree|in |&|and )"
    r"|$)|\bB\.?A\.?(?=[ /,]*(?:/|or B|degree|in |&)|$)"
    r"|\bundergraduate degree|\b(?:university|college|4[ -]year|four[ -]year) degree|\bBTech\b|\bB\.?Eng\b",
    "master": r"硕士(?!点|生?导师)|(?<!博士)研究生(?!导师|院)|\bmaster(?:['’]s|s['’])|\bmasters? (?:degree"
    r"|of (?:science|arts|engineering|business))|\bmasters\b(?= (?:degree|in\b|or\b)|,|$)"
    r"|\bM\.?S\.?c?\.?(?=[ /,]*(?:/|or Ph|degree|in |and Ph)|$)|\bMBA\b|\badvanced degree|\bgraduate degree"
    r"|\bM\.?Eng\b",
    "doctor": r"博士(?!后|点|生?导师|团队)|\bPh\.?\s?D\b|\bdoctora(?:te|l)\b|\bdoctor of ",
}
_RANK = {degree: rank for rank, degree in enumerate(DEGREE_WORDS)}
_DEGREE = re.compile("|".join(f"(?P<{degree}>{words})" for degree, words in DEGREE_WORDS.items()), re.IGNORECASE)
#: Without one of these, a degree word in duties is about the work (博士团队, a Bachelor programme).
_DEMAND = re.compile(r"学历|学位|以上|毕业|在读|专业|degree|优先", re.IGNORECASE)
_FULL_TIME = re.compile(
    r"统招|全日制(?!工作|劳动|用工|实习|上班)|统分|full[ -]time (?:bachelor|master|degree|university|undergraduate)",
    re.IGNORECASE,
)
_NOT_FULL_TIME = re.compile(
    r"非全日制(?!劳动|用工)[^，。；]{0,6}(?:可|均可|亦可|也可|接受)|不限(?:统招|全日制)|不要求(?:统招|全日制)"
    r"|非统招[^，。；]{0,6}可|统招[/、或]?(?:自考|成教|成人)[^，。；]{0,8}(?:可|均)|自考[^，。；]{0,4}(?:均可"
    r"|亦可|也可)"
)
_STAGE = re.compile(r"本科生?(?:导师|教学|课程|教育)")
_MAJOR_CUE = re.compile(
    r"专业|学历|院校|科班|\bmajor|\bdegrees?\b|\bfields?\b|bachelor|master['’]?s|\bph\.?d|\bBS\b|\bMS\b"
    r"|disciplines?\b|相关背景",
    re.IGNORECASE,
)
_NO_MAJOR = re.compile(
    r"专业(?:不限|知识|能力|素养|技能|性|培训|技术|领域|精神|服务|化|水平|基础|经验|团队|资格|证书|态度|意见|建议"
    r"|方向不限)|不限专业"
)
#: Letters and words without which no degree is named: a cheap test before a dear pattern.
_HINTS = (
    "大学",
    "本",
    "科",
    "士",
    "历",
    "专",
    "技",
    "高",
    "初中",
    "研究生",
    "degree",
    "bachelor",
    "master",
    "ph",
    "doctor",
    "b.",
    "bs",
    "ba",
    "m.",
    "ms",
    "school",
    "ged",
    "eng",
    "btech",
    "vocational",
    "mba",
)
_READ_IN = frozenset({"requirements", "preferred", "other", "title", "intro"})


class _Hit(NamedTuple):
    degree: Degree
    start: int
    end: int
    preferred: bool


_TURNED_AWAY_BEFORE = ("不招", "不接受", "不考虑", "谢绝", "拒绝")
_TURNED_AWAY_AFTER = re.compile(r"(?:学历|毕业生)?(?:请?勿[投扰]|免投)")


def read_degree(page: Page, draft: Draft) -> None:
    """State the lowest degree accepted, the highest one preferred, whether it must be full-time, and the majors."""
    hits = list(_hits(page))
    required = [hit for hit in hits if not hit.preferred]
    if required:
        lowest = min(required, key=lambda hit: _RANK[hit.degree])
        draft.set("/education/minimum", lowest.degree, lowest.start, lowest.end)
    wished = [hit for hit in hits if hit.preferred and (not required or _RANK[hit.degree] > _RANK[lowest.degree])]
    if wished:
        best = min(wished, key=lambda hit: _RANK[hit.degree])
        draft.set("/education/preferred", best.degree, best.start, best.end)
    _read_full_time(page, draft)
    _read_majors(page, draft)


def _hits(page: Page) -> Iterator[_Hit]:
    for segment in page.with_words(_HINTS):
        for match in _DEGREE.finditer(segment.text):
            degree: Degree = match.lastgroup  # type: ignore[assignment]
            if _is_demand(segment, match) and (degree == "none" or not segment.denied):
                preferred = segment.preferred and degree != "none"
                yield _Hit(degree, segment.start + match.start(), segment.start + match.end(), preferred)


def _is_demand(segment: Segment, match: re.Match[str]) -> bool:
    if _STAGE.match(segment.text, match.start()) or _is_turned_away(segment.text, match):
        return False
    return segment.part in _READ_IN or _DEMAND.search(segment.text) is not None


def _is_turned_away(text: str, match: re.Match[str]) -> bool:
    """大专勿扰, 不招大专: not a lower degree that is accepted. 非本科勿扰 asks for one."""
    before = text[: match.start()]
    return before.endswith(_TURNED_AWAY_BEFORE) or (
        _TURNED_AWAY_AFTER.match(text, match.end()) is not None and not before.endswith("非")
    )


def _read_full_time(page: Page, draft: Draft) -> None:
    for segment in page.with_words(("统招", "全日制", "自考")):
        if match := _NOT_FULL_TIME.search(segment.text):
            draft.set(
                "/education/full_time_required", False, segment.start + match.start(), segment.start + match.end()
            )
            return
    for segment in page.with_words(("统招", "全日制", "统分", "full")):
        match = _FULL_TIME.search(segment.text)
        if match and segment.stance == "plain" and _is_about_degrees(segment, match):
            draft.set("/education/full_time_required", True, segment.start + match.start(), segment.start + match.end())
            return


def _is_about_degrees(segment: Segment, match: re.Match[str]) -> bool:
    if segment.text[: match.start()].endswith("非"):
        return False
    return _DEGREE.search(segment.text) is not None or re.search(r"学历|院校|高校|毕业", segment.text) is not None


def _read_majors(page: Page, draft: Draft) -> None:
    for sentence in page.sentences():
        if not _may_name_majors(sentence):
            continue
        first, last = _major_range(sentence)
        for segment in sentence[first : last + 1]:
            if segment.denied or _NO_MAJOR.search(segment.text):
                continue
            for match in major_pattern().finditer(segment.text):
                draft.add(
                    "/education/majors", match[0].strip(), segment.start + match.start(), segment.start + match.end()
                )


def _may_name_majors(sentence: tuple[Segment, ...]) -> bool:
    part = sentence[0].part
    return part != "title" and (part in _READ_IN or any(piece.has(("相关专业",)) for piece in sentence))


def _major_range(sentence: tuple[Segment, ...]) -> tuple[int, int]:
    """The segments of a sentence that name majors: Chinese lists end in 专业, English ones follow the degree."""
    cues = [index for index, segment in enumerate(sentence) if _MAJOR_CUE.search(segment.text)]
    if not cues:
        return 0, -1
    chinese = [index for index in cues if sentence[index].has(("专业", "院校", "背景", "科班"))]
    if chinese:
        named = [index for index in chinese if major_pattern().search(sentence[index].text)]
        first, last = (named or chinese)[0], (named or chinese)[-1]
        while first > 0 and _is_list_item(sentence[first - 1].text):
            first -= 1
        return first, last
    if not any(re.search(r"[A-Za-z]", sentence[index].text) for index in cues):
        return 0, -1
    last = cues[0]
    while (
        last + 1 < len(sentence)
        and len(sentence[last + 1].text.split()) <= 6
        and not re.search(r"\d", sentence[last + 1].text)
    ):
        last += 1
    return cues[0], last


def _is_list_item(text: str) -> bool:
    """True for a stretch that is nothing but a major: 计算机，电子，通信等相关专业."""
    match = major_pattern().match(text.strip())
    return match is not None and len(text.strip()) - match.end() <= 4
