"""The tables, as SQLAlchemy models. The schema states the truth; docs/database.md explains it.

Keys compare bytewise (`COLLATE "C"`), times are aware, every hash is 64 lower-case hex digits.
"""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Computed,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    SmallInteger,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

DEGREES = ("none", "middle_school", "high_school", "vocational", "associate", "bachelor", "master", "doctor")

Key = Text(collation="C")
Timestamp = DateTime(timezone=True)


def hash_check(column: str) -> CheckConstraint:
    """The column holds a SHA-256 in lower-case hex."""
    return CheckConstraint(f"{column} ~ '^[0-9a-f]{{64}}$'", name=f"{column}_is_sha256")


def one_of(column: str, *values: str) -> CheckConstraint:
    """The column holds one of a closed set of words."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {
        dt.datetime: Timestamp,
        str: Text,
        int: Integer,
        dict[str, Any]: JSONB,
        list[str]: ARRAY(Key),
        decimal.Decimal: Numeric(14, 2),
    }


class Source(Base):
    """What one crawl covers."""

    __tablename__ = "source"
    key: Mapped[str] = mapped_column(Key, primary_key=True)
    system: Mapped[str] = mapped_column(Key)
    board: Mapped[str | None] = mapped_column(Key)
    created_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    newest_observed_at: Mapped[dt.datetime | None] = mapped_column(
        comment="observed_at of the newest run that wrote; an older run is refused"
    )
    period: Mapped[int | None] = mapped_column(comment="seconds between two crawls; null = the default")
    due_at: Mapped[dt.datetime | None] = mapped_column(comment="when run-due crawls it next; null = now")
    failures: Mapped[int] = mapped_column(server_default="0", comment="crawls in a row that did not finish")
    unconditional: Mapped[str | None] = mapped_column(comment="why its validators are not trusted; null = they are")


class Run(Base):
    """One execution of a spider: a diary entry, never a view."""

    __tablename__ = "run"
    __table_args__ = (
        one_of("state", "running", "finished", "interrupted", "failed", "deferred"),
        Index(None, "source", "id"),
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    source: Mapped[str] = mapped_column(Key, ForeignKey("source.key"))
    state: Mapped[str] = mapped_column(server_default="running")
    observed_at: Mapped[dt.datetime] = mapped_column(comment="the run's logical time; drives versions and lifecycle")
    started_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    heartbeat_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[dt.datetime | None]
    hosts: Mapped[list[str] | None] = mapped_column(
        ARRAY(Key), comment="hosts that it asks; only a run of the same ones takes it up again"
    )
    resumed: Mapped[int] = mapped_column(SmallInteger, server_default="0", comment="how often it was taken up again")
    reason: Mapped[str | None] = mapped_column(comment="why it did not finish, or Scrapy's close reason")
    ledger: Mapped[dict[str, Any]] = mapped_column(
        server_default=text("'{}'::jsonb"),
        comment="seen = new + changed + unchanged + rejected, and what else was counted",
    )


class RunChannel(Base):
    """What a run can say of one channel: whether it saw all of it, and by which proof."""

    __tablename__ = "run_channel"
    __table_args__ = (one_of("proof", "total", "whole_board", "exhausted"),)
    run_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    channel: Mapped[str] = mapped_column(Key, primary_key=True)
    complete: Mapped[bool] = mapped_column(Boolean)
    proof: Mapped[str | None]
    total: Mapped[int | None] = mapped_column(comment="smallest total the site announced during the walk")
    distinct_ids: Mapped[int]
    missed: Mapped[int | None] = mapped_column(comment="postings of the channel that this run missed")
    newly_missed: Mapped[int | None] = mapped_column(comment="those of them that the run before had seen")
    prevented_by: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))


class Hold(Base):
    """A disappearance that the source's past does not make plausible: kept from closing postings until released."""

    __tablename__ = "hold"
    __table_args__ = (
        Index("uq_hold_open", "source", "channel", unique=True, postgresql_where=text("released_at IS NULL")),
        one_of("released_by", "run", "person"),
        CheckConstraint("(released_at IS NULL) = (released_by IS NULL)", name="release_has_author"),
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    source: Mapped[str] = mapped_column(Key, ForeignKey("source.key"))
    channel: Mapped[str] = mapped_column(Key, server_default="")
    run_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("run.id", ondelete="SET NULL"))
    observed_at: Mapped[dt.datetime]
    missing: Mapped[int] = mapped_column(comment="postings that disappeared at once")
    known: Mapped[int] = mapped_column(comment="postings that were open in the channel before")
    reason: Mapped[str] = mapped_column(comment="what made it implausible, for a person")
    released_at: Mapped[dt.datetime | None]
    released_by: Mapped[str | None]
    recorded_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())


