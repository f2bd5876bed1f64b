"""What a call costs, and what it can cost at most. Money is decimal; an unknown price is None and never nought."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from jobmonitor.errors import ConfigurationError
from jobmonitor.extraction.faults import ProviderFault

if TYPE_CHECKING:
    from jobmonitor.extraction.client import ModelRequest

MILLION = Decimal(1_000_000)
#: The currency of litellm's cost map.
CURRENCY = "USD"
#: What chat templates add to the texts of a request, in tokens; measured ones add fewer than 30.
TEMPLATE_TOKENS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Money per token."""

    input: Decimal
    #: For input that the provider had in its cache.
    cached_input: Decimal
    output: Decimal
    #: ISO 4217.
    currency: str = CURRENCY
    #: The dearest that a token can become (long prompts, filling the cache, reasoning), for bounds only.
    most_input: Decimal = Decimal(0)
    most_output: Decimal = Decimal(0)

    def cost(self, *, input_tokens: int, cached_tokens: int, output_tokens: int) -> Decimal:
        """What a call cost. `input_tokens` includes the cached ones."""
        cached = min(cached_tokens, input_tokens)
        return (input_tokens - cached) * self.input + cached * self.cached_input + output_tokens * self.output


def price_of(entry: Mapping[str, Any]) -> Price | None:
    """The price in an entry of litellm's cost map; None if it does not state both input and output.

    Batch, priority and other services that are not asked for are left out, and so are tiers above `MAX_TIER`.
    """
    tiers = entry.get("tiered_pricing") or ()
    rows = [entry, *(tier for tier in tiers if tier["range"][0] < MAX_TIER)]
    base = next((row for row in rows if row.keys() >= {"input_cost_per_token", "output_cost_per_token"}), None)
    if base is None:
        return None
    price = Price(
        input=_rate(base["input_cost_per_token"]),
        cached_input=_rate(base.get("cache_read_input_token_cost", base["input_cost_per_token"])),
        output=_rate(base["output_cost_per_token"]),
    )
    return replace(price, most_input=_dearest(_INPUT, rows), most_output=_dearest(_OUTPUT, rows))


#: A prompt of the longest document stays below; dearer tiers above do not concern us.
MAX_TIER = 250_000
_INPUT = re.compile(r"(?:input_cost_per_token|cache_(?:read|creation)_input_token_cost)(?:_above_(\d+)k_tokens)?")
_OUTPUT = re.compile(r"output_cost_per_(?:reasoning_)?token(?:_above_(\d+)k_tokens)?")


def _dearest(pattern: re.Pattern[str], rows: Sequence[Mapping[str, Any]]) -> Decimal:
    found = ((pattern.fullmatch(name), value) for row in rows for name, value in row.items())
    return max(_rate(value) for match, value in found if match and int(match[1] or 0) * 1_000 < MAX_TIER)


def _rate(value: float | None) -> Decimal:
    return Decimal(repr(value or 0))


def parse_price(text: str) -> Price:
    """Read a price stated in configuration: `input/output` or `input/cached/output`, each per million tokens.

    Raises:
        ConfigurationError: it is none.
    """
    try:
        parts = [Decimal(part.strip()) for part in text.split("/")]
    except InvalidOperation:
        parts = []
    if len(parts) not in (2, 3) or not all(part.is_finite() and part >= 0 for part in parts):
        raise ConfigurationError(
            f"JOBMONITOR_LLM_PRICE {text!r} is not a price. It looks like 0.15/0.60: money per million tokens "
            "of input and output (0/0 for a model that costs nothing)"
        )
    rates = [part / MILLION for part in parts]
    return Price(input=rates[0], cached_input=rates[-2], output=rates[-1])


def worst_case(request: ModelRequest, price: Price) -> Decimal:
    """The most that a request can cost, known before it is sent."""
    dearest_input = max(price.input, price.cached_input, price.most_input)
    dearest_output = max(price.output, price.most_output)
    return most_input_tokens(request) * dearest_input + request.max_output_tokens * dearest_output


def unknown_price(model: str) -> ProviderFault:
    """What to say of a model without a price while a budget is set."""
    return ProviderFault(
        "budget",
        f"JOBMONITOR_LLM_DAILY_BUDGET is set, but no price is known for {model}. State it in JOBMONITOR_LLM_PRICE, as "
        "input/output in money per million tokens (0/0 if it costs nothing), or unset the budget",
        permanent=True,
    )


def most_input_tokens(request: ModelRequest) -> int:
    """An upper bound of the tokens of a request: no tokenizer makes more tokens than bytes.

    Some normalise before they cut (NFKC can lengthen a text), and providers may show the schema to the model.
    """
    texts = (request.system, request.user, json.dumps(request.schema, ensure_ascii=False))
    return TEMPLATE_TOKENS + sum(_most_bytes(text) for text in texts)


def _most_bytes(text: str) -> int:
    normal = unicodedata.normalize("NFKC", text)
    return max(len(each.encode("utf-8", "surrogatepass")) for each in (text, normal))
