"""A lease's holder is dead only when that is certain."""

import os
import subprocess
import sys

from jobmonitor.crawling.holder import is_dead, this_process


def test_this_process_is_alive() -> None:
    assert not is_dead(this_process())


def test_a_process_that_ended_is_dead() -> None:
    script = "from jobmonitor.crawling.holder import this_process; print(this_process())"
    holder = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.strip()
    assert is_dead(holder)


def test_a_pid_in_use_by_another_process_is_dead() -> None:
    boot, namespace, pid, started = this_process().split("/")
    assert pid == str(os.getpid())
    assert is_dead(f"{boot}/{namespace}/{pid}/{int(started) + 1}")


def test_another_machine_or_nonsense_counts_as_alive() -> None:
    _, namespace, pid, started = this_process().split("/")
    for holder in (f"other-boot/{namespace}/{pid}/1", f"//{pid}/{started}", "", "x", "a/b/c/d", f"{'/' * 20}"):
        assert not is_dead(holder)
