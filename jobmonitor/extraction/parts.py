"""Headings of postings: which part of the document (duties, requirements, wishes, benefits) a line stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["title", "intro", "duties", "requirements", "preferred", "benefits", "about", "other"]

#: First match wins, so the narrow headings stand before the wide ones.
_HEADINGS: tuple[tuple[Part, str], ...] = (
    ("preferred", r"加分项?|以下[^，。；:：]{0,10}(?:优先|加分)|优先条件|优先考虑|优先录用|优先项"
        r"|nice[ -]to[ -]haves?|preferred|bonus(?: points"
        r"| skills| if)?(?!es)|pluses|good to have|desir(?:able|ed)|extra credit|you might also have|it['’]s a plus"),
    ("requirements", r"任职要求|岗位要求|职位要求|任职资格|任职条件|岗位资格|招聘要求|应聘要求|应聘条件|职位资格"
        r"|技能要求|我们希望你|希望你|我们期待|期待你|基本要求|能力要求|资格要求|招聘条件|报名条件|学历要求"
        r"|岗位基本要求|必备条件|专业能力|你需要|你应该|requirements?|qualifications|what we['’]?(?:re"
        r"| are)? look|what we look|who you are|who we['’]?(?:re| are) looking|about you|you (?:have|are|bring"
        r"|might be)|what you['’]?(?:ll| will)? (?:bring|need|have)|must[ -]haves?|your (?:profile|skills"
        r"|background|experience)|skills|experience|we['’]?(?:re| are) looking for|basic qualifications|minimum"
        r"|ideal candidate|to be successful|what you should|education"),
    ("benefits", r"福利待遇|员工福利|薪酬福利|薪资福利|薪资待遇|薪酬待遇|公司福利|岗位亮点|职位亮点|团队亮点"
        r"|加入我们|福利|我们提供|职位诱惑|待遇"
        r"|你将获得|benefits|perks|what we offer|we offer|what you['’]?(?:ll| will) (?:get|receive|enjoy)"
        r"|compensation|why (?:join|you['’]ll love|work|us)|what['’]s in it|our offer|in return|pay range|salary"),
    ("duties", r"岗位职责|工作职责|职位描述|岗位描述|工作内容|职责描述|主要职责|岗位内容|工作描述|职责|你将"
        r"|你会做|你的职责|responsibilit|what you['’]?(?:ll| will)? (?:do|be doing|work)|what will you do"
        r"|about the (?:role|job|position|opportunity)|the (?:role|position|job|opportunity)|your (?:role|mission"
        r"|tasks|impact|responsibilities|day)|duties|job description|in this role|role (?:overview|description)"
        r"|you will|day[ -]to[ -]day|how you['’]ll|key tasks|position summary"),
    ("about", r"公司介绍|公司简介|关于我们|企业简介|团队介绍|部门介绍|关于团队|about|who we are|our (?:story"
        r"|company|mission|team|values|culture|commitment|stack)|equal (?:opportunity|employment)|eeo|diversity"
        r"|the (?:company|team)|privacy|accommodation"),
)  # fmt: skip
_ANY_HEADING = tuple((part, re.compile(words, re.IGNORECASE)) for part, words in _HEADINGS)
_LINE = re.compile(r"[^\n]+")
_HASHES = re.compile(r"(#{1,6})\s+")
_BARE = re.compile(
    r"(?:\d{1,2}[.、)]"
    r"|[一二三四五六七八九十]、)?\s*[【\[（(*]{0,3}([^\n【】\[\]*]{2,40}?)[】\])）*]{0,3}\s*([:：]?)\s*\Z"
)
#: Headings that stand inside a line: "…的设计；任职要求：1、本科…".
_INLINE = re.compile(
    r"(?:(?<=[\s。；;】！!.])|^)[【\[]?(?:工作职责|岗位职责|职位描述|岗位描述|工作内容|任职要求|岗位要求|职位要求"
    r"|任职资格|任职条件|招聘要求|技能要求"
    r"|加分项|优先条件|福利待遇|员工福利|薪酬福利|薪资福利|薪资待遇|职位诱惑|公司介绍|公司简介|requirements"
    r"|qualifications|responsibilities|nice to have"
    r"|benefits|preferred qualifications|preferred|bonus)[】\]]?\s{0,3}(?:[（(][^）)\n]{0,30}[）)])?\s{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = re.compile(r"\s{0,3}(?:1|一)[、.．)）]")
_MAX_HEADING = 60


def split_parts(text: str) -> Iterator[tuple[int, int, Part]]:
    """Stretches (start, end, part) of a canonical document, in order; headings themselves are left out of none."""
    state = _Headings()
    for line in _LINE.finditer(text):
        yield from _stretches(text, line.start(), line.end(), state)


class _Headings:
    """Where we are while walking down the lines."""

    def __init__(self) -> None:
        self.part: Part = "intro"
        self.level = 0
        self.seen_title = False

    def open(self, part: Part, level: int) -> None:
        """A known heading, or an unknown one at its own or a higher level, starts a new part."""
        self.part, self.level = part, level


def _stretches(text: str, start: int, end: int, state: _Headings) -> Iterator[tuple[int, int, Part]]:
    line = text[start:end]
    hashes = _HASHES.match(line)
    if hashes and len(hashes[1]) == 1 and not state.seen_title:
        state.seen_title = True
        yield start + hashes.end(), end, "title"
        return
    if hashes and len(line) <= 2 * _MAX_HEADING:
        _open_marked(line[hashes.end() :], len(hashes[1]), state)
    elif part := _bare_heading(line):
        state.open(part, max(state.level, 2))
    else:
        yield from _inline(text, start, end, state)
        return
    yield start, end, state.part


def _open_marked(heading: str, level: int, state: _Headings) -> None:
    part = _kind(heading)
    if part is not None:
        state.open(part, level)
    elif level <= state.level or state.part == "intro":
        state.open("other", level)


def _bare_heading(line: str) -> Part | None:
    """A plain line that is nothing but a heading: "任职要求：", "【加分项】", "What you'll bring"."""
    if len(line) > _MAX_HEADING or not (match := _BARE.match(line)):
        return None
    words, colon = match[1].strip(), match[2]
    part = _kind(words, from_start=True)
    if part is None or ":" in words or "：" in words or (not colon and words[-1:] in "。.;；，,"):
        return None
    bulleted = words.startswith("- ")
    return part if colon or (not bulleted and len(words) <= (12 if not words.isascii() else 36)) else None


def _kind(heading: str, *, from_start: bool = False) -> Part | None:
    words = heading.strip(" 【】[]*:：")
    for part, pattern in _ANY_HEADING:
        match = pattern.search(words)
        if match and not (from_start and (match.start() > 14 or len(words) - match.end() > 28)):
            return part
    return None


def _inline(text: str, start: int, end: int, state: _Headings) -> Iterator[tuple[int, int, Part]]:
    """A line of text, cut where a heading stands inside it."""
    cursor, before = start, state.part
    for match in _INLINE.finditer(text, start, end):
        if match.start() > cursor:
            yield cursor, match.start(), state.part
        state.open(_kind(match[0], from_start=False) or state.part, max(state.level, 2))
        cursor = match.start()
        # "加分项：熟悉 Redis" speaks for its own line, unless a numbered list begins there.
        if state.part == "preferred" and not _NUMBERED.match(text, match.end()) and match.start() == start:
            yield cursor, end, "preferred"
            state.open(before if before != "preferred" else "requirements", state.level)
            return
    yield cursor, end, state.part
