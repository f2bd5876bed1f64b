"""Imports litellm once, then forks as many `jobmonitor` processes as asked: eight need not pay for it eight times.

Prints their numbers, then for each, once all have ended, its number and exit status.
"""

from __future__ import annotations

import os
import sys

from jobmonitor.cli.main import main
from jobmonitor.extraction.client import load_litellm


def child(arguments: list[str]) -> None:
    """Be `jobmonitor` with these arguments; its output is the parent's errors."""
    os.dup2(2, 1)
    sys.argv = ["jobmonitor", *arguments]
    status = 0
    try:
        main()
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 1
    finally:
        sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    load_litellm()
    pids = []
    for _ in range(int(sys.argv[1])):
        pid = os.fork()
        if pid == 0:
            child(sys.argv[2:])
        pids.append(pid)
    print(*pids, flush=True)
    for pid in pids:
        print(pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
