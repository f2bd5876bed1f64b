"""Benefits and certificates, by their phrase lists."""

from __future__ import annotations

import re

from jobmonitor.extraction.draft import Draft
from jobmonitor.extraction.phrases import phrase_key
from jobmonitor.extraction.reading import Page, Segment
from jobmonitor.extraction.vocabulary import benefit_pattern, benefit_words, certificate_pattern, certificate_words

_WORK = frozenset({"duties", "requirements", "preferred", "title"})
#: "diversity, equity and inclusion", "private equity": not shares for employees.
_NOT_SHARES = re.compile(
    r"divers|inclusi|private|brand|home equity|equity research|equities|health equity|pay equity|racial", re.IGNORECASE
)
_OFFER = re.compile(r"offer|enjoy|receive|entitled|benefit|package|coverage|提供|享受|福利|待遇", re.IGNORECASE)
_NOT_OFFERED = re.compile(
    r"(?:负责|办理|管理|缴纳手续|处理|核算|熟悉|了解)[^，。；]{0,16}(?:社保|公积金|五险一金|体检|员工旅游|团建"
    r"|年终奖)|(?:visa|sponsor)[^.]{0,40}(?:not|unable|cannot)|(?:not|unable to|cannot) (?:\w+ ){0,4}(?:visa|sponsor)",
    re.IGNORECASE,
)
_CERTIFICATE_IS_WORD = re.compile(r"^(?:CIA|CSM|OCP|CPA|FRM|CEH|PMP|CFA)$", re.IGNORECASE)


def read_benefits(page: Page, draft: Draft) -> None:
    """State each benefit once. Words that may be the work itself count only outside duties and requirements."""
    words = benefit_words()
    judged: dict[int, tuple[bool, bool]] = {}
    for match in benefit_pattern().finditer(page.text):
        benefit, segment = words[phrase_key(match[0])], page.at(match.start())
        if segment.start not in judged:
            judged[segment.start] = _is_offer(segment), segment.denied or _NOT_OFFERED.search(segment.text) is not None
        offered, excluded = judged[segment.start]
        if not (benefit.sure or offered) or excluded:
            continue
        around = page.text[max(0, match.start() - 40) : match.end() + 40]
        if benefit.word == "equity" and _NOT_SHARES.search(around):
            continue
        draft.add("/benefits", benefit.word, match.start(), match.end())


def _is_offer(segment: Segment) -> bool:
    """True in the part on benefits, and where a text without that part says that it offers something."""
    return segment.part == "benefits" or (segment.part not in _WORK and _OFFER.search(segment.text) is not None)


def read_certificates(page: Page, draft: Draft) -> None:
    """State each certificate once, by its usual name. Short English ones only in capital letters."""
    words = certificate_words()
    for match in certificate_pattern().finditer(page.text):
        segment = page.at(match.start())
        if segment.denied or segment.part in {"about", "benefits"}:
            continue
        if _CERTIFICATE_IS_WORD.match(match[0]) and not match[0].isupper():
            continue
        if match[0][-1].isascii() and page.text[match.end() : match.end() + 1].isdigit():
            continue
        draft.add("/certificates", words[phrase_key(match[0])], match.start(), match.end())
