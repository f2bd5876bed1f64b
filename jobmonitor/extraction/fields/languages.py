"""Human languages and their levels: English tests of China, JLPT, IELTS and TOEFL, plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.reading import Page, Segment

#: ISO 639-1 code by the names of the language. Grounding uses the same table.
LANGUAGE_WORDS: dict[str, str] = {
    "en": r"英语|英文|CET|\bTEM|IELTS|TOEFL|雅思|托福|托业|TOEIC|\bEnglish\b|大学英语",
    "zh": r"普通话|汉语|(?<![a-z])中文|国语|\bMandarin\b|\bChinese\b",
    "ja": r"日语|日文|JLPT|\bJapanese\b",
    "ko": r"韩语|韩文|朝鲜语|TOPIK|\bKorean\b",
    "fr": r"法语|法文|\bFrench\b",
    "de": r"德语|德文|\bGerman\b|\bDeutsch",
    "es": r"西班牙语|西语|\bSpanish\b",
    "pt": r"葡萄牙语|葡语|\bPortuguese\b",
    "ru": r"俄语|俄文|\bRussian\b",
    "ar": r"阿拉伯语|\bArabic\b",
    "it": r"意大利语|\bItalian\b",
    "nl": r"荷兰语|\bDutch\b",
    "th": r"泰语|\bThai\b",
    "vi": r"越南语|\bVietnamese\b",
    "id": r"印尼语|印度尼西亚语|\bBahasa Indonesia|\bIndonesian\b",
    "ms": r"马来语|\bMalay\b",
    "tr": r"土耳其语|\bTurkish\b",
    "pl": r"波兰语|\bPolish\b",
    "sv": r"瑞典语|\bSwedish\b",
    "hi": r"印地语|\bHindi\b",
    "he": r"希伯来语|\bHebrew\b",
    "uk": r"乌克兰语|\bUkrainian\b",
}
_ENGLISH_NAMES = tuple(
    name.lower() for words in LANGUAGE_WORDS.values() for name in re.findall(r"[A-Z][a-z]{3,}", words)
)
_LANGUAGE = re.compile("|".join(f"(?P<{code}>{words})" for code, words in LANGUAGE_WORDS.items()), re.IGNORECASE)
_ABILITY = re.compile(
    r"读写|听说|口语|能力|水平|流利|四级|六级|专四|专八|[46]级|CET|TEM-?[48]|(?<![A-Za-z])N[1-5](?!\d)|一级|二级"
    r"|母语|熟练|良好"
    r"|优秀|精通|沟通|交流|工作语言|阅读|写作|翻译|基础|功底|雅思|托福|IELTS|TOEFL|标准|一定|擅长|优先|JLPT"
    r"|fluen|native|proficien|profess?ional|business|conversational|speak|spoken|written|command|bilingual"
    r"|\b[ABC][12]\b|mother tongue|language|communicat|working|basic|intermediate|advanced|excellent|good|strong"
    r"|skills|knowledge|plus|required",
    re.IGNORECASE,
)
_NOT_ABILITY = re.compile(
    r"(?:英语|日语|外语|英文|中文|法语|德语|韩语)(?:等?(?:相关)?专业|老师|教师|教学|培训|版|系|类|课|名|站|官网"
    r"|本|互联网|社区|内容|语料)|English(?: version| literature| teacher| major| copy)|(?:Chinese|Japanese|German"
    r"|French|Korean)(?: market| companies| company| customers| government| New Year| users)",
    re.IGNORECASE,
)
#: Levels, the exact ones first; each is judged in the stretch of text around the language.
_LEVELS: tuple[tuple[str, str], ...] = (
    ("tem8", r"专八|专业八级|英语八级|TEM\s?-?\s?8"),
    ("tem4", r"专四|专业四级|TEM\s?-?\s?4"),
    ("cet4", r"CET\s?-?\s?4|四级|4级"),
    ("cet6", r"CET\s?-?\s?6|六级|6级"),
    ("n1", r"N1|日语一级"), ("n2", r"N2|日语二级"), ("n3", r"N3"), ("n4", r"N4"), ("n5", r"N5"),
    ("c2", r"\bC2\b|(?:雅思|IELTS)[^\d]{0,8}(?:8\.5|9)"),
    ("c1", r"\bC1\b|(?:雅思|IELTS)[^\d]{0,8}(?:7|8)|(?:托福|TOEFL)[^\d]{0,8}(?:9[5-9]|1[01]\d)"),
    ("b2", r"\bB2\b|(?:雅思|IELTS)[^\d]{0,8}(?:5\.5|6)|(?:托福|TOEFL)[^\d]{0,8}(?:7[2-9]|8\d|9[0-4])"),
    ("b1", r"\bB1\b|(?:雅思|IELTS)[^\d]{0,8}[45]"), ("a2", r"\bA2\b"), ("a1", r"\bA1\b"),
    ("native", r"母语|\bnative|mother tongue|bilingual"),
    ("fluent", r"流利|流畅|精通|熟练|优秀|fluen|full professional|excellent|advanced|\bproficien"),
    ("working", r"工作语言|商务|能作为|读写|professional|business|working|good command|strong command|良好"),
    ("conversational", r"口语|沟通|交流|会话|conversational|intermediate|spoken"),
    ("basic", r"基础|简单|一定|基本|阅读|basic"),
)  # fmt: skip
LEVEL_WORDS = {level: re.compile(words, re.IGNORECASE) for level, words in _LEVELS}
_HINTS = (
    "语",
    "文",
    "话",
    "cet",
    "tem",
    "ielts",
    "toefl",
    "toeic",
    "雅思",
    "托福",
    "托业",
    "jlpt",
    "topik",
    *_ENGLISH_NAMES,
)
#: How far from a language its level may stand, in characters.
_NEAR = 80
_READ_IN = frozenset({"requirements", "preferred", "other", "title", "intro", "duties"})


def read_languages(page: Page, draft: Draft) -> None:
    """State each language once, a demand before a wish, an exact level before a plain word."""
    found: dict[str, tuple[int, bool, str | None, Segment, int, int]] = {}
    for segment, code, start, end, around in _mentions(page):
        level = _level(around, code) or _level(segment.text[max(0, start - _NEAR) : end + _NEAR], code)
        rank = (0 if segment.preferred else 2) + (1 if level else 0)
        if code not in found or rank > found[code][0]:
            found[code] = (rank, not segment.preferred, level, segment, start, end)
    for code, (_, required, level, segment, start, end) in found.items():
        draft.add(
            "/languages",
            {"language": code, "level": level, "required": required},
            segment.start + start,
            segment.start + end,
        )


def _mentions(page: Page) -> Iterator[tuple[Segment, str, int, int, str]]:
    for segment in page.with_words(_HINTS):
        if segment.part not in _READ_IN or segment.denied or not _ABILITY.search(segment.text):
            continue
        hits = list(_LANGUAGE.finditer(segment.text))
        for index, match in enumerate(hits):
            around = _around(segment.text, hits, index)
            if (
                _ABILITY.search(segment.text)
                and not _NOT_ABILITY.match(segment.text, match.start())
                and segment.part != "duties"
            ):
                yield segment, match.lastgroup or "", match.start(), match.end(), around


def _around(text: str, hits: list[re.Match[str]], index: int) -> str:
    """The words that speak of one language: up to the next one, and the ones before it."""
    match = hits[index]
    left = hits[index - 1].end() if index else 0
    right = hits[index + 1].start() if index + 1 < len(hits) else len(text)
    joined = index + 1 < len(hits) and right - match.end() <= 5
    return text[max(left, match.start() - 40) : min(match.end() + 50, len(text) if joined else right)]


def _level(around: str, code: str) -> str | None:
    for level, pattern in LEVEL_WORDS.items():
        wrong = (level in {"cet4", "cet6", "tem4", "tem8"} and code != "en") or (
            level[0] == "n" and level[1:].isdigit() and code != "ja"
        )
        if not wrong and pattern.search(around):
            return level
    return None