class SourceLease(Base):
    """Which run may write for a source, by the database's clock."""

    __tablename__ = "source_lease"
    source: Mapped[str] = mapped_column(Key, ForeignKey("source.key"), primary_key=True)
    run_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("run.id", ondelete="CASCADE"))
    token: Mapped[Any] = mapped_column(Uuid)
    holder: Mapped[str | None] = mapped_column(
        comment="process that holds it; one known to be dead is replaced at once"
    )
    expires_at: Mapped[dt.datetime]


class HostLease(Base):
    """Which run may ask a host, so that one host is crawled by one source at a time."""

    __tablename__ = "host_lease"
    host: Mapped[str] = mapped_column(Key, primary_key=True)
    run_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("run.id", ondelete="CASCADE"))
    token: Mapped[Any] = mapped_column(Uuid)
    holder: Mapped[str | None] = mapped_column(
        comment="process that holds it; one known to be dead is replaced at once"
    )
    expires_at: Mapped[dt.datetime]


class Object(Base):
    """Bytes named by their SHA-256: records of versions, attachments. Never indexed, served or sent to a model."""

    __tablename__ = "object"
    __table_args__ = (
        hash_check("hash"),
        CheckConstraint("num_nonnulls(data, path, erased_at) >= 1", name="has_bytes_or_tombstone"),
    )
    hash: Mapped[str] = mapped_column(Key, primary_key=True)
    media_type: Mapped[str]
    charset: Mapped[str | None]
    size: Mapped[int] = mapped_column(BigInteger, comment="bytes before compression")
    data: Mapped[bytes | None] = mapped_column(LargeBinary, comment="zstd frame, up to 64 KiB")
    path: Mapped[str | None] = mapped_column(comment="name below the object store, where the frame is larger")
    created_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    erased_at: Mapped[dt.datetime | None]


class Content(Base):
    """A canonical document under its name. The first one stored under a hash stays, but for an erasure."""

    __tablename__ = "content"
    __table_args__ = (
        hash_check("hash"),
        CheckConstraint("(document IS NULL) = (erased_at IS NOT NULL)", name="document_or_tombstone"),
    )
    hash: Mapped[str] = mapped_column(Key, primary_key=True)
    scheme: Mapped[str] = mapped_column(Key)
    document: Mapped[str | None]
    language: Mapped[str | None]
    simhash: Mapped[int | None] = mapped_column(BigInteger)
    quarantine: Mapped[str | None] = mapped_column(comment="why it is not sent, indexed or exported; see released_at")
    released_at: Mapped[dt.datetime | None]
    created_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    erased_at: Mapped[dt.datetime | None]


