"""Private data and credentials out of a text, by deterministic rules; see docs/redaction.md for the two lists.

Positions are found on a copy whose full-width characters are half-width and whose invisible characters are gone (a
zero-width space hides no number), and told as positions of the input. What names an office stays: switchboards,
application mailboxes, licence numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from jobmonitor.domain.canonical import INVISIBLE, drop_invisible
from jobmonitor.domain.redaction_rules import CREDENTIALS, RULES, people_listed, publicity_notice
from jobmonitor.items import Finding

_WIDTHS = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | dict.fromkeys("\u3000\xa0\u202f", " ")
_WIDE = re.compile("[\uff01-\uff5e\u3000\xa0\u202f]")
_PLACEHOLDER = re.compile(r"\[redacted:[a-z_]+\]")


class Redacted(NamedTuple):
    """A text without its private parts."""

    #: The text, each finding replaced by `[redacted:<kind>]`.
    text: str
    #: What was replaced, in order, without overlap; positions are of the input.
    findings: tuple[Finding, ...]
    #: `credentials`, `people_list` or `publicity_notice`; None = may be used.
    quarantine: str | None


def redact(text: str) -> Redacted:
    """Replace private data and credentials by placeholders and say whether the text must be held back.

    Redacting twice finds nothing new: a placeholder is never part of a finding.
    """
    folded = text if text.isascii() else _WIDE.sub(lambda match: _WIDTHS[match[0]], text)
    visible = drop_invisible(folded)
    findings = _without_overlap(_findings(visible))
    quarantine = _quarantine(visible, findings)
    if len(visible) < len(text):
        findings = tuple(_in_input(findings, text))
    return Redacted(_replaced(text, findings), findings, quarantine)


def _in_input(findings: tuple[Finding, ...], text: str) -> Iterator[Finding]:
    """The findings at their positions in a text that still has its invisible characters."""
    places = [place for place, character in enumerate(text) if not INVISIBLE.match(character)]
    for finding in findings:
        yield Finding(kind=finding.kind, start=places[finding.start], end=places[finding.end - 1] + 1)


def _findings(folded: str) -> Iterator[Finding]:
    taken = [match.span() for match in _PLACEHOLDER.finditer(folded)] if "[redacted:" in folded else []
    ends = [end for _, end in taken]
    lowered = folded.lower()
    for rule in RULES:
        if not rule.may_match(lowered):
            continue
        for match in rule.pattern.finditer(folded):
            start, end = match.span("secret" if "secret" in rule.pattern.groupindex else 0)
            next_one = bisect_right(ends, start)
            inside = next_one < len(taken) and taken[next_one][0] < end
            if start < end and not inside and (rule.accept is None or rule.accept(match)):
                yield Finding(kind=rule.kind, start=start, end=end)


def _without_overlap(found: Iterator[Finding]) -> tuple[Finding, ...]:
    """Earlier rules win over later ones that touch the same characters; the rest in order of position."""
    kept: list[Finding] = []
    for finding in found:
        place = bisect_right(kept, finding.start, key=_start)
        after_the_last = place == 0 or kept[place - 1].end <= finding.start
        if after_the_last and (place == len(kept) or finding.end <= kept[place].start):
            kept.insert(place, finding)
    return tuple(kept)


def _start(finding: Finding) -> int:
    return finding.start


def _replaced(text: str, findings: tuple[Finding, ...]) -> str:
    parts: list[str] = []
    position = 0
    for finding in findings:
        parts += [text[position : finding.start], f"[redacted:{finding.kind}]"]
        position = finding.end
    return "".join([*parts, text[position:]])


def _quarantine(folded: str, findings: tuple[Finding, ...]) -> str | None:
    if any(finding.kind in CREDENTIALS for finding in findings):
        return "credentials"
    if publicity_notice(folded):
        return "publicity_notice"
    return "people_list" if people_listed(folded, findings) else None
