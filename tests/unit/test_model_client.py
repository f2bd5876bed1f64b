"""The real litellm against the scripted server: one request per call, and every failure told apart."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import logging
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from jobmonitor.demo.model_behaviours import BEHAVIOURS, Said
from jobmonitor.demo.model_script import Script
from jobmonitor.demo.model_server import ModelServer, serving_model
from jobmonitor.domain.canonical import content_hash
from jobmonitor.errors import ConfigurationError
from jobmonitor.extraction import client as module
from jobmonitor.extraction.answers import judge
from jobmonitor.extraction.client import LitellmClient, ModelReply, ModelRequest, aclose, load_litellm, price
from jobmonitor.extraction.contract import load_contract
from jobmonitor.extraction.faults import ItemFault, ProviderFault
from jobmonitor.extraction.pricing import Price, parse_price, worst_case
from jobmonitor.extraction.prompting import build, repair
from jobmonitor.extraction.provider_errors import Endpoint, fault_of, retry_after
from tests.unit.hostile import FORBIDDEN, HOSTILE, values

CONTRACT = load_contract(1)
DOCUMENT = "# 后端工程师\n\n- 本科及以上，3年以上经验\n- 精通 Java、Kafka\n"
REQUEST = build(DOCUMENT, CONTRACT)


@pytest.fixture(scope="module", autouse=True)
async def _connections_closed() -> AsyncIterator[None]:
    yield
    await aclose()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    with serving_model(key="right") as server:
        yield server


def asking(server: ModelServer, model: str = "openai/scripted", **options: Any) -> LitellmClient:
    return LitellmClient(model, api_base=server.api_base, **{"timeout": 120, **options})


async def test_an_answer_comes_with_what_it_took(server: ModelServer) -> None:
    client = asking(server, price=parse_price("2/0.5/10"))
    first, second = await client.complete(REQUEST), await client.complete(REQUEST)
    assert judge(first.text, DOCUMENT, CONTRACT).profile["education"]["minimum"] == "bachelor"
    sent = server.log
    assert [(call.purpose, call.response_format, call.behaviour) for call in sent] == [
        ("extract", "json_schema", "good")
    ] * 2
    assert (first.input_tokens, first.cached_tokens, first.output_tokens) == (
        sent[0].input_tokens,
        0,
        sent[0].output_tokens,
    )
    assert second.cached_tokens == sent[1].cached_tokens > 1_000
    expected = (second.input_tokens - second.cached_tokens) * 2 + second.cached_tokens * Decimal("0.5")
    assert second.cost == (expected + second.output_tokens * 10) / 1_000_000
    assert first.cost is not None and second.cost < first.cost < worst_case(REQUEST, parse_price("2/0.5/10"))
    assert (second.currency, second.model) == ("USD", "scripted")
    assert 0 < second.seconds < 10


async def test_a_repair_is_seen_as_one(server: ModelServer) -> None:
    await asking(server).complete(repair(REQUEST, "{", "no JSON"))
    assert [call.purpose for call in server.log] == ["repair"]
    assert server.log[0].content_hash


# Behaviour of the server, kind of fault, permanent, a word of the message that helps.
FAULTS: list[tuple[str, type[Exception], str, bool, str]] = [
    ("server_error", ProviderFault, "server_error", False, "The server had an error"),
    ("overloaded", ProviderFault, "server_error", False, "overloaded"),
    ("cut_off", ProviderFault, "server_error", False, "failed"),
    ("web_page", ProviderFault, "server_error", False, "failed"),
    ("bad_request", ProviderFault, "server_error", False, "Unsupported parameter"),
    ("rate_limited", ProviderFault, "rate_limited", False, "fewer requests"),
    ("no_credit", ProviderFault, "budget", True, "credit"),
    ("wrong_key", ProviderFault, "auth", True, "OPENAI_API_KEY"),
    ("forbidden", ProviderFault, "auth", True, "OPENAI_API_KEY"),
    ("unknown_model", ProviderFault, "unknown_model", True, "JOBMONITOR_LLM_MODEL"),
    ("hanging", ProviderFault, "timeout", False, "JOBMONITOR_LLM_TIMEOUT"),
    ("dripping", ProviderFault, "timeout", False, "JOBMONITOR_LLM_TIMEOUT"),
    ("late", ProviderFault, "timeout", False, "JOBMONITOR_LLM_TIMEOUT"),
    ("too_long", ItemFault, "too_long", False, "too long"),
    ("policy", ItemFault, "refused", False, "refuses"),
    ("refusing", ItemFault, "refused", False, "cannot help"),
    ("filtering", ItemFault, "refused", False, "content_filter"),
    ("truncated", ItemFault, "truncated", False, "cut off"),
]


@pytest.mark.parametrize(("behaviour", "fault", "kind", "permanent", "word"), FAULTS, ids=[row[0] for row in FAULTS])
async def test_one_request_and_one_clear_fault(
    server: ModelServer, behaviour: str, fault: type[Exception], kind: str, permanent: bool, word: str
) -> None:
    server.script = Script(default=behaviour, retry_after=7)
    timeout = 0.5 if kind == "timeout" else 120
    with pytest.raises(fault) as caught:
        await asking(server, timeout=timeout).complete(REQUEST)
    error = caught.value
    assert isinstance(error, ProviderFault | ItemFault)
    assert error.kind == kind
    assert word in error.message
    assert "litellm." not in error.message and "right" not in error.message
    assert len(server.log) == 1
    if isinstance(error, ProviderFault):
        assert error.permanent is permanent
        assert error.retry_after == (7 if behaviour == "rate_limited" else None)
    else:
        paid = behaviour in {"refusing", "filtering", "truncated"}
        assert (error.reply is not None and error.reply.input_tokens > 0) is paid


@pytest.mark.parametrize(
    "provider",
    [
        "ai21", "baseten", "dashscope", "deepinfra", "deepseek", "featherless_ai", "hosted_vllm", "moonshot",
        "nvidia_nim", "openai", "openrouter", "sambanova", "zai",
    ],
)  # fmt: skip
async def test_one_request_whoever_the_provider(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Left alone, litellm sends three for seven of these, `max_retries=0` or not."""
    for name in (f"{provider.upper()}_API_KEY", "ZAI_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "k")
    with serving_model(Script(sequence=["server_error", "rate_limited"], retry_after=7), model="small") as server:
        client = asking(server, f"{provider}/small")
        with pytest.raises(ProviderFault, match="The server had an error"):
            await client.complete(REQUEST)
        assert len(server.log) == 1
        with pytest.raises(ProviderFault) as caught:
            await client.complete(REQUEST)
        assert len(server.log) == 2
    assert (caught.value.kind, caught.value.retry_after) == ("rate_limited", 7)


async def test_a_wrong_key_and_an_unknown_model_are_told_by_the_server(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ProviderFault, match="There is no model openai/other at http://127"):
        await asking(server, "openai/other").complete(REQUEST)
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    with pytest.raises(ProviderFault, match=r"was refused by http://127\S+ Set OPENAI_API_KEY"):
        await asking(server).complete(REQUEST)


async def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(
        ProviderFault, match=r"Nothing answers at http://127\.0\.0\.1:9/v1\. Check JOBMONITOR_LLM_API_BASE"
    ) as c:
        await LitellmClient("openai/x", api_base="http://127.0.0.1:9/v1", timeout=120).complete(REQUEST)
    assert c.value.kind == "unreachable"
    assert not c.value.permanent


def test_an_address_is_shown_without_its_password() -> None:
    endpoint = Endpoint(model="openai/x", api_base="https://user:secret@models.example/v1", keys=(), timeout=1)
    assert endpoint.place == "https://models.example/v1"


async def test_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProviderFault, match="is not an address") as caught:
        await LitellmClient("openai/x", api_base="nonsense", timeout=120).complete(REQUEST)
    assert caught.value.permanent


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/gpt-4o-mini", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("dashscope/qwen-plus", "DASHSCOPE_API_KEY"),
        ("gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
    ],
)
async def test_a_missing_key_names_its_variable(model: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DASHSCOPE_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ProviderFault, match=rf"no key for {model}. Set .*{variable}") as caught:
        await LitellmClient(model, timeout=120).complete(REQUEST)
    assert (caught.value.kind, caught.value.permanent) == ("auth", True)


