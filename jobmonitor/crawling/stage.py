"""What the stages share: one way to count, and the outer edge where a failing record becomes a reject."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from scrapy.exceptions import DropItem
from scrapy.statscollectors import StatsCollector

from jobmonitor.items import RawPosting, Rejected

T = TypeVar("T")
logger = logging.getLogger(__name__)


class Kept(DropItem):
    """An item that ends in the version stage: it is in the database, or it is known why it cannot be."""


def attempt(stage: str, raw: RawPosting, work: Callable[[], T], stats: StatsCollector) -> T | Rejected:
    """The outer edge of a stage: whatever one record makes our code do, the record is kept and the crawl goes on."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - the run's outer edge, see above
        count(stats, stage, "failed")
        logger.warning("%s: %s failed (%s)", raw.key.reference, stage, type(error).__name__)
        return Rejected(
            source=raw.key.source,
            channel=raw.key.channel,
            key=raw.key.native_id,
            reason=f"{stage}_failed",
            detail=f"{type(error).__name__}: {error}",
            record=raw.record,
            listing=raw.listing,
        )


def count(stats: StatsCollector, stage: str, event: str) -> None:
    """Count a decision as `jobmonitor/<stage>/<event>`."""
    stats.inc_value(f"jobmonitor/{stage}/{event}")
