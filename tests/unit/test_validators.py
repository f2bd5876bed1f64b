"""When a body's name may be trusted, and when a page is read in full all the same."""

import datetime as dt
from dataclasses import replace

import pytest

from jobmonitor.domain.validators import FULL_READ, contradiction, is_read_in_full
from jobmonitor.items import Validator

KNOWN = Validator(fingerprint="f", url="https://example.com/list", etag='"1"', body_hash="a", ids=("1", "2"))
WEAK = replace(KNOWN, etag='W/"1"')
DATED = replace(KNOWN, etag=None, last_modified="Sun, 01 Nov 2026 08:00:00 GMT")


@pytest.mark.parametrize(
    ("known", "now", "contradicts"),
    [
        (KNOWN, KNOWN, False),
        (KNOWN, replace(KNOWN, body_hash="b"), True),
        (KNOWN, replace(KNOWN, body_hash="b", etag='"2"'), False),
        (KNOWN, replace(KNOWN, body_hash="b", etag=None), False),
        (WEAK, replace(WEAK, body_hash="b"), False),
        (WEAK, replace(WEAK, body_hash="b", ids=("1",)), True),
        (DATED, replace(DATED, body_hash="b"), True),
        (DATED, replace(DATED, body_hash="b", last_modified="Mon, 02 Nov 2026 08:00:00 GMT"), False),
        (DATED, replace(DATED, body_hash="b", etag='"1"'), False),
    ],
)
def test_two_bodies_with_one_name_contradict_it(known: Validator, now: Validator, contradicts: bool) -> None:
    assert (contradiction(known, now) is not None) is contradicts


def test_each_page_has_its_days_and_few_of_them() -> None:
    days = [dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=number) for number in range(1000)]
    for name in ("a", "b", "c"):
        turns = sum(is_read_in_full(name, day) for day in days)
        assert 0 < turns < 3 * len(days) / FULL_READ
