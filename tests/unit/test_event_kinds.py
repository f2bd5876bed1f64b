"""The kinds of events: code, schemas and documentation say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from jobmonitor.domain.profile_changes import profile_changes
from jobmonitor.storage.event_kinds import check_event, event_kinds

ROOT = Path(__file__).parents[2]
NAME = re.compile(r'"((?:posting|source|profile)\.[a-z_]+)"')


def test_every_kind_that_is_emitted_has_a_schema() -> None:
    emitted = {
        name
        for path in (ROOT / "jobmonitor").rglob("*.py")
        if path.name != "event_kinds.py"
        for name in NAME.findall(path.read_text("utf-8"))
    }
    emitted |= {"posting.suspected", "posting.gone"}  # named by the state
    columns = {name for name in emitted if name.endswith((".id", ".key"))}  # of foreign keys
    assert emitted - columns == set(event_kinds())


def test_every_kind_stands_in_the_documentation() -> None:
    page = (ROOT / "docs" / "events.md").read_text("utf-8")
    shown = set(re.findall(r"^\| `([a-z_.]+)` \|", page, re.MULTILINE))
    assert shown == set(event_kinds())


EVENT: dict[str, Any] = {
    "kind": "posting.moved",
    "posting": "acme/1",
    "payload": {"to": "acme/2", "reason": "redirect"},
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"kind": "posting.flew"}, "no kind"),
        ({"posting": None}, "lacks posting"),
        ({"payload": {"to": "acme/2"}}, "reason"),
        ({"payload": {"to": 2, "reason": "redirect"}}, "not of type"),
        ({"payload": {"to": "acme/2", "reason": "redirect", "more": 1}}, "more"),
    ],
)
def test_an_event_is_held_against_its_schema(change: dict[str, Any], problem: str | None) -> None:
    found = check_event(EVENT | change)
    assert (found is None) if problem is None else (problem in str(found))


def test_a_profile_changes_in_the_fields_that_differ() -> None:
    old = {"education": {"minimum": "bachelor"}, "skills": [{"name": "Go"}, {"name": "SQL"}], "head_count": None}
    new = {"education": {"minimum": "master"}, "skills": [{"name": "SQL"}, {"name": "Go"}], "head_count": None}
    changes = profile_changes(old, new)
    assert changes == {"education": {"from": {"minimum": "bachelor"}, "to": {"minimum": "master"}}}
    assert profile_changes(old, old) == {}