class Posting(Base):
    """One job advertisement of one source."""

    __tablename__ = "posting"
    __table_args__ = (
        UniqueConstraint("source", "channel", "native_id"),
        one_of("state", "active", "suspected", "gone"),
        one_of("posted_precision", "year", "month", "day", "minute", "second"),
        hash_check("identity_hash"),
        hash_check("row_hash"),
        Index(None, "opening_key", postgresql_where=text("opening_key IS NOT NULL")),
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    source: Mapped[str] = mapped_column(Key, ForeignKey("source.key"))
    channel: Mapped[str] = mapped_column(Key, server_default="", comment="only where ids collide across channels")
    native_id: Mapped[str] = mapped_column(Key)
    reference: Mapped[str] = mapped_column(Key, unique=True)
    state: Mapped[str] = mapped_column(server_default="active")
    title: Mapped[str] = mapped_column(comment="first line of the current document")
    url: Mapped[str | None]
    employer: Mapped[str | None] = mapped_column(comment="where it is not the source's own")
    opening_key: Mapped[str | None] = mapped_column(Key)
    parent: Mapped[str | None] = mapped_column(Key, comment="reference of the notice that holds it")
    posted_raw: Mapped[str | None]
    posted_at: Mapped[dt.datetime | None]
    posted_precision: Mapped[str | None]
    identity_hash: Mapped[str] = mapped_column(Key, comment="the newest record less the fields that are not identity")
    row_hash: Mapped[str | None] = mapped_column(Key)
    detail_observed_at: Mapped[dt.datetime | None] = mapped_column(comment="when the detail was last read")
    signals: Mapped[int] = mapped_column(SmallInteger, server_default="0", comment="closed signals, CONFIRM_GAP apart")
    signalled_at: Mapped[dt.datetime | None] = mapped_column(comment="when the last of them counted")
    signal: Mapped[str | None] = mapped_column(comment="the site's words")
    probed_at: Mapped[dt.datetime | None] = mapped_column(comment="when its own address was last asked")
    successor: Mapped[str | None] = mapped_column(Key, comment="reference of the posting that it moved to")
    first_observed_at: Mapped[dt.datetime]
    created_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())


class PostingChannel(Base):
    """A listing channel that showed a posting. `last_seen_at` is written when pages are pruned or a miss is counted."""

    __tablename__ = "posting_channel"
    posting_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("posting.id", ondelete="CASCADE"), primary_key=True)
    channel: Mapped[str] = mapped_column(Key, primary_key=True)
    first_seen_at: Mapped[dt.datetime]
    last_seen_at: Mapped[dt.datetime]
    misses: Mapped[int] = mapped_column(server_default="0")
    last_missed_at: Mapped[dt.datetime | None]


class Version(Base):
    """A posting's (content, facts) over a span of observed time. Absence does not close it."""

    __tablename__ = "version"
    __table_args__ = (
        UniqueConstraint("posting_id", "number"),
        CheckConstraint("number >= 1", name="number_positive"),
        ForeignKeyConstraint(
            ["posting_id", "previous_number"],
            ["version.posting_id", "version.number"],
            name="fk_version_no_gap",
        ),
        CheckConstraint("valid_to IS NULL OR valid_to >= valid_from", name="span_forward"),
        Index("uq_version_open", "posting_id", unique=True, postgresql_where=text("valid_to IS NULL")),
        Index(None, "content_hash"),
        Index(None, "record_hash"),
        one_of("kind", "new", "reverted", "content", "salary", "facts"),
        hash_check("content_hash"),
        hash_check("facts_hash"),
        hash_check("record_hash"),
        one_of("education_minimum", *DEGREES),
        one_of("recruit_type", "campus", "experienced", "intern"),
        one_of("salary_period", "hour", "day", "week", "month", "year"),
        one_of("salary_unknown", "negotiable", "none", "unparsed"),
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    posting_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("posting.id", ondelete="CASCADE"))
    number: Mapped[int]
    previous_number: Mapped[int | None] = mapped_column(
        Integer, Computed("NULLIF(number - 1, 0)", persisted=True), comment="its foreign key keeps numbers without gaps"
    )
    kind: Mapped[str]
    content_hash: Mapped[str] = mapped_column(Key, ForeignKey("content.hash"))
    facts_hash: Mapped[str] = mapped_column(Key)
    facts: Mapped[dict[str, Any]] = mapped_column(comment="what the site states, facts/1, folded")
    record_hash: Mapped[str] = mapped_column(Key, ForeignKey("object.hash"))
    cleaning: Mapped[int] = mapped_column(SmallInteger, comment="number of the source's own cleaning declarations")
    valid_from: Mapped[dt.datetime] = mapped_column(comment="observed_at of the run that opened it")
    valid_to: Mapped[dt.datetime | None]
    run_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("run.id", ondelete="SET NULL"))
    recorded_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    # Derived from facts by the parsers of this release; outside every hash.
    locations: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))
    recruit_type: Mapped[str | None]
    education_minimum: Mapped[str | None]
    full_time_required: Mapped[bool | None]
    experience_min: Mapped[decimal.Decimal | None]
    experience_max: Mapped[decimal.Decimal | None]
    salary_min: Mapped[decimal.Decimal | None]
    salary_max: Mapped[decimal.Decimal | None]
    salary_currency: Mapped[str | None]
    salary_period: Mapped[str | None]
    salary_months: Mapped[decimal.Decimal | None]
    salary_unknown: Mapped[str | None]
    head_count: Mapped[int | None]


