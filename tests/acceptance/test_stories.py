"""What the product promises, played by name through real crawls."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.crawling import Crawls, job

A = "<h3>What you do</h3><ul><li>Build the payments service in Python</li><li>Run it</li></ul>"
B = "<h3>What you do</h3><ul><li>Build the payments service in Go</li><li>Run it</li></ul>"


def test_a_b_a_over_four_days(crawls: Crawls, tmp_path: Path) -> None:
    for date, text in (("2026-11-01", A), ("2026-11-02", B), ("2026-11-03", A), ("2026-11-04", A)):
        crawls.day(tmp_path, [job(1, "Engineer", text)], at=f"{date}T06:00:00+00:00")
    versions = crawls.rows(
        "SELECT number, kind, valid_from::date::text, valid_to::date::text FROM version ORDER BY number"
    )
    assert versions == [
        (1, "new", "2026-11-01", "2026-11-02"),
        (2, "content", "2026-11-02", "2026-11-03"),
        (3, "reverted", "2026-11-03", None),
    ]
    assert crawls.rows("SELECT count(*) FROM content") == [(2,)]
    assert crawls.rows("SELECT count(*), count(DISTINCT content_hash) FROM profile") == [(2, 2)]
    assert crawls.rows("SELECT kind FROM event WHERE posting IS NOT NULL ORDER BY id") == [
        ("posting.new",),
        ("posting.content_changed",),
        ("profile.changed",),
        ("posting.reverted",),
        ("profile.changed",),
    ]


def test_beijing_and_shanghai_swapped(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, [job(1, "产品经理", A, places="北京; 上海")], at="2026-11-01T06:00:00+00:00")
    crawls.day(tmp_path, [job(1, "产品经理", A, places="上海; 北京")], at="2026-11-02T06:00:00+00:00")
    assert crawls.rows("SELECT number, kind FROM version") == [(1, "new")]
    assert crawls.rows("SELECT array(SELECT unnest(locations) ORDER BY 1) FROM current_posting") == [
        (["上海", "北京"],)
    ]


def test_a_full_crawl_of_400_then_one_that_yields_3(crawls: Crawls, tmp_path: Path) -> None:
    jobs = [job(number, f"Engineer {number}", f"<p>Task {number}</p>") for number in range(1, 401)]
    crawls.day(tmp_path, jobs, at="2026-11-01T06:00:00+00:00")
    crawls.day(tmp_path, jobs[:3], at="2026-11-02T06:00:00+00:00")
    assert crawls.rows("SELECT count(*) FROM current_posting WHERE state = 'active'") == [(400,)]
    assert crawls.rows("SELECT count(*) FROM current_profile") == [(400,)]


def test_the_same_text_in_five_cities_is_one_content(crawls: Crawls, tmp_path: Path) -> None:
    cities = ("深圳", "北京", "上海", "广州", "成都")
    jobs = [job(number, f"算法工程师（{city}）", A, places=city) for number, city in enumerate(cities, start=1)]
    crawls.day(tmp_path, jobs, at="2026-11-01T06:00:00+00:00")
    assert crawls.rows("SELECT count(*), count(DISTINCT content_hash) FROM current_posting") == [(5, 1)]
    assert crawls.rows("SELECT count(*) FROM profile") == [(1,)]
    assert crawls.rows("SELECT locations[1] FROM current_posting ORDER BY native_id::int") == [
        (city,) for city in cities
    ]


def test_welcome_pay_negotiable_is_a_succeeded_empty_profile(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, [job(1, "诚聘", "<p>欢迎加入我们，待遇面议</p>")], at="2026-11-01T06:00:00+00:00")
    crawls.day(tmp_path, [job(1, "诚聘", "<p>欢迎加入我们，待遇面议</p>")], at="2026-11-02T06:00:00+00:00")
    assert crawls.rows("SELECT state, producer, empty FROM extraction") == [("succeeded", "rules", True)]
    assert crawls.rows("SELECT count(*) FROM profile") == [(1,)]


def test_a_second_crawl_of_the_same_replay_writes_nothing(crawls: Crawls, tmp_path: Path) -> None:
    tables = ("version", "content", "object", "event", "posting", "profile", "presence", "posting_channel")
    count = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
    jobs = [job(number, f"Engineer {number}", f"<p>Task {number}</p>") for number in range(1, 20)]
    crawls.day(tmp_path, jobs, at="2026-11-01T06:00:00+00:00")
    before = crawls.rows(count), crawls.rows("SELECT xmin::text FROM posting ORDER BY id")
    touched = [each | {"updated_at": "2026-11-02T00:00:00-04:00"} for each in reversed(jobs)]
    crawls.day(tmp_path, touched, at="2026-11-02T06:00:00+00:00")
    assert (crawls.rows(count), crawls.rows("SELECT xmin::text FROM posting ORDER BY id")) == before


def test_a_better_cleaner_is_no_edit(crawls: Crawls, tmp_path: Path) -> None:
    crawls.day(tmp_path, [job(1, "Engineer", A), job(2, "Engineer", B)], at="2026-11-01T06:00:00+00:00")
    crawls.execute("UPDATE version SET cleaning = 99")
    crawls.execute("UPDATE content SET scheme = 'canonical/0'")
    crawls.day(tmp_path, [job(1, "Engineer", A), job(2, "Engineer", A)], at="2026-11-02T06:00:00+00:00")
    versions = "SELECT native_id, number, kind FROM version JOIN posting ON posting.id = posting_id ORDER BY 1, 2"
    assert crawls.rows(versions) == [("1", 1, "new"), ("2", 1, "new"), ("2", 2, "content")]
