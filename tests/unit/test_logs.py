"""Log lines name postings; no text from outside is in them."""

from __future__ import annotations

import logging

import pytest
from scrapy import Spider
from scrapy.exceptions import DropItem

from jobmonitor.crawling.logs import ReferenceLogFormatter, item_name
from jobmonitor.items import ListPage, PostingKey, RawPosting, Record, Rejected, Section, Sighting

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
