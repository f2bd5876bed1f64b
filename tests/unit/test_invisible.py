"""Characters that nobody sees hide nothing: not a place behind a title, not a private number."""

from __future__ import annotations

import pytest

from jobmonitor.domain.document import clean_title
from jobmonitor.domain.redaction import redact


@pytest.mark.parametrize("title", ["测试（深圳）\u200b", "\u202a测试（深圳）\u202c", "测试\ufeff（深\u2060圳）"])
def test_a_place_behind_a_title_is_cut(title: str) -> None:
    assert clean_title(title, ["深圳"]) == "测试"


def test_a_number_with_invisible_characters_is_redacted() -> None:
    found = redact("电\u200b话 138\u200b0013\ufeff8000\u200b。")
    assert found.text == "电\u200b话 [redacted:mobile]\u200b。"
    assert [(finding.kind, finding.start, finding.end) for finding in found.findings] == [("mobile", 4, 17)]
