"""Standing of a position: seniority, by its title first, and whether it leads people."""

from __future__ import annotations

import re

from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.reading import Page

#: First match wins: the highest word of a title names the position (Senior Director, 高级经理), internships before all.
_TITLES: tuple[tuple[str, str], ...] = (
    ("intern", r"实习|\binterns?(?:hip)?\b|\bworking student\b"),
    ("executive", r"首席\w{1,6}官|(?<!副)总经理|副总经理|总裁|\bC[ETFOPI]O\b|\bchief \w+ officer"
        r"|\b(?:vice president|VP|SVP|EVP)\b(?! of the)"),
    ("director", r"总监|\bdirectors?\b|\bhead of\b"),
    ("principal", r"首席|\bprincipal\b|\bdistinguished\b"),
    ("staff", r"\bstaff (?=\w)|\bstaff\b(?=[,)]|$)"),
    ("manager", r"(?<!产品)(?<!项目)(?<!客户)(?<!渠道)(?<!商务)(?<!投资)(?<!品牌)经理(?!助理)|\bmanager\b"),
    ("lead", r"主管|组长|负责人|\b(?:team|tech|technical) lead\b|\blead\b(?! gen)|\bteam leader\b|\bsupervisor\b"),
    ("expert", r"专家|\bexpert\b"),
    ("senior", r"高级|资深|\bsenior\b|\bsr\b\.?"),
    ("mid", r"中级|\bmid[- ]?(?:level|senior)?\b|\bintermediate\b"),
    ("junior", r"初级|助理(?!总)|\bjunior\b|\bjr\b\.?|\bentry[- ]level\b|\bassociate (?!director|dean|professor"
        r"|vice|general)"),
)  # fmt: skip
_SENIORITY = tuple((level, re.compile(words, re.IGNORECASE)) for level, words in _TITLES)
#: Managers of things, not of people.
_THING_MANAGER = re.compile(
    r"\b(?:product|project|program|programme|account|community|marketing|customer success|partner|channel"
    r"|social media|content|brand|campaign|sales|territory|case|office|relationship|category|engagement|delivery"
    r"|release|partnerships?|success|development|growth|business development|communications|campaigns|event"
    r"|events|facilities|payroll|procurement|accounts) manager\b",
    re.IGNORECASE,
)
_TEXT_LEVELS = (
    ("junior", re.compile(r"\bentry[- ]level (?:role|position|job)", re.IGNORECASE)),
    ("senior", re.compile(r"\bthis is a senior|\bas a senior \w+", re.IGNORECASE)),
)
_NO_PEOPLE = re.compile(
    r"不带团队|无需带团队|不需要管理团队|无下属|\bindividual contributor|\bno direct reports|\bno people management",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"团队管理|管理团队|带领[^，。；\n]{0,8}团队|带团队|带队|团队建设与管理|团队组建|组建[^，。；\n]{0,8}团队"
    r"|下属|人员管理|管理过?\d{1,3}[人名]|团队的?管理|领导[^，。；\n]{0,6}团队"
    r"|\bpeople manage|\bdirect reports?\b|\bline manage|\bmanag(?:e|es|ing) (?:and (?:\w+ )?)?(?:a |the |our "
    r"|an )?(?:(?!product|project)[\w-]+ ){0,3}teams?\b(?! calendar)|\blead(?:ing)? (?:and \w+ )?(?:a|the"
    r"|our) (?:[\w-]+ ){0,3}team\b|\bgrow (?:a|the|our|your) (?:[\w-]+ ){0,3}team\b|\bteam management|\b(?:hire"
    r"|hiring|mentor|coach)[^.\n]{0,30}(?:your|a|the"
    r"|our) team\b|\bmanag(?:e|ing) (?:other )?(?:engineers|people|staff|managers)",
    re.IGNORECASE,
)
_PEOPLE_HINTS = ("团队", "下属", "人员管理", "管理", "带队", "manag", "report", "lead", "team", "individual")


def read_standing(page: Page, draft: Draft) -> None:
    """State seniority and people management."""
    _read_seniority(page, draft)
    for value, pattern in ((False, _NO_PEOPLE), (True, _PEOPLE)):
        for segment in page.with_words(_PEOPLE_HINTS):
            if segment.part in {"about", "benefits", "intro"} or segment.preferred or (value and segment.denied):
                continue
            if match := pattern.search(segment.text):
                return draft.set(
                    "/people_management", value, segment.start + match.start(), segment.start + match.end()
                )
    return None


def _read_seniority(page: Page, draft: Draft) -> None:
    title = _THING_MANAGER.sub(lambda match: " " * len(match[0]), page.title.text)
    for level, pattern in _SENIORITY:
        if match := pattern.search(title):
            return draft.set("/seniority", level, page.title.start + match.start(), page.title.start + match.end())
    for level, pattern in _TEXT_LEVELS:
        for segment in page.with_words(("entry", "senior")):
            if match := pattern.search(segment.text):
                return draft.set("/seniority", level, segment.start + match.start(), segment.start + match.end())
    return None
