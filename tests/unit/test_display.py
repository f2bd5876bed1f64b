"""What people see: harmless text, columns that fit, pay and years in words."""

from __future__ import annotations

import io
from decimal import Decimal
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from jobmonitor.cli.display import Column, listing, paragraph, plain, salary, years

PAY = {"salary_min": None, "salary_max": None, "salary_currency": None, "salary_period": None, "salary_months": None}


def terminal(width: int) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, color_system=None, width=width, highlight=False)


def shown(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("foreign", "seen"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x1b]0;title\x07", "]0;title"),
        ("\x9b31m", "31m"),
        ("a\u202eb\u2066c\u200f", "abc"),
        ("a\u2028b", "ab"),
        ("工程师\t👩\u200d💻\n", "工程师\t👩\u200d💻\n"),
    ],
)
def test_foreign_text_is_harmless(foreign: str, seen: str) -> None:
    assert plain(foreign) == seen


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({}, ""),
        ({"salary_unknown": "negotiable"}, "negotiable"),
        ({"salary_min": Decimal("17.50"), "salary_max": Decimal("17.50"), "salary_period": "hour"}, "17.5/hour"),
        ({"salary_min": Decimal(15000), "salary_currency": "CNY"}, "from 15,000 CNY"),
        ({"salary_max": Decimal(3000)}, "to 3,000"),
        ({"salary_min": Decimal(1), "salary_max": Decimal(2), "salary_months": Decimal(14)}, "1-2 x14"),
    ],
)
def test_pay_in_words(stated: dict[str, Any], words: str) -> None:
    assert salary({**PAY, "salary_unknown": None, **stated}) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (None, None, None),
        (0, None, "not required"),
        (3, None, "3+ years"),
        (3, 5, "3-5 years"),
        (None, 5, "up to 5 years"),
    ],
)
def test_years_in_words(low: int | None, high: int | None, words: str | None) -> None:
    assert years(*(None if each is None else Decimal(each) for each in (low, high))) == words


COLUMNS = (Column("posting"), Column("title", cut=True), Column("changed"), Column("places", from_width=110))
ROW = (
    "greenhouse:a-board-with-a-long-name/4567890123",
    "资深分布式系统后端开发工程师（北京）" * 2,
    "2026-03-01",
    "北京",
)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_fits_and_a_reference_can_be_copied(width: int) -> None:
    console = terminal(width)
    listing(console, COLUMNS, [ROW])
    lines = shown(console)
    assert max(map(cell_len, lines)) <= width
    assert "".join(line.split()[0] for line in lines[2:]) == ROW[0]
    assert ("places" in lines[0]) == (width >= 110)
    assert any("2026-03-01" in line for line in lines)


def test_in_a_pipe_nothing_is_cut() -> None:
    console = Console(file=io.StringIO(), width=20)
    listing(console, COLUMNS, [ROW])
    assert shown(console) == ["posting\ttitle\tchanged\tplaces", "\t".join(ROW)]


def test_long_lines_break_between_words_and_chinese_characters() -> None:
    console = terminal(20)
    paragraph(console, "- 熟悉 Kubernetes 集群运维，能够独立承担模块。", hang=2)
    lines = shown(console)
    assert max(map(cell_len, lines)) <= 20
    assert lines[0] == "- 熟悉 Kubernetes 集"
    assert all(line.startswith("  ") for line in lines[1:])
    assert not any(line.strip()[0] in "，。" for line in lines)