async def test_a_server_of_ones_own_wants_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving_model() as server:
        assert (await asking(server).complete(REQUEST)).text


@pytest.mark.parametrize("model", ["scripted", "nosuch/scripted"])
async def test_a_model_of_no_provider(model: str, server: ModelServer) -> None:
    with pytest.raises(ProviderFault, match="provider, slash, model") as caught:
        await asking(server, model).complete(REQUEST)
    assert (caught.value.kind, caught.value.permanent) == ("unknown_model", True)
    assert not server.log


async def test_a_form_that_the_server_does_not_know_is_dropped_for_the_next_call(server: ModelServer) -> None:
    server.script = Script(sequence=["no_such_format", "no_such_format"])
    client = asking(server)
    for _ in range(2):
        with pytest.raises(ProviderFault, match="response_format"):
            await client.complete(REQUEST)
    await client.complete(REQUEST)
    assert [call.response_format for call in server.log] == ["json_schema", "json_object", ""]


async def test_a_model_that_takes_no_temperature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with serving_model(model="gpt-5-mini") as server:
        reply = await asking(server, "openai/gpt-5-mini").complete(REQUEST)
    assert reply.cost == price("openai/gpt-5-mini").cost(  # type: ignore[union-attr]
        input_tokens=reply.input_tokens, cached_tokens=reply.cached_tokens, output_tokens=reply.output_tokens
    )


