"""Change kinds, and comparing fairly across an upgrade of the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jobmonitor.domain.canonical import canonical_json, identity_hash
from jobmonitor.domain.derivation import derive_posting
from jobmonitor.domain.versioning import KnownPosting, change_kind, same_record, under_known_names
from jobmonitor.items import Facts, FingerprintedPosting, PostingKey, RawPosting, Record, Section


def posting(
    text: str = "三年以上 Go 开发经验", *, stamp: int = 0, cleaning: int = 1, **facts: str
) -> FingerprintedPosting:
    record = {"list": {"text": text, "stamp": stamp, **facts}}
    return derive_posting(
        RawPosting(
            key=PostingKey(source="tencent", native_id="1"),
            title="后台开发",
            sections=(Section(body=text, format="text"),),
            facts=Facts(**facts),  # type: ignore[arg-type]
            record=Record(body=canonical_json(record)),
            identity_hash=identity_hash(record, ()),
        )
    )


def known(item: FingerprintedPosting) -> KnownPosting:
    raw = item.clean.raw
    return KnownPosting(
        posting_id=1,
        state="active",
        title=raw.title,
        url=None,
        version=1,
        content_hash=item.content_hash,
        facts_hash=item.facts_hash,
        identity_hash=raw.identity_hash,
        row_hash=None,
        detail_observed_at=None,
        scheme=item.scheme,
        cleaning=raw.cleaning,
        salary=item.clean.facts.salary,
        listings=frozenset({""}),
    )


OLD = posting(salary="15-30K", department="平台")


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        (posting(salary="15-30K", department="平台"), "unchanged"),
        (posting(salary="15-30K", department="平台", stamp=1), "source_only"),
        (posting("三年以上  Go开发经验", salary="15-30K", department="平台"), "source_only"),
        (posting(salary="15-30k", department="平台"), "facts"),
        (posting(salary="20-30K", department="平台"), "salary"),
        (posting(salary="面议", department="平台"), "salary"),
        (posting(salary="15-30K", department="基础"), "facts"),
        (posting("五年以上 Go 开发经验", salary="20-30K", department="平台"), "content"),
    ],
)
def test_change_kinds(new: FingerprintedPosting, kind: str) -> None:
    assert change_kind(known(OLD), new) == kind


def test_a_posting_never_seen_is_new() -> None:
    assert change_kind(None, OLD) == "new"


def test_a_content_seen_before_is_a_revert_even_if_the_pay_moved_too() -> None:
    new = posting("五年以上 Go 开发经验", salary="20-30K")
    assert change_kind(known(OLD), new, content_seen_before=True) == "reverted"


def test_the_same_record_is_recognised_only_under_the_same_rules() -> None:
    assert same_record(known(OLD), OLD.clean.raw)
    assert not same_record(None, OLD.clean.raw)
    assert not same_record(replace(known(OLD), cleaning=2), OLD.clean.raw)
    assert not same_record(replace(known(OLD), scheme="canonical/0"), OLD.clean.raw)


#: As an older release knew OLD: other names, other cleaning.
RENAMED = replace(known(OLD), content_hash="0" * 64, scheme="canonical/0", cleaning=7)


def test_an_upgrade_alone_is_no_edit() -> None:
    named = under_known_names(OLD, RENAMED, again=OLD)
    assert change_kind(RENAMED, named) == "unchanged"
    assert (named.content_hash, named.scheme, named.clean.raw.cleaning) == ("0" * 64, "canonical/0", 7)


def test_an_edit_on_the_day_of_an_upgrade_is_seen() -> None:
    new = posting("五年以上 Go 开发经验", salary="15-30K", department="平台")
    assert change_kind(RENAMED, under_known_names(new, RENAMED, again=OLD)) == "content"


def test_new_pay_on_the_day_of_an_upgrade_keeps_the_contents_name() -> None:
    new = posting(salary="20-30K", department="平台")
    named = under_known_names(new, RENAMED, again=OLD)
    assert change_kind(RENAMED, named) == "salary"
    assert named.content_hash == "0" * 64
