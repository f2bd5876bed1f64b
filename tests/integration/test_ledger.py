"""`costs` and `batches`: what the calls took, for programs and for people."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import orjson
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from typer.testing import CliRunner, Result

from jobmonitor.cli.main import app
from jobmonitor.extraction.faults import ProviderFault
from jobmonitor.storage.budget import Budget
from tests.integration.scripted import Desk, Model, broken, empty, failing, good

TEXTS = [f"# Engineer {number}\n\nThree years of Go, number {number}\n" for number in range(4)]


@pytest.fixture
async def desk(engine: AsyncEngine, database: str, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Two batches: one with a repair and a time-out, one that stops at its budget."""
    monkeypatch.setenv("JOBMONITOR_DATABASE_URL", database)
    monkeypatch.setenv("JOBMONITOR_LLM_DAILY_BUDGET", "2")
    desk = Desk(engine)
    await desk.queue(*TEXTS)
    timeout = failing(ProviderFault("timeout", "no answer", permanent=True))
    await desk.run(Model(broken, good, empty, timeout, tokens=1000), concurrency=1)
    await desk.run(Model(), budget=Budget(daily=Decimal("0.01"), zone="UTC"))
    return desk


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def data(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return orjson.loads(result.stdout)["data"]


def test_before_the_first_call(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBMONITOR_DATABASE_URL", database)
    assert data("costs")["total"]["calls"] == 0
    assert data("costs")["budget"] is None
    assert data("batches") == {"batches": []}
    assert run("costs").exit_code == run("batches").exit_code == 0


def test_costs(desk: Desk) -> None:
    found = data("costs")
    sums = found["total"]
    assert (sums["calls"], sums["answered"], sums["repairs"], sums["unpriced"]) == (4, 2, 1, 0)
    assert (sums["input_tokens"], sums["output_tokens"]) == (3000, 3000)
    assert sums["cost"] == pytest.approx(0.06)
    assert sums["unsettled"] > 0
    assert found["today"] == sums == {name: found["days"][0][name] for name in sums}
    assert found["budget"]["left"] == pytest.approx(2 - sums["cost"] - sums["unsettled"])
    assert found["models"][0]["model"] == "test/scripted"
    assert found["outcomes"] == {"ok": 2, "malformed": 1, "timeout": 1}
    shown = run("costs").stdout
    assert "0.060000 USD, 4 calls" in shown
    assert "test/scripted" in shown


def test_batches(desk: Desk) -> None:
    second, first = data("batches")["batches"]
    assert (first["state"], first["reason"]) == ("failed", "no answer")
    assert (first["counts"]["profiles"], first["counts"]["empty"], first["counts"]["calls"]) == (2, 1, 4)
    assert second["state"] == "failed"
    assert "budget of 0.01 USD" in second["reason"]
    assert first["prompt"].startswith("profile-1/")
    assert "test/scripted" in run("batches").stdout
    one = data("batches", "show", str(first["batch"]))
    assert [(call["outcome"], call["calls"]) for call in one["calls"]] == [("ok", 2), ("malformed", 1), ("timeout", 1)]
    assert "no answer" in run("batches", "show", str(first["batch"])).stdout


def test_a_batch_that_does_not_exist(desk: Desk) -> None:
    assert orjson.loads(run("batches", "show", "99", "--json").stdout)["error"]["code"] == "not_found"
