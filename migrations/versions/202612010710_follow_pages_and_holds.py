"""Follow pages, validators, holds and due times

Revision ID: c4a7e1f09b35
Revises: 8b1c5d0e7f42
Create Date: 2026-12-01 07:10:00+00:00"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "c4a7e1f09b35"
down_revision: str | Sequence[str] | None = "8b1c5d0e7f42"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "validator",
        sa.Column("source", sa.Text(collation="C"), nullable=False),
        sa.Column("request_hash", sa.Text(collation="C"), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("body_hash", sa.Text(collation="C"), nullable=True),
        sa.Column("ids", sa.ARRAY(sa.Text(collation="C")), server_default=sa.text("'{}'::text[]"), nullable=False),
        sa.Column("total", sa.Integer(), nullable=True),
        sa.Column("proof", sa.Text(), nullable=True),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["source.key"], name=op.f("fk_validator_source_source")),
        sa.PrimaryKeyConstraint("source", "request_hash", name=op.f("pk_validator")),
    )
    op.create_table(
        "hold",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("source", sa.Text(collation="C"), nullable=False),
        sa.Column("channel", sa.Text(collation="C"), server_default="", nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("missing", sa.Integer(), nullable=False, comment="postings that disappeared at once"),
        sa.Column("known", sa.Integer(), nullable=False, comment="postings that were open in the channel before"),
        sa.Column("reason", sa.Text(), nullable=False, comment="what made it implausible, for a person"),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("released_by", sa.Text(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("released_by IN ('run', 'person')", name=op.f("ck_hold_released_by_known")),
        sa.CheckConstraint("(released_at IS NULL) = (released_by IS NULL)", name=op.f("ck_hold_release_has_author")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_hold_run_id_run"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["source"], ["source.key"], name=op.f("fk_hold_source_source")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hold")),
    )
    op.create_index(
        "uq_hold_open", "hold", ["source", "channel"], unique=True, postgresql_where=sa.text("released_at IS NULL")
    )
    op.add_column(
        "page",
        sa.Column(
            "request", postgresql.JSONB(), nullable=True, comment="how to ask for it again; null once it is done"
        ),
    )
    op.add_column(
        "page",
        sa.Column(
            "walk", sa.SmallInteger(), server_default="1", nullable=False, comment="which walk through its listing"
        ),
    )
    op.add_column("page", sa.Column("number", sa.Integer(), nullable=True, comment="of a list page, from 1"))
    op.add_column(
        "page", sa.Column("proof", sa.Text(), nullable=True, comment="how it takes part in a proof of completeness")
    )
    op.drop_index(op.f("ix_page_run_id"), table_name="page")
    op.create_index(op.f("ix_page_run_id_request_hash"), "page", ["run_id", "request_hash"], unique=False)
    op.add_column(
        "posting",
        sa.Column(
            "signals",
            sa.SmallInteger(),
            server_default="0",
            nullable=False,
            comment="closed signals, CONFIRM_GAP apart",
        ),
    )
    op.add_column(
        "posting",
        sa.Column("signalled_at", sa.DateTime(timezone=True), nullable=True, comment="when the last of them counted"),
    )
    op.add_column("posting", sa.Column("signal", sa.Text(), nullable=True, comment="the site's words"))
    op.add_column(
        "posting",
        sa.Column(
            "probed_at", sa.DateTime(timezone=True), nullable=True, comment="when its own address was last asked"
        ),
    )
    op.add_column(
        "posting",
        sa.Column(
            "successor", sa.Text(collation="C"), nullable=True, comment="reference of the posting that it moved to"
        ),
    )
    op.add_column("reject", sa.Column("run_id", sa.BigInteger(), nullable=True, comment="run that met it last"))
    op.create_foreign_key(op.f("fk_reject_run_id_run"), "reject", "run", ["run_id"], ["id"], ondelete="SET NULL")
    op.add_column(
        "run",
        sa.Column(
            "resumed", sa.SmallInteger(), server_default="0", nullable=False, comment="how often it was taken up again"
        ),
    )
    op.add_column(
        "run_channel",
        sa.Column("missed", sa.Integer(), nullable=True, comment="postings of the channel that this run missed"),
    )
    op.add_column(
        "run_channel",
        sa.Column("newly_missed", sa.Integer(), nullable=True, comment="those of them that the run before had seen"),
    )
    op.add_column(
        "source",
        sa.Column("period", sa.Integer(), nullable=True, comment="seconds between two crawls; null = the default"),
    )
    op.add_column(
        "source",
        sa.Column(
            "due_at", sa.DateTime(timezone=True), nullable=True, comment="when run-due crawls it next; null = now"
        ),
    )
    op.add_column(
        "source",
        sa.Column(
            "failures", sa.Integer(), server_default="0", nullable=False, comment="crawls in a row that did not finish"
        ),
    )
    op.add_column(
        "source",
        sa.Column(
            "unconditional", sa.Text(), nullable=True, comment="why its validators are not trusted; null = they are"
        ),
    )
    op.create_check_constraint(op.f("ck_page_proof_known"), "page", "proof IN ('total', 'whole_board', 'exhausted')")


def downgrade() -> None:
    op.drop_constraint(op.f("ck_page_proof_known"), "page", type_="check")
    op.drop_column("source", "unconditional")
    op.drop_column("source", "failures")
    op.drop_column("source", "due_at")
    op.drop_column("source", "period")
    op.drop_column("run_channel", "newly_missed")
    op.drop_column("run_channel", "missed")
    op.drop_column("run", "resumed")
    op.drop_constraint(op.f("fk_reject_run_id_run"), "reject", type_="foreignkey")
    op.drop_column("reject", "run_id")
    op.drop_column("posting", "successor")
    op.drop_column("posting", "probed_at")
    op.drop_column("posting", "signal")
    op.drop_column("posting", "signalled_at")
    op.drop_column("posting", "signals")
    op.drop_index(op.f("ix_page_run_id_request_hash"), table_name="page")
    op.create_index(op.f("ix_page_run_id"), "page", ["run_id"], unique=False)
    op.drop_column("page", "proof")
    op.drop_column("page", "number")
    op.drop_column("page", "walk")
    op.drop_column("page", "request")
    op.drop_index("uq_hold_open", table_name="hold", postgresql_where=sa.text("released_at IS NULL"))
    op.drop_table("hold")
    op.drop_table("validator")
