"""The extractor against real PostgreSQL: once, whatever happens; whose fault a failure is; money."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from jobmonitor.errors import UnknownPrice
from jobmonitor.extraction.extractor import Process
from jobmonitor.extraction.faults import ItemFault, ProviderFault
from jobmonitor.extraction.prompting import Prompt
from jobmonitor.storage.budget import Budget
from tests.integration.scripted import Desk, Model, broken, empty, failing, good

DOWN = failing(ProviderFault("server_error", "it fails"))
SLOW = failing(ProviderFault("timeout", "no answer"))
PENDING = ("pending", None, False, False, 0)
DONE = ("succeeded", "model", False, False, 0)


def posting(name: str) -> str:
    return f"# 工程师 {name}\n\n## 要求\n\n- 本科及以上学历，3 年以上 Go 开发经验\n- 编号 {name}\n"


@pytest.fixture
def desk(engine: AsyncEngine) -> Desk:
    return Desk(engine)


# -- once


async def test_each_content_is_asked_about_once(desk: Desk) -> None:
    await desk.queue(*(posting(name) for name in "abcde"))
    model = Model()
    report = await desk.run(model)
    assert sorted(model.asked) == [posting(name) for name in "abcde"]
    assert report.counts["profiles"] == 5
    assert await desk.states() == [DONE] * 5
    assert await desk.rows("SELECT count(*), count(DISTINCT content) FROM event WHERE kind = 'profile.ready'") == [
        (5, 5)
    ]
    await desk.run(model)
    assert len(model.asked) == 5


async def test_an_empty_answer_is_an_answer(desk: Desk) -> None:
    await desk.queue("# 招聘\n\n欢迎加入我们，待遇面议\n")
    model = Model(empty)
    await desk.run(model)
    await desk.run(model)
    assert len(model.asked) == 1
    assert await desk.states() == [("succeeded", "model", False, True, 0)]


async def test_another_prompt_sends_nothing_again(desk: Desk) -> None:
    await desk.queue(posting("a"))
    await desk.run(Model())
    await desk.queue(posting("b"))
    model = Model()
    await desk.run(model, prompt=Prompt(name="profile-2", text="Be brief."))
    assert model.asked == [posting("b")]
    assert await desk.rows(
        "SELECT left(g.prompt, 9) FROM profile f JOIN extraction_config g ON g.id = f.config_id ORDER BY f.id"
    ) == [("profile-1",), ("profile-2",)]


async def test_extractors_side_by_side_share_the_contents(desk: Desk) -> None:
    await desk.queue(*(posting(f"{number:02}") for number in range(30)))
    models = [Model() for _ in range(4)]
    await asyncio.gather(*(desk.run(model, concurrency=8, until_idle=True) for model in models))
    asked = [document for model in models for document in model.asked]
    assert sorted(asked) == [posting(f"{number:02}") for number in range(30)]


async def test_the_concurrency_holds_over_all_extractors(desk: Desk) -> None:
    await desk.queue(*(posting(f"{number:02}") for number in range(20)))
    under_way = most = 0

    async def watched(document: str) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.02)
        under_way -= 1
        return good(document)

    await asyncio.gather(*(desk.run(Model(watched), concurrency=3, until_idle=True) for _ in range(3)))
    assert most == 3
    assert await desk.states() == [DONE] * 20


async def test_a_title_alone_needs_no_call(desk: Desk) -> None:
    await desk.queue("# 前端开发工程师\n", posting("b"))
    model = Model()
    report = await desk.run(model)
    assert model.asked == [posting("b")]
    assert report.counts["skipped"] == 1
    states = await desk.rows("SELECT state, profile_id IS NOT NULL, left(reason, 9) FROM extraction ORDER BY state")
    assert states == [("skipped", True, "too_short"), ("succeeded", True, None)]


async def test_a_held_text_is_not_sent_until_released(desk: Desk) -> None:
    await desk.queue(posting("a"))
    await desk.execute("UPDATE content SET quarantine = 'several people'")
    model = Model()
    assert (await desk.run(model)).left == 0
    assert model.asked == []
    await desk.execute("UPDATE content SET released_at = now()")
    await desk.run(model)
    assert len(model.asked) == 1


async def test_a_limit_is_kept(desk: Desk) -> None:
    await desk.queue(*(posting(name) for name in "abcde"))
    model = Model()
    report = await desk.run(model, limit=2)
    assert len(model.asked) == 2
    assert report.left == 3


async def test_a_limit_counts_contents_that_are_settled(desk: Desk) -> None:
    await desk.queue(posting("a"), posting("b"))
    report = await desk.run(Model(DOWN, good), limit=1)
    assert (report.problem, report.counts["profiles"], report.left) == (None, 1, 1)
    report = await desk.run(Model(DOWN), limit=1)
    assert isinstance(report.problem, ProviderFault)


# -- whose fault


async def test_a_broken_answer_is_mended_once(desk: Desk) -> None:
    await desk.queue(posting("a"))
    model = Model(broken, good)
    await desk.run(model)
    assert (len(model.asked), model.repairs) == (2, 1)
    assert await desk.states() == [("succeeded", "model", False, False, 1)]
    assert await desk.outcomes() == ["malformed", "ok"]


async def test_after_a_repair_that_fails_the_rules_answer(desk: Desk) -> None:
    await desk.queue(posting("a"))
    model = Model(broken)
    await desk.run(model)
    await desk.run(model)
    assert len(model.asked) == 2
    assert await desk.states() == [("succeeded", "rules", True, False, 2)]
    assert await desk.outcomes() == ["malformed", "malformed"]
    assert await desk.rows("SELECT profile -> 'education' ->> 'minimum' FROM profile") == [("bachelor",)]


async def test_a_text_that_the_model_cannot_take_is_not_sent_twice(desk: Desk) -> None:
    await desk.queue(posting("a"))
    model = Model(failing(ItemFault("too_long", "too many tokens")))
    await desk.run(model)
    assert len(model.asked) == 1
    assert await desk.states() == [("succeeded", "rules", True, False, 1)]


async def test_an_outage_charges_nobody_and_the_next_batch_goes_on(desk: Desk) -> None:
    await desk.queue(*(posting(name) for name in "abcdef"))
    report = await desk.run(Model(DOWN))
    assert isinstance(report.problem, ProviderFault)
    assert report.left == 6
    assert await desk.states() == [PENDING] * 6
    assert await desk.rows("SELECT state, reason FROM batch") == [("failed", "it fails")]
    await desk.run(Model())
    assert await desk.states() == [DONE] * 6


async def test_a_short_trouble_is_waited_for(desk: Desk) -> None:
    await desk.queue(*(posting(name) for name in "abc"))
    limited = failing(ProviderFault("rate_limited", "slower", retry_after=0.05))
    report = await desk.run(Model(limited, DOWN, good), concurrency=1)
    assert report.problem is None
    assert await desk.states() == [DONE] * 3


@pytest.mark.parametrize("fault", [DOWN, SLOW])
async def test_a_content_that_fails_while_others_succeed_is_to_blame(desk: Desk, fault: object) -> None:
    await desk.queue(*(posting(name) for name in "abcd"))

    def answer(document: str) -> str:
        return fault(document) if document == posting("b") else good(document)  # type: ignore[operator,no-any-return]

    model = Model(answer)
    report = await desk.run(model, concurrency=1)
    assert report.problem is None
    assert model.asked.count(posting("b")) == 2
    assert await desk.states() == [DONE, ("succeeded", "rules", True, False, 1), DONE, DONE]


async def test_a_client_that_breaks_on_one_content_does_not_end_the_batch(desk: Desk) -> None:
    await desk.queue(*(posting(name) for name in "abc"))
    surprise = failing(KeyError("choices"))

    def answer(document: str) -> str:
        return surprise(document) if document == posting("b") else good(document)  # type: ignore[return-value]

    report = await desk.run(Model(answer), concurrency=1)
    assert report.problem is None
    assert await desk.states() == [DONE, ("succeeded", "rules", True, False, 1), DONE]


async def test_an_answer_that_breaks_its_judge_is_malformed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.queue(posting("a"))

    def judge(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("jobmonitor.extraction.extractor.judge", judge)
    await desk.run(Model())
    assert await desk.states() == [("succeeded", "rules", True, False, 2)]
    assert await desk.outcomes() == ["malformed", "malformed"]


async def test_a_wrong_key_stops_at_once(desk: Desk) -> None:
    await desk.queue(*(posting(name) for name in "abcd"))
    model = Model(failing(ProviderFault("auth", "the key is wrong", permanent=True)))
    report = await desk.run(model, concurrency=1)
    assert len(model.asked) == 1
    assert str(report.problem) == "the key is wrong"
    assert await desk.states() == [PENDING] * 4


# -- crashes, late answers


async def test_a_late_answer_is_kept_if_there_is_none_yet(desk: Desk) -> None:
    await desk.queue(posting("a"))

    async def expired(document: str) -> str:
        await desk.execute("UPDATE extraction SET lease_token = gen_random_uuid()")
        return good(document)

    await desk.run(Model(expired))
    assert await desk.states() == [DONE]


async def test_a_late_answer_displaces_no_other(desk: Desk) -> None:
    await desk.queue(posting("a"))

    async def overtaken(document: str) -> str:
        await desk.execute("UPDATE extraction SET lease_expires_at = now() - interval '1 second'")
        await desk.run(Model())
        return good(document)

    report = await desk.run(Model(overtaken))
    assert report.counts["late"] == 1
    assert await desk.rows("SELECT count(*) FROM profile") == [(1,)]
    assert await desk.outcomes() == ["late", "ok"]


async def test_an_answer_for_an_erased_text_is_not_kept(desk: Desk) -> None:
    await desk.queue(posting("a"))

    async def erased(document: str) -> str:
        await desk.execute(
            "UPDATE extraction SET state = 'skipped', reason = 'erased', lease_token = NULL, lease_expires_at = NULL"
        )
        return good(document)

    await desk.run(Model(erased))
    assert await desk.rows("SELECT count(*) FROM profile") == [(0,)]
    assert await desk.rows("SELECT state, reason FROM extraction") == [("skipped", "erased")]


async def test_what_a_dead_process_held_is_taken_over_at_once(desk: Desk) -> None:
    await desk.queue(posting("a"))
    asked, forever = asyncio.Event(), asyncio.Event()

    async def hanging(document: str) -> str:
        asked.set()
        await forever.wait()
        return ""

    dying = asyncio.create_task(desk.run(Model(hanging), process=Process(holder="gone")))
    await asked.wait()
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    model = Model()
    await desk.run(model, process=Process(holder="alive", is_dead=lambda holder: holder == "gone"))
    assert len(model.asked) == 1
    assert await desk.outcomes() == ["lost", "ok"]
    assert await desk.rows("SELECT state FROM batch ORDER BY id") == [("interrupted",), ("finished",)]


async def test_stop_waits_for_what_was_sent(desk: Desk) -> None:
    await desk.queue(*(posting(name) for name in "abcd"))

    async def stopping(document: str) -> str:
        extractor.stop()
        await asyncio.sleep(0.05)
        return good(document)

    extractor = desk.extractor(Model(stopping), concurrency=1)
    report = await extractor.run()
    assert report.stopped
    assert await desk.states() == [DONE, *[PENDING] * 3]
    assert await desk.rows("SELECT state FROM batch") == [("interrupted",)]


# -- upgrades


async def test_an_upgrade_asks_once_and_keeps_the_old_answer(desk: Desk) -> None:
    await desk.queue(posting("a"), posting("b"))
    await desk.run(Model(broken, broken, good), concurrency=1)
    model = Model()
    await desk.run(model, upgrade="rules")
    assert model.asked == []
    await desk.run(model, upgrade="degraded")
    assert model.asked == [posting("a")]
    assert [state[:3] for state in await desk.states()] == [("succeeded", "model", False)] * 2
    assert await desk.rows("SELECT count(*) FROM profile") == [(3,)]


async def test_an_upgrade_that_fails_leaves_the_profile(desk: Desk) -> None:
    await desk.queue(posting("a"))
    await desk.run(Model(broken))
    model = Model(broken)
    await desk.run(model, upgrade="degraded")
    assert len(model.asked) == 1
    assert [state[:3] for state in await desk.states()] == [("succeeded", "rules", True)]
    assert await desk.rows("SELECT count(*) FROM profile") == [(1,)]


# -- money


async def test_a_price_that_nobody_knows_stops_a_budgeted_batch(desk: Desk) -> None:
    await desk.queue(posting("a"))
    model = Model()
    with pytest.raises(UnknownPrice, match="JOBMONITOR_LLM_PRICE"):
        await desk.run(model, price=None, budget=Budget(daily=Decimal(1), zone="UTC"))
    assert model.asked == []


async def test_without_a_budget_an_unknown_price_is_not_counted_as_nothing(desk: Desk) -> None:
    await desk.queue(posting("a"))
    await desk.run(Model(), price=None)
    assert await desk.rows("SELECT reserved FROM model_call") == [(None,)]


async def test_the_budget_is_never_passed(desk: Desk) -> None:
    await desk.queue(*(posting(f"{number:02}") for number in range(60)))
    daily = Decimal(1)
    highest = Decimal(0)

    async def watched(document: str) -> str:
        nonlocal highest
        rows = await desk.rows("SELECT sum(COALESCE(cost, reserved)) FROM model_call")
        highest = max(highest, rows[0][0])
        return good(document)

    options = {"budget": Budget(daily=daily, zone="Asia/Shanghai"), "concurrency": 8, "until_idle": True}
    reports = await asyncio.gather(*(desk.run(Model(watched, tokens=2000), **options) for _ in range(8)))
    spent = (await desk.rows("SELECT sum(cost) FROM model_call"))[0][0]
    assert highest <= daily
    assert spent <= daily
    assert {report.problem and report.problem.code for report in reports} == {"budget_reached"}
    left = reports[0].left
    assert 0 < left < 60


async def test_a_call_whose_answer_never_came_stays_reserved(desk: Desk) -> None:
    await desk.queue(posting("a"))
    await desk.run(Model(SLOW), pauses=())
    assert await desk.rows("SELECT outcome, cost, reserved > 0 FROM model_call") == [("timeout", None, True)]
    reserved = (await desk.rows("SELECT reserved FROM model_call"))[0][0]
    model = Model()
    report = await desk.run(model, budget=Budget(daily=reserved * Decimal("1.5"), zone="UTC"))
    assert report.problem is not None
    assert model.asked == []
