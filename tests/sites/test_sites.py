"""Every case comes out as its expected.json says, and what it yields keeps the rules of the product."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from jobmonitor.items import RawPosting, Rejected
from tests.sites.case import CASES, run_case

FOLDERS = sorted(path.parent for path in CASES.glob("*/expected.json"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
async def test_a_case_comes_out_as_expected(folder: Path) -> None:
    expected, actual, _ = await run_case(folder)
    assert actual == expected


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
async def test_reprocessing_a_record_gives_the_same_posting(folder: Path) -> None:
    from scrapy.utils.project import get_project_settings

    from jobmonitor.crawling.loader import SourceLoader

    _, _, items = await run_case(folder)
    loader = SourceLoader.from_settings(get_project_settings())
    for item in items:
        if isinstance(item, RawPosting):
            spider = loader.load(item.key.source)
            again = spider.parse(orjson.loads(item.record.body), item.key.source)
            assert again == item


async def test_names_of_staff_are_never_kept() -> None:
    folder = CASES / "greenhouse-board"
    sent = "".join(path.read_text("utf-8") for path in folder.glob("0*.json"))
    assert "Robin Sample" in sent
    _, _, items = await run_case(folder)
    kept = b"".join(item.record.body for item in items if isinstance(item, RawPosting | Rejected) and item.record)
    assert b"Robin Sample" not in kept
    assert b"robin.sample@" not in kept
    assert b"Salary Range" in kept
