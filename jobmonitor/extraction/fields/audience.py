"""Who a posting is for: campus, experienced or intern; new graduates; class years; how many people."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.fields.numbers import NUMBER, read_number
from jobmonitor.extraction.reading import Page, Segment

_INTERN_TITLE = re.compile(
    r"实习(?!.{0,4}(?:管理|导师|基地))|\bintern(?:ship)?s?\b|\bco-op\b|\bworking student\b", re.IGNORECASE
)
_INTERN_TEXT = re.compile(
    r"(?:招聘类型|职位类型|岗位性质|工作性质|招聘性质)\s*[:：]?\s*实习|每周(?:至少|可|能)?[^，。；\n]{0,6}(?:实习"
    r"|出勤|到岗)|(?:连续|至少|可)实习|实习(?:期|时间|时长|周期)[^，。；\n]{0,6}\d|转正实习|实习(?:\d"
    r"|[一二三四五六])|实习岗位|招聘?实习生"
    r"|\binternship program|\bas an intern\b|\bthis internship\b|\b(?:summer|fall|winter|spring) intern(?:ship)?\b",
    re.IGNORECASE,
)
_CAMPUS_TITLE = re.compile(
    r"校招|校园招聘|应届|\d{2}届|管培生|管理培训生|培训生|秋招|春招|\bnew grad|\bcampus\b|\bgraduate (?:program"
    r"|engineer|developer|scheme|trainee|analyst)|\buniversity grad|\brecent grad|\bearly career",
    re.IGNORECASE,
)
_CAMPUS_TEXT = re.compile(
    r"(?:招聘类型|职位类型|招聘性质)\s*[:：]?\s*(?:校招|校园|应届)|校园招聘|校招生?的?(?:专项|项目|岗位)|(?:面向"
    r"|仅限|限|招收|招聘"
    r"|欢迎)[^，。；\n]{0,12}(?:届|应届)|20\d\d\s*届[^，。；\n]{0,10}毕业|届(?:本科|硕士|博士|应届|高校|海内外)"
    r"|\bnew grad(?:uate)?s?\b[^.\n]{0,20}(?:program|role|position)|\bgraduate program",
    re.IGNORECASE,
)
_EXPERIENCED = re.compile(r"社招|社会招聘|\bexperienced hire", re.IGNORECASE)
_NOT_GRADUATES = re.compile(
    r"(?:不接受|不招|不收|不考虑|不要|谢绝|拒绝|非)应届|应届(?:毕业)?生?(?:勿投|勿扰|请勿|不考虑|除外)|\bnot (?:open to"
    r"|suitable for|for) (?:new|recent|fresh) grad|\bno (?:new|recent|fresh) grad",
    re.IGNORECASE,
)
_GRADUATES = re.compile(
    r"应届|(?<![第\d])(?:20)?[2-3]\d\s*届|校招|校园招聘|管培生|\b(?:new|recent|fresh) grad(?:uate)?s?\b"
    r"|\bgraduating (?:students?"
    r"|seniors?)|\bcollege grads?\b",
    re.IGNORECASE,
)
_CLASS = re.compile(
    r"(?<!第)(?<![\d.])(?:20)?(?:[2-3]\d)(?:届?\s*[/、,\-–—~至和与及]\s*(?:20)?[2-3]\d){0,4}\s*(?:届|年应届"
    r"|年毕业|应届)(?!奥|全运|亚|世界)"
)
_YEAR = re.compile(r"(?:20)?[2-3]\d")
_SPAN = re.compile(
    r"(20[2-3]\d)\s*[.年/-]\s*(\d{1,2})\s*(?:月|[./-]\d{1,2})?(?:\d{1,2}日)?\s*(?:[-–—~～至到]"
    r"|之间)+\s*(20[2-3]\d)\s*[.年/-]\s*(\d{1,2})"
)
_ENGLISH_CLASS = re.compile(
    r"(?:class of|graduat(?:e|es|ed|ing|ion)(?: date| year)?[^.\n]{0,40}?)\s?(20[2-3]\d)(?:[^.\n]{0,20}?(?:and|to"
    r"|or|-|–)\s?(?:\w+ )?(20[2-3]\d))?|\b(20[2-3]\d) (?:new )?grad(?:uate)?s?\b"
    r"|\bnew grad(?:uate)?s?[ ,(]{1,3}(20[2-3]\d)",
    re.IGNORECASE,
)
_HEADS = re.compile(
    rf"(?:招聘人数|招募人数|需求人数|人数|招聘名额|名额)\s*[:：]?\s*(?:约|共)?\s*(?P<a>\d{{1,4}}|{NUMBER})\s*(?:人"
    rf"|名|位|个)?(?!\s*[-–~]\s*\d)|(?:招聘|拟招|招收|招)\s*(?P<b>\d{{1,3}})\s*(?:人|名|位)"
    r"|招聘[^，。；\n]{0,20}?(?P<d>\d{1,3})\s*名(?![次企校单])"
    r"|(?:number of (?:openings|positions|vacancies|hires)|openings|vacancies)\s*[:：]\s*(?P<c>\d{1,4})\b",
    re.IGNORECASE,
)
_RECRUITING = re.compile(r"负责|协助|支持|参与|开展|推进|招聘渠道|recruit", re.IGNORECASE)
_AUTUMN = 9


def read_audience(page: Page, draft: Draft) -> None:
    """State the kind of recruitment, new graduates, class years and head count. Runs after the years are read."""
    _read_class_years(page, draft)
    _read_kind(page, draft)
    _read_graduates(page, draft)
    for segment in page.with_words(("人数", "名额", "招", "openings", "vacancies", "number of")):
        if match := _HEADS.search(segment.text):
            number = read_number(next(group for group in match.groups() if group))
            if number and segment.part != "about":
                draft.set("/head_count", int(number), segment.start + match.start(), segment.start + match.end())


def _read_kind(page: Page, draft: Draft) -> None:
    """The title decides first; then what the text says; then years of work, which nobody asks of a student."""
    for kind, pattern in (("intern", _INTERN_TITLE), ("campus", _CAMPUS_TITLE), ("experienced", _EXPERIENCED)):
        if match := pattern.search(page.title.text):
            return draft.set("/recruit_type", kind, page.title.start + match.start(), page.title.start + match.end())
    for kind, pattern in (("experienced", _EXPERIENCED), ("intern", _INTERN_TEXT), ("campus", _CAMPUS_TEXT)):
        for segment, match in _finds(page, pattern):
            if not segment.preferred and not segment.denied:
                return draft.set("/recruit_type", kind, segment.start + match.start(), segment.start + match.end())
    years = draft.profile["experience"]["min_years"]
    if years is not None and years >= 1:
        draft.profile["recruit_type"] = "experienced"
        draft.evidence["/recruit_type"] = draft.evidence["/experience/min_years"]
    return None


def _read_graduates(page: Page, draft: Draft) -> None:
    for value, pattern in ((False, _NOT_GRADUATES), (True, _GRADUATES)):
        for segment, match in _finds(page, pattern):
            if value is False or not (segment.denied or segment.part == "about"):
                draft.set("/new_graduates", value, segment.start + match.start(), segment.start + match.end())
                return


def _read_class_years(page: Page, draft: Draft) -> None:
    for segment in page.with_words(("届", "毕业", "学位", "grad", "class of")):
        for start, end, years in (*_chinese_years(segment), *_spans(segment), *_english_years(segment)):
            for year in years:
                draft.add("/graduation_years", year, segment.start + start, segment.start + end)


def _chinese_years(segment: Segment) -> Iterator[tuple[int, int, list[int]]]:
    for match in _CLASS.finditer(segment.text):
        found = [int(year) % 100 + 2000 for year in _YEAR.findall(match[0])]
        is_range = re.search(r"\d\s*[-–—~至]\s*\d", match[0]) and len(found) == 2 and 0 < found[1] - found[0] <= 5
        yield match.start(), match.end(), list(range(found[0], found[1] + 1)) if is_range else found


def _spans(segment: Segment) -> Iterator[tuple[int, int, list[int]]]:
    """2025.09–2026.08 毕业 is one class year, 2026: a class runs from September to August."""
    for match in _SPAN.finditer(segment.text):
        if re.search(r"毕业|届|学位|graduat", segment.text, re.IGNORECASE):
            first, last = int(match[1]) + (int(match[2]) >= _AUTUMN), int(match[3])
            if first <= last <= first + 5:
                yield match.start(), match.end(), list(range(first, last + 1))


def _english_years(segment: Segment) -> Iterator[tuple[int, int, list[int]]]:
    for match in _ENGLISH_CLASS.finditer(segment.text):
        yield match.start(), match.end(), [int(year) for year in match.groups() if year]


def _finds(page: Page, pattern: re.Pattern[str]) -> Iterator[tuple[Segment, re.Match[str]]]:
    for segment in page.with_words(("届", "实习", "intern", "grad", "校", "社", "管培", "experienced hire", "college")):
        # Recruiters recruit: 负责校招 in the duties says nothing about their own posting.
        if not (segment.part == "duties" and _RECRUITING.search(segment.text)) and (
            match := pattern.search(segment.text)
        ):
            yield segment, match
