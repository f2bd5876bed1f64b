"""Log lines name postings; no text from outside is in them."""

from __future__ import annotations

import logging
from dataclasses import replace
from unittest.mock import AsyncMock

import pytest
from scrapy import Spider
from scrapy.exceptions import DropItem

from jobmonitor.crawling.logs import ReferenceLogFormatter, item_name
from jobmonitor.crawling.runtime import Runtime
from jobmonitor.items import ListPage, PostingKey, RawPosting, Record, Rejected, Section, Sighting
from pipelines.version import VersionPipeline

KEY = PostingKey(source="greenhouse:acme", native_id="7")
SECRET = "password=hunter2"
RAW = RawPosting(
    key=KEY,
    title=SECRET,
    sections=(Section(body=SECRET, format="text"),),
    record=Record(body=SECRET.encode()),
    identity_hash="0" * 64,
)


@pytest.mark.parametrize(
    ("item", "name"),
    [
        (RAW, "RawPosting greenhouse:acme/7"),
        (Sighting(key=KEY, reason="same_record"), "Sighting greenhouse:acme/7"),
        (ListPage(source="greenhouse:acme", url="https://example.com/"), "ListPage https://example.com/"),
        (Rejected(source="greenhouse:acme", key="7", reason="no_title", detail=SECRET), "Rejected greenhouse:acme/7"),
    ],
)
def test_an_item_has_a_name(item: object, name: str) -> None:
    assert item_name(item) == name


def test_no_line_holds_a_body() -> None:
    formatter, spider = ReferenceLogFormatter(), Spider("acme")
    lines = [
        formatter.scraped(RAW, None, spider),
        formatter.dropped(RAW, DropItem("no title"), None, spider),
        formatter.item_error(RAW, ValueError(SECRET), None, spider),
    ]
    for line in lines:
        assert SECRET not in line["msg"] % line["args"]
        assert "greenhouse:acme/7" in line["msg"] % line["args"]


def test_a_drop_is_logged_at_its_own_level() -> None:
    line = ReferenceLogFormatter().dropped(RAW, DropItem("refused", log_level="WARNING"), None, Spider("acme"))
    assert line["level"] == logging.WARNING


FORGED = "7\n2026-12-01 [root] ERROR: forged \x1b[31m\u202e"
FOREIGN = [
    replace(RAW, key=replace(KEY, native_id=FORGED)),
    Rejected(source="greenhouse:acme", key=FORGED, reason="no_title"),
    ListPage(source="greenhouse:acme", url=f"https://example.com/{FORGED}"),
]


@pytest.mark.parametrize("item", FOREIGN, ids=lambda item: type(item).__name__)
def test_a_line_cannot_be_forged(item: RawPosting | Rejected | ListPage) -> None:
    name = item_name(item)
    assert name.isprintable()
    assert "%0A" in name


def test_a_name_is_not_endless() -> None:
    assert len(item_name(Rejected(source="greenhouse:acme", key="x" * 6000, reason="bad_id"))) < 400


@pytest.mark.parametrize("item", FOREIGN[1:], ids=lambda item: type(item).__name__)
async def test_the_last_stage_drops_without_a_word_from_outside(item: Rejected | ListPage) -> None:
    runtime = AsyncMock(spec=Runtime)
    with pytest.raises(DropItem) as dropped:
        await VersionPipeline(runtime).process_item(item)
    assert "forged" not in str(dropped.value)