class VersionPlace(Base):
    """Normalised places of a version; derived, may be made again at any time."""

    __tablename__ = "version_place"
    version_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("version.id", ondelete="CASCADE"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    stated: Mapped[str]
    city: Mapped[str | None]
    region: Mapped[str | None]
    country: Mapped[str | None] = mapped_column(comment="ISO 3166-1 alpha-2")


class Presence(Base):
    """A span in which a posting was open, with the evidence for its opening and closing."""

    __tablename__ = "presence"
    __table_args__ = (
        Index("uq_presence_open", "posting_id", unique=True, postgresql_where=text("closed_at IS NULL")),
        Index(None, "posting_id", "opened_at"),
        CheckConstraint("closed_at IS NULL OR closed_at >= opened_at", name="span_forward"),
        CheckConstraint("(closed_at IS NULL) = (closed_evidence IS NULL)", name="closing_has_evidence"),
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    posting_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("posting.id", ondelete="CASCADE"))
    opened_at: Mapped[dt.datetime]
    opened_evidence: Mapped[str]
    closed_at: Mapped[dt.datetime | None]
    closed_evidence: Mapped[str | None]


class Event(Base):
    """One entry of the numbered change stream. Ids are in commit order: see `jobmonitor.storage.events`."""

    __tablename__ = "event"
    __table_args__ = (Index(None, "posting_id", "id"),)
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=False), primary_key=True)
    kind: Mapped[str] = mapped_column(Key)
    posting_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("posting.id", ondelete="SET NULL"))
    posting: Mapped[str | None] = mapped_column(Key, comment="reference, kept beside the id")
    source: Mapped[str | None] = mapped_column(Key)
    at: Mapped[dt.datetime] = mapped_column(comment="observed time")
    recorded_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    version: Mapped[int | None]
    content: Mapped[str | None] = mapped_column(Key)
    payload: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))


class Page(Base):
    """The smallest unit of crawling. `ids` are the native ids a list page showed: "last seen" is derived from them."""

    __tablename__ = "page"
    __table_args__ = (
        one_of("kind", "list", "detail", "sitemap", "feed", "probe"),
        one_of("state", "pending", "fetched", "extracted", "done", "failed"),
        one_of("proof", "total", "whole_board", "exhausted"),
        Index("uq_page_name", "run_id", "channel", "walk", "request_hash", unique=True),
        Index(None, "source", "kind", "observed_at"),
        Index("ix_page_ids", "ids", postgresql_using="gin"),
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    run_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("run.id", ondelete="CASCADE"))
    source: Mapped[str] = mapped_column(Key, ForeignKey("source.key"))
    channel: Mapped[str] = mapped_column(Key, server_default="")
    kind: Mapped[str]
    method: Mapped[str] = mapped_column(server_default="GET")
    url: Mapped[str]
    request_hash: Mapped[str | None] = mapped_column(Key, comment="method, canonical URL and body")
    request: Mapped[str | None] = mapped_column(comment="how to ask for it again; null once it is done")
    walk: Mapped[int] = mapped_column(SmallInteger, server_default="1", comment="which walk through its listing")
    number: Mapped[int | None] = mapped_column(comment="of a list page, from 1")
    state: Mapped[str] = mapped_column(server_default="pending")
    failure: Mapped[str | None]
    status: Mapped[int | None] = mapped_column(SmallInteger)
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    ids: Mapped[list[str]] = mapped_column(server_default=text("'{}'::text[]"))
    total: Mapped[int | None] = mapped_column(comment="the total this page announced")
    proof: Mapped[str | None] = mapped_column(comment="how it takes part in a proof of completeness")
    body_hash: Mapped[str | None] = mapped_column(Key)
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    redirected_to: Mapped[str | None]
    evidence: Mapped[str | None] = mapped_column(comment="the site's words that its posting is closed")
    observed_at: Mapped[dt.datetime]
    recorded_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())


