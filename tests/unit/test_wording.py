"""Which words differ: nothing is lost, Latin words stay whole, Chinese is compared by character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.wording import Line, Piece, changed_lines, compare, compare_facts

TEXTS = st.text(alphabet="ab 中文年\n-C+.", max_size=40)


def pieces(*parts: str) -> list[Piece]:
    """`-old`, `+new` and ` same`, as pieces."""
    words = {"-": "delete", "+": "insert", " ": "equal"}
    return [Piece(words[part[0]], part[1:]) for part in parts]  # type: ignore[arg-type]


@given(TEXTS, TEXTS)
def test_the_pieces_hold_both_texts(old: str, new: str) -> None:
    found = compare(old, new)
    assert "".join(piece.text for piece in found if piece.operation != "insert") == old
    assert "".join(piece.text for piece in found if piece.operation != "delete") == new
    assert all(piece.text for piece in found)


@given(TEXTS, TEXTS)
def test_the_lines_hold_every_change(old: str, new: str) -> None:
    lines = [line for line in changed_lines(compare(old, new)) if line is not None]
    assert (old == new) == (not any(line.mark != " " for line in lines))
    for mark, text in (("-", old), ("+", new)):
        shown = ["".join(piece.text for piece in line.pieces) for line in lines if line.mark == mark]
        assert set(shown) <= set(text.split("\n"))


def test_latin_words_and_numbers_stay_whole() -> None:
    assert compare("uses Node.js 2.5\n", "uses Node.ts 3.5\n") == pieces(
        " uses ", "-Node.js 2.5", "+Node.ts 3.5", " \n"
    )
    assert compare("C, Go", "C++, Go") == pieces("-C", "+C++", " , Go")


def test_chinese_is_compared_by_character() -> None:
    assert compare("三年以上经验", "五年以上经验") == pieces("-三", "+五", " 年以上经验")
    assert compare("2.5万", "3.5万") == pieces("-2.5", "+3.5", " 万")


def test_a_lone_character_between_changes_joins_them() -> None:
    assert compare("本科学历", "硕科文凭") == pieces("-本科学历", "+硕科文凭")


def test_lines_far_from_a_change_are_left_out() -> None:
    old = "".join(f"{number}\n" for number in range(10))
    lines = list(changed_lines(compare(old, old.replace("5", "five")), context=1))
    assert lines == [
        None,
        Line(" ", (Piece("equal", "4"),)),
        Line("-", (Piece("delete", "5"),)),
        Line("+", (Piece("insert", "five"),)),
        Line(" ", (Piece("equal", "6"),)),
    ]


def test_facts_are_compared_by_name() -> None:
    old, new = {"salary": "1", "locations": ["北京"]}, {"locations": ["北京", "上海"], "deadline": "5月"}
    assert compare_facts(old, new) == [
        ("deadline", None, "5月"),
        ("locations", ["北京"], ["北京", "上海"]),
        ("salary", "1", None),
    ]
    assert compare_facts(old, old) == []
