"""Cases as data: one JSON object a line, read by the test of the same name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def load(name: str) -> list[dict[str, Any]]:
    """The cases of `<name>.jsonl`."""
    text = (Path(__file__).parent / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]