async def test_prices_of_litellms_table_and_cached_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with serving_model(model="gpt-4o-mini") as server:
        client = asking(server, "openai/gpt-4o-mini")
        await client.complete(REQUEST)
        reply = await client.complete(REQUEST)
    million = Decimal(1_000_000)
    known = Price(
        input=Decimal("0.15") / million, cached_input=Decimal("0.075") / million, output=Decimal("0.6") / million
    )
    table = price("openai/gpt-4o-mini")
    assert table is not None and (table.input, table.cached_input, table.output) == (
        known.input,
        known.cached_input,
        known.output,
    )
    assert reply.cached_tokens > 1_000
    assert reply.cost is not None
    assert abs(
        reply.cost
        - known.cost(
            input_tokens=reply.input_tokens, cached_tokens=reply.cached_tokens, output_tokens=reply.output_tokens
        )
    ) < Decimal("1e-12")


async def test_an_unknown_price_is_not_nought(server: ModelServer) -> None:
    assert price("openai/scripted") is None
    assert price("nosuch/scripted") is None
    assert (await asking(server).complete(REQUEST)).cost is None
    assert (await asking(server, price=parse_price("0/0")).complete(REQUEST)).cost == 0


async def test_without_token_counts_the_cost_is_unknown(server: ModelServer) -> None:
    server.script = Script(default="uncounted")
    reply = await asking(server, price=parse_price("1/1")).complete(REQUEST)
    assert (reply.input_tokens, reply.cost) == (0, None)


async def test_many_at_once_are_as_many_requests(server: ModelServer) -> None:
    client = asking(server)
    documents = [f"# 工程师 {number}\n\n- 精通 Java\n" for number in range(30)]
    replies = await asyncio.gather(*(client.complete(build(each, CONTRACT)) for each in documents))
    assert len(replies) == len(server.log) == len({call.content_hash for call in server.log}) == 30


def test_a_waiting_time_in_either_form() -> None:
    now = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)

    def said(text: str) -> float | None:
        error = RuntimeError()
        error.response = type("Response", (), {"headers": {"retry-after": text}})()  # type: ignore[attr-defined]
        return retry_after(error, now)

    assert [said(text) for text in ("3", "0.5", "Thu, 01 Jan 2026 00:00:30 GMT", "Wed, 31 Dec 2025 00:00:00 GMT")] == [
        3,
        0.5,
        30,
        0,
    ]
    assert [said(text) for text in ("soon", "-1", "inf", "nan")] == [None] * 4
    assert retry_after(RuntimeError()) is None


def test_a_failure_that_no_row_names_is_the_providers() -> None:
    endpoint = Endpoint(model="openai/x", api_base=None, keys=(), timeout=1)
    fault = fault_of(RuntimeError("litellm.APIError: APIError: OpenAIException -  something\nodd"), endpoint)
    assert isinstance(fault, ProviderFault)
    assert fault.message == "the provider of openai/x failed: something odd"


def test_importing_the_client_does_not_import_litellm() -> None:
    code = "import sys, jobmonitor.extraction.client; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_one_module_names_litellm_as_something_to_import() -> None:
    root = Path(module.__file__).parents[1]
    pattern = re.compile(r"^\s*(?:import|from) litellm|import_module\(.litellm", re.MULTILINE)
    found = [path.name for path in root.rglob("*.py") if pattern.search(path.read_text(encoding="utf-8"))]
    assert found == ["client.py"]


def test_a_missing_litellm_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(module.importlib, "import_module", missing)
    load_litellm.cache_clear()
    try:
        with pytest.raises(ConfigurationError, match=r"pip install 'jobmonitor\[model\]'"):
            load_litellm()
    finally:
        load_litellm.cache_clear()


async def test_nothing_is_printed_and_no_text_is_logged(
    server: ModelServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    server.script = Script(sequence=["server_error", "wrong_key", "too_long"])
    with caplog.at_level(logging.DEBUG, logger="jobmonitor"):
        for _ in range(3):
            with pytest.raises((ProviderFault, ItemFault)) as caught:
                await asking(server).complete(REQUEST)
            assert "后端工程师" not in str(caught.value)
    assert capfd.readouterr() == ("", "")
    assert "后端工程师" not in caplog.text


def test_a_request_and_a_reply_are_plain_data() -> None:
    assert json.dumps(REQUEST.schema)
    assert isinstance(REQUEST, ModelRequest)
    assert ModelReply.__dataclass_params__.frozen  # type: ignore[attr-defined]


async def test_hostile_postings_through_a_model_that_obeys(server: ModelServer) -> None:
    """The whole way: what the server was sent is the posting, and what comes back is held to its words."""
    server.script = Script(default="obeying")
    client = asking(server)
    for name, document in HOSTILE.items():
        if name == "two megabytes":
            continue
        reply = await client.complete(build(document, CONTRACT))
        assert server.log[-1].content_hash == content_hash(document)
        assert reply.text == obeyed(document)
        try:
            profile = judge(reply.text, document, CONTRACT).profile
        except ItemFault:
            continue
        own = document.replace("博士", "doctor")
        assert not [word for word in FORBIDDEN if word in values(profile) and word not in own]
    assert len(server.log) == len(HOSTILE) - 1


def obeyed(document: str) -> str:
    said = BEHAVIOURS["obeying"](document)
    assert isinstance(said, Said)
    return said.text or ""