class Validator(Base):
    """What a page's newest processed body was called by its server, and what it showed: for conditional requests."""

    __tablename__ = "validator"
    source: Mapped[str] = mapped_column(Key, ForeignKey("source.key"), primary_key=True)
    request_hash: Mapped[str] = mapped_column(Key, primary_key=True)
    url: Mapped[str]
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    body_hash: Mapped[str | None] = mapped_column(Key)
    ids: Mapped[list[str]] = mapped_column(server_default=text("'{}'::text[]"))
    total: Mapped[int | None]
    proof: Mapped[str | None]
    observed_at: Mapped[dt.datetime]


class Reject(Base):
    """An item that could not become a posting, with its reason and its record."""

    __tablename__ = "reject"
    __table_args__ = (UniqueConstraint("source", "key", "reason", "hash"), hash_check("hash"))
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    source: Mapped[str] = mapped_column(Key, ForeignKey("source.key"))
    key: Mapped[str] = mapped_column(Key, comment="native id, or the page URL")
    reason: Mapped[str] = mapped_column(Key)
    hash: Mapped[str] = mapped_column(Key, comment="of the record, or of the empty string")
    detail: Mapped[str] = mapped_column(server_default="")
    record_hash: Mapped[str | None] = mapped_column(Key, ForeignKey("object.hash"))
    run_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("run.id", ondelete="SET NULL"), comment="run that met it last"
    )
    first_at: Mapped[dt.datetime]
    last_at: Mapped[dt.datetime]
    count: Mapped[int] = mapped_column(server_default="1")


class ExtractionConfig(Base):
    """Prompt, model and parameters that made a profile. Recorded on each; never invalidates one."""

    __tablename__ = "extraction_config"
    __table_args__ = (hash_check("hash"),)
    id: Mapped[int] = mapped_column(Integer, Identity(always=True), primary_key=True)
    hash: Mapped[str] = mapped_column(Key, unique=True, comment="of the canonical JSON of what follows")
    producer: Mapped[str] = mapped_column(Key)
    model: Mapped[str] = mapped_column(comment="litellm name, or rules/N")
    prompt: Mapped[str | None]
    parameters: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    created_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())


class Extraction(Base):
    """One row per (content, contract): where its profile stands. The claim is decided here, before money is spent."""

    __tablename__ = "extraction"
    __table_args__ = (
        one_of("state", "pending", "leased", "succeeded", "failed", "skipped"),
        one_of("producer", "model", "rules"),
        CheckConstraint("(state = 'leased') = (lease_token IS NOT NULL)", name="lease_has_token"),
        CheckConstraint("state <> 'succeeded' OR profile_id IS NOT NULL", name="success_has_profile"),
        Index(
            "ix_extraction_open",
            "contract",
            "state",
            "updated_at",
            postgresql_where=text("state IN ('pending', 'leased')"),
        ),
    )
    content_hash: Mapped[str] = mapped_column(Key, ForeignKey("content.hash"), primary_key=True)
    contract: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    state: Mapped[str] = mapped_column(server_default="pending")
    reason: Mapped[str | None] = mapped_column(comment="why skipped, failed or degraded")
    producer: Mapped[str | None]
    degraded: Mapped[bool] = mapped_column(server_default=text("false"))
    empty: Mapped[bool] = mapped_column(server_default=text("false"))
    attempts: Mapped[int] = mapped_column(
        SmallInteger, server_default="0", comment="used up by the content's own failures"
    )
    lease_token: Mapped[Any | None] = mapped_column(Uuid)
    lease_expires_at: Mapped[dt.datetime | None]
    profile_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("profile.id", use_alter=True), comment="the current profile; older ones stay as history"
    )
    run_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("run.id", ondelete="SET NULL"), comment="run that first saw the content"
    )
    created_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())


