"""The one module that talks to a model, through litellm, behind a protocol with one method. See docs/model.md."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import sys
import time
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, cached_property
from typing import Any, Protocol

from jobmonitor.errors import ConfigurationError
from jobmonitor.extraction.faults import ItemFault, ProviderFault
from jobmonitor.extraction.pricing import CURRENCY, Price, price_of
from jobmonitor.extraction.provider_errors import Endpoint, fault_of

#: Set before litellm is imported: no download of prices or anything else, no reading of `.env` files.
_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_DISABLE_BUG_REPORT_LINK": "true",
}
#: Providers that litellm reaches by its OpenAI client without listing them as compatible.
_COMPATIBLE_TOO = ("bigmodel", "text-completion-inception")
#: How the form of the answer is asked for, from strict to not at all.
_FORMATS = ("json_schema", "json_object", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to a model. It has no tools and no files."""

    #: The static prompt, the same for every content, so that the provider's prefix cache works.
    system: str
    #: The delimited document, last; for a repair followed by the earlier answer and what is wrong with it.
    user: str
    #: JSON Schema of the answer.
    schema: dict[str, Any]
    max_output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """One answer of a model and what it took."""

    text: str
    #: All of the input, cached tokens included.
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    #: Money; None = the price is unknown.
    cost: Decimal | None
    currency: str
    #: From sending the request to having the answer.
    seconds: float
    #: As the provider names the model that answered.
    model: str


class ModelClient(Protocol):
    """Whatever can answer a request."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Send one request, once.

        Raises:
            ProviderFault: there is no answer, and the content is not to blame.
            ItemFault: the model refused or did not finish, or the content is too long for it.
        """
        ...


class LitellmClient:
    """Asks a model through litellm: one request sent for one call, whatever happens.

    Args:
        model: litellm name, `provider/model`.
        api_base: address of an OpenAI-compatible server; None = the provider's own.
        timeout: seconds for a whole call.
        temperature: dropped for models that take none.
        price: what tokens cost; None = as litellm's own table says.
    """

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None = None,
        timeout: float,
        temperature: float = 0,
        price: Price | None = None,
    ) -> None:
        self._model = model
        self._api_base = api_base
        self._timeout = timeout
        self._temperature = temperature
        self._price = price
        self._format: int | None = None

    async def complete(self, request: ModelRequest) -> ModelReply:
        """See `ModelClient.complete`."""
        litellm = await asyncio.to_thread(load_litellm)
        started = time.monotonic()
        try:
            # The time-out that litellm passes on counts from read to read: an answer that drips never meets it.
            async with asyncio.timeout(self._timeout):
                response = await litellm.acompletion(**self._arguments(request))
        except (TimeoutError, litellm.exceptions.openai.OpenAIError) as error:
            raise self._learnt(fault_of(error, self._endpoint)) from error
        return _checked(response, self._reply(response, time.monotonic() - started))

    @cached_property
    def _endpoint(self) -> Endpoint:
        return Endpoint(model=self._model, api_base=self._api_base, keys=key_names(self._model), timeout=self._timeout)

    @cached_property
    def _keyless(self) -> bool:
        return bool(_missing_keys(self._model))

    @cached_property
    def _known_price(self) -> Price | None:
        return self._price or price(self._model)

    def _arguments(self, request: ModelRequest) -> dict[str, Any]:
        messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
        arguments = {
            "model": self._model,
            "messages": messages,
            "temperature": self._temperature,
            "max_tokens": request.max_output_tokens,
            "timeout": self._timeout,
            "max_retries": 0,
            # A model that takes no temperature gets none; the judgement of the answer does not rest on any of these.
            "drop_params": True,
            "response_format": self._response_format(request.schema),
            **_keeping_max_retries(self._model),
        }
        if self._api_base is not None:
            arguments["api_base"] = self._api_base
            if self._keyless:
                # Servers of one's own want no key, but the OpenAI client insists on one.
                arguments["api_key"] = "none"
        return arguments

    def _response_format(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        if self._format is None:
            self._format = 0 if self._api_base or load_litellm().supports_response_schema(self._model) else 1
        kind = _FORMATS[self._format]
        if kind == "json_schema":
            return {"type": kind, "json_schema": {"name": "job_profile", "schema": schema, "strict": False}}
        return None if kind is None else {"type": kind}

    def _learnt(self, fault: ProviderFault | ItemFault) -> ProviderFault | ItemFault:
        """A server that does not know this form of the answer is asked in a plainer one the next time."""
        plainer = "response_format" in fault.message or "json_schema" in fault.message
        if plainer and self._format is not None and self._format + 1 < len(_FORMATS):
            self._format += 1
        return fault

    def _reply(self, response: Any, seconds: float) -> ModelReply:
        usage = getattr(response, "usage", None)
        details = getattr(usage, "prompt_tokens_details", None)
        known = self._known_price
        reply = ModelReply(
            text=_message(response).content or "",
            input_tokens=getattr(usage, "prompt_tokens", None) or 0,
            cached_tokens=getattr(details, "cached_tokens", None) or 0,
            output_tokens=getattr(usage, "completion_tokens", None) or 0,
            cost=None,
            currency=known.currency if known else CURRENCY,
            seconds=seconds,
            model=response.model or self._model,
        )
        return replace(reply, cost=self._cost(response, reply, known))

    def _cost(self, response: Any, reply: ModelReply, known: Price | None) -> Decimal | None:
        """Money for a call. Without a price or without token counts it is unknown, not nought."""
        if known is None or not reply.input_tokens:
            return None
        # litellm knows the tiers, the cached and the reasoning tokens of each provider; tests check its figures.
        told = getattr(response, "_hidden_params", {}).get("response_cost") if self._price is None else None
        if told is not None:
            return Decimal(repr(round(told, 12)))
        return known.cost(
            input_tokens=reply.input_tokens, cached_tokens=reply.cached_tokens, output_tokens=reply.output_tokens
        )


@cache
def load_litellm() -> Any:
    """Import litellm: seconds of CPU and 200 MB, so only a process that calls a model does it.

    Raises:
        ConfigurationError: it is not installed.
    """
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        litellm: Any = importlib.import_module("litellm")
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "JOBMONITOR_LLM_MODEL is set, but litellm is not installed: pip install 'jobmonitor[model]'"
        ) from error
    # It prints advice to stdout on each error, and its log lines hold the texts of requests.
    litellm.suppress_debug_info = True
    litellm.redact_messages_in_exceptions = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def price(model: str) -> Price | None:
    """What litellm's own table says of a model; None = it does not say."""
    table = load_litellm().model_cost
    provider, _, name = model.partition("/")
    if model in table:
        return price_of(table[model])
    # OpenAI's and Anthropic's models stand there without their provider. No other likeness counts as knowledge.
    entry = table.get(name) or {}
    return price_of(entry) if str(entry.get("litellm_provider", "")).startswith(provider) else None


