"""Lines that a site prints around a posting and that say nothing about the job; see docs/hashing.md.

Only a whole line of such a kind goes. "3 天前发布" is one; "3 年前发布过论文者优先" is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from jobmonitor.domain.canonical import fold

_N = r"[0-9０-９][0-9０-９,.，]*\s*(?:[kKwW万千]\+?|\+)?"
_UNITS = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|[hdwm])"
#: "3年内" is not here: alone on a line it may be the experience asked for.
_AGO = (
    r"(?:[0-9一二三四五六七八九十两几数半]+ *个?(?:秒钟?|分钟|小时|天|日|周|星期|个?月|年)(?:以?前)"
    rf"|(?:about |over |more than )?(?:\d+\+?|an?|one|two|three|a few|several) *{_UNITS} +ago)"
)
_RECENTLY = rf"(?:刚刚?|今[天日]|昨[天日]|前天|本周|上周|近?\d+ *(?:天|日|小时)内|just now|today|yesterday|{_AGO})"
_DATE = (
    r"(?:\d{4}\s*[-./年]\s*\d{1,2}\s*[-./月]\s*\d{1,2}\s*日?|\d{1,2}\s*[-./月]\s*\d{1,2}\s*日?|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}"
    r"|(?:\d{1,2}(?:st|nd|rd|th)?\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?(?:\s+\d{4})?)"
)
_TIME = r"(?:[T\s]*\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\s*(?:am|pm|Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
_WHEN = rf"(?:{_RECENTLY}|{_DATE}{_TIME})"


def _line(*alternatives: str) -> re.Pattern[str]:
    """Matches a whole line of one of the kinds, list mark and closing punctuation aside, see `_dropper`."""
    body = "|".join(alternatives).replace(r"\s", " ")  # a line break is never part of a line
    return re.compile(rf"[ \-*•·>|]*(?:{body})[ .。!！;；|]*\Z", re.IGNORECASE)


_COUNTED = r"(?:浏览|阅读|查看|访问|点击|收藏|关注|投递|申请|分享|点赞|热度|人气|评论)"
_WHO = r"(?:次|人次?|位(?:同学|候选人|求职者)?|名(?:候选人|求职者)?|个人)"
_SHOWN = r"(?:views?|applicants?|applications?|clicks?|visits?|shares?|saves?|likes?)"
_PEOPLE = r"(?:applicants?|candidates?|people|persons?|users?|others?|job ?seekers?)"
_DID = r"(?:have |has )?(?:already )?(?:applied|viewed|saved|clicked)"
_SO_FAR = r"(?: so far| today| already)?"
_TO_THIS = r"(?: (?:to |for )?this (?:job|position|role))?"
_THIS_POSTING = r"(?:本?(?:职位|岗位|页面?|帖子))?"
_COUNTERS = _line(
    rf"{_THIS_POSTING}[总共已累计被]*{_COUNTED}(?:次?数|量|人数|度)?\s*[:：]?\s*[(（]?{_N}\s*(?:次|人次?|位|个|℃)?[)）]?",
    rf"{_THIS_POSTING}[已经共累计目前]*有?\s*{_N}\s*[多余]?\s*{_WHO}?[已正在]*(?:感兴趣)?{_COUNTED}[过了]?[该此本这个]*(?:职位|岗位)?",
    rf"(?:page |job |total )?{_SHOWN}\s*[:：]\s*{_N}",
    rf"(?:over |more than |about |already )*{_N}\s*(?:page |job |total )?{_SHOWN}{_SO_FAR}",
    rf"(?:over |more than |about |already )*{_N}\s*{_PEOPLE} {_DID}{_TO_THIS}{_SO_FAR}",
    r"(?:you'?ll )?be (?:among|one of) the first \d+ applicants?",
)
_RELATIVE_DATES = _line(
    _AGO,
    rf"(?:职位|岗位|信息)?(?:发布|刷新|活跃|更新|上线)\s*(?:于|时间|日期)?\s*[:：]?\s*{_RECENTLY}",
    rf"{_RECENTLY}\s*(?:发布|刷新|活跃|更新|上线|开放|来过|在线)(?:了?(?:该|此|本)?(?:职位|岗位))?",
    rf"(?:re)?(?:posted|published|listed|active|refreshed|advertised)(?: on| at)?\s*:?\s*{_RECENTLY}",
    rf"{_RECENTLY}\s*(?:posted|published|active)",
)
_CHANGED = r"(?:re-?)?(?:updated?|modified|refreshed|edited|posted|published|changed)"
_UPDATE_LINES = _line(
    rf"(?:职位|岗位|信息|最近|最后|最新|页面|本页|上次)*(?:更新|刷新|修改|发布|发表|编辑|抓取)(?:时间|日期|于|在)*\s*[:：]?\s*{_WHEN}",
    rf"{_DATE}{_TIME}\s*(?:更新|刷新|发布|修改|发表)",
    rf"(?:(?:this )?(?:page|job|posting|position|listing)(?: was| has been)? )?(?:last )?{_CHANGED}"
    rf"(?: (?:date|time))?(?: on| at)?\s*[:：]?\s*{_WHEN}",
    rf"(?:date|time) (?:posted|published|updated|modified)\s*[:：]?\s*{_WHEN}",
)
_TRACKING = _line(
    r"(?:#(?:LI[-_A-Z0-9]|(?:BI|IND|GD|ZR|DICE|GTM)-)[A-Za-z0-9_-]*[\s,;/]*)+",
    r"(?:tracking|trace|request|impression|session|click|utm|spm)[ _-]?(?:id|code|token|src|source|tag|pixel)"
    r"\s*[:：=]\s*[\w.%&=?:/+-]+",
    r"(?:utm_\w+|gh_src|spm|trk|trackingid|lever-source)=\S+",
)

_RULER = re.compile(r" *(?:[-=_*~—–─━＝－＿·.#+<>☆★◆■] ?){3,}\Z")
#: No line of the kinds below is longer, in characters; it keeps the long lines cheap.
_MOST = 90


class _Kind(NamedTuple):
    """One kind of line that says nothing."""

    pattern: re.Pattern[str]
    #: Words one of which stands in each of its lines, in lower case: looking for them costs a fraction of the pattern.
    words: str

    @property
    def hint(self) -> re.Pattern[str]:
        """Finds the words."""
        return re.compile(self.words)


_COUNTER_KIND = _Kind(
    _COUNTERS,
    "浏览|阅读|查看|访问|点击|收藏|关注|投递|申请|分享|点赞|热度|人气|评论|view|appl|click|visit|share|save|like",
)
_RELATIVE_KIND = _Kind(_RELATIVE_DATES, "前|内|刚|今|昨|本周|上周|ago|now|today|yesterday")
_UPDATE_KIND = _Kind(
    _UPDATE_LINES,
    "更新|刷新|修改|发布|发表|编辑|抓取|update|modified|refreshed|edited|posted|published|changed",
)
_TRACKING_KIND = _Kind(_TRACKING, "#|:|：|=")
_KINDS = (_COUNTER_KIND, _RELATIVE_KIND, _UPDATE_KIND, _TRACKING_KIND)


@lru_cache(maxsize=4)
def _lowered(text: str) -> str:
    """Lower case with every character in its place; remembered, because one step after the other asks."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c if len(c.lower()) > 1 else c.lower() for c in text)


