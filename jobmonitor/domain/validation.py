"""Which items are not postings at all, each with a stable reason code; a reject keeps its record."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jobmonitor.domain.canonical import clean_text
from jobmonitor.domain.numerals import normalise
from jobmonitor.items import Facts, RawPosting

#: Characters of title and sections together. The longest real posting seen holds under 60,000; a page of half a
#: million is a parsing accident. The reject keeps the whole record, so nothing is lost.
MAX_TEXT = 500_000
#: Characters of a title; real ones stay under 300.
MAX_TITLE = 1_000
#: Characters of a stated fact, and of all places together. A description in the place of a fact is a parsing accident.
MAX_FACT = 5_000
MAX_PLACES = 50_000
#: Characters of a site's own id; real ones stay under 80, and it is part of keys and addresses.
MAX_ID = 200


class Problem(NamedTuple):
    """Why an item is no posting."""

    #: Stable code, the reject's reason.
    reason: str
    #: What was found, for a person.
    detail: str


#: Whole titles, less the signs around them, that stand where a title is missing.
_PLACEHOLDER = re.compile(
    r"untitled(?: (?:job|position|posting))?|no title|n/?a|null|none|undefined|tbd|tba|todo|title|job title|"
    r"无标题|未命名|标题|职位名称|岗位名称|placeholder|lorem ipsum.*|nan|object object"
)
#: Test postings say that nobody shall apply, or are named after nothing but a test. 测试工程师 is a real posting.
_TEST_TITLE = re.compile(
    r"^[\W_]*(?:测试职位|测试岗位|职位测试|岗位测试|测试招聘|测试数据|测试账号|测试|test|testing|test ?\d+)[\W_\d]*$|"
    r"^[\W_]*(?:测试|test|dummy|fake)(?: ?(?:职位|岗位)| (?:job|position|role))\b(?! (?:analyst|engineer|lead|"
    r"manager))|"
    r"\b(?:test|dummy|fake) (?:posting|requisition|req|vacancy|listing|ad)\b"
)
_DO_NOT_APPLY = re.compile(
    r"(?:请勿|勿|不要|切勿)(?:投递?|申请|删|报名)|请?忽略|do not (?:apply|use|delete)|don't apply|please ignore|"
    r"ignore me|not a real"
)
_CALLED_A_TEST = re.compile(
    r"(?<![\u4e00-\u9fff])测试(?!工程|开发|经理|主管|专家|总监|架构|实习|员|岗$)|\b(?:test|testing|dummy|fake)\b"
)
#: What a public employer publishes after the applications are in.
_FOLLOW_UP_SUBJECT = (
    r"资格(?:审核|审查|复审|初审|复核)|面试|笔试|体检|考察|政审|成绩|递补|入围|拟(?:录用|聘用?|录取|引进)|"
    r"录用|聘用|考核|试讲|取消|延期|调整|结果"
)
_FOLLOW_UP = re.compile(
    rf"(?:{_FOLLOW_UP_SUBJECT}).{{0,24}}(?:公告|公示|通知|名单|事项|安排|公布|"
    rf"的?说明)[\W_]*(?:[\d一二三四五六七八九十]+|第.{{1,4}}[批号])?[\W_]*$|"
    r"(?:人员|名单|结果)公示|拟(?:录用|聘用?|录取)(?:人员)?(?:名单|公示)|^(?:关于)?.{0,30}(?:成绩公布|成绩查询)"
)
#: One of them stands in every title that the pattern takes; most titles are spared its search.
_FOLLOW_UP_WORDS = ("公告", "公示", "通知", "名单", "事项", "安排", "公布", "说明", "查询")


def check(raw: RawPosting) -> Problem | None:
    """The first reason why the item is no posting, or None.

    Reasons: `no_id`, `bad_id`, `no_title`, `placeholder_title`, `test_posting`, `follow_up_notice`, `oversize`.
    """
    title = normalise(raw.title).strip()
    for rule in _RULES:
        problem = rule(raw, title)
        if problem is not None:
            return problem
    return None


def _missing_id(raw: RawPosting, _title: str) -> Problem | None:
    return None if raw.key.native_id.strip() else Problem("no_id", "the item has no id")


def _bad_id(raw: RawPosting, _title: str) -> Problem | None:
    native_id = raw.key.native_id
    if len(native_id) > MAX_ID:
        return Problem("bad_id", f"an id of {len(native_id)} characters, the limit is {MAX_ID}")
    return None if clean_text(native_id).strip() else Problem("bad_id", "the id has no visible character")


def _missing_title(_raw: RawPosting, title: str) -> Problem | None:
    return None if title else Problem("no_title", "the item has no title")


def _placeholder_title(raw: RawPosting, title: str) -> Problem | None:
    bare = _bare(title)
    if not bare or _PLACEHOLDER.fullmatch(bare):
        return Problem("placeholder_title", f"the title says nothing: {raw.title.strip()!r}")
    return None


def _test_posting(raw: RawPosting, title: str) -> Problem | None:
    if _TEST_TITLE.search(title) or (_DO_NOT_APPLY.search(title) and _CALLED_A_TEST.search(title)):
        return Problem("test_posting", f"a test of the site, not a job: {raw.title.strip()!r}")
    return None


def _follow_up_notice(raw: RawPosting, title: str) -> Problem | None:
    if any(word in title for word in _FOLLOW_UP_WORDS) and _FOLLOW_UP.search(title):
        return Problem("follow_up_notice", f"a notice about an earlier recruitment: {raw.title.strip()!r}")
    return None


def _oversize(raw: RawPosting, _title: str) -> Problem | None:
    size = len(raw.title) + sum(len(section.body) for section in raw.sections)
    if size > MAX_TEXT:
        return Problem("oversize", f"{size} characters of text, the limit is {MAX_TEXT}")
    if len(raw.title) > MAX_TITLE:
        return Problem("oversize", f"a title of {len(raw.title)} characters, the limit is {MAX_TITLE}")
    return next((Problem("oversize", found) for found in _oversize_facts(raw.facts)), None)


def _oversize_facts(facts: Facts) -> Iterator[str]:
    """What is too long among the stated facts."""
    for name in (field.name for field in dataclasses.fields(facts)):
        stated = getattr(facts, name)
        size, limit = (len(stated), MAX_FACT) if isinstance(stated, str) else (sum(map(len, stated or ())), MAX_PLACES)
        if size > limit:
            yield f"{size} characters of {name}, the limit is {limit}"


def _bare(text: str) -> str:
    """The text from its first letter or digit to its last one."""
    places = [place for place, character in enumerate(text) if character.isalnum()]
    return text[places[0] : places[-1] + 1] if places else ""


#: In this order; each is given the posting and its title in the normal form of the domain's patterns.
_RULES: tuple[Callable[[RawPosting, str], Problem | None], ...] = (
    _missing_id,
    _bad_id,
    _missing_title,
    _oversize,
    _placeholder_title,
    _test_posting,
    _follow_up_notice,
)
