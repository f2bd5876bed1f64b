"""How long a host is left alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.backoff import LONGEST, HostState, Limits


def test_each_refusal_doubles_the_wait_and_a_good_answer_ends_it() -> None:
    host = HostState(limits=Limits(start=10))
    assert [host.busy(0.0) for _ in range(8)] == [10, 20, 40, 80, 160, 320, 640, LONGEST]
    host.answered()
    assert host.may_ask(0.0)
    assert host.busy(0.0) == 10


def test_retry_after_counts_where_it_is_longer() -> None:
    host = HostState()
    assert host.busy(0.0, asked=120) == 120
    assert host.busy(0.0, asked=1) == 20


def test_one_probe_at_a_time() -> None:
    host = HostState(limits=Limits(start=10))
    host.busy(0.0)
    assert not host.may_ask(9.9)
    assert host.may_ask(10.0)
    assert not host.may_ask(10.0)
    host.unanswered()
    assert host.may_ask(10.0)
    host.busy(10.0)
    assert not host.may_ask(29.9)
    assert host.may_ask(30.0)
    host.answered()
    assert host.may_ask(30.0)
    assert host.may_ask(30.0)


def test_single_failures_are_accidents() -> None:
    host = HostState(limits=Limits(failures=3))
    assert [host.failed(0.0) for _ in range(3)] == [0.0, 0.0, 10.0]
    assert host.failed(10.0) == 20.0
    host.answered()
    assert host.failed(0.0) == 0.0


def test_patience_counts_from_the_first_refusal() -> None:
    host = HostState(limits=Limits(patience=100))
    host.busy(50.0)
    host.busy(100.0)
    assert not host.is_given_up(150.0)
    assert host.is_given_up(150.1)


@given(st.lists(st.sampled_from(["busy", "failed", "answered", "unanswered"]), max_size=60), st.floats(0, 1))
def test_a_host_is_never_shut_for_ever(steps: list[str], spread: float) -> None:
    host, now = HostState(), 0.0
    for step in steps:
        now = max(now, host.until)
        host.probing = False
        assert host.may_ask(now)
        if step in {"busy", "failed"}:
            wait = host.busy(now, spread=spread) if step == "busy" else host.failed(now, spread)
            assert 0 <= wait <= LONGEST
        else:
            getattr(host, step)()
