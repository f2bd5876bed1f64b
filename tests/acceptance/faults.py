"""The faults that sites have, played day by day against real crawls, and what two simpler rules would have done.

`python -m tests.acceptance.faults` plays all of them and writes the table of docs/lifecycle.md.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jobmonitor.storage.embedded import EmbeddedServer
from jobmonitor.storage.migrate import upgrade
from tests.acceptance.crawling import ROOT, Crawls, Site, rows, serving

#: Postings at the start: three list pages.
COUNT = 230
#: Postings that truly leave on the day of the fault.
LEFT = (7, 120, 229)
#: Days that are crawled; the fault has day 2, a closing board all from day 2 on.
DAYS = 6
START = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
PAGE = Path(ROOT) / "docs" / "lifecycle.md"
BEGIN, END = "<!-- faults: written by python -m tests.acceptance.faults -->", "<!-- end of faults -->"

Listing = Callable[["FaultySite", int, int], tuple[int, object]]


class FaultySite(Site):
    """A careers site that has a fault on one day."""

    def __init__(self) -> None:
        super().__init__(COUNT)
        self.open: list[int] = list(range(1, COUNT + 1))
        self.fault: Fault | None = None

    def numbers(self) -> Sequence[int]:
        """Its open postings."""
        return self.open

    def listing(self, page: int, size: int) -> tuple[int, object]:
        """As the fault has it."""
        if self.fault is not None and self.fault.listing is not None:
            return self.fault.listing(self, page, size)
        return super().listing(page, size)

    def detail(self, number: int) -> tuple[int, dict[str, Any]]:
        """A closed posting says so; the rest as the fault has it."""
        if self.fault is not None and number in self.fault.details:
            return self.fault.details[number]
        if number not in self.open:
            return 500, {"Code": 500, "Data": "E1005"}
        return super().detail(number)

    def row(self, number: int) -> dict[str, Any]:
        """A row whose stamp moves on the day of the fault where details matter."""
        row = super().row(number)
        return row | ({"LastUpdateTime": "2026年12月1日"} if self.fault and number in self.fault.details else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong on one day."""

    name: str
    listing: Listing | None = None
    #: Answers of single details.
    details: Mapping[int, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    #: Whether the board closes for good.
    closes: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)


def answer(numbers: Sequence[int], site: FaultySite, *, total: int) -> tuple[int, object]:
    return 200, {"Code": 200, "Data": {"Count": total, "Posts": [site.row(each) for each in numbers]}}


def cut(site: FaultySite, page: int, size: int, *, kept: int) -> tuple[int, object]:
    """Only the first rows come, and the total stays."""
    return answer(site.open[:kept][(page - 1) * size : page * size], site, total=len(site.open))


def missing(share: float) -> Listing:
    return lambda site, page, size: cut(site, page, size, kept=round(len(site.open) * (1 - share)))


def clamped(site: FaultySite, page: int, size: int) -> tuple[int, object]:
    return answer(site.open[(min(page, 2) - 1) * size : min(page, 2) * size], site, total=len(site.open))


def first_for_ever(site: FaultySite, page: int, size: int) -> tuple[int, object]:
    return answer(site.open[:size], site, total=len(site.open))


def moving(site: FaultySite, page: int, size: int) -> tuple[int, object]:
    """Rows move to the page before between two requests."""
    shift = 3 * (page - 1)
    return answer(site.open[(page - 1) * size + shift : page * size + shift], site, total=len(site.open))


def failing_page(site: FaultySite, page: int, size: int) -> tuple[int, object]:
    return (500, {}) if page == 2 else Site.listing(site, page, size)


