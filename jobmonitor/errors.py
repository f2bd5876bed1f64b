"""Every error a caller treats differently, under one root. The docstring of a class is its message."""

from __future__ import annotations


class JobMonitorError(Exception):
    """Something went wrong in Job Market Monitor."""

    #: Stable code for `--json` envelopes.
    code = "error"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or self.__doc__)


class InvalidReference(JobMonitorError):
    """A posting reference looks like `greenhouse:stripe/123`: source key, slash, id."""

    code = "invalid_reference"

    def __init__(self, reference: str) -> None:
        super().__init__(f"{reference!r} is not a posting reference. It looks like greenhouse:stripe/123")


class InvalidInput(JobMonitorError):
    """The input cannot be read."""

    code = "invalid_input"


class ConfigurationError(JobMonitorError):
    """A setting has a value that cannot be used."""

    code = "configuration"


class NotFound(JobMonitorError):
    """There is nothing under that name."""

    code = "not_found"


class Erased(JobMonitorError):
    """The text was erased on a person's request; its hash, tombstone and event remain."""

    code = "erased"


class UnknownSource(JobMonitorError):
    """No such source."""

    code = "unknown_source"


class DatabaseUnavailable(JobMonitorError):
    """The database cannot be reached."""

    code = "database_unavailable"


class WrongRevision(JobMonitorError):
    """The database's schema is not the one this version needs."""

    code = "wrong_revision"


class CorruptObject(JobMonitorError):
    """A stored object is damaged."""

    code = "corrupt_object"


class ObjectStoreUnavailable(JobMonitorError):
    """The object store cannot be written."""

    code = "object_store_unavailable"


class LeaseHeld(JobMonitorError):
    """Another run of this source is in progress."""

    code = "lease_held"


class LeaseLost(JobMonitorError):
    """This run's lease expired or was taken over; it must not write any more."""

    code = "lease_lost"


class RunTooOld(JobMonitorError):
    """The run's observed time is older than the source's newest run."""

    code = "run_too_old"


class UnknownPrice(JobMonitorError):
    """A budget is set, and the price of the model is not known."""

    code = "unknown_price"


class BudgetReached(JobMonitorError):
    """Today's budget has no room for another call."""

    code = "budget_reached"
