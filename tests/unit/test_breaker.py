"""When a provider is asked again, and when a batch gives up: by the clock that the test moves."""

from __future__ import annotations

import pytest

from jobmonitor.extraction.breaker import LONGEST_WAIT, Breaker
from jobmonitor.extraction.faults import ProviderFault

DOWN = ProviderFault("server_error", "it fails")


def failed(breaker: Breaker, at: float, fault: ProviderFault = DOWN, *, sent: float | None = None) -> None:
    breaker.failed(fault, sent=at if sent is None else sent, now=at)


def test_a_well_provider_gets_all_slots_at_once() -> None:
    breaker = Breaker()
    assert breaker.wait(0) == 0
    assert breaker.width(4) == 4


def test_after_a_fault_one_call_probes_after_a_pause() -> None:
    breaker = Breaker((1.0, 2.0))
    failed(breaker, 10)
    assert breaker.wait(10.5) == 0.5
    assert breaker.wait(11) == 0
    assert breaker.width(4) == 1
    breaker.answered()
    assert breaker.width(4) == 4


def test_faults_in_a_row_lengthen_the_pause_and_then_give_up() -> None:
    breaker = Breaker((1.0, 2.0))
    failed(breaker, 10)
    failed(breaker, 20)
    assert breaker.wait(20) == 2
    assert breaker.given_up is None
    failed(breaker, 30)
    assert breaker.given_up is DOWN


def test_calls_that_were_under_way_together_are_one_fault() -> None:
    breaker = Breaker((1.0, 2.0))
    for at in (10.0, 10.1, 10.2, 10.3):
        failed(breaker, at, sent=9.0)
    assert breaker.given_up is None
    assert breaker.wait(10.3) == pytest.approx(1.0)


def test_an_answer_forgets_earlier_faults() -> None:
    breaker = Breaker((1.0,))
    for at in range(5):
        failed(breaker, at)
        breaker.answered()
    assert breaker.given_up is None


def test_retry_after_is_honoured_where_it_is_longer() -> None:
    breaker = Breaker((1.0, 2.0))
    failed(breaker, 10, ProviderFault("rate_limited", "slower", retry_after=7))
    assert breaker.wait(10) == 7
    failed(breaker, 17, ProviderFault("rate_limited", "slower", retry_after=0.1))
    assert breaker.wait(17) == 2


def test_a_wait_that_is_too_long_is_left_to_the_next_batch() -> None:
    breaker = Breaker()
    fault = ProviderFault("rate_limited", "tomorrow", retry_after=LONGEST_WAIT + 1)
    failed(breaker, 10, fault)
    assert breaker.given_up is fault


def test_what_only_a_person_can_mend_gives_up_at_once() -> None:
    breaker = Breaker()
    fault = ProviderFault("auth", "the key is wrong", permanent=True)
    failed(breaker, 10, fault)
    assert breaker.given_up is fault


def test_a_host_that_refuses_connections_is_asked_twice() -> None:
    breaker = Breaker()
    fault = ProviderFault("unreachable", "nobody is there")
    failed(breaker, 10, fault)
    assert breaker.given_up is None
    failed(breaker, 12, fault)
    assert breaker.given_up is fault
