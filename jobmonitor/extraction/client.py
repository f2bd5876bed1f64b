"""The one module that talks to a model, through litellm, behind a protocol with one method. See docs/model.md."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol


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
