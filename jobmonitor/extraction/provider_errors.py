"""What litellm raises, told apart in one table: whose fault it is, and what a person can do about it.

litellm (1.110, measured) reports a missing key, a refused connection and a real 500 as one class; so the table looks
at the whole chain of causes and at the words, and knows classes by name: nothing here imports litellm.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from jobmonitor.extraction.faults import ItemFault, ItemKind, ProviderFault, ProviderKind

#: The provider's own words are cut here.
MAX_WORDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Whom a call went to, as messages name it."""

    #: litellm name: `openai/gpt-4o-mini`.
    model: str
    api_base: str | None
    #: Variables that hold the provider's key: `OPENAI_API_KEY`.
    keys: tuple[str, ...]
    #: Seconds.
    timeout: float

    @property
    def place(self) -> str:
        """Where the server is, without user and password."""
        if self.api_base is None:
            return f"the provider of {self.model}"
        parts = urlsplit(self.api_base)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.netloc else self.api_base


class Row(NamedTuple):
    """One line of the table: applies if a class of the chain is among `classes` (empty: any) and the words match."""

    kind: ProviderKind | ItemKind
    message: str
    classes: frozenset[str] = frozenset()
    statuses: frozenset[int] = frozenset()
    words: re.Pattern[str] | None = None
    permanent: bool = False


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


#: The first row that applies decides. Messages are formatted with the endpoint and the provider's words.
TABLE = (
    Row(
        "unreachable",
        "Nothing answers at {place}. Check JOBMONITOR_LLM_API_BASE, the server behind it and the network",
        _names(
            "ConnectError ConnectTimeout ClientConnectorError ClientConnectorDNSError ConnectionRefusedError gaierror"
        ),
    ),
    Row(
        "unreachable",
        "JOBMONITOR_LLM_API_BASE {place!r} is not an address. It looks like http://127.0.0.1:8080/v1",
        _names("InvalidURL InvalidUrlClientError UnsupportedProtocol"),
        permanent=True,
    ),
    Row(
        "auth",
        "There is no key for {model}. Set {keys}",
        words=_words(r"missing credentials|missing [\w ]*api[ _]key|no api[ _]key"),
        permanent=True,
    ),
    Row(
        "unknown_model",
        "litellm does not know whose model {model} is. JOBMONITOR_LLM_MODEL looks like openai/gpt-4o-mini: "
        "provider, slash, model",
        words=_words("LLM Provider NOT provided"),
        permanent=True,
    ),
    Row(
        "budget",
        "The account at {place} has no credit left. Top it up, or set another model in JOBMONITOR_LLM_MODEL",
        statuses=frozenset({402, 429}),
        words=_words(r"insufficient[_ ](?:quota|balance|credit)|exceeded your current quota|arrear|欠费|余额不足|^402"),
        permanent=True,
    ),
    Row(
        "auth",
        "The key for {model} was refused by {place}. Set {keys} to one that may use this model",
        _names("AuthenticationError PermissionDeniedError"),
        permanent=True,
    ),
    Row(
        "auth",
        "The key for {model} was refused by {place}. Set {keys} to one that may use this model",
        statuses=frozenset({401, 403}),
        permanent=True,
    ),
    Row("too_long", "The text is too long for {model}: {words}", _names("ContextWindowExceededError")),
    Row(
        "too_long",
        "The text is too long for {model}: {words}",
        statuses=frozenset({400, 413, 422}),
        words=_words(
            r"context[_ ](?:length|window|size)|maximum context|too many tokens|(?:prompt|input|request) is too l"
        ),
    ),
    Row("refused", "{model} refuses this text: {words}", _names("ContentPolicyViolationError")),
    Row(
        "refused",
        "{model} refuses this text: {words}",
        statuses=frozenset({400, 422}),
        words=_words(
            r"content[_ ](?:management[_ ])?(?:policy|filter)|data_?inspection|inappropriate|sensitive content|safety"
        ),
    ),
    Row(
        "unknown_model",
        "There is no model {model} at {place}. Correct JOBMONITOR_LLM_MODEL, or JOBMONITOR_LLM_API_BASE "
        "(an OpenAI-compatible address ends in /v1)",
        _names("NotFoundError"),
        permanent=True,
    ),
    Row(
        "unknown_model",
        "There is no model {model} at {place}. Correct JOBMONITOR_LLM_MODEL: {words}",
        statuses=frozenset({400, 404, 422}),
        words=_words(
            r"model[^.]{0,80}(?:not[_ ](?:found|exist)|does[_ ]not[_ ]exist|unknown|is not a valid)|invalid[_ ]model"
        ),
        permanent=True,
    ),
    Row(
        "timeout",
        "{model} did not answer within {timeout:g} s (JOBMONITOR_LLM_TIMEOUT)",
        _names("Timeout TimeoutError"),
    ),
    Row("rate_limited", "{place} asks for fewer requests: {words}", _names("RateLimitError")),
    # A rejected request (400) is laid at the provider's door too: a wrong parameter would fail every content alike.
    Row("server_error", "{place} failed: {words}"),
)