PATIENT = {"BREAKER_PATIENCE": "0.3"}
FAULTS = (
    Fault(name="a list page fails", listing=failing_page),
    Fault(name="5 % of the rows are lost", listing=missing(0.05)),
    Fault(name="30 % of the rows are lost", listing=missing(0.3)),
    Fault(name="99 % of the rows are lost", listing=missing(0.99)),
    Fault(name="a cap of 200 rows", listing=lambda site, page, size: cut(site, page, size, kept=200)),
    Fault(name="a clamped offset", listing=clamped),
    Fault(name="page 1 for ever", listing=first_for_ever),
    Fault(name="rows move between pages", listing=moving),
    Fault(name="a storm of 429", listing=lambda site, page, size: (429, {}), settings=PATIENT),
    Fault(name="a wall with status 200", listing=lambda site, page, size: (200, "<p>请完成安全验证</p>")),
    Fault(name="an empty list, well formed", listing=lambda site, page, size: answer((), site, total=0)),
    Fault(name="an empty answer without its key", listing=lambda site, page, size: (200, {"Code": 200, "Data": {}})),
    Fault(name="a total that lies", listing=lambda site, page, size: answer(site.open[:50], site, total=50)),
    Fault(name="the platform answers 404 for a day", listing=lambda site, page, size: (404, {})),
    Fault(name="one posting is called closed for a day", details={9: (500, {"Code": 500, "Data": "E1005"})}),
    Fault(name="a board that truly closes", listing=lambda site, page, size: answer((), site, total=0), closes=True),
)


@dataclass(slots=True, kw_only=True)
class Result:
    """What came of a fault: live postings closed by us and by the rivals, and who truly left and was found."""

    name: str
    wrongly_gone: int = 0
    left: int = 0
    found: int = 0
    unseen_is_gone: int = 0
    guarded: int = 0


def play(fault: Fault, crawls: Crawls, site: FaultySite) -> Result:
    """Play the days of one fault."""
    result = Result(name=fault.name)
    board = f"b{FAULTS.index(fault)}"
    live = set(site.open)
    usual = len(live)
    unseen: set[int] = set()
    guarded: set[int] = set()
    for day in range(DAYS):
        if day == 1:
            live = set() if fault.closes else live - set(LEFT)
            site.open = sorted(live)
        site.fault = fault if day == 1 or (fault.closes and day > 1) else None
        moment = START + dt.timedelta(days=day)
        options = {"board": board, "base_url": site.url}
        crawls.run("tencent", arguments=options, OBSERVED_AT=moment.isoformat(), **fault.settings)
        closed = _numbers(crawls, "SELECT native_id FROM posting WHERE source = %s AND state = 'gone'", board)
        result.wrongly_gone = max(result.wrongly_gone, len(closed & live))
        seen = _shown(crawls, board, moment)
        lost = live - seen
        unseen |= lost
        if len(seen) >= 0.7 * usual and len(lost) <= 0.5 * usual:
            guarded |= lost
    result.left = COUNT - len(live)
    result.found = len(closed - live)
    result.unseen_is_gone, result.guarded = len(unseen), len(guarded)
    return result


def _numbers(crawls: Crawls, query: str, *values: Any) -> set[int]:
    found = rows(crawls.url or "", query, *(f"tencent:{values[0]}", *values[1:]))
    return {int(row[0].removeprefix("90000")) for row in found}


def _shown(crawls: Crawls, board: str, moment: dt.datetime) -> set[int]:
    query = "SELECT DISTINCT unnest(ids) FROM page WHERE kind = 'list' AND source = %s AND observed_at = %s"
    return _numbers(crawls, query, board, moment)


def table(results: Sequence[Result]) -> str:
    """The table for the documentation."""
    lines = [
        "| fault, for one day | wrongly gone | truly gone found | not seen today = gone | guard 70 % / 50 % |",
        "|---|---|---|---|---|",
    ]
    for each in results:
        found = f"{each.found} of {each.left}"
        lines.append(f"| {each.name} | {each.wrongly_gone} | {found} | {each.unseen_is_gone} | {each.guarded} |")
    return "\n".join(lines)


def main() -> int:
    """Play everything and write the table; status 1 if a live posting was closed or a gone one not found."""
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedServer(Path(folder), durable=False)
        try:
            results = []
            upgrade(server.start())
            for fault in FAULTS:
                site = FaultySite()
                with serving(site):
                    results.append(play(fault, Crawls(server.url(), Path(folder)), site))
        finally:
            server.remove()
    page = PAGE.read_text("utf-8")
    head, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n\n{table(results)}\n\n{END}{rest.partition(END)[2]}", "utf-8")
    print(table(results))
    return int(any(each.wrongly_gone or each.found < each.left for each in results))


if __name__ == "__main__":
    raise SystemExit(main())
