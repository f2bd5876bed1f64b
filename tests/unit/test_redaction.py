"""What is taken out of a text and, as important, what stays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.redaction import redact
from tests.unit.cases import load

PRIVATE = load("redaction")
KEPT = load("redaction_kept")


def test_both_kinds_are_well_represented() -> None:
    assert len(PRIVATE) >= 60 and len(KEPT) >= 60


@pytest.mark.parametrize("case", PRIVATE, ids=lambda case: case["text"][:40])
def test_private(case: dict[str, Any]) -> None:
    redacted = redact(case["text"])
    assert (redacted.text, redacted.quarantine) == (case["expect"], case["quarantine"])


@pytest.mark.parametrize("case", KEPT, ids=lambda case: case["text"][:40])
def test_kept(case: dict[str, Any]) -> None:
    redacted = redact(case["text"])
    assert (redacted.text, redacted.findings, redacted.quarantine) == (case["text"], (), None)


@given(st.lists(st.sampled_from([case["text"] for case in PRIVATE + KEPT]) | st.text(max_size=12), max_size=6))
def test_twice_is_once_and_positions_are_of_the_input(parts: list[str]) -> None:
    text = "\n".join(parts)
    redacted = redact(text)
    assert redact(redacted.text).findings == ()
    rebuilt, position = "", 0
    for finding in redacted.findings:
        assert position <= finding.start < finding.end <= len(text)
        rebuilt += text[position : finding.start] + f"[redacted:{finding.kind}]"
        position = finding.end
    assert rebuilt + text[position:] == redacted.text


def test_a_placeholder_is_never_part_of_a_finding() -> None:
    text = "password=[redacted:password] 微信：[redacted:wechat]"
    assert redact(text).text == text
