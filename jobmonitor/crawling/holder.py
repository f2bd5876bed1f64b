"""Which process holds a lease, in a form another process on the same machine can check.

After a `kill -9` the next run need not wait for the lease to expire: a holder on this machine, in this boot and pid
namespace, whose process is gone, is dead for certain. Anything less certain counts as alive.
"""

from __future__ import annotations

import os
from pathlib import Path

_SEPARATOR = "/"


def this_process() -> str:
    """`<boot id>/<pid namespace>/<pid>/<start time>`; empty parts where the system does not tell."""
    pid = os.getpid()
    return _SEPARATOR.join((_boot_id(), _pid_namespace(), str(pid), _start_time(pid) or ""))


def is_dead(holder: str) -> bool:
    """The process is known to be gone: same machine, boot and pid namespace, and no such process any more."""
    boot, namespace, pid, started = (*holder.split(_SEPARATOR), "", "", "", "")[:4]
    if not boot or not started or not pid.isdecimal() or (boot, namespace) != (_boot_id(), _pid_namespace()):
        return False
    return _start_time(int(pid)) != started


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _pid_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return ""


def _start_time(pid: int) -> str | None:
    """Clock ticks after boot at which the process started (field 22 of /proc/<pid>/stat), or None."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]