def _dropper(kind: _Kind) -> Callable[[str], str]:
    """A step that drops every short line of the kind."""
    pattern, hint = kind.pattern, kind.hint

    def drop(text: str) -> str:
        return _without(text, [start for start, line in _hinted(text, hint) if pattern.match(line)])

    return drop


def _without(text: str, starts: Iterable[int]) -> str:
    """The text without the lines that start at these positions."""
    unwanted = {text.count("\n", 0, start) for start in starts}
    if not unwanted:
        return text
    return "\n".join(line for number, line in enumerate(text.split("\n")) if number not in unwanted)


def _hinted(text: str, hint: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Start and text of each short line that holds the hint."""
    lowered, position = _lowered(text), 0
    while found := hint.search(lowered, position):
        start = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", found.start())
        position = end if end != -1 else len(text)
        if position - start <= _MOST:
            yield start, text[start:position]


def drop_rulers(text: str) -> str:
    """Drop the lines that are drawn."""
    lines = text.split("\n")
    kept = [line for line in lines if not line or len(line) > _MOST or not _RULER.match(line)]
    return "\n".join(kept) if len(kept) < len(lines) else text


_PIECES = re.compile(r" *[|｜·•,，] *| {2,}")
_ANY_HINT = re.compile("|".join(kind.words for kind in _KINDS))
_BETWEEN = re.compile("[|｜·•,，]|  ")


def _is_mixed_noise(line: str) -> bool:
    """Several pieces in one line ("3天前发布 | 浏览 25 次"), each of them noise."""
    pieces = [piece for piece in _PIECES.split(line.strip(" -|")) if piece]
    return len(pieces) > 1 and all(any(kind.pattern.match(piece) for kind in _KINDS) for piece in pieces)


def drop_mixed(text: str) -> str:
    """Drop the lines that hold nothing but several pieces of noise."""
    suspects = ((start, line) for start, line in _hinted(text, _ANY_HINT) if _BETWEEN.search(line))
    return _without(text, [start for start, line in suspects if _is_mixed_noise(line)])


drop_counters = _dropper(_COUNTER_KIND)
drop_relative_dates = _dropper(_RELATIVE_KIND)
drop_update_lines = _dropper(_UPDATE_KIND)
drop_tracking = _dropper(_TRACKING_KIND)


def drop_slogans(text: str, slogans: Iterable[str]) -> str:
    """Cut the lines that equal one of a source's declared slogans, however they are typed."""
    unwanted = {_bare(slogan) for slogan in slogans if slogan.strip()}
    if not unwanted:
        return text
    return "\n".join(line for line in text.split("\n") if not line.strip() or _bare(line) not in unwanted)


def _bare(line: str) -> str:
    """A line without list mark, heading mark and typing differences."""
    return fold(line.strip().lstrip("#-*• ").strip())
