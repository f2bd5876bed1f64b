"""Lever boards. Companies are lines of boards.toml; the reading is in jobmonitor/ats/lever.py."""

from __future__ import annotations

from jobmonitor.ats.lever import LeverBaseSpider


class LeverSpider(LeverBaseSpider):
    """One board: `scrapy crawl lever:spotify`."""

    name = "lever"
    system = "lever"
