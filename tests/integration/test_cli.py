"""Every command on a small market: the shape of its JSON, what people see, and that foreign text stays text."""

from __future__ import annotations

import datetime as dt
import random
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import text
from typer.testing import CliRunner, Result

from jobmonitor.cli.main import app
from jobmonitor.items import Record
from jobmonitor.storage.engine import create_sync_engine
from jobmonitor.storage.models import Object, SourceLease
from jobmonitor.storage.objects import ObjectStore, object_row
from tests.integration.seed import ENGINEER, HELD, Seed, Text, sha, write_market

Run = Callable[..., Result]
NEWEST = ENGINEER.format(years=5, language="C++")


@pytest.fixture
def run(database: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line against the test's database, as in a pipe."""
    monkeypatch.setenv("JOBMONITOR_DATABASE_URL", database)
    for name in ("FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def market(database: str) -> str:
    """The database, with the small market in it."""
    write_market(database)
    return database


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Make stdout look like a terminal of 80 columns."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


def data(result: Result) -> Any:
    envelope = orjson.loads(result.stdout)
    assert result.exit_code == 0, result.output
    assert (envelope["ok"], envelope["error"]) == (True, None)
    return envelope["data"]


def error(result: Result) -> dict[str, str]:
    envelope = orjson.loads(result.stdout)
    assert result.exit_code == 1
    assert (envelope["ok"], envelope["data"]) == (False, None)
    return dict(envelope["error"])


def query(url: str, sql: str) -> list[Any]:
    with create_sync_engine(url).connect() as connection:
        return list(connection.execute(text(sql)).all())


def test_status_has_the_documented_shape(run: Run, market: str) -> None:
    assert data(run("status", "--json")) == {
        "postings": {"active": 3, "suspected": 0, "gone": 1},
        "contents": 5,
        "versions": 5,
        "profiles": {
            "pending": 0,
            "leased": 0,
            "succeeded": 2,
            "failed": 0,
            "skipped": 1,
            "of_which": {"degraded": 0, "empty": 0, "rules": 2},
        },
        "model_calls": {"total": 0, "today": 0},
        "cost": {"today": 0, "total": 0, "currency": "USD"},
        "cursor": 3,
        "stale_active": 0,
        "alarms": [],
    }
    assert "3 active, 0 suspected, 1 gone" in run("status").stdout


def test_an_empty_database_says_what_to_do_next(run: Run) -> None:
    for command in ("status", "sources", "postings", "runs"):
        result = run(command)
        assert result.exit_code == 0
        assert "scrapy crawl tencent" in result.stderr
    assert "crawl a source first" in error(run("show", "tencent/1", "--json"))["message"]


def test_sources(run: Run, market: str) -> None:
    stripe, tencent = data(run("sources", "--json"))["sources"]
    assert (stripe["source"], stripe["active"], stripe["run"]) == ("greenhouse:stripe", 1, None)
    assert (tencent["source"], tencent["active"], tencent["gone"], tencent["run_state"]) == (
        "tencent",
        2,
        1,
        "finished",
    )
    assert "tencent\t2\t0\t1\t2 finished\t2026-03-03 04:00\t\t\n" in run("sources").stdout


#: Arguments of `postings`, and what is listed.
FILTERS = {
    "": ["tencent/1001", "greenhouse:stripe/4567", "tencent/1002", "tencent/campus:77"],
    "--source greenhouse": ["greenhouse:stripe/4567"],
    "--source greenhouse:stripe": ["greenhouse:stripe/4567"],
    "--state gone": ["tencent/campus:77"],
    "--title 后端": ["tencent/1001"],
    "--title %": [],
    "--changed-since 2026-03-02": ["tencent/1001", "greenhouse:stripe/4567", "tencent/1002"],
    "--changed-since 2026-03-03T04:00:00Z": ["tencent/1001"],
    "--changed-since 1d": [],
    "--quarantine": ["tencent/1002"],
}


def test_postings_are_filtered(run: Run, market: str) -> None:
    found = {each: data(run("postings", *each.split(), "--json"))["postings"] for each in FILTERS}
    assert {each: [row["posting"] for row in found[each]] for each in FILTERS} == FILTERS


def test_postings_are_limited(run: Run, market: str) -> None:
    listed = data(run("postings", "--limit", 1, "--json"))
    assert (len(listed["postings"]), listed["more"]) == (1, True)
    assert "--limit shows more" in run("postings", "--limit", 1).stderr


@pytest.mark.parametrize("arguments", [("--state", "open"), ("--changed-since", "yesterday")])
def test_a_filter_that_cannot_be_is_refused(run: Run, arguments: tuple[str, ...]) -> None:
    assert error(run("postings", *arguments, "--json"))["code"] == "invalid_input"


def test_in_a_pipe_a_row_is_a_line_of_whole_values(run: Run, market: str) -> None:
    header, first, *_ = run("postings").stdout.splitlines()
    assert header.split("\t") == ["posting", "title", "state", "places", "degree", "pay", "v", "changed"]
    assert first.split("\t") == [
        "tencent/1001",
        "后端开发工程师",
        "active",
        "北京, 深圳",
        "bachelor",
        "15,000-30,000 CNY/month x14",
        "2",
        "2026-03-03",
    ]


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_a_table_fits_its_width(run: Run, market: str) -> None:
    lines = run("postings").stdout.splitlines()
    assert any("greenhouse:stripe/4567" in line for line in lines)
    assert "\x1b[" in lines[0]


@pytest.mark.usefixtures("terminal")
def test_a_hostile_title_stays_text(run: Run, market: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    for command in ("postings", "show greenhouse:stripe/4567"):
        shown = run(*command.split()).stdout
        assert "[bold red]Engineer[/]" in shown
        assert not {"\u202e", "\u2066"} & set(shown)
        assert "\x1b[31m" not in shown


def test_show(run: Run, market: str) -> None:
    shown = data(run("show", "tencent/1001", "--json"))
    assert shown["document"] == NEWEST
    assert shown["facts"]["salary"] == "15-30K·14薪"
    assert (shown["education_minimum"], shown["education_minimum_origin"]) == ("bachelor", "text")
    assert (shown["salary_min"], shown["salary_origin"]) == (15000, "site")
    assert shown["last_seen_at"] == "2026-03-03T04:00:00+00:00"
    assert [version["number"] for version in shown["versions"]] == [1, 2]
    text = run("show", "tencent/1001").stdout
    for line in ("degree\tbachelor (text)", "pay\t15,000-30,000 CNY/month x14 (site)", "- 本科及以上学历"):
        assert line in text.splitlines()


def test_last_seen_outlives_its_pages(run: Run, market: str) -> None:
    with create_sync_engine(market).begin() as connection:
        connection.execute(text("DELETE FROM page"))
        connection.execute(
            text(
                "INSERT INTO posting_channel (posting_id, channel, first_seen_at, last_seen_at)"
                " SELECT id, 'social', '2026-03-01Z', '2026-03-02Z' FROM posting WHERE native_id = '1001'"
            )
        )
    assert data(run("show", "tencent/1001", "--json"))["last_seen_at"] == "2026-03-02T00:00:00+00:00"


HINTS = {
    "tencent/77": "Did you mean tencent/campus:77?",
    "1001": "Did you mean tencent/1001?",
    "tencent/zzz": "jobmonitor postings --source tencent",
    "acme/zzz": "Sources: greenhouse:stripe, tencent.",
}


def test_bytes_that_are_no_text_are_refused(run: Run, market: str) -> None:
    for arguments in (("show", "\udcff\udcfe"), ("postings", "--title", "\udcff"), ("runs", "--source", "\udcff")):
        assert error(run(*arguments, "--json"))["code"] == "invalid_input"


def test_numbers_beyond_the_database_are_refused(run: Run, market: str) -> None:
    for arguments in (("postings", "--limit"), ("runs", "--limit"), ("events", "--after"), ("events", "--limit")):
        assert run(*arguments, 10**30).exit_code == 2


def test_an_option_that_the_driver_does_not_know_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBMONITOR_DATABASE_URL", "postgresql://me:hunter2@127.0.0.1:1/jobs?nonsense=1")
    found = error(run("status", "--json"))
    assert "nonsense" in found["message"]
    assert "hunter2" not in found["message"]


def test_an_unknown_reference_is_answered_with_help(run: Run, market: str) -> None:
    for reference, hint in HINTS.items():
        found = error(run("show", reference, "--json"))
        assert found["code"] == "not_found"
        assert hint in found["message"]
    for command in ("history", "diff", "profile"):
        assert error(run(command, "tencent/zzz", "--json"))["code"] == "not_found"


def test_history(run: Run, market: str) -> None:
    first, second = data(run("history", "tencent/1001", "--json"))["versions"]
    assert (first["number"], first["kind"], first["changed"]) == (1, "new", [])
    assert (second["kind"], second["valid_to"]) == ("content", None)
    assert second["changed"] == ["text", "locations", "salary"]
    assert run("history", "tencent/1001").stdout.splitlines()[2].endswith("text, locations, salary")


DIFF = """\
tencent/1001, version 1 to 2
  ...
  ## 岗位要求

- - [-3-]年以上 [-Go-] 开发经验
+ - {+5+}年以上 {+C+++} 开发经验
  - 本科及以上学历


The site states
- locations: 深圳
+ locations: 北京, 深圳
+ salary: 15-30K·14薪
"""


def test_diff_shows_the_words_that_changed(run: Run, market: str) -> None:
    assert run("diff", "tencent/1001").stdout == DIFF
    found = data(run("diff", "tencent/1001", "--json"))
    assert (found["from"], found["to"]) == (1, 2)
    new = "".join(piece["text"] for piece in found["document"] if piece["operation"] != "delete")
    assert new == NEWEST
    assert {"fact": "salary", "old": None, "new": "15-30K·14薪"} in found["facts"]


@pytest.mark.usefixtures("terminal")
def test_diff_is_coloured_on_a_terminal(run: Run, market: str) -> None:
    shown = run("diff", "tencent/1001").stdout
    assert "\x1b[4;32mC++\x1b[0m" in shown
    assert "{+" not in shown


def test_diff_goes_either_way_between_any_two_versions(run: Run, market: str) -> None:
    back = data(run("diff", "tencent/1001", "--from", 2, "--to", 1, "--json"))
    assert {"operation": "insert", "text": "Go"} in back["document"]
    assert "no version 7" in error(run("diff", "tencent/1001", "--to", 7, "--from", 1, "--json"))["message"]
    assert "one version" in error(run("diff", "tencent/1002", "--json"))["message"]


def test_profile_shows_its_evidence_and_older_answers(run: Run, market: str) -> None:
    by_reference = data(run("profile", "tencent/1001", "--json"))
    assert by_reference["profile"]["evidence"]["/education/minimum"] == "本科及以上学历"
    assert by_reference["profile"]["model"] == "rules/1"
    assert data(run("profile", sha(NEWEST)[:12], "--json")) == by_reference
    assert "education.minimum\tbachelor\t本科及以上学历" in run("profile", "tencent/1001").stdout
    with create_sync_engine(market).begin() as connection:
        Seed(connection).profile(sha(NEWEST), {"skills": []}, producer="model")
    again = data(run("profile", "tencent/1001", "--json"))
    assert (again["profile"]["producer"], [each["producer"] for each in again["older"]]) == ("model", ["rules"])
    assert "not a failure" in run("profile", "tencent/1001").stdout


def test_a_text_without_profile_says_why(run: Run, market: str) -> None:
    shown = run("profile", "tencent/1002").stdout
    assert "contract 1\tskipped: quarantined" in shown
    assert "No profile yet." in shown


def test_runs(run: Run, market: str) -> None:
    newest, _ = data(run("runs", "--json"))["runs"]
    shown = data(run("runs", "show", newest["run"], "--json"))
    assert shown["channels"][0]["proof"] == "total"
    assert shown["pages"] == [{"channel": "social", "kind": "list", "pages": 2, "failed": 1, "ids": 2, "total": 2}]
    assert "http_503\t503\thttps://jobs.example/list" in run("runs", "show", newest["run"]).stdout
    assert error(run("runs", "show", 99, "--json"))["code"] == "not_found"


def test_a_run_whose_process_died_is_shown_as_interrupted(run: Run, database: str) -> None:
    long_ago = dt.datetime(2026, 11, 1, 6, 30, tzinfo=dt.UTC)
    lease = {"token": uuid.uuid4(), "expires_at": dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)}
    with create_sync_engine(database).begin() as connection:
        seed = Seed(connection)
        tencent = seed.source("tencent")
        dead, leased = (seed.run(tencent, 1, "running", heartbeat_at=long_ago) for _ in range(2))
        seed.add(SourceLease, source=tencent, run_id=leased, **lease)
        begun = seed.run(tencent, 1, "running")
    shown = {each["run"]: each for each in data(run("runs", "--json"))["runs"]}
    assert [shown[each]["state"] for each in (dead, leased, begun)] == ["interrupted", "running", "running"]
    assert shown[dead]["reason"] == "no heartbeat since 2026-11-01 06:30 UTC; the next run does its work"
    assert [each["run_state"] for each in data(run("sources", "--json"))["sources"]] == ["running"]


def test_events_are_read_page_by_page(run: Run, market: str) -> None:
    page = data(run("events", "--after", 0, "--limit", 2, "--json"))
    assert [event["id"] for event in page["events"]] == [1, 2]
    assert page["next"] == 2
    always = {"id", "kind", "posting", "source", "at", "recorded_at", "payload"}
    assert set(page["events"][0]) == always | {"version", "content"}
    assert page["events"][1]["content"] == sha(NEWEST)
    assert set(data(run("events", "--after", 2, "--json"))["events"][0]) == always | {"content"}
    assert data(run("events", "--after", 3, "--json")) == {"events": [], "next": 3}
    assert "3\tprofile.ready\ttencent/1001" in run("events").stdout


def test_cite_prints_the_exact_document(run: Run, market: str) -> None:
    assert run("cite", sha(NEWEST)).stdout_bytes == NEWEST.encode()
    assert run("cite", sha(NEWEST)[:8]).stdout_bytes == NEWEST.encode()
    found = data(run("cite", sha(NEWEST), "--json"))
    assert found == {"hash": sha(NEWEST), "scheme": "canonical/1", "document": NEWEST}
    record = data(run("show", "tencent/1001", "--json"))["record_hash"]
    raw = run("cite", record, "--raw").stdout_bytes
    assert sha(raw.decode()) == record
    assert run("cite", sha(NEWEST), "--raw").stdout_bytes == raw
    assert error(run("cite", "f" * 64, "--json"))["code"] == "not_found"
    assert error(run("cite", "../etc", "--json"))["code"] == "invalid_input"


def test_release_lets_a_text_out_once(run: Run, market: str) -> None:
    done = data(run("postings", "release", "tencent/1002", "--json"))
    assert done == {"content_hash": sha(HELD), "quarantine": "people_list", "postings": ["tencent/1002"]}
    (event,) = data(run("events", "--after", 3, "--json"))["events"]
    assert (event["kind"], event["posting"], event["payload"]) == (
        "posting.released",
        "tencent/1002",
        {"quarantine": None},
    )
    assert data(run("postings", "--quarantine", "--json"))["postings"] == []
    assert query(market, "SELECT state FROM extraction WHERE state = 'pending'") == [("pending",)]
    assert error(run("postings", "release", "tencent/1002", "--json"))["code"] == "not_found"


def test_erase_needs_a_reason_and_a_yes(run: Run, market: str) -> None:
    assert "--reason" in error(run("erase", "tencent/1001", "--yes", "--json"))["message"]
    preview = error(run("erase", "tencent/1001", "--reason", "asked", "--json"))["message"]
    assert "2 texts, 2 records of tencent/1001" in preview
    assert data(run("show", "tencent/1001", "--json"))["document"] == NEWEST


def test_erase_leaves_hash_tombstone_and_event(run: Run, market: str) -> None:
    before = data(run("show", "tencent/1001", "--json"))
    done = data(run("erase", "tencent/1001", "--reason", "asked", "--yes", "--json"))
    assert len(done["contents"]) == len(done["records"]) == 2
    for arguments in (("cite", sha(NEWEST)), ("cite", sha(NEWEST), "--raw"), ("diff", "tencent/1001")):
        assert error(run(*arguments, "--json"))["code"] == "erased"
    after = data(run("show", "tencent/1001", "--json"))
    assert (after["document"], after["title"]) == (None, "(erased)")
    assert after["content_hash"] == before["content_hash"]
    (event,) = data(run("events", "--after", 3, "--json"))["events"]
    assert (event["kind"], event["payload"]["title"]) == ("posting.erased", "(erased)")
    assert data(run("profile", "tencent/1001", "--json"))["profile"] is None
    assert query(market, "SELECT DISTINCT profile, evidence FROM profile WHERE contract = 1 AND profile = '{}'") == [
        ({}, {})
    ]
    assert query(market, "SELECT reason FROM erasure") == [("asked",)]
    assert "Text\nErased " in run("show", "tencent/1001").stdout


def test_a_shared_text_is_erased_for_all_who_have_it(run: Run, database: str) -> None:
    with create_sync_engine(database).begin() as connection:
        seed = Seed(connection)
        source = seed.source("tencent")
        for native_id in ("1", "2"):
            seed.posting(source, native_id, Text(document="# a\n"))
    done = data(run("erase", sha("# a\n"), "--reason", "asked", "--yes", "--json"))
    assert done["postings"] == ["tencent/1", "tencent/2"]
    events = data(run("events", "--json"))["events"]
    assert [(event["kind"], event["posting"]) for event in events] == [
        ("posting.erased", "tencent/1"),
        ("posting.erased", "tencent/2"),
    ]


def test_erase_takes_the_files_of_large_records(run: Run, database: str, home: Path) -> None:
    store = ObjectStore(home / "objects")
    large = Record(body=random.Random(1).randbytes(200_000), media_type="text/html")
    row = object_row(large, store)
    with create_sync_engine(database).begin() as connection:
        seed = Seed(connection)
        reference = seed.posting(seed.source("tencent"), "1", Text(document="# a\n"))
        seed.add(Object, **row)
        connection.execute(text("UPDATE version SET record_hash = :hash"), {"hash": row["hash"]})
    assert run("cite", row["hash"], "--raw").stdout_bytes == large.body
    assert error(run("cite", row["hash"], "--raw", "--json"))["code"] == "invalid_input"
    data(run("erase", reference, "--reason", "asked", "--yes", "--json"))
    assert [each for each in store.root.rglob("*") if each.is_file()] == []
    assert error(run("cite", row["hash"], "--raw", "--json"))["code"] == "erased"


def test_a_database_that_does_not_answer_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBMONITOR_DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:1/none")
    result = run("status", "--json")
    assert error(result)["code"] == "database_unavailable"
    assert "secret" not in result.output
