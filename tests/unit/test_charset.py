"""Pages in the charsets of our sites, with a right, wrong or missing declaration."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobmonitor.domain.charset import decode

SIMPLIFIED = "招聘高级工程师，五年以上经验，负责数据平台研发"
TRADITIONAL = "徵求資深軟體工程師，五年以上經驗，負責資料平台"
JAPANESE = "求人：ソフトウェアエンジニア（東京）"
GERMAN = "Ingenieur für München – 60.000 €"

TEXTS = [
    *[
        (SIMPLIFIED, encoding)
        for encoding in ("utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be")
    ],
    *[(TRADITIONAL, encoding) for encoding in ("utf-8", "big5", "utf-16-le")],
    *[(JAPANESE, encoding) for encoding in ("utf-8", "shift_jis", "euc_jp", "iso2022_jp")],
    *[(GERMAN, encoding) for encoding in ("utf-8", "cp1252")],
]
DECLARATIONS = [
    None,
    "text/html",
    *(f"text/html; charset={name}" for name in ("utf-8", "GBK", "big5", "iso-8859-1", "nonsense")),
]


@pytest.mark.parametrize("content_type", DECLARATIONS)
@pytest.mark.parametrize(("text", "encoding"), TEXTS)
def test_right_whatever_is_declared(text: str, encoding: str, content_type: str | None) -> None:
    page = f'<html><head><meta charset="gb2312"></head><body><p>{text}</p></body></html>'
    assert decode(page.encode(encoding), content_type=content_type).text == page


@pytest.mark.parametrize("text", ["联通", "薪资面议", "高级工程师", "销售"])
def test_a_few_characters_are_enough(text: str) -> None:
    assert decode(text.encode("gbk")).text == text
    assert decode(f"<p>{text}</p>".encode("gbk"), content_type="text/html; charset=utf-8").text == f"<p>{text}</p>"


def test_a_broken_byte_does_not_change_the_charset() -> None:
    decoded = decode(SIMPLIFIED.encode("gbk") + b"\xff")
    assert decoded.text.startswith(SIMPLIFIED)


@given(st.binary(max_size=200), st.sampled_from(DECLARATIONS))
@settings(max_examples=200, deadline=None)
def test_never_raises(body: bytes, content_type: str | None) -> None:
    assert isinstance(decode(body, content_type=content_type).text, str)


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=1))
@settings(deadline=None)
def test_utf8_is_read_as_utf8(text: str) -> None:
    assert decode(text.encode(), content_type="text/html; charset=gbk").text == text
