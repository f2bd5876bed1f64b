"""The ledger of a run closes, or says what was lost."""

from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from jobmonitor.crawling.closing import traffic, unaccounted
from jobmonitor.crawling.tally import Tally
from jobmonitor.items import ListPage


def page(*ids: str, listing: str = "") -> ListPage:
    return ListPage(source="acme", listing=listing, url="https://example.com", ids=ids)


def test_what_a_page_showed_is_a_posting_or_a_reject() -> None:
    tally = Tally()
    tally.posting(("", "1"), "new")
    tally.reject(("", "2"), "no_title")
    tally.posting(("campus", "3"), "unchanged")
    pages = {"": [page("1", "2"), page("2", "4")], "campus": [page("3", listing="campus")]}
    assert unaccounted(pages, tally) == [("", "4")]


def test_traffic_adds_up_over_a_cut() -> None:
    stats = StatsCollector(get_crawler())
    stats.set_value("downloader/request_count", 5)
    stats.set_value("downloader/response_status_count/304", 2)
    found = traffic(stats, {"requests": 7, "skipped": 3})
    assert found == {"requests": 12, "bytes": 0, "not_modified": 2, "refused": 0, "skipped": 3}
