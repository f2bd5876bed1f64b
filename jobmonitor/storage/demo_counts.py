"""What a demonstration's database holds after its days: versions by day and kind, contents, profiles, model calls."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, func, select

from jobmonitor.storage.models import Content, Extraction, ModelCall, Posting, Run, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCounts:
    """What one observed moment left in the database."""

    #: Distinct postings that the runs of the day saw, by their ledgers.
    seen: int
    rejected: int
    #: State and reason of each run that did not finish, by source.
    unfinished: dict[str, str]
    #: Kind of the version that was opened, by source and native id.
    versions: dict[tuple[str, str], str]
    #: Postings that are gone at the day's end.
    gone: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalCounts:
    """What the database holds altogether."""

    contents: int
    #: Contents whose profile stands.
    profiles: int
    #: Contents that ended without one.
    failed: int
    model_calls: int


def day_counts(engine: Engine, observed_at: dt.datetime) -> DayCounts:
    """Count what the runs of one observed moment did."""
    runs = select(Run.source, Run.state, Run.reason, Run.ledger).where(Run.observed_at == observed_at)
    opened = (
        select(Posting.source, Posting.native_id, Version.kind)
        .join(Posting, Posting.id == Version.posting_id)
        .where(Version.valid_from == observed_at)
    )
    gone = select(Posting.source, Posting.native_id).where(Posting.state == "gone")
    with engine.connect() as connection:
        left = connection.execute(gone).all()
        ledgers = connection.execute(runs).all()
        versions = connection.execute(opened).all()
    return DayCounts(
        seen=sum(_part(row.ledger, "seen") for row in ledgers),
        rejected=sum(_part(row.ledger, "rejected") for row in ledgers),
        unfinished={row.source: f"{row.state}: {row.reason or ''}" for row in ledgers if row.state != "finished"},
        versions={(row.source, row.native_id): row.kind for row in versions},
        gone=frozenset((row.source, row.native_id) for row in left),
    )


def total_counts(engine: Engine) -> TotalCounts:
    """Count what there is altogether."""
    succeeded = func.count().filter(Extraction.state == "succeeded")
    failed = func.count().filter(Extraction.state == "failed")
    with engine.connect() as connection:
        extractions = connection.execute(select(succeeded.label("done"), failed.label("failed"))).one()
        contents = connection.execute(select(func.count()).select_from(Content)).scalar_one()
        calls = connection.execute(select(func.count()).select_from(ModelCall)).scalar_one()
    return TotalCounts(contents=contents, profiles=extractions.done, failed=extractions.failed, model_calls=calls)


def open_extractions(engine: Engine) -> int:
    """Contents that wait for their profile, or whose model is being asked."""
    query = select(func.count()).select_from(Extraction).where(Extraction.state.in_(("pending", "leased")))
    with engine.connect() as connection:
        return int(connection.execute(query).scalar_one())


def _part(ledger: dict[str, Any], name: str) -> int:
    value = ledger.get(name, 0)
    return value if isinstance(value, int) else 0
