"""The kinds of events and the JSON Schemas of their payloads, read from event_kinds.json; docs/events.md shows them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema
import orjson


@cache
def event_kinds() -> Mapping[str, Mapping[str, Any]]:
    """Each kind with `about`, the `names` it always has, and the schema of its `payload`."""
    kinds: Mapping[str, Mapping[str, Any]] = _document()["kinds"]
    return kinds


def check_event(event: Mapping[str, Any]) -> str | None:
    """What is wrong with an event, None if nothing: its kind, the names it must have, its payload."""
    kind = event_kinds().get(event["kind"])
    if kind is None:
        return f"{event['kind']} is no kind of event"
    missing = [name for name in kind["names"] if event.get(name) is None]
    if missing:
        return f"{event['kind']} lacks {', '.join(missing)}"
    error = jsonschema.exceptions.best_match(_validator(event["kind"]).iter_errors(event["payload"]))
    return f"{event['kind']}: {error.message}" if error is not None else None


@cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = orjson.loads(files("jobmonitor.storage").joinpath("event_kinds.json").read_bytes())
    return document


@cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$defs": _document()["$defs"], **event_kinds()[kind]["payload"]})
