"""${message}

Revision ID: ${up_revision}
Revises: ${down_revision | comma,n}
Create Date: ${create_date}

Before you commit this file:
- The release before this one must run on the new schema: add first, let the code follow, take away a release later.
- A new column is nullable or has a server default. A new NOT NULL on a full table is added as a CHECK … NOT VALID first.
- An index on a large table is created in a migration of its own.
- `alembic check` sees neither CHECKs nor views nor comments on constraints: write those by hand, then renew the dump
  with `pytest tests/integration/test_migrations.py --renew-schema` and read its difference.
- There is no downgrade: going back is a new migration.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
${imports + "\n" if imports else ""}
revision: str = ${repr(up_revision)}
down_revision: str | Sequence[str] | None = ${repr(down_revision)}
branch_labels: str | Sequence[str] | None = ${repr(branch_labels)}
depends_on: str | Sequence[str] | None = ${repr(depends_on)}


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}

