"""Recorded exchanges: one folder format for recording and for replay (docs/replay.md).

`exchanges.json` is a list of `{"method","url","body"?,"status","headers"?,"file","at"?}`; the files with the
answers' bytes stand beside it, Content-Encoding undone. A request finds its entry by method, canonical
URL (order of the query and fragment do not count) and body (JSON by value, forms by their pairs).
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from jobmonitor.errors import ConfigurationError

INDEX = "exchanges.json"
DEFAULT_PORTS = {"http": 80, "https": 443}

#: Method, canonical URL, canonical body.
RequestKey: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One recorded answer."""

    method: str
    url: str
    #: Request body as text; "" = none.
    body: str = ""
    status: int
    headers: Mapping[str, list[str]]
    #: File with the answer's bytes, None for an answer without a body.
    path: Path | None
    #: When it was asked.
    at: dt.datetime | None = None


class Exchanges:
    """A replay folder. Several entries for one request are served in order; the last repeats."""

    def __init__(self, exchanges: list[Exchange]) -> None:
        self._waiting: defaultdict[RequestKey, list[Exchange]] = defaultdict(list)
        for exchange in reversed(exchanges):
            self._waiting[request_key(exchange.method, exchange.url, exchange.body)].append(exchange)
        #: Earliest time in the folder, None where no entry has one.
        self.earliest = min((each.at for each in exchanges if each.at), default=None)

    def answer(self, method: str, url: str, body: bytes) -> Exchange | None:
        """The next entry for a request, None if there is none."""
        waiting = self._waiting.get(request_key(method, url, body.decode("utf-8", "surrogateescape")))
        if not waiting:
            return None
        return waiting.pop() if len(waiting) > 1 else waiting[0]


def request_key(method: str, url: str, body: str) -> RequestKey:
    """What makes two requests the same."""
    return method.upper(), canonical_url(url), canonical_body(body)


def canonical_url(url: str) -> str:
    """Query sorted, fragment and default port dropped, host in lower case."""
    parts = urlsplit(canonicalize_url(url, keep_blank_values=True))
    host = (parts.hostname or "").lower()
    port = parts.port
    netloc = host if port in {None, DEFAULT_PORTS.get(parts.scheme)} else f"{host}:{port}"
    return urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, ""))


def canonical_body(body: str) -> str:
    """JSON by value, a form by its pairs in any order, anything else as it is."""
    if not body:
        return ""
    try:
        return "json:" + json.dumps(_plain(json.loads(body)), sort_keys=True)
    except (ValueError, RecursionError):
        pairs = parse_qsl(body, keep_blank_values=True)
        return "form:" + json.dumps(sorted(pairs)) if pairs else "text:" + body


def _plain(value: Any) -> Any:
    """1.0 and 1 are one JSON value."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def load_exchanges(folder: str | Path) -> Exchanges:
    """Read a replay folder.

    Raises:
        ConfigurationError: no folder, no index, or an entry that cannot be used; the message names it.
    """
    index = Path(folder) / INDEX
    try:
        entries = json.loads(index.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{index} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{index} is not JSON: {error}") from error
    if not isinstance(entries, list):
        raise ConfigurationError(f"{index} must hold a list of exchanges")
    return Exchanges([_entry(entry, index, number) for number, entry in enumerate(entries, start=1)])


def _entry(entry: Any, index: Path, number: int) -> Exchange:
    try:
        return Exchange(
            method=_text(entry, "method", "GET"),
            url=_url(_text(entry, "url")),
            body=_body(entry.get("body")),
            status=_status(entry["status"]),
            headers=_headers(entry.get("headers") or {}),
            path=_file(index.parent, _text(entry, "file", "")),
            at=_instant(entry.get("at")),
        )
    except KeyError as error:
        raise ConfigurationError(f"{index}: entry {number} has no {error.args[0]!r}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{index}: entry {number}: {error}") from error


def _text(entry: Any, name: str, default: str | None = None) -> str:
    if not isinstance(entry, dict):
        raise TypeError("is not an object")
    value = entry[name] if default is None else entry.get(name, default)
    if not isinstance(value, str):
        raise TypeError(f"{name!r} is not a text")
    return value


def _url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0:  # reading it checks the port
        raise ValueError(f"{url!r} is not an http address")
    return url


def _body(body: Any) -> str:
    """A request body is a text; a JSON one may also stand in the index as the value it is."""
    return body if isinstance(body, str) else "" if body is None else json.dumps(body)


def _status(status: Any) -> int:
    if not isinstance(status, int) or not 100 <= status <= 599:
        raise ValueError(f"status {status!r} is not an HTTP status")
    return status


def _headers(headers: Any) -> dict[str, list[str]]:
    return {
        str(name): [value] if isinstance(value, str) else [str(v) for v in value] for name, value in headers.items()
    }


def _file(folder: Path, name: str) -> Path | None:
    """A file of the folder itself: a name from outside never leads out of it."""
    if not name:
        return None
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"file {name!r} is not inside the folder")
    if not path.is_file():
        raise ValueError(f"file {name!r} is missing")
    return path


def _instant(text: Any) -> dt.datetime | None:
    """A time with its offset; without one it is UTC."""
    if text is None:
        return None
    value = dt.datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=dt.UTC)
