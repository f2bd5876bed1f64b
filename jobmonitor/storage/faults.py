"""What a database error means for a writer: wait, blame the item, or give up."""

from __future__ import annotations

from enum import Enum, auto

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout


class Fault(Enum):
    """Who is to blame, and so what may help."""

    #: The connection or the server is away: wait and try again.
    CONNECTION = auto()
    #: No room on disk, no memory, too many connections: wait and try again.
    FULL = auto()
    #: Two transactions met: try again.
    CONFLICT = auto()
    #: The item's own values are refused.
    DATA = auto()
    #: The statement itself is wrong: no item can help it.
    PROGRAM = auto()


class Undecided(Exception):
    """A transaction whose commit was sent is still under way on the server."""


#: First two characters of the SQLSTATE (PostgreSQL manual, appendix A).
_CLASSES = {
    "08": Fault.CONNECTION,
    "22": Fault.DATA,
    "23": Fault.DATA,
    "40": Fault.CONFLICT,
    "53": Fault.FULL,
    "54": Fault.DATA,
    "55": Fault.CONFLICT,
    "57": Fault.CONNECTION,
    "58": Fault.FULL,
}


def fault_of(error: Exception) -> Fault:
    """The kind of a database error. Values that cannot even be sent (a lone surrogate) are the item's fault."""
    if isinstance(error, PoolTimeout | Undecided):
        return Fault.CONNECTION
    if not isinstance(error, DBAPIError):
        return Fault.DATA if isinstance(error, StatementError | ValueError) else Fault.PROGRAM
    if error.connection_invalidated:
        return Fault.CONNECTION
    state = getattr(error.orig, "sqlstate", None)
    if state:
        return _CLASSES.get(state[:2], Fault.PROGRAM)
    if isinstance(error, OperationalError | InterfaceError):
        return Fault.CONNECTION
    return Fault.DATA


def brief(error: Exception) -> str:
    """A database error in one line, without statement and values."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
