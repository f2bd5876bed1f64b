"""Greenhouse boards. Companies are lines of boards.toml; the reading is in jobmonitor/ats/greenhouse.py."""

from __future__ import annotations

from jobmonitor.ats.greenhouse import GreenhouseBaseSpider


class GreenhouseSpider(GreenhouseBaseSpider):
    """One board: `scrapy crawl greenhouse:stripe`."""

    name = "greenhouse"
    system = "greenhouse"
