"""Makes the engines: which database, how many connections, and what to say when it cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, NullPool
from sqlalchemy import create_engine as sqlalchemy_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InterfaceError, OperationalError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from jobmonitor.config import Config
from jobmonitor.errors import ConfigurationError, DatabaseUnavailable
from jobmonitor.storage.embedded import EmbeddedServer

#: Seconds to wait for a connection, and for a free one of the pool.
CONNECT_TIMEOUT = 10
POOL_SIZE = 5


def database_url(config: Config) -> str:
    """The SQLAlchemy URL of the configured database; starts the embedded server when that is the one.

    Raises:
        DatabaseUnavailable: the embedded server cannot start.
    """
    return config.database_url or EmbeddedServer(config.home).start()


def create_engine(url: str, *, name: str = "jobmonitor", pool_size: int = POOL_SIZE) -> AsyncEngine:
    """The async engine of this process. Connections are tested before use, so a restarted server costs no error.

    Args:
        url: as `database_url` gives it.
        name: shown in `pg_stat_activity`.
        pool_size: connections kept; twice as many may be open for a moment.
    """
    return create_async_engine(
        url,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=CONNECT_TIMEOUT,
        pool_pre_ping=True,
        hide_parameters=True,  # errors are logged, postings are not
        connect_args=_connect_arguments(name),
    )


def create_sync_engine(url: str, *, name: str = "jobmonitor") -> Engine:
    """A blocking engine for migrations and one-off commands; it keeps no connection open."""
    return sqlalchemy_engine(url, poolclass=NullPool, hide_parameters=True, connect_args=_connect_arguments(name))


def _connect_arguments(name: str) -> dict[str, object]:
    return {
        "application_name": name,
        "connect_timeout": CONNECT_TIMEOUT,
        "options": "-c timezone=UTC",
        # A host that fell silent is noticed within a minute.
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 60_000,
    }


def place(url: str) -> str:
    """Host and database of a URL for messages: never the password."""
    parsed = make_url(url)
    host = parsed.host or parsed.query.get("host") or "localhost"
    port = f":{parsed.port}" if parsed.port else ""
    return f"{host}{port}, database {parsed.database or parsed.username or 'unnamed'}"


@contextmanager
def reachable(url: str) -> Iterator[None]:
    """Turn a failure to connect inside the block into our error, which names the place and not the password."""
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        cause = str(error.orig).splitlines()[0] if error.orig else "no answer"
        raise DatabaseUnavailable(f"The database at {place(url)} cannot be reached: {cause}") from error
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) is not None:
            raise
        raise ConfigurationError(f"The database at {place(url)} cannot be asked: {error.orig}") from error
