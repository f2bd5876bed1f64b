"""What a call costs, and what it can cost at most. Money is decimal; an unknown price is None and never nought."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from jobmonitor.errors import ConfigurationError

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

    def cost(self, *, input_tokens: int, cached_tokens: int, output_tokens: int) -> Decimal:
        """What a call cost. `input_tokens` includes the cached ones."""
        cached = min(cached_tokens, input_tokens)
        return (input_tokens - cached) * self.input + cached * self.cached_input + output_tokens * self.output


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
    dearest = max(price.input, price.cached_input)
    return most_input_tokens(request) * dearest + request.max_output_tokens * price.output


def most_input_tokens(request: ModelRequest) -> int:
    """An upper bound of the tokens of a request: no tokenizer makes more tokens than bytes.

    Some normalise before they cut (NFKC can lengthen a text), and providers may show the schema to the model.
    """
    texts = (request.system, request.user, json.dumps(request.schema, ensure_ascii=False))
    return TEMPLATE_TOKENS + sum(_most_bytes(text) for text in texts)


def _most_bytes(text: str) -> int:
    normal = unicodedata.normalize("NFKC", text)
    return max(len(each.encode("utf-8", "surrogatepass")) for each in (text, normal))
