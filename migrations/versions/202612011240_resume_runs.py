"""Resume runs from their pages

Revision ID: d7e2b8c41a06
Revises: c4a7e1f09b35
Create Date: 2026-12-01 12:40:00+00:00"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "d7e2b8c41a06"
down_revision: str | Sequence[str] | None = "c4a7e1f09b35"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

KINDS = "kind IN ('list', 'detail', 'sitemap', 'feed'{more})"


def upgrade() -> None:
    op.add_column(
        "run",
        sa.Column(
            "hosts",
            sa.ARRAY(sa.Text(collation="C")),
            nullable=True,
            comment="hosts that it asks; only a run of the same ones takes it up again",
        ),
    )
    op.alter_column(
        "page",
        "request",
        type_=sa.Text(),
        existing_type=postgresql.JSONB(),
        existing_comment="how to ask for it again; null once it is done",
        existing_nullable=True,
        postgresql_using="request::text",
    )
    op.add_column(
        "page", sa.Column("evidence", sa.Text(), nullable=True, comment="the site's words that its posting is closed")
    )
    op.drop_index(op.f("ix_page_run_id_request_hash"), table_name="page")
    op.execute("UPDATE page SET request_hash = NULL")
    op.create_index("uq_page_name", "page", ["run_id", "channel", "walk", "request_hash"], unique=True)
    op.drop_constraint(op.f("ck_page_kind_known"), "page", type_="check")
    op.create_check_constraint(op.f("ck_page_kind_known"), "page", KINDS.format(more=", 'probe'"))


def downgrade() -> None:
    op.execute("DELETE FROM page WHERE kind = 'probe'")
    op.drop_constraint(op.f("ck_page_kind_known"), "page", type_="check")
    op.create_check_constraint(op.f("ck_page_kind_known"), "page", KINDS.format(more=""))
    op.drop_index("uq_page_name", table_name="page")
    op.create_index(op.f("ix_page_run_id_request_hash"), "page", ["run_id", "request_hash"], unique=False)
    op.drop_column("page", "evidence")
    op.execute("UPDATE page SET request = NULL")
    op.alter_column(
        "page",
        "request",
        type_=postgresql.JSONB(),
        existing_type=sa.Text(),
        existing_comment="how to ask for it again; null once it is done",
        existing_nullable=True,
        postgresql_using="request::jsonb",
    )
    op.drop_column("run", "hosts")
