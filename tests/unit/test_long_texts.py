"""A hostile text may be long, never slow: what reads texts is linear in their length."""

from __future__ import annotations

import time

import pytest

from jobmonitor.cli.try_kinds import answer

#: Characters of a text.
LENGTH = 100_000
#: Processor seconds that a linear reader stays far below, a quadratic one far above.
BUDGET = 8.0


@pytest.mark.parametrize("kind", ["salary", "experience", "education", "redact", "profile"])
@pytest.mark.parametrize("piece", ["1", "①", "3 years ", "a@qq.com ", "13800138000 ", "15-30K·14薪 ", "五险一金"])
def test_long_and_monotonous(kind: str, piece: str) -> None:
    text = piece * (LENGTH // len(piece))
    started = time.process_time()
    answer(kind, {"title": "Engineer", "text": text} if kind == "profile" else {"text": text})
    assert time.process_time() - started < BUDGET