class Profile(Base):
    """A structured answer for one content under one contract, with its evidence. Rows are added, never changed."""

    __tablename__ = "profile"
    __table_args__ = (
        ForeignKeyConstraint(["content_hash", "contract"], ["extraction.content_hash", "extraction.contract"]),
        one_of("producer", "model", "rules"),
        Index(None, "content_hash", "contract"),
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    content_hash: Mapped[str] = mapped_column(Key)
    contract: Mapped[int] = mapped_column(SmallInteger)
    producer: Mapped[str]
    config_id: Mapped[int] = mapped_column(ForeignKey("extraction_config.id"))
    profile: Mapped[dict[str, Any]]
    evidence: Mapped[dict[str, Any]] = mapped_column(
        server_default=text("'{}'::jsonb"), comment="quotes by JSON pointer"
    )
    ungrounded: Mapped[int] = mapped_column(SmallInteger, server_default="0", comment="values that became null")
    batch_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("batch.id", ondelete="SET NULL"))
    created_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())


class Batch(Base):
    """One execution of the extractor: a diary entry, never a view."""

    __tablename__ = "batch"
    __table_args__ = (one_of("state", "running", "finished", "interrupted", "failed"),)
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    run_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("run.id", ondelete="SET NULL"))
    config_id: Mapped[int | None] = mapped_column(ForeignKey("extraction_config.id"))
    state: Mapped[str] = mapped_column(server_default="running")
    started_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    heartbeat_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[dt.datetime | None]
    holder: Mapped[str | None] = mapped_column(comment="process that runs it; one known to be dead is cleared at once")
    reason: Mapped[str | None] = mapped_column(comment="why it stopped before everything was done")
    counts: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))


class ModelCall(Base):
    """One row per HTTP request sent to a model. Kept for ever."""

    __tablename__ = "model_call"
    __table_args__ = (
        ForeignKeyConstraint(["content_hash", "contract"], ["extraction.content_hash", "extraction.contract"]),
        Index(None, "started_at"),
        Index(None, "content_hash", "contract"),
        Index("ix_model_call_under_way", "lease_token", postgresql_where=text("outcome IS NULL")),
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    content_hash: Mapped[str] = mapped_column(Key)
    contract: Mapped[int] = mapped_column(SmallInteger)
    batch_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("batch.id", ondelete="SET NULL"))
    config_id: Mapped[int] = mapped_column(ForeignKey("extraction_config.id"))
    lease_token: Mapped[Any] = mapped_column(Uuid)
    purpose: Mapped[str] = mapped_column(server_default="extract", comment="extract | repair")
    started_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[dt.datetime | None]
    outcome: Mapped[str | None] = mapped_column(comment="null while under way")
    input_tokens: Mapped[int | None]
    cached_tokens: Mapped[int | None]
    output_tokens: Mapped[int | None]
    reserved: Mapped[decimal.Decimal | None] = mapped_column(
        Numeric(18, 9), comment="worst case, taken from the budget in the claim"
    )
    cost: Mapped[decimal.Decimal | None] = mapped_column(Numeric(18, 9), comment="settled; null = price unknown")
    currency: Mapped[str | None]
    error: Mapped[str | None]


class ContentAlias(Base):
    """A content that only changed its name under a newer scheme."""

    __tablename__ = "content_alias"
    __table_args__ = (hash_check("old_hash"), hash_check("new_hash"))
    old_hash: Mapped[str] = mapped_column(Key, primary_key=True)
    new_hash: Mapped[str] = mapped_column(Key, primary_key=True)
    scheme: Mapped[str] = mapped_column(Key, comment="of the new name")
    created_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())


class Erasure(Base):
    """A recorded erasure: who asked is not kept, what was erased is."""

    __tablename__ = "erasure"
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    posting: Mapped[str | None] = mapped_column(Key)
    content_hash: Mapped[str | None] = mapped_column(Key)
    reason: Mapped[str]
    recorded_at: Mapped[dt.datetime] = mapped_column(server_default=func.now())
