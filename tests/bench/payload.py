"""What the measured crawls read: pages of records from the simulated market, the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from jobmonitor.demo.board import Board
from jobmonitor.demo.companies import COMPANIES, System

#: Postings on a page, as careers.tencent.com sends them.
PAGE_SIZE = 100
SEED = 10
#: Descriptions joined into one, so that a Greenhouse job is as long as a real one: 8 kB of escaped HTML.
JOINED = 4


def write_pages(system: System, items: int, file: Path) -> float:
    """Write `items` records, one page a line; the mean size of a record in bytes."""
    size = 0
    with file.open("wb") as out:
        for page in _pages(system, items):
            encoded = orjson.dumps(page)
            size += len(encoded)
            out.write(encoded + b"\n")
    return size / items


def _pages(system: System, items: int) -> Iterator[list[dict[str, Any]]]:
    records = list(_RECORDS[system](_board(system, items), items))
    for start in range(0, items, PAGE_SIZE):
        yield records[start : start + PAGE_SIZE]


def _board(system: System, items: int) -> Board:
    company = next(each for each in COMPANIES if each.system == system)
    return Board(company, SEED, scale=items / company.size, unannounced=False)


def _tencent(board: Board, items: int) -> Iterator[dict[str, Any]]:
    for posting in board.listed()[:items]:
        yield {"list": board.row(posting), "detail": board.detail(posting)}


def _greenhouse(board: Board, items: int) -> Iterator[dict[str, Any]]:
    rows = [board.row(posting) for posting in board.listed()[:items]]
    texts = [row["content"] for row in rows]
    for number, row in enumerate(rows):
        neighbours = (texts[(number + step) % len(texts)] for step in range(JOINED))
        yield {"list": {**row, "content": "\n".join(map(str, neighbours))}}


_RECORDS = {"tencent": _tencent, "greenhouse": _greenhouse}
