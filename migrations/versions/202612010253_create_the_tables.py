"""Create the tables

Revision ID: 5f1de2c393a8
Revises:
Create Date: 2026-12-01 02:53:42.857401+00:00"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "5f1de2c393a8"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "content",
        sa.Column("hash", sa.Text(collation="C"), nullable=False),
        sa.Column("scheme", sa.Text(collation="C"), nullable=False),
        sa.Column("document", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("simhash", sa.BigInteger(), nullable=True),
        sa.Column(
            "quarantine", sa.Text(), nullable=True, comment="why it is not sent, indexed or exported; see released_at"
        ),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_content_hash_is_sha256")),
        sa.CheckConstraint(
            "(document IS NULL) = (erased_at IS NOT NULL)", name=op.f("ck_content_document_or_tombstone")
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_content")),
    )
    op.create_table(
        "content_alias",
        sa.Column("old_hash", sa.Text(collation="C"), nullable=False),
        sa.Column("new_hash", sa.Text(collation="C"), nullable=False),
        sa.Column("scheme", sa.Text(collation="C"), nullable=False, comment="of the new name"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("new_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_content_alias_new_hash_is_sha256")),
        sa.CheckConstraint("old_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_content_alias_old_hash_is_sha256")),
        sa.PrimaryKeyConstraint("old_hash", "new_hash", name=op.f("pk_content_alias")),
    )
    op.create_table(
        "erasure",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("posting", sa.Text(collation="C"), nullable=True),
        sa.Column("content_hash", sa.Text(collation="C"), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasure")),
    )
    op.create_table(
        "extraction_config",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("hash", sa.Text(collation="C"), nullable=False, comment="of the canonical JSON of what follows"),
        sa.Column("producer", sa.Text(collation="C"), nullable=False),
        sa.Column("model", sa.Text(), nullable=False, comment="litellm name, or rules/N"),
        sa.Column("prompt", sa.Text(), nullable=True),
        sa.Column(
            "parameters", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_extraction_config_hash_is_sha256")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_extraction_config")),
        sa.UniqueConstraint("hash", name=op.f("uq_extraction_config_hash")),
    )
    op.create_table(
        "object",
        sa.Column("hash", sa.Text(collation="C"), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("charset", sa.Text(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False, comment="bytes before compression"),
        sa.Column("data", sa.LargeBinary(), nullable=True, comment="zstd frame, up to 64 KiB"),
        sa.Column("path", sa.Text(), nullable=True, comment="name below the object store, where the frame is larger"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_object_hash_is_sha256")),
        sa.CheckConstraint("num_nonnulls(data, path, erased_at) >= 1", name=op.f("ck_object_has_bytes_or_tombstone")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_object")),
    )
    op.create_table(
        "source",
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("system", sa.Text(collation="C"), nullable=False),
        sa.Column("board", sa.Text(collation="C"), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column(
            "newest_observed_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="observed_at of the newest run that wrote; an older run is refused",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_source")),
    )
    op.create_table(
        "posting",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("source", sa.Text(collation="C"), nullable=False),
        sa.Column(
            "channel",
            sa.Text(collation="C"),
            server_default="",
            nullable=False,
            comment="only where ids collide across channels",
        ),
        sa.Column("native_id", sa.Text(collation="C"), nullable=False),
        sa.Column("reference", sa.Text(collation="C"), nullable=False),
        sa.Column("state", sa.Text(), server_default="active", nullable=False),
        sa.Column("title", sa.Text(), nullable=False, comment="first line of the current document"),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("employer", sa.Text(), nullable=True, comment="where it is not the source's own"),
        sa.Column("opening_key", sa.Text(collation="C"), nullable=True),
        sa.Column("parent", sa.Text(collation="C"), nullable=True, comment="reference of the notice that holds it"),
        sa.Column("posted_raw", sa.Text(), nullable=True),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("posted_precision", sa.Text(), nullable=True),
        sa.Column(
            "identity_hash",
            sa.Text(collation="C"),
            nullable=False,
            comment="the newest record less the fields that are not identity",
        ),
        sa.Column("row_hash", sa.Text(collation="C"), nullable=True),
        sa.Column(
            "detail_observed_at", sa.DateTime(timezone=True), nullable=True, comment="when the detail was last read"
        ),
        sa.Column("first_observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("identity_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_posting_identity_hash_is_sha256")),
        sa.CheckConstraint(
            "posted_precision IN ('year', 'month', 'day', 'minute', 'second')",
            name=op.f("ck_posting_posted_precision_known"),
        ),
        sa.CheckConstraint("row_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_posting_row_hash_is_sha256")),
        sa.CheckConstraint("state IN ('active', 'suspected', 'gone')", name=op.f("ck_posting_state_known")),
        sa.ForeignKeyConstraint(["source"], ["source.key"], name=op.f("fk_posting_source_source")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posting")),
        sa.UniqueConstraint("reference", name=op.f("uq_posting_reference")),
        sa.UniqueConstraint("source", "channel", "native_id", name=op.f("uq_posting_source_channel_native_id")),
    )
    op.create_index(
        op.f("ix_posting_opening_key"),
        "posting",
        ["opening_key"],
        unique=False,
        postgresql_where=sa.text("opening_key IS NOT NULL"),
    )
    op.create_table(
        "reject",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("source", sa.Text(collation="C"), nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False, comment="native id, or the page URL"),
        sa.Column("reason", sa.Text(collation="C"), nullable=False),
        sa.Column("hash", sa.Text(collation="C"), nullable=False, comment="of the record, or of the empty string"),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("record_hash", sa.Text(collation="C"), nullable=True),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("count", sa.Integer(), server_default="1", nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_reject_hash_is_sha256")),
        sa.ForeignKeyConstraint(["record_hash"], ["object.hash"], name=op.f("fk_reject_record_hash_object")),
        sa.ForeignKeyConstraint(["source"], ["source.key"], name=op.f("fk_reject_source_source")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reject")),
        sa.UniqueConstraint("source", "key", "reason", "hash", name=op.f("uq_reject_source_key_reason_hash")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("source", sa.Text(collation="C"), nullable=False),
        sa.Column("state", sa.Text(), server_default="running", nullable=False),
        sa.Column(
            "observed_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="the run's logical time; drives versions and lifecycle",
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True, comment="why it did not finish, or Scrapy's close reason"),
        sa.Column(
            "ledger",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
            comment="seen = new + changed + unchanged + rejected, and what else was counted",
        ),
        sa.CheckConstraint(
            "state IN ('running', 'finished', 'interrupted', 'failed', 'deferred')", name=op.f("ck_run_state_known")
        ),
        sa.ForeignKeyConstraint(["source"], ["source.key"], name=op.f("fk_run_source_source")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index(op.f("ix_run_source_id"), "run", ["source", "id"], unique=False)
    op.create_table(
        "batch",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("config_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), server_default="running", nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "holder", sa.Text(), nullable=True, comment="process that runs it; one known to be dead is cleared at once"
        ),
        sa.Column("reason", sa.Text(), nullable=True, comment="why it stopped before everything was done"),
        sa.Column(
            "counts", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.CheckConstraint(
            "state IN ('running', 'finished', 'interrupted', 'failed')", name=op.f("ck_batch_state_known")
        ),
        sa.ForeignKeyConstraint(
            ["config_id"], ["extraction_config.id"], name=op.f("fk_batch_config_id_extraction_config")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_batch_run_id_run"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batch")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("kind", sa.Text(collation="C"), nullable=False),
        sa.Column("posting_id", sa.BigInteger(), nullable=True),
        sa.Column("posting", sa.Text(collation="C"), nullable=True, comment="reference, kept beside the id"),
        sa.Column("source", sa.Text(collation="C"), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, comment="observed time"),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("content", sa.Text(collation="C"), nullable=True),
        sa.Column(
            "payload", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["posting_id"], ["posting.id"], name=op.f("fk_event_posting_id_posting"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index(op.f("ix_event_posting_id_id"), "event", ["posting_id", "id"], unique=False)
    op.create_table(
        "extraction",
        sa.Column("content_hash", sa.Text(collation="C"), nullable=False),
        sa.Column("contract", sa.SmallInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True, comment="why skipped, failed or degraded"),
        sa.Column("producer", sa.Text(), nullable=True),
        sa.Column("degraded", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("empty", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column(
            "attempts",
            sa.SmallInteger(),
            server_default="0",
            nullable=False,
            comment="used up by the content's own failures",
        ),
        sa.Column("lease_token", sa.Uuid(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "profile_id", sa.BigInteger(), nullable=True, comment="the current profile; older ones stay as history"
        ),
        sa.Column("run_id", sa.BigInteger(), nullable=True, comment="run that first saw the content"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "(state = 'leased') = (lease_token IS NOT NULL)", name=op.f("ck_extraction_lease_has_token")
        ),
        sa.CheckConstraint("producer IN ('model', 'rules')", name=op.f("ck_extraction_producer_known")),
        sa.CheckConstraint(
            "state <> 'succeeded' OR profile_id IS NOT NULL", name=op.f("ck_extraction_success_has_profile")
        ),
        sa.CheckConstraint(
            "state IN ('pending', 'leased', 'succeeded', 'failed', 'skipped')", name=op.f("ck_extraction_state_known")
        ),
        sa.ForeignKeyConstraint(["content_hash"], ["content.hash"], name=op.f("fk_extraction_content_hash_content")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_extraction_run_id_run"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("content_hash", "contract", name=op.f("pk_extraction")),
    )
    op.create_index(
        "ix_extraction_open",
        "extraction",
        ["contract", "state", "updated_at"],
        unique=False,
        postgresql_where=sa.text("state IN ('pending', 'leased')"),
    )
    op.create_table(
        "host_lease",
        sa.Column("host", sa.Text(collation="C"), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.Uuid(), nullable=False),
        sa.Column(
            "holder",
            sa.Text(),
            nullable=True,
            comment="process that holds it; one known to be dead is replaced at once",
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_host_lease_run_id_run"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_host_lease")),
    )
    op.create_table(
        "page",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(collation="C"), nullable=False),
        sa.Column("channel", sa.Text(collation="C"), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), server_default="GET", nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.Text(collation="C"), nullable=True, comment="method, canonical URL and body"),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("ids", sa.ARRAY(sa.Text(collation="C")), server_default=sa.text("'{}'::text[]"), nullable=False),
        sa.Column("total", sa.Integer(), nullable=True, comment="the total this page announced"),
        sa.Column("body_hash", sa.Text(collation="C"), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("redirected_to", sa.Text(), nullable=True),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("kind IN ('list', 'detail', 'sitemap', 'feed')", name=op.f("ck_page_kind_known")),
        sa.CheckConstraint(
            "state IN ('pending', 'fetched', 'extracted', 'done', 'failed')", name=op.f("ck_page_state_known")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_page_run_id_run"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source"], ["source.key"], name=op.f("fk_page_source_source")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page")),
    )
    op.create_index("ix_page_ids", "page", ["ids"], unique=False, postgresql_using="gin")
    op.create_index(op.f("ix_page_run_id"), "page", ["run_id"], unique=False)
    op.create_index(op.f("ix_page_source_kind_observed_at"), "page", ["source", "kind", "observed_at"], unique=False)
    op.create_table(
        "posting_channel",
        sa.Column("posting_id", sa.BigInteger(), nullable=False),
        sa.Column("channel", sa.Text(collation="C"), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("misses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_missed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["posting_id"], ["posting.id"], name=op.f("fk_posting_channel_posting_id_posting"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("posting_id", "channel", name=op.f("pk_posting_channel")),
    )
    op.create_table(
        "presence",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("posting_id", sa.BigInteger(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("opened_evidence", sa.Text(), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_evidence", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(closed_at IS NULL) = (closed_evidence IS NULL)", name=op.f("ck_presence_closing_has_evidence")
        ),
        sa.CheckConstraint("closed_at IS NULL OR closed_at >= opened_at", name=op.f("ck_presence_span_forward")),
        sa.ForeignKeyConstraint(
            ["posting_id"], ["posting.id"], name=op.f("fk_presence_posting_id_posting"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_presence")),
    )
    op.create_index(
        "uq_presence_open", "presence", ["posting_id"], unique=True, postgresql_where=sa.text("closed_at IS NULL")
    )
    op.create_table(
        "run_channel",
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("channel", sa.Text(collation="C"), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("proof", sa.Text(), nullable=True),
        sa.Column("total", sa.Integer(), nullable=True, comment="smallest total the site announced during the walk"),
        sa.Column("distinct_ids", sa.Integer(), nullable=False),
        sa.Column("prevented_by", sa.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False),
        sa.CheckConstraint("proof IN ('total', 'whole_board', 'exhausted')", name=op.f("ck_run_channel_proof_known")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_channel_run_id_run"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "channel", name=op.f("pk_run_channel")),
    )
    op.create_table(
        "source_lease",
        sa.Column("source", sa.Text(collation="C"), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.Uuid(), nullable=False),
        sa.Column(
            "holder",
            sa.Text(),
            nullable=True,
            comment="process that holds it; one known to be dead is replaced at once",
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_source_lease_run_id_run"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source"], ["source.key"], name=op.f("fk_source_lease_source_source")),
        sa.PrimaryKeyConstraint("source", name=op.f("pk_source_lease")),
    )
    op.create_table(
        "version",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("posting_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "previous_number",
            sa.Integer(),
            sa.Computed("NULLIF(number - 1, 0)", persisted=True),
            nullable=True,
            comment="its foreign key keeps numbers without gaps",
        ),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(collation="C"), nullable=False),
        sa.Column("facts_hash", sa.Text(collation="C"), nullable=False),
        sa.Column(
            "facts",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="what the site states, facts/1, folded",
        ),
        sa.Column("record_hash", sa.Text(collation="C"), nullable=False),
        sa.Column(
            "cleaning", sa.SmallInteger(), nullable=False, comment="number of the source's own cleaning declarations"
        ),
        sa.Column(
            "valid_from", sa.DateTime(timezone=True), nullable=False, comment="observed_at of the run that opened it"
        ),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("locations", sa.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False),
        sa.Column("recruit_type", sa.Text(), nullable=True),
        sa.Column("education_minimum", sa.Text(), nullable=True),
        sa.Column("full_time_required", sa.Boolean(), nullable=True),
        sa.Column("experience_min", sa.Numeric(precision=14, scale=2), nullable=True),
        sa.Column("experience_max", sa.Numeric(precision=14, scale=2), nullable=True),
        sa.Column("salary_min", sa.Numeric(precision=14, scale=2), nullable=True),
        sa.Column("salary_max", sa.Numeric(precision=14, scale=2), nullable=True),
        sa.Column("salary_currency", sa.Text(), nullable=True),
        sa.Column("salary_period", sa.Text(), nullable=True),
        sa.Column("salary_months", sa.Numeric(precision=14, scale=2), nullable=True),
        sa.Column("salary_unknown", sa.Text(), nullable=True),
        sa.Column("head_count", sa.Integer(), nullable=True),
        sa.CheckConstraint("content_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_version_content_hash_is_sha256")),
        sa.CheckConstraint(
            "education_minimum IN ('none', 'middle_school', 'high_school', 'vocational', "
            "'associate', 'bachelor', 'master', 'doctor')",
            name=op.f("ck_version_education_minimum_known"),
        ),
        sa.CheckConstraint("facts_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_version_facts_hash_is_sha256")),
        sa.CheckConstraint(
            "kind IN ('new', 'reverted', 'content', 'salary', 'facts')", name=op.f("ck_version_kind_known")
        ),
        sa.CheckConstraint("record_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_version_record_hash_is_sha256")),
        sa.CheckConstraint(
            "recruit_type IN ('campus', 'experienced', 'intern')", name=op.f("ck_version_recruit_type_known")
        ),
        sa.CheckConstraint(
            "salary_period IN ('hour', 'day', 'week', 'month', 'year')", name=op.f("ck_version_salary_period_known")
        ),
        sa.CheckConstraint(
            "salary_unknown IN ('negotiable', 'none', 'unparsed')", name=op.f("ck_version_salary_unknown_known")
        ),
        sa.CheckConstraint("number >= 1", name=op.f("ck_version_number_positive")),
        sa.CheckConstraint("valid_to IS NULL OR valid_to >= valid_from", name=op.f("ck_version_span_forward")),
        sa.ForeignKeyConstraint(["content_hash"], ["content.hash"], name=op.f("fk_version_content_hash_content")),
        sa.ForeignKeyConstraint(
            ["posting_id", "previous_number"], ["version.posting_id", "version.number"], name="fk_version_no_gap"
        ),
        sa.ForeignKeyConstraint(
            ["posting_id"], ["posting.id"], name=op.f("fk_version_posting_id_posting"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["record_hash"], ["object.hash"], name=op.f("fk_version_record_hash_object")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_version_run_id_run"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint("posting_id", "number", name=op.f("uq_version_posting_id_number")),
    )
    op.create_index(op.f("ix_version_content_hash"), "version", ["content_hash"], unique=False)
    op.create_index(op.f("ix_version_record_hash"), "version", ["record_hash"], unique=False)
    op.create_index(
        "uq_version_open", "version", ["posting_id"], unique=True, postgresql_where=sa.text("valid_to IS NULL")
    )
    op.create_table(
        "model_call",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("content_hash", sa.Text(collation="C"), nullable=False),
        sa.Column("contract", sa.SmallInteger(), nullable=False),
        sa.Column("batch_id", sa.BigInteger(), nullable=True),
        sa.Column("config_id", sa.Integer(), nullable=False),
        sa.Column("lease_token", sa.Uuid(), nullable=False),
        sa.Column("purpose", sa.Text(), server_default="extract", nullable=False, comment="extract | repair"),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True, comment="null while under way"),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("cached_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column(
            "reserved",
            sa.Numeric(precision=18, scale=9),
            nullable=True,
            comment="worst case, taken from the budget in the claim",
        ),
        sa.Column("cost", sa.Numeric(precision=18, scale=9), nullable=True, comment="settled; null = price unknown"),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batch.id"], name=op.f("fk_model_call_batch_id_batch"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["config_id"], ["extraction_config.id"], name=op.f("fk_model_call_config_id_extraction_config")
        ),
        sa.ForeignKeyConstraint(
            ["content_hash", "contract"],
            ["extraction.content_hash", "extraction.contract"],
            name=op.f("fk_model_call_content_hash_contract_extraction"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_call")),
    )
    op.create_index(
        op.f("ix_model_call_content_hash_contract"), "model_call", ["content_hash", "contract"], unique=False
    )
    op.create_index(op.f("ix_model_call_started_at"), "model_call", ["started_at"], unique=False)
    op.create_index(
        "ix_model_call_under_way",
        "model_call",
        ["lease_token"],
        unique=False,
        postgresql_where=sa.text("outcome IS NULL"),
    )
    op.create_table(
        "profile",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("content_hash", sa.Text(collation="C"), nullable=False),
        sa.Column("contract", sa.SmallInteger(), nullable=False),
        sa.Column("producer", sa.Text(), nullable=False),
        sa.Column("config_id", sa.Integer(), nullable=False),
        sa.Column("profile", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "evidence",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
            comment="quotes by JSON pointer",
        ),
        sa.Column(
            "ungrounded", sa.SmallInteger(), server_default="0", nullable=False, comment="values that became null"
        ),
        sa.Column("batch_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("producer IN ('model', 'rules')", name=op.f("ck_profile_producer_known")),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batch.id"], name=op.f("fk_profile_batch_id_batch"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["config_id"], ["extraction_config.id"], name=op.f("fk_profile_config_id_extraction_config")
        ),
        sa.ForeignKeyConstraint(
            ["content_hash", "contract"],
            ["extraction.content_hash", "extraction.contract"],
            name=op.f("fk_profile_content_hash_contract_extraction"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile")),
    )
    op.create_index(op.f("ix_profile_content_hash_contract"), "profile", ["content_hash", "contract"], unique=False)
    op.create_table(
        "version_place",
        sa.Column("version_id", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.SmallInteger(), nullable=False),
        sa.Column("stated", sa.Text(), nullable=False),
        sa.Column("city", sa.Text(), nullable=True),
        sa.Column("region", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True, comment="ISO 3166-1 alpha-2"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_version_place_version_id_version"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("version_id", "ordinal", name=op.f("pk_version_place")),
    )
    # extraction and profile name each other, so one key comes last.
    op.create_foreign_key(op.f("fk_extraction_profile_id_profile"), "extraction", "profile", ["profile_id"], ["id"])
