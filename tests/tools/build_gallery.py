"""Writes docs/gallery.md: ten real postings, source beside document beside facts.

    python tests/tools/build_gallery.py [REPLAY]

REPLAY is what tests/tools/build_replay.py made; default .jobmonitor/replay. Sources are shortened in print, documents
and facts are whole.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jobmonitor.crawling.spider import JobSpider
from jobmonitor.domain.canonical import content_hash, facts_hash, facts_json
from jobmonitor.domain.derivation import clean, redacted
from jobmonitor.items import RawPosting
from spiders.greenhouse import GreenhouseSpider
from spiders.tencent import TencentSpider

ROOT = Path(__file__).resolve().parents[2]
#: Characters of a source that are printed.
SHOWN = 900
HEAD = """# Gallery

Ten real postings as they were recorded, and what the product makes of them: the record (shortened in print), the
canonical document (whole), the facts. Made by `python tests/tools/build_gallery.py` from public recordings.

"""


def answers(folder: Path) -> list[Any]:
    """Bodies of a replay folder in order."""
    entries = json.loads((folder / "exchanges.json").read_text("utf-8"))
    return [json.loads((folder / entry["file"]).read_text("utf-8")) for entry in entries]


def tencent(replay: Path) -> Iterator[tuple[type[JobSpider], str, dict[str, Any]]]:
    """Three postings with their details (the recording has no requirements; theirs are marked as made)."""
    listing, *details = answers(replay / "tencent")
    for row, detail in list(zip(listing["Data"]["Posts"], details, strict=True))[::3]:
        yield TencentSpider, "tencent", {"list": row, "detail": detail}


def greenhouse(replay: Path, board: str, *numbers: int) -> Iterator[tuple[type[JobSpider], str, dict[str, Any]]]:
    """Some postings of a board."""
    jobs = answers(replay / f"greenhouse-{board}")[0]["jobs"]
    for number in numbers:
        yield GreenhouseSpider, f"greenhouse:{board}", {"list": jobs[number]}


def shortened(record: Mapping[str, Any]) -> str:
    """A record for people: long strings cut."""
    cut = {
        name: value if len(str(value)) <= SHOWN else f"{str(value)[:SHOWN]} … ({len(str(value)):,} characters)"
        for name, value in {**record["list"], **record.get("detail", {}).get("Data", {})}.items()
    }
    return json.dumps(cut, ensure_ascii=False, indent=1)


def entry(raw: RawPosting, record: Mapping[str, Any]) -> str:
    """One posting's part of the page."""
    cleaned = redacted(clean(raw))
    document = cleaned.document
    stated = facts_json(cleaned.facts) | {"locations": "; ".join(cleaned.facts.locations)}
    facts = "\n".join(f"| {name} | {value} |" for name, value in stated.items())
    return (
        f"## {raw.title.strip()}\n\n`{raw.key.reference}` · content `{content_hash(document)[:12]}` · "
        f"facts `{facts_hash(cleaned.facts)[:12]}`\n\n"
        f"<details><summary>What the site sent</summary>\n\n```json\n{shortened(record)}\n```\n\n</details>\n\n"
        f"The document:\n\n````markdown\n{document}````\n\n| fact | as stated |\n|---|---|\n{facts}\n"
    )


def main(arguments: list[str]) -> int:
    """Write the page."""
    replay = Path(arguments[0]) if arguments else ROOT / ".jobmonitor" / "replay"
    if not (replay / "tencent").is_dir():
        sys.stderr.write(f"There are no replay folders in {replay}; run tests/tools/build_replay.py first.\n")
        return 1
    chosen = [
        *tencent(replay),
        *greenhouse(replay, "catawiki", 0, 7, 21, 33),
        *greenhouse(replay, "amplitude", 0, 1),
        *greenhouse(replay, "twilio", 5),
    ]
    entries = [entry(spider.parse(spider.strip(record), source), record) for spider, source, record in chosen]
    (ROOT / "docs" / "gallery.md").write_text(HEAD + "\n".join(entries), encoding="utf-8")
    sys.stdout.write(f"{len(entries)} postings in docs/gallery.md\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
