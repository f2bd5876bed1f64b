"""What a run's ledger says beside its postings: what was asked for, and whether every id is accounted for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrapy.statscollectors import StatsCollector

from jobmonitor.crawling.tally import Tally
from jobmonitor.items import ListPage

#: Entry of the ledger and the stat that it is read from.
_STATS = {
    "requests": "downloader/request_count",
    "bytes": "downloader/response_bytes",
    "not_modified": "downloader/response_status_count/304",
    "refused": "jobmonitor/host/refused",
    "skipped": "jobmonitor/pages/skipped",
}


def traffic(stats: StatsCollector, earlier: Mapping[str, Any]) -> dict[str, int]:
    """Requests, bytes, 304s, refusals and pages that needed no request, with those of before a cut-off."""
    return {name: int(stats.get_value(stat, 0)) + int(earlier.get(name, 0)) for name, stat in _STATS.items()}


def unaccounted(pages: Mapping[str, Iterable[ListPage]], tally: Tally) -> list[tuple[str, str]]:
    """(listing, native id) of what a page showed and nothing came of: neither a posting nor a reject."""
    met = {native_id for _, native_id in tally.keys}
    shown = {(listing, each) for listing, found in pages.items() for page in found for each in page.ids}
    return sorted(each for each in shown if each[1] not in met)
