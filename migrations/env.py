"""Runs migrations under one lock, with time limits, on the connection it is given or on JOBMONITOR_DATABASE_URL."""

from __future__ import annotations

from alembic import context
from alembic.util import CommandError
from sqlalchemy import Connection, create_engine, text

from jobmonitor.config import load_config
from jobmonitor.storage.models import Base

#: Any number will do, as long as it stays: two upgrades at once wait for each other here.
MIGRATION_LOCK = 7_204_611_938
#: A migration that cannot get its table lock gives up instead of stopping every reader behind it.
LOCK_TIMEOUT = "10s"
STATEMENT_TIMEOUT = "15min"


def run(connection: Connection) -> None:
    """Migrate in one transaction, so that a failure leaves the schema as it was."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_server_default=True,
        include_object=_is_ours,
    )
    with context.begin_transaction():
        connection.execute(text(f"SET LOCAL statement_timeout = '{STATEMENT_TIMEOUT}'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": MIGRATION_LOCK})
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'"))
        context.run_migrations()


def _is_ours(
    candidate: object,
    name: str | None,
    kind: str,
    reflected: bool,
    compare_to: object | None,
) -> bool:
    """Tables that we do not know (an extension's, a neighbour's) are not ours to drop."""
    return not (kind == "table" and reflected and compare_to is None)


def main() -> None:
    given = context.config.attributes.get("connection")
    if given is not None:
        run(given)
    else:
        _run_from_the_command_line()


def _run_from_the_command_line() -> None:
    url = load_config().database_url
    if url is None:
        raise CommandError(
            "Set JOBMONITOR_DATABASE_URL first. For the embedded database: "
            'export JOBMONITOR_DATABASE_URL="$(jobmonitor db url)"'
        )
    engine = create_engine(url)
    with engine.connect() as connection:
        run(connection)
    engine.dispose()


main()
