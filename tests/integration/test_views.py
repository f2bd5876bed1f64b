"""The views current_posting and current_profile: one row a posting, and which of site and text is believed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, text

from jobmonitor.storage.engine import create_sync_engine
from tests.integration.seed import Seed, Text, on_day, sha

NOTHING: dict[str, Any] = {"skills": []}


def view(connection: Connection, name: str, reference: str) -> dict[str, Any]:
    row = connection.execute(text(f"SELECT * FROM {name} WHERE posting = :reference"), {"reference": reference})
    return dict(row.mappings().one())


#: What the site states (version columns), what the text says (profile), what is believed.
EDUCATION = "education_minimum"
TABLE: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "the site wins": (
        {EDUCATION: "master"},
        {"education": {"minimum": "bachelor"}},
        {EDUCATION: "master", f"{EDUCATION}_origin": "site", f"{EDUCATION}_disagrees": True},
    ),
    "both agree": (
        {EDUCATION: "master"},
        {"education": {"minimum": "master"}},
        {EDUCATION: "master", f"{EDUCATION}_origin": "site", f"{EDUCATION}_disagrees": False},
    ),
    "不限 gives way to a text that says something": (
        {EDUCATION: "none"},
        {"education": {"minimum": "bachelor"}},
        {EDUCATION: "bachelor", f"{EDUCATION}_origin": "text", f"{EDUCATION}_disagrees": False},
    ),
    "不限 stays where the text is silent": (
        {EDUCATION: "none"},
        NOTHING,
        {EDUCATION: "none", f"{EDUCATION}_origin": "site", f"{EDUCATION}_disagrees": False},
    ),
    "the text fills what the site leaves out": (
        {},
        {"education": {"minimum": "none", "full_time_required": True}},
        {
            EDUCATION: "none",
            f"{EDUCATION}_origin": "text",
            "full_time_required": True,
            "full_time_required_origin": "text",
        },
    ),
    "neither says": (
        {},
        NOTHING,
        {EDUCATION: None, f"{EDUCATION}_origin": None, "salary_origin": None, "experience_origin": None},
    ),
    "a false is a statement": (
        {"full_time_required": False},
        {"education": {"full_time_required": True}},
        {
            "full_time_required": False,
            "full_time_required_origin": "site",
            "full_time_required_disagrees": True,
        },
    ),
    "years go together": (
        {"experience_min": 3},
        {"experience": {"min_years": 5, "max_years": 10}},
        {
            "experience_min_years": 3,
            "experience_max_years": None,
            "experience_origin": "site",
            "experience_disagrees": True,
        },
    ),
    "经验不限 gives way": (
        {"experience_min": 0},
        {"experience": {"min_years": 2, "max_years": None}},
        {"experience_min_years": 2, "experience_origin": "text", "experience_disagrees": False},
    ),
    "经验不限 stays where the text is silent": (
        {"experience_min": 0},
        {"experience": {"min_years": None, "max_years": None}},
        {"experience_min_years": 0, "experience_max_years": None, "experience_origin": "site"},
    ),
    "pay goes together, and is never mixed": (
        {"salary_min": 15000, "salary_period": "month"},
        {"salary": {"min": 15000, "max": 30000, "currency": "CNY", "period": "month", "months": 14}},
        {
            "salary_min": 15000,
            "salary_max": None,
            "salary_currency": None,
            "salary_months": None,
            "salary_origin": "site",
            "salary_disagrees": False,
        },
    ),
    "面议 gives way to an amount in the text": (
        {"salary_unknown": "negotiable"},
        {"salary": {"min": 20, "max": 20.5, "currency": "USD", "period": "hour", "months": None}},
        {"salary_min": 20, "salary_max": 20.5, "salary_origin": "text", "salary_unknown": None},
    ),
    "面议 stays where the text is silent": (
        {"salary_unknown": "negotiable"},
        {"salary": None},
        {"salary_min": None, "salary_origin": None, "salary_unknown": "negotiable"},
    ),
    "kind and openings": (
        {"recruit_type": "campus", "head_count": 0},
        {"recruit_type": "intern", "head_count": 12},
        {
            "recruit_type": "campus",
            "recruit_type_origin": "site",
            "recruit_type_disagrees": True,
            "head_count": 12,
            "head_count_origin": "text",
            "head_count_disagrees": False,
        },
    ),
    "a profile of another shape never breaks the view": (
        {},
        {"salary": "a lot", "head_count": "若干", "education": [], "experience": {"min_years": "3"}},
        {"salary_min": None, "head_count": None, EDUCATION: None, "experience_min_years": None},
    ),
}


def test_effective_values(database: str) -> None:
    shown: dict[str, dict[str, Any]] = {}
    with create_sync_engine(database).begin() as connection:
        seed = Seed(connection)
        source = seed.source("tencent")
        for number, (case, (site, told, believed)) in enumerate(TABLE.items()):
            text = Text(document=f"# {case}\n", derived=site, profile=told)
            row = view(connection, "current_posting", seed.posting(source, str(number), text))
            shown[case] = {name: row[name] for name in believed}
    assert shown == {case: believed for case, (_, _, believed) in TABLE.items()}


def test_one_row_per_posting_whatever_its_history(database: str) -> None:
    first, second = Text(document="# a\n", profile=NOTHING), Text(document="# b\n", day=2, kind="content")
    again = Text(document="# a\n", day=4, kind="reverted")
    with create_sync_engine(database).begin() as connection:
        seed = Seed(connection)
        source = seed.source("tencent")
        reference = seed.posting(source, "1", first, second, again, state="gone")
        seed.profile(sha("# a\n"), {"head_count": 2})
        (row,) = connection.execute(text("SELECT * FROM current_posting")).mappings()
        (profile,) = connection.execute(text("SELECT * FROM current_profile")).mappings()
    assert (row["posting"], row["state"], row["version"]) == (reference, "gone", 3)
    assert (row["changed_at"], row["opened_at"], row["closed_at"]) == (on_day(4), on_day(1), on_day(9))
    assert (row["profile_state"], row["head_count"]) == ("succeeded", 2)
    assert (profile["posting"], profile["profile"]) == (reference, {"head_count": 2})


def test_the_same_text_in_five_cities_has_five_profile_rows(database: str) -> None:
    with create_sync_engine(database).begin() as connection:
        seed = Seed(connection)
        source = seed.source("tencent")
        for number in range(5):
            seed.posting(source, str(number), Text(document="# a\n", profile=NOTHING if not number else None))
        count = connection.scalar(text("SELECT count(*) FROM current_profile"))
        contents = connection.scalar(text("SELECT count(DISTINCT content_hash) FROM current_profile"))
    assert (count, contents) == (5, 1)


def test_the_newest_contract_that_has_a_profile_is_read(database: str) -> None:
    with create_sync_engine(database).begin() as connection:
        seed = Seed(connection)
        reference = seed.posting(seed.source("tencent"), "1", Text(document="# a\n", profile={"head_count": 1}))
        content = sha("# a\n")
        connection.execute(text("INSERT INTO extraction (content_hash, contract) VALUES (:c, 2)"), {"c": content})
        before = view(connection, "current_posting", reference)
        seed.profile(content, {"head_count": 2}, contract=2)
        after = view(connection, "current_posting", reference)
        profile = view(connection, "current_profile", reference)
    assert [(row["contract"], row["head_count"]) for row in (before, after)] == [(1, 1), (2, 2)]
    assert (profile["contract"], profile["profile"]) == (2, {"head_count": 2})


def test_a_released_text_is_not_held(database: str) -> None:
    with create_sync_engine(database).begin() as connection:
        seed = Seed(connection)
        reference = seed.posting(seed.source("tencent"), "1", Text(document="# a\n", quarantine="people_list"))
        held = view(connection, "current_posting", reference)
        connection.execute(text("UPDATE content SET released_at = now()"))
        released = view(connection, "current_posting", reference)
    assert (held["quarantine"], released["quarantine"]) == ("people_list", None)


def test_every_column_is_documented(database: str) -> None:
    query = """
        SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relname IN ('current_posting', 'current_profile') AND a.attnum > 0
            AND col_description(c.oid, a.attnum) IS NULL
    """
    with create_sync_engine(database).begin() as connection:
        assert connection.execute(text(query)).scalars().all() == []
