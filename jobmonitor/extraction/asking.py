"""How a model is asked: what an extraction config records, and what a call may cost and take."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from jobmonitor.extraction.client import ModelRequest
from jobmonitor.extraction.contract import Contract
from jobmonitor.extraction.faults import ItemFault
from jobmonitor.extraction.pricing import CURRENCY, Price, worst_case
from jobmonitor.extraction.prompting import MAX_OUTPUT_TOKENS, Prompt, build, load_prompt
from jobmonitor.storage.budget import Budget
from jobmonitor.storage.claims import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a model is asked."""

    contract: Contract
    #: litellm's name.
    model: str
    #: None = not known.
    price: Price | None
    budget: Budget
    #: Seconds before a call counts as unanswered.
    timeout: float
    #: Calls under way at a time, over all processes.
    concurrency: int
    prompt: Prompt = field(default_factory=load_prompt)
    temperature: float = 0.0

    @property
    def lease(self) -> float:
        """Seconds that a lease lives without renewal: a call, its repair, and room."""
        return 2 * self.timeout + 30

    @property
    def currency(self) -> str:
        """Of all amounts."""
        return self.price.currency if self.price else CURRENCY

    @property
    def parameters(self) -> dict[str, Any]:
        """What the extraction config records beside model and prompt."""
        return {"temperature": self.temperature, "max_output_tokens": MAX_OUTPUT_TOKENS}

    def request(self, document: str) -> ModelRequest:
        """The request for a document.

        Raises:
            ItemFault: it is too long to be sent.
        """
        return build(document, self.contract, self.prompt)

    def most(self, request: ModelRequest) -> Decimal | None:
        """What a request can cost; None where the price is not known."""
        return None if self.price is None else worst_case(request, self.price)

    def estimate(self, document: str) -> Estimate:
        """What asking about a document can cost, or why it is not asked about."""
        if not any(sign.isalnum() for sign in document.partition("\n")[2]):
            return Estimate(needless="too_short: nothing stands below the title")
        try:
            return Estimate(worst_case=self.most(self.request(document)))
        except ItemFault as fault:
            return Estimate(needless=f"{fault.kind}: {fault.message}")
