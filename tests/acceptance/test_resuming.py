"""A crawl that is killed at any moment is taken up again: nothing is lost, nothing done is fetched twice."""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from jobmonitor.demo.model_server import ModelServer
from tests.acceptance.crawling import Crawls, Site, ended, serving
from tests.acceptance.extracting import Extractors
from tests.acceptance.torture import Torture

DONE = "SELECT url FROM page WHERE state = 'done'"
#: Calls that may have been on their way when the server died.
CUT_OFF = 8
VICTIMS = ("spider", "spider", "database", "spider", "spider", "spider") * 2


def test_twelve_kills_leave_the_database_of_an_uninterrupted_crawl(tmp_path: Path) -> None:
    outcome = Torture(tmp_path, 20261201, VICTIMS).run(days=2)
    assert outcome.kills == len(VICTIMS)
    assert outcome.resumed >= VICTIMS.count("spider") // 2
    assert outcome.again == []
    assert outcome.torn == outcome.untouched


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_is_done_is_not_fetched_again(crawls: Crawls, blow: signal.Signals) -> None:
    with serving(Site(30, hold_at=10)) as site:
        options = {"arguments": {"board": "acme", "base_url": site.url}}
        process = crawls.start("tencent", **options)
        assert site.held.wait(60), ended(process)
        while not crawls.rows(DONE):  # what came before the held page is on its way to the database
            time.sleep(0.05)
        process.send_signal(blow)
        site.release.set()
        assert ended(process)[0] != 0
        done = {row[0].removeprefix(site.url) for row in crawls.rows(DONE)}
        before = len(site.asked)
        status, errors = crawls.run("tencent", **options)
        assert status == 0, errors
        assert done
        assert done.isdisjoint(site.asked[before:])
    assert crawls.rows("SELECT state, resumed, ledger->'seen', ledger->'new' FROM run") == [("finished", 1, 30, 30)]
    assert crawls.rows("SELECT complete, proof, distinct_ids FROM run_channel") == [(True, "total", 30)]
    assert crawls.rows("SELECT DISTINCT state, request IS NULL FROM page") == [("done", True)]


def test_a_model_server_and_a_spider_killed_together_cost_no_profile(
    crawls_with_model: Crawls, extractors: Extractors, server: ModelServer
) -> None:
    crawls = crawls_with_model
    with serving(Site(30, hold_at=20)) as site:
        options = {"arguments": {"board": "acme", "base_url": site.url}}
        process = crawls.start("tencent", **options)
        assert site.held.wait(60), ended(process)
        while not server.log:
            time.sleep(0.05)
        server.stop()
        process.kill()
        ended(process)
        site.release.set()
        again = ModelServer(server.script, port=server.port).start()
        try:
            assert crawls.run("tencent", **options, EXTRACT_DRAIN="0")[0] == 0
            while crawls.rows("SELECT 1 FROM extraction WHERE state IN ('pending', 'leased')"):
                extractors.run("--until-idle")
        finally:
            again.stop()
        asked = Counter(call.content_hash for call in (*server.log, *again.log))
    assert crawls.rows("SELECT state, producer, degraded, count(*) FROM extraction GROUP BY 1, 2, 3") == [
        ("succeeded", "model", False, 30)
    ]
    assert len(asked) == 30
    assert sum(asked.values()) <= 30 + CUT_OFF


def test_a_run_that_was_cut_off_long_ago_or_elsewhere_is_left_alone(crawls: Crawls) -> None:
    with serving(Site(30, hold_at=10)) as site, serving(Site(30)) as other:
        process = crawls.start("tencent", arguments={"board": "acme", "base_url": site.url})
        assert site.held.wait(60), ended(process)
        process.kill()
        ended(process)
        site.release.set()
        assert crawls.run("tencent", arguments={"board": "acme", "base_url": other.url})[0] == 0
        assert crawls.rows("SELECT state, resumed FROM run ORDER BY id") == [("interrupted", 0), ("finished", 0)]
        site.held.clear()
        site.release.clear()
        site.details.clear()
        process = crawls.start("tencent", arguments={"board": "acme", "base_url": site.url}, DETAIL_MAX_AGE="0")
        assert site.held.wait(60), ended(process)
        process.kill()
        ended(process)
        site.release.set()
        crawls.execute("UPDATE run SET heartbeat_at = heartbeat_at - interval '13 h' WHERE state = 'running'")
        assert crawls.run("tencent", arguments={"board": "acme", "base_url": site.url})[0] == 0
    states = crawls.rows("SELECT state, resumed FROM run ORDER BY id")
    assert states == [("interrupted", 0), ("finished", 0), ("interrupted", 0), ("finished", 0)]
