"""The golden table: pairs of postings that must be one content, or two, and what each rule is there for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jobmonitor.domain.document import build_document
from jobmonitor.items import Section, SectionFormat

PAIRS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "golden" / "pairs.jsonl").read_text("utf-8").splitlines()
]
#: Steps whose effect the fold levels in the hash; they are for readers of the document.
ONLY_FOR_READERS = {"blocks"}


def hash_of(side: dict[str, Any], slogans: list[str]) -> str:
    kind: SectionFormat = "html" if "html" in side else "text"
    section = Section(body=side[kind], format=kind)
    build_document(side.get("title", "工程师"), [section], locations=side.get("locations", ()), slogans=slogans)
    declared = {pair["name"] for pair in PAIRS if pair.get("needs") == name}
    assert declared
    assert declared <= set(wrongly_judged())
