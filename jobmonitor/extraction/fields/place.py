"""Where the work is done: places, and whether in the office, at home or both."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.reading import Page, Segment
from jobmonitor.extraction.vocabulary import city_pattern

_LABEL = re.compile(
    r"(?:工作地点|工作地址|办公地点|办公地址|上班地点|上班地址|工作城市|工作地|岗位地点|面试地点(?!.)"
    r"|(?<![一-鿿])地点|\bbase\s?地?|\blocations?)\s*[:：]\s*|(?:工作地点|办公地点|工作城市|base地)(?:在|为"
    r"|是)?\s*|^地点\s?(?=[一-鿿])|\bbase(?:在"
    r"|于)?\s*(?=[一-鿿])",
    re.IGNORECASE,
)
_BASED = re.compile(
    r"\b(?:based|located|office|work|working|live|living) (?:in|out of|from)(?: our| the)? |\b(?:in|from|at) our ",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*(?:[、，,/;；|]|\s或\s?|或者|或|和|及)\s*")
_ENGLISH_SPLIT = re.compile(r"\s*(?:[/;|]|\bor\b)\s*")
_PLACE = re.compile(r"[一-鿿]{2,12}(?:[·\-][一-鿿]{2,12}){0,3}")
_NOT_PLACE = re.compile(r"不限|可选|均可|就近|面议|分配|待定|全国|其他|优先|办公|工作")
_OURSELVES = re.compile(
    r"\b(?:headquartered|founded|offices in|offices across|we are based|company|customers|investors|backed)\b"
    r"|总部|分公司",
    re.IGNORECASE,
)
_WORK_MODES: tuple[tuple[str, str], ...] = (
    ("onsite", r"不(?:支持|接受|可|提供)(?:远程|居家)|\bno remote|\bnot (?:a |fully )?remote|\bnot (?:eligible"
        r"|available) for remote|remote (?:work )?is not"),
    ("hybrid", r"混合办公|混合工作|居家(?:办公)?[^，。]{0,6}(?:天|日)|\bhybrid(?: (?:work|role|position|model"
        r"|schedule|working|remote|office|setup|environment|policy|arrangement|job|team)|[)\],:]|$)"
     r"|(?:\d|two|three|four) days? (?:a|per|each) week (?:in|at|from) (?:the |our )?(?:\w+ )?(?:office|hq)|(?:\d"
     r"|two|three|four) days? in[- ](?:the |our )?office|in[- ]office (?:\d|two|three) days?"),
    ("remote", r"(?:支持|可|全|接受|提供|允许|长期|完全|纯)远程(?!医|监|控|诊|教|会)|远程(?:办公|工作|岗位?|职位"
        r"|上班)|居家办公|在家办公"
     r"|\b(?:fully|100%|entirely|permanently|completely) remote|\bremote[- ](?:first|only|friendly|role|position"
     r"|job|work(?:ing)?\b|opportunity|within|in the|anywhere|\(|ok)|\bwork (?:from anywhere|remotely)\b|\b(?:is"
     r"|be|position:|location:|or|work) remote\b"),
    ("onsite", r"坐班|现场办公|到岗办公|驻场|在办公室(?:办公|工作)|\bon[- ]?site (?:role|position|work|job|in"
        r"|only|at|presence|5|five)|\b(?:is|fully|be|work|working|100%) on[- ]?site\b|\bin[- ]office (?:role"
        r"|position|only)|\bin[- ]person (?:role|position)"),
)  # fmt: skip
_MODES = tuple((mode, re.compile(words, re.IGNORECASE)) for mode, words in _WORK_MODES)
_TITLE_MODES = (
    ("hybrid", re.compile(r"\bhybrid\b(?! cloud| app| mobile)", re.IGNORECASE)),
    (
        "remote",
        re.compile(
            r"\bremote\b(?! sens| support| control| access| monitor| hands)|[（(【\[]远程|远程[)）】\]]", re.IGNORECASE
        ),
    ),
)
_LABEL_HINTS = ("地", "城市", "base", "location")
_CAPITALISED = re.compile(r"[A-Z][\w.'-]{0,20}(?: [A-Z][\w.'-]{0,20}){0,2}")
_MODE_HINTS = ("远程", "居家", "在家", "坐班", "办公", "驻场", "remote", "hybrid", "office", "site", "person")
_MAX_PLACE = 60


def read_place(page: Page, draft: Draft) -> None:
    """State the places of work that the text names, and the work mode."""
    _read_mode(page, draft)
    for segment, start, text in _labelled(page):
        for offset, place in _places(text):
            draft.add("/locations", place, segment.start + start + offset, segment.start + start + offset + len(place))
    if not draft.profile["locations"]:
        _read_cities(page, draft)


def _read_mode(page: Page, draft: Draft) -> None:
    for mode, pattern in _TITLE_MODES:
        if match := pattern.search(page.title.text):
            return draft.set("/remote", mode, page.title.start + match.start(), page.title.start + match.end())
    segments = tuple(page.with_words(_MODE_HINTS))
    for mode, pattern in _MODES:
        for segment in segments:
            if segment.part != "preferred" and (match := pattern.search(segment.text)):
                return draft.set("/remote", mode, segment.start + match.start(), segment.start + match.end())
    return None


def _labelled(page: Page) -> Iterator[tuple[Segment, int, str]]:
    """What stands behind a label such as 工作地点：, to the end of its sentence."""
    for sentence in page.sentences():
        for index, segment in enumerate(sentence):
            match = _LABEL.search(segment.text) if segment.has(_LABEL_HINTS) else None
            if match is None or segment.part == "about":
                continue
            rest = segment.text[match.end() :]
            if rest.isascii():
                end = _english_end(sentence, index)
                yield segment, match.end(), page.text[segment.start + match.end() : end]
                continue
            yield segment, match.end(), rest
            for follower in sentence[index + 1 :]:
                if not city_pattern().match(follower.text):
                    break
                yield follower, 0, follower.text


def _english_end(sentence: tuple[Segment, ...], index: int) -> int:
    """Where a place such as "Berlin, Germany" ends: short capitalised stretches belong to it."""
    last = index
    while last + 1 < len(sentence) and last < index + 3 and _CAPITALISED.fullmatch(sentence[last + 1].text):
        last += 1
    return sentence[last].end


def _places(text: str) -> Iterator[tuple[int, str]]:
    if text.isascii():
        place = _ENGLISH_SPLIT.split(text.strip())[0].strip(" .")
        if 2 <= len(place) <= _MAX_PLACE and place[0].isupper() and not re.search(r"\bremote\b", place, re.IGNORECASE):
            yield text.index(place), place
        return
    offset = 0
    for place in _SPLIT.split(text):
        offset = text.index(place, offset) if place else offset
        match = _PLACE.match(place)
        is_place = match and (
            city_pattern().match(place) or re.search(r"[省市区县镇州路街号楼园]$", match[0]) is not None
        )
        if match and is_place and not _NOT_PLACE.search(match[0]):
            yield offset, match[0]
        offset += len(place)


def _read_cities(page: Page, draft: Draft) -> None:
    """Cities without a label: in the title, or behind "based in"."""
    for match in city_pattern().finditer(page.title.text):
        draft.add("/locations", match[0].strip(), page.title.start + match.start(), page.title.start + match.end())
    for segment in page.with_words((" in ", " from ", "out of ")):
        for cue in _BASED.finditer(segment.text):
            city = city_pattern().match(segment.text, cue.end())
            if city and segment.part != "about" and not _OURSELVES.search(segment.text) and city[0][0].isupper():
                draft.add("/locations", city[0].strip(), segment.start + city.start(), segment.start + city.end())
