"""Every way a crawl can be cut off: a clear message, the right status, nothing lost, and the next run completes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobmonitor.storage.embedded import EmbeddedServer
from tests.acceptance.crawling import Crawls, Site, connect, ended, job, rows, serving, write_board

COUNT = 30
STATES = "SELECT state FROM run ORDER BY id"


@pytest.fixture
def site() -> Iterator[Site]:
    """A site that holds its tenth detail."""
    with serving(Site(COUNT, hold_at=10)) as site:
        yield site


def board_of(site: Site) -> dict[str, str]:
    return {"board": "acme", "base_url": site.url}


def start_held(crawls: Crawls, site: Site, **settings: str) -> subprocess.Popen[str]:
    """A crawl that is in the middle of its details."""
    process = crawls.start("tencent", arguments=board_of(site), **settings)
    assert site.held.wait(60), ended(process)
    return process


def completes(crawls: Crawls, site: Site) -> None:
    """The next run of the same source does the rest."""
    site.release.set()
    status, errors = crawls.run("tencent", arguments=board_of(site))
    assert status == 0, errors
    assert crawls.rows("SELECT count(*) FROM current_posting WHERE state = 'active'") == [(COUNT,)]
    assert crawls.rows("SELECT count(*) FROM version WHERE number > 1") == [(0,)]
    assert crawls.rows("SELECT count(*) FROM extraction WHERE state <> 'succeeded'") == [(0,)]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_closes_cleanly_and_the_next_run_completes(crawls: Crawls, site: Site, name: str) -> None:
    process = start_held(crawls, site)
    process.send_signal(getattr(signal, name))
    site.release.set()
    status, errors = ended(process)
    assert status == 1
    assert "interrupted" in errors
    assert crawls.rows(STATES) == [("interrupted",)]
    assert crawls.rows("SELECT count(*) > 0 FROM version") == [(True,)]
    assert crawls.rows("SELECT count(*) FROM source_lease") == [(0,)]
    completes(crawls, site)


def test_after_kill_9_the_next_run_starts_at_once(crawls: Crawls, site: Site) -> None:
    process = start_held(crawls, site)
    process.kill()
    ended(process)
    completes(crawls, site)
    assert crawls.rows("SELECT state, resumed FROM run") == [("finished", 1)]


def test_a_second_run_of_the_same_source_stops_with_a_message(crawls: Crawls, site: Site) -> None:
    first = start_held(crawls, site)
    status, errors = crawls.run("tencent", arguments=board_of(site))
    assert status == 1
    assert "is being crawled by run 1" in errors
    site.release.set()
    assert ended(first)[0] == 0
    assert crawls.rows(STATES) == [("finished",), ("failed",)]


def test_a_busy_host_is_waited_for_then_the_run_is_deferred(crawls: Crawls, site: Site) -> None:
    first = start_held(crawls, site)
    other = {"board": "other", "base_url": site.url}
    status, errors = crawls.run("tencent", arguments=other, HOST_PATIENCE="1")
    assert status == 1
    assert "deferred" in errors
    site.release.set()
    assert ended(first)[0] == 0
    assert crawls.run("tencent", arguments=other)[0] == 0
    assert crawls.rows(STATES) == [("finished",), ("deferred",), ("finished",)]


def test_a_run_whose_lease_was_taken_over_writes_nothing_more(crawls: Crawls, site: Site) -> None:
    process = start_held(crawls, site)
    crawls.rows("UPDATE source_lease SET token = gen_random_uuid() RETURNING 1")
    before = crawls.rows("SELECT count(*) FROM version")
    site.release.set()
    status, errors = ended(process)
    assert status == 1
    assert "lease" in errors
    assert crawls.rows("SELECT count(*) FROM version") == before


POISON = (
    job(1, "NUL\u0000 inside", "<p>Text with \u0000 and \u0007</p>"),
    job(2, "Lone \ud800 surrogate", "<p>Half \udfff of a pair</p>"),
    job(3, "Plain", "<p>First of twins</p>"),
    job(3, "Plain", "<p>Second of twins</p>"),
    job(4, "Dear neighbour", "<p>Must not be lost</p>"),
)


def test_poison_in_a_group_costs_nobody_else(crawls: Crawls, tmp_path: Path) -> None:
    for day in ("2026-11-01", "2026-11-02"):
        crawls.day(tmp_path, POISON, at=f"{day}T06:00:00+00:00")
        seen, new, rejected, unchanged, twins = crawls.rows(
            "SELECT ledger->'seen', ledger->'new', ledger->'rejected', ledger->'unchanged', ledger->'duplicates' "
            "FROM run ORDER BY id DESC LIMIT 1"
        )[0]
        assert seen == 4 == new + rejected + unchanged
        assert twins == 1
    titles = crawls.rows("SELECT native_id, title FROM current_posting ORDER BY native_id")
    assert titles == [("1", "NUL inside"), ("2", "Lone surrogate"), ("3", "Plain"), ("4", "Dear neighbour")]
    assert crawls.rows("SELECT count(*) FROM version") == [(4,)]


PAY = {"name": "Pay Range", "value": "@"}


def test_a_row_that_nests_deeply_and_a_total_that_lies_cost_nobody_else(crawls: Crawls, tmp_path: Path) -> None:
    deep = [job(1, "Deep", education="@"), job(3, "Deep pay", metadata=[PAY])]
    jobs = [*deep, job(2, "Dear neighbour", "<p>Must not be lost</p>")]
    replay = write_board(tmp_path / "replay", jobs, at="2026-11-01T06:00:00+00:00")
    board = (replay / "board.json").read_text("utf-8").replace('"@"', "[" * 900 + "]" * 900)
    for total in (2**40, -5, 0):
        (replay / "board.json").write_text(board.replace('"total": 3', f'"total": {total}'), "utf-8")
        status, errors = crawls.run("greenhouse:acme", REPLAY_DIR=str(replay))
        assert (status, "bad_total" in errors) == (0, total != 0)
    assert crawls.rows("SELECT native_id FROM posting ORDER BY native_id") == [("1",), ("2",)]
    assert crawls.rows("SELECT key, reason FROM reject") == [("3", "unparsable")]
    assert crawls.rows("SELECT total FROM run_channel WHERE NOT complete") == [(None,), (None,)]  # 2**40 and -5
    assert crawls.rows("SELECT DISTINCT ids FROM page") == [(["1", "3", "2"],)]


def test_an_item_that_the_database_refuses_is_a_reject_with_its_record(crawls: Crawls, tmp_path: Path) -> None:
    refuse(crawls, "NEW.title = 'Unlucky'", "23514")
    jobs = [job(number, "Unlucky" if number == 7 else f"Engineer {number}") for number in range(1, 40)]
    crawls.day(tmp_path, jobs, at="2026-11-01T06:00:00+00:00")
    assert crawls.rows("SELECT count(*) FROM posting") == [(38,)]
    assert crawls.rows("SELECT key, reason, record_hash IS NOT NULL FROM reject") == [
        ("7", "refused_by_database", True)
    ]
    assert crawls.rows("SELECT ledger->'new', ledger->'rejected', ledger->'seen' FROM run") == [(38, 1, 39)]


def test_a_full_disk_is_said_and_the_next_run_completes(crawls: Crawls, tmp_path: Path) -> None:
    refuse(crawls, "NEW.native_id = '9'", "53100")
    jobs = [job(number, f"Engineer {number}") for number in range(1, 20)]
    replay = write_board(tmp_path / "replay", jobs, at="2026-11-01T06:00:00+00:00")
    status, errors = crawls.run("greenhouse:acme", REPLAY_DIR=str(replay), DB_PATIENCE="1")
    assert status == 1
    assert "no room left" in errors
    assert "Free disk space" in errors
    assert crawls.rows(STATES) == [("interrupted",)]
    crawls.execute("DROP TRIGGER refuse ON posting")
    assert crawls.run("greenhouse:acme", REPLAY_DIR=str(replay))[0] == 0
    assert crawls.rows("SELECT count(*) FROM posting") == [(19,)]


def test_a_database_at_the_wrong_revision_stops_before_the_first_request(crawls: Crawls, site: Site) -> None:
    crawls.execute("UPDATE alembic_version SET version_num = 'f00dfeedf00d'")
    status, errors = crawls.run("tencent", arguments=board_of(site))
    assert status == 1
    assert "newer release" in errors
    assert site.details == []


def test_an_empty_external_database_names_the_command(empty_database: str, tmp_path: Path, site: Site) -> None:
    status, errors = Crawls(empty_database, tmp_path).run("tencent", arguments=board_of(site))
    assert status == 1
    assert "jobmonitor db upgrade" in errors
    assert site.details == []


def test_an_unreachable_database_is_named_without_its_password(tmp_path: Path, site: Site) -> None:
    crawls = Crawls("postgresql+psycopg://me:hunter2@127.0.0.1:1/jobs", tmp_path)
    status, errors = crawls.run("tencent", arguments=board_of(site))
    assert status == 1
    assert "127.0.0.1:1" in errors
    assert "hunter2" not in errors
    assert site.details == []


def test_an_embedded_database_killed_mid_crawl_comes_back(tmp_path: Path, site: Site) -> None:
    home = tmp_path / "home"
    crawls = Crawls(None, home)
    server = EmbeddedServer(home)
    try:
        process = start_held(crawls, site)
        kill_server(server)
        site.release.set()
        status, errors = ended(process)
        assert status == 0, errors
        assert rows(server.url(), "SELECT count(*) FROM current_posting") == [(COUNT,)]
        assert rows(server.url(), STATES) == [("finished",)]
    finally:
        server.remove()


def test_an_embedded_database_killed_on_an_unchanged_day_comes_back(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "home")
    crawls = Crawls(None, tmp_path / "home")
    old = {"OBSERVED_AT": "2026-11-01T06:00:00+00:00"}
    try:
        with serving(Site(COUNT)) as site:
            assert crawls.run("tencent", arguments=board_of(site), **old)[0] == 0
            site.details.clear()
            site.hold_at = 10
            process = start_held(crawls, site, OBSERVED_AT="2026-11-30T06:00:00+00:00")
            kill_server(server)
            site.release.set()
            status, errors = ended(process)
        assert status == 0, errors
        assert rows(server.url(), STATES) == [("finished",), ("finished",)]
        assert rows(server.url(), "SELECT ledger->'unchanged' FROM run ORDER BY id DESC LIMIT 1") == [(COUNT,)]
    finally:
        server.remove()


def test_a_signal_while_waiting_for_a_host_ends_the_run(crawls: Crawls, site: Site) -> None:
    first = start_held(crawls, site)
    second = crawls.start("tencent", arguments={"board": "other", "base_url": site.url}, LOG_LEVEL="INFO")
    assert second.stderr is not None
    for line in second.stderr:
        if "Waiting for" in line:
            break
    second.send_signal(signal.SIGTERM)
    assert ended(second)[0] == 1
    assert crawls.rows("SELECT state FROM run WHERE id = 2") == [("interrupted",)]
    site.release.set()
    assert ended(first)[0] == 0


def test_a_stalled_database_ends_the_run_in_time(crawls: Crawls, site: Site) -> None:
    process = start_held(crawls, site, DB_PATIENCE="2")
    with connect(crawls.url or "") as blocker:
        blocker.execute("LOCK TABLE posting IN ACCESS EXCLUSIVE MODE")
        site.release.set()
        status, errors = ended(process)
    assert status == 1
    assert "did not answer within 2 s" in errors
    completes(crawls, site)


def test_an_unknown_contract_is_named_before_anything_is_taken(crawls: Crawls, site: Site) -> None:
    crawls.environment["JOBMONITOR_CONTRACT"] = "99"
    status, errors = crawls.run("tencent", arguments=board_of(site))
    assert status == 1
    assert "JOBMONITOR_CONTRACT" in errors
    assert crawls.rows(STATES) == []


def test_a_detail_is_asked_for_again_only_when_its_row_moves_or_it_grows_old(crawls: Crawls) -> None:
    with serving(Site(COUNT)) as site:
        for day, asked in (("01", COUNT), ("02", 0), ("28", COUNT)):
            site.details.clear()
            status, errors = crawls.run(
                "tencent", arguments=board_of(site), OBSERVED_AT=f"2026-11-{day}T06:00:00+00:00"
            )
            assert status == 0, errors
            assert len(site.details) == asked
    assert crawls.rows("SELECT count(*) FROM version") == [(COUNT,)]


def test_an_older_run_than_the_newest_is_refused(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, [job(1, "Engineer")], at="2026-11-02T06:00:00+00:00")
    replay = write_board(tmp_path / "old", [job(1, "Engineer")], at="2026-11-01T06:00:00+00:00")
    status, errors = crawls.run("greenhouse:acme", REPLAY_DIR=str(replay))
    assert status == 1
    assert "forwards only" in errors


def refuse(crawls: Crawls, condition: str, sqlstate: str) -> None:
    """Make the database refuse a posting with a given error, as a full disk or a constraint would."""
    crawls.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION 'refused for the test' USING ERRCODE = '{sqlstate}'; END $$",
    )
    crawls.execute(
        f"CREATE TRIGGER refuse BEFORE INSERT ON posting FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION refuse()"
    )


def kill_server(server: EmbeddedServer) -> None:
    """SIGKILL to the postmaster, as an out-of-memory killer would."""
    pid = server.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
