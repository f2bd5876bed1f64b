"""How things look to people: tables on a terminal, tab-separated lines in a pipe, foreign text made harmless.

In a pipe nothing is coloured, wrapped or cut: one row a line, its values between tabs.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

#: Joins the parts of an emoji or a word; every other format character can reorder or hide what is printed.
_KEPT_FORMAT = "\u200c\u200d"
_SHORT_HASH = 12
# What stays on one line: blanks, a word, or one wide character with the signs that must not begin a line.
_WORD = re.compile(r"\s+|[^\s\u2e80-\uffef]+|.[，。、；：！？）】》”’…]*")
_LIST_MARK = re.compile(r" *(?:- |\d+\. )?")
#: Cells between two columns, and the least that a cut and a folded column keep.
_GAP, _CUT_LEAST, _FOLD_LEAST = 2, 20, 10


class Column(NamedTuple):
    """One column of a listing."""

    title: str
    #: Cut with an ellipsis on a narrow terminal; other columns fold, so that what they hold can be copied.
    cut: bool = False
    right: bool = False
    #: Narrowest terminal that shows it.
    from_width: int = 0
    style: str = ""


def plain(value: object) -> str:
    """Foreign text without anything that a terminal would obey: controls, escapes, bidirectional marks."""
    return "".join(sign for sign in str(value) if sign in "\n\t" or _harmless(sign))


def _harmless(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category not in ("Cc", "Cs", "Zl", "Zp") and (category != "Cf" or sign in _KEPT_FORMAT)


def one_line(value: object) -> str:
    """`plain`, on one line."""
    return " ".join(plain(value).split())


def listing(console: Console, columns: Sequence[Column], lines: Iterable[Sequence[object]]) -> None:
    """Rows under their titles; every cell is taken as text, never as markup."""
    if not console.is_terminal:
        tabbed(console, [column.title for column in columns])
        for line in lines:
            tabbed(console, line)
        return
    shown = [place for place, column in enumerate(columns) if console.width >= column.from_width]
    kept = [columns[place] for place in shown]
    rows = [[cell(line[place]) for place in shown] for line in lines]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column, width in zip(kept, _widths(kept, rows, console.width), strict=True):
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            no_wrap=column.cut,
            overflow="ellipsis" if column.cut else "fold",
            width=width,
            style=column.style,
        )
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], total: int) -> list[int]:
    """How wide each column is, in terminal cells: as its values need, else the cut ones first, then the widest."""
    widths = [
        max((cell_len(value) for value in (column.title, *(row[place] for row in rows))), default=0)
        for place, column in enumerate(columns)
    ]
    room = total - _GAP * (len(columns) - 1)
    cut = [place for place, column in enumerate(columns) if column.cut]
    for candidates, least in ((cut, _CUT_LEAST), (range(len(columns)), _FOLD_LEAST)):
        while sum(widths) > room and candidates:
            widest = max(candidates, key=widths.__getitem__)
            if widths[widest] <= least:
                break
            widths[widest] -= 1
    return widths


def tabbed(console: Console, values: Iterable[object]) -> None:
    """One line of tab-separated values."""
    console.file.write("\t".join(cell(value) for value in values) + "\n")


def fields(console: Console, pairs: Iterable[tuple[str, object]]) -> None:
    """Names and values, one below the other; those without a value are left out."""
    stated = [(name, cell(value)) for name, value in pairs if value not in (None, "", [], ())]
    if not console.is_terminal:
        for pair in stated:
            tabbed(console, pair)
        return
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in stated:
        grid.add_row(name, Text(value))
    console.print(grid)


def heading(console: Console, title: str) -> None:
    """A blank line and a heading."""
    console.print()
    console.print(Text(one_line(title), style="bold"), soft_wrap=True)


def paragraph(console: Console, body: str | Text, style: str = "", hang: int = 0) -> None:
    """Text as it is; on a terminal wrapped where words or Chinese characters end, further lines `hang` cells in."""
    text = Text(plain(body), style=style) if isinstance(body, str) else body
    breaks = _breaks(text.plain, console.width, hang) if console.is_terminal else []
    for place, line in enumerate(text.divide(breaks)):
        line.rstrip()
        console.print(Text(" " * hang if place else "").append_text(line), soft_wrap=True)


def _breaks(text: str, width: int, hang: int) -> list[int]:
    """Where the lines of a long text begin, but for the first."""
    breaks: list[int] = []
    used = 0
    for word in _WORD.finditer(text):
        size = cell_len(word[0])
        if used + size > width and used > hang and not word[0].isspace():
            breaks.append(word.start())
            used = hang
        used += size
    return breaks


def hint(console: Console, text: str) -> None:
    """What to do next, for people: beside the table on a terminal, on the error stream where stdout is a pipe."""
    (console if console.is_terminal else Console(stderr=True, highlight=False)).print(Text(text), soft_wrap=True)


def document(console: Console, markdown: str) -> None:
    """A canonical document: its headings bold, its list items hanging, everything else as it stands."""
    for line in plain(markdown).rstrip("\n").split("\n"):
        paragraph(console, line, style="bold" if line.startswith("#") else "", hang=hang_of(line))


def hang_of(line: str) -> int:
    """How far in the further lines of a Markdown line begin: below the words of a list item."""
    mark = _LIST_MARK.match(line)
    return len(mark[0]) if mark else 0


def cell(value: object) -> str:
    """One value on one line: times in the configured zone, numbers without idle zeros, lists with commas."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case dt.datetime():
            return moment(value)
        case Decimal():
            return number(value)
        case list() | tuple():
            return ", ".join(cell(each) for each in value)
        case _:
            return one_line(value)


def moment(value: dt.datetime) -> str:
    """A time to the minute in `JOBMONITOR_TIMEZONE`."""
    from jobmonitor.config import load_config

    return value.astimezone(load_config().timezone).strftime("%Y-%m-%d %H:%M")


def day(value: dt.datetime | None) -> str:
    """The day of a time in `JOBMONITOR_TIMEZONE`."""
    return "" if value is None else moment(value)[:10]


def number(value: Decimal | int | float) -> str:
    """15000.00 → 15,000; 2.5 stays."""
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def money(amount: Decimal) -> str:
    """An amount with the digits that it needs: 12.50, 0.000412."""
    digits = 6 if 0 < abs(amount) < 1 else 2
    return f"{amount:,.{digits}f}"


def short(content_hash: str | None) -> str:
    """The first digits of a hash, enough to name it in a command."""
    return (content_hash or "")[:_SHORT_HASH]


def salary(row: dict[str, Any]) -> str:
    """Effective pay of a `current_posting` row: `15,000-30,000 CNY/month x14`."""
    low, high = row["salary_min"], row["salary_max"]
    if low is None and high is None:
        return str(row["salary_unknown"] or "")
    if low is None:
        amount = f"to {number(high)}"
    elif high is None:
        amount = f"from {number(low)}"
    else:
        amount = number(low) if low == high else f"{number(low)}-{number(high)}"
    unit = f" {row['salary_currency']}" if row["salary_currency"] else ""
    period = f"/{row['salary_period']}" if row["salary_period"] else ""
    months = f" x{number(row['salary_months'])}" if row["salary_months"] else ""
    return f"{amount}{unit}{period}{months}"


def years(low: Decimal | None, high: Decimal | None) -> str | None:
    """`3-5 years`, `3+ years`, `not required`; None where nothing is stated."""
    if low is None and high is None:
        return None
    if high is None:
        return f"{number(low)}+ years" if low else "not required"
    return f"{number(low)}-{number(high)} years" if low is not None else f"up to {number(high)} years"
