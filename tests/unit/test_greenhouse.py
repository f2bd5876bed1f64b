"""What a Greenhouse job says, and what may move in it without the job changing."""

from __future__ import annotations

import html
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.ats.greenhouse import unescape_once
from jobmonitor.crawling.fields import UnreadableRecord
from jobmonitor.items import RawPosting
from spiders.greenhouse import GreenhouseSpider

SOURCE = "greenhouse:acme"


def job(**changes: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "internal_job_id": 3,
        "title": "Engineer",
        "absolute_url": "https://job-boards.greenhouse.io/acme/jobs/7",
        "location": {"name": "Berlin"},
        "updated_at": "2026-11-02T08:50:01-05:00",
        "first_published": "2026-10-16T11:55:32-04:00",
        "metadata": [{"id": 1, "name": "Commitment", "value": "Full-time", "value_type": "single_select"}],
        **changes,
    }


def parsed(row: dict[str, Any]) -> RawPosting:
    return GreenhouseSpider.parse(GreenhouseSpider.strip({"list": row}), SOURCE)


NOISE: list[dict[str, Any]] = [
    {"updated_at": "2026-12-01T00:00:00-05:00"},
    {"company_name": "Acme Renamed"},
    {"absolute_url": "https://careers.acme.example/jobs?gh_jid=7"},
    {"data_compliance": [{"type": "gdpr"}]},
    {"language": "en"},
    {"application_deadline": None},
    {"requisition_id": "R-2"},
    {"metadata": job()["metadata"] * 2},
    {"metadata": [{"name": "Hiring Manager", "value": "Robin Sample"}, *job()["metadata"]]},
]


@pytest.mark.parametrize("change", NOISE, ids=lambda change: next(iter(change)))
def test_noise_is_the_same_record(change: dict[str, Any]) -> None:
    assert parsed(job(**change)).identity_hash == parsed(job()).identity_hash


CHANGES: list[dict[str, Any]] = [
    {"title": "Senior Engineer"},
    {"location": {"name": "Berlin; Paris"}},
    {"content": "&lt;p&gt;Text&lt;/p&gt;"},
    {"metadata": [{"name": "Commitment", "value": "Part-time"}]},
    {"application_deadline": "2026-12-24"},
    {"internal_job_id": 4},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_a_change_is_another_record(change: dict[str, Any]) -> None:
    assert parsed(job(**change)).identity_hash != parsed(job()).identity_hash


@pytest.mark.parametrize("empty", [{}, {"metadata": None}, {"metadata": []}])
def test_a_missing_list_null_and_an_empty_one_are_one(empty: dict[str, Any]) -> None:
    row = job()
    del row["metadata"]
    assert parsed({**row, **empty}).identity_hash == parsed(row).identity_hash


def test_content_is_unescaped_exactly_once() -> None:
    sent = "&lt;p&gt;C++ &amp;lt; 20 &amp;amp; A&amp;nbsp;B&lt;/p&gt;"
    (section,) = parsed(job(content=sent)).sections
    assert section.body == "<p>C++ &lt; 20 &amp; A&nbsp;B</p>"


@pytest.mark.parametrize(
    ("raw", "precision"), [("2026-10-16T11:55:32-04:00", "second"), ("soon", None), ("2026-10-16T11:55:32", None)]
)
def test_a_date_keeps_its_text(raw: str, precision: str | None) -> None:
    posted_at = parsed(job(first_published=raw)).posted_at
    assert posted_at is not None
    assert (posted_at.raw, posted_at.precision) == (raw, precision)
    assert (posted_at.value is None) == (precision is None)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//evil.example", "https://[", "", None])
def test_only_a_web_address_is_kept(url: str | None) -> None:
    assert parsed(job(absolute_url=url)).url is None


BROKEN: list[dict[str, Any]] = [{"location": "Berlin"}, {"title": ["x"]}, {"departments": {}}, {"id": None}]


@pytest.mark.parametrize("change", BROKEN, ids=lambda change: next(iter(change)))
def test_a_new_shape_fails_loudly(change: dict[str, Any]) -> None:
    with pytest.raises(UnreadableRecord):
        parsed(job(**change))


def test_a_renamed_required_field_fails_loudly() -> None:
    row = job()
    row["name"] = row.pop("title")
    with pytest.raises(UnreadableRecord, match=r"list\.title is missing"):
        parsed(row)


PIECES = st.sampled_from(
    ["&lt;", "&amp;", "&amp;lt;", "&quot;", "&#39;", "&gt;", "&nbsp;", "&", "lt;", "amp;", "p", " ", "é"]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_fast_way_to_unescape_is_the_library_s(content: str) -> None:
    assert unescape_once(content) == html.unescape(content)