_ITEM_KINDS = frozenset({"refused", "too_long"})


def fault_of(error: BaseException, endpoint: Endpoint) -> ProviderFault | ItemFault:
    """The fault that an exception of litellm stands for."""
    classes = {kind.__name__ for each in _chain(error) for kind in type(each).__mro__}
    status = getattr(error, "status_code", None)
    told = f"{status or ''} {getattr(error, 'code', None) or ''} {_message(error)}"
    row = next(row for row in TABLE if _applies(row, classes, status, told))
    words = provider_words(error) or type(error).__name__
    text = row.message.format(
        model=endpoint.model,
        place=endpoint.place,
        keys=" or ".join(endpoint.keys) or "the provider's key",
        timeout=endpoint.timeout,
        words=words,
    )
    if row.kind in _ITEM_KINDS:
        return ItemFault(row.kind, text)  # type: ignore[arg-type]
    return ProviderFault(row.kind, text, retry_after=retry_after(error), permanent=row.permanent)  # type: ignore[arg-type]


def retry_after(error: BaseException, now: dt.datetime | None = None) -> float | None:
    """Seconds that the answer asks to wait, from Retry-After in either of its forms."""
    # litellm hands the headers on for some providers only; the answer itself is always down the chain.
    headers = (getattr(getattr(each, "response", None), "headers", None) for each in _chain(error))
    text = next((found["retry-after"] for found in headers if found and "retry-after" in found), None)
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = _until(text, now or dt.datetime.now(dt.UTC))
    return seconds if 0 <= seconds < float("inf") else None


def provider_words(error: BaseException) -> str:
    """The provider's own message on one line, without litellm's prefixes, cut to a bound."""
    text = " ".join(_message(error).split())
    while (shorter := _PREFIX.sub("", text)) != text:
        text = shorter
    text = _ADVICE.sub("", text)
    inner = _JSON_MESSAGE.search(text)
    return (inner[1] if inner else text)[:MAX_WORDS]


_PREFIX = re.compile(r"^(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: \w+Error)?\s*(?::|-)\s*")
_ADVICE = re.compile(r"\.? Handle with `litellm\.\w+`\.?$")
_JSON_MESSAGE = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.)+)"')


def _message(error: BaseException) -> str:
    return str(getattr(error, "message", None) or error)


def _applies(row: Row, classes: set[str], status: int | None, told: str) -> bool:
    return (
        (not row.classes or not row.classes.isdisjoint(classes))
        and (not row.statuses or status in row.statuses)
        and (row.words is None or row.words.search(told) is not None)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    each: BaseException | None = error
    seen: set[int] = set()
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


def _until(text: str, now: dt.datetime) -> float:
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return -1.0
    return max(0.0, (when.replace(tzinfo=when.tzinfo or dt.UTC) - now).total_seconds())
