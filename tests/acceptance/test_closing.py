"""What a run says of itself at its end."""

from __future__ import annotations

from tests.acceptance.crawling import Crawls, Site, serving

LEDGER = """
SELECT ledger->'requests', ledger->'skipped', ledger->'refused', (ledger->'bytes')::int > 0, ledger ? 'unaccounted'
FROM run ORDER BY id
"""


def test_a_run_counts_what_it_asked_for(crawls: Crawls) -> None:
    with serving(Site(20)) as site:
        for day in ("01", "02"):
            options = {"arguments": {"board": "acme", "base_url": site.url}}
            assert crawls.run("tencent", **options, OBSERVED_AT=f"2026-11-{day}T06:00:00+00:00")[0] == 0
    # robots.txt, the list, 20 details; on the second day no detail
    assert crawls.rows(LEDGER) == [(22, 0, 0, True, False), (2, 20, 0, True, False)]


def test_a_row_that_is_lost_is_an_error(crawls: Crawls) -> None:
    with serving(Site(20)) as site:
        options = {"arguments": {"board": "acme", "base_url": site.url}}
        status, errors = crawls.run("tencent", **options, ITEM_PIPELINES=DROPPING)
    assert status == 1
    assert "does not close" in errors
    assert crawls.rows("SELECT state, ledger->'unaccounted' FROM run") == [("finished", 1)]


class Dropping:
    """A stage of somebody else's that loses one posting."""

    def process_item(self, item: object) -> object:
        """Drop the posting 900003 without a word."""
        from scrapy.exceptions import DropItem

        from jobmonitor.items import RawPosting

        if isinstance(item, RawPosting) and item.key.native_id == "900003":
            raise DropItem("lost")
        return item


DROPPING = """{
    "pipelines.validate.ValidatePipeline": 100, "pipelines.recognise.RecognisePipeline": 200,
    "tests.acceptance.test_closing.Dropping": 250,
    "pipelines.clean.CleanPipeline": 300, "pipelines.redact.RedactPipeline": 400,
    "pipelines.fingerprint.FingerprintPipeline": 500, "pipelines.version.VersionPipeline": 600,
    "pipelines.extract.ExtractPipeline": 700
}"""
