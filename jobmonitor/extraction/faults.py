"""What can go wrong with a model call: the provider's fault or the content's own. See docs/model.md.

The difference decides who pays: a provider's fault uses up no attempt of a content, an item's fault does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from jobmonitor.errors import JobMonitorError

if TYPE_CHECKING:
    from jobmonitor.extraction.client import ModelReply

ProviderKind = Literal["timeout", "server_error", "rate_limited", "auth", "unknown_model", "unreachable", "budget"]
ItemKind = Literal["refused", "too_long", "malformed", "schema", "truncated"]


class ProviderFault(JobMonitorError):
    """The provider did not answer.

    Args:
        kind: what happened.
        message: for a person; names the setting to change where one helps.
        retry_after: seconds that the provider asks to wait; None = it did not say.
        permanent: True if only a person can mend it (key, model name, credit): asking again is useless.
    """

    def __init__(
        self, kind: ProviderKind, message: str, *, retry_after: float | None = None, permanent: bool = False
    ) -> None:
        super().__init__(message)
        self.kind: ProviderKind = kind
        self.code = f"model_{kind}"
        self.message = message
        self.retry_after = retry_after
        self.permanent = permanent


class ItemFault(JobMonitorError):
    """The model did answer, and the answer cannot be used; or this content cannot be sent.

    Args:
        kind: what is wrong.
        message: for a person and for the repair prompt.
        reply: the answer, which was paid for; None where there is none.
    """

    def __init__(self, kind: ItemKind, message: str, *, reply: ModelReply | None = None) -> None:
        super().__init__(message)
        self.kind: ItemKind = kind
        self.code = f"answer_{kind}"
        self.message = message
        self.reply = reply
