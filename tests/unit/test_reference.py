"""Source keys and references: one spelling, both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.reference import encode_part, parse_reference, posting_reference, source_key, split_source_key
from jobmonitor.errors import InvalidReference


@pytest.mark.parametrize(
    ("system", "board", "key"),
    [
        ("tencent", None, "tencent"),
        ("greenhouse", "stripe", "greenhouse:stripe"),
        ("lever", "a b/c:d", "lever:a%20b%2Fc%3Ad"),
        ("feishu", "小米", "feishu:%E5%B0%8F%E7%B1%B3"),
        ("ashby", "x~y", "ashby:x%7Ey"),
    ],
)
def test_source_key(system: str, board: str | None, key: str) -> None:
    assert source_key(system, board) == key
    assert split_source_key(key) == (system, board)


@pytest.mark.parametrize(
    ("parts", "reference"),
    [
        (("tencent", "", "123"), "tencent/123"),
        (("jd", "campus", "9/9"), "jd/campus:9%2F9"),
        (("greenhouse:stripe", "", "1:2"), "greenhouse:stripe/1%3A2"),
    ],
)
def test_posting_reference(parts: tuple[str, str, str], reference: str) -> None:
    assert posting_reference(*parts) == reference
    assert parse_reference(reference) == parts


@given(st.text(min_size=1).filter(lambda text: text.isprintable()), st.text(min_size=1).filter(str.isprintable))
def test_any_id_comes_back(channel: str, native_id: str) -> None:
    reference = posting_reference("moka:acme", channel, native_id)
    assert parse_reference(reference) == ("moka:acme", channel, native_id)
    assert encode_part(native_id).isascii()


@pytest.mark.parametrize("text", ["", "greenhouse", "greenhouse:stripe", "/1", "tencent/", "tencent/x:"])
def test_what_is_no_reference_says_what_one_looks_like(text: str) -> None:
    with pytest.raises(InvalidReference, match="looks like greenhouse:stripe/123"):
        parse_reference(text)