def key_names(model: str) -> tuple[str, ...]:
    """The variables that hold the key of a model's provider."""
    provider, slash, _ = model.partition("/")
    return _missing_keys(model) or ((f"{provider.upper()}_API_KEY",) if slash else ())


async def aclose() -> None:
    """Close the connections of this process to models. litellm shares them between clients."""
    if "litellm" in sys.modules:
        await load_litellm().close_litellm_async_clients()


def _keeping_max_retries(model: str) -> dict[str, Any]:
    """What keeps `max_retries` from being dropped as a parameter that the model does not take.

    litellm does so for twenty OpenAI-compatible providers (zai, baseten, sambanova …), and its OpenAI client then
    falls back to two retries: three requests for one call (1.110, measured). Told to allow it for a provider with
    a client of its own (Anthropic), it would put the word into the request instead.
    """
    provider = model.partition("/")[0]
    if provider not in {*load_litellm().openai_compatible_providers, *_COMPATIBLE_TOO}:
        return {}
    return {"allowed_openai_params": ["max_retries"]}


def _missing_keys(model: str) -> tuple[str, ...]:
    return tuple(load_litellm().validate_environment(model)["missing_keys"])


def _message(response: Any) -> Any:
    return response.choices[0].message


def _checked(response: Any, reply: ModelReply) -> ModelReply:
    """The reply, if the model finished it.

    Raises:
        ItemFault: it refused, was cut off, or was stopped by a filter.
    """
    refusal = getattr(_message(response), "refusal", None)
    reason = response.choices[0].finish_reason
    if refusal or reason == "content_filter":
        raise ItemFault("refused", f"{reply.model} refuses this text: {str(refusal or reason)[:300]}", reply=reply)
    if reason == "length":
        raise ItemFault("truncated", f"The answer was cut off after {reply.output_tokens} tokens", reply=reply)
    return reply
