"""Some of the faults of `tests.acceptance.faults`, played; and the documented table, which has them all."""

from __future__ import annotations

import re

import pytest

from tests.acceptance.crawling import Crawls, serving
from tests.acceptance.faults import BEGIN, END, FAULTS, LEFT, PAGE, FaultySite, play

#: Those that a rule by counts does not see, and one that every absence rule falls for.
PLAYED = ("a cap of 200 rows", "the platform answers 404 for a day", "one posting is called closed for a day")


@pytest.mark.parametrize("fault", [each for each in FAULTS if each.name in PLAYED], ids=lambda fault: fault.name)
def test_no_live_posting_is_closed_and_who_left_is_found(crawls: Crawls, fault: object) -> None:
    site = FaultySite()
    with serving(site):
        result = play(fault, crawls, site)  # type: ignore[arg-type]
    assert (result.wrongly_gone, result.found, result.left) == (0, len(LEFT), len(LEFT))


def test_the_table_in_the_documentation_has_every_fault() -> None:
    text = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) of (\d+) \| \d+ \| \d+ \|$", text, re.MULTILINE)
    assert [row[0] for row in rows] == [fault.name for fault in FAULTS]
    assert all(wrong == "0" and found == left for _, wrong, found, left in rows)
