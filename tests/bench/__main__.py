"""`make bench`: measures every scenario and prints a table; exits 1 where a limit is missed."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import orjson

from tests.bench.measure import SCENARIOS, Bench, durable_server
from tests.bench.report import as_json, as_text, floors


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--items", type=int, default=10_000, help="postings per crawl (a full day: 47000)")
    parser.add_argument("--rounds", type=int, default=3, help="how often; the least disturbed round counts")
    parser.add_argument("--history-items", type=int, default=2_000, help="postings with a long history; 0 = leave out")
    parser.add_argument("--only", choices=("tencent", "greenhouse"), help="one system alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as JSON")
    parser.add_argument("--profile", type=Path, metavar="FOLDER", help="write cProfile files there; slows everything")
    return parser.parse_args()


def main() -> int:
    """Measure, print, judge."""
    options = arguments()
    started = time.monotonic()

    def note(text: str) -> None:
        print(f"{time.monotonic() - started:6.0f} s  {text}", file=sys.stderr, flush=True)

    scenarios = tuple(each for each in SCENARIOS if options.only in (None, each.system))
    with tempfile.TemporaryDirectory(prefix="jobmonitor-bench-") as made:
        folder = options.profile or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        with durable_server(folder) as server:
            bench = Bench(server, folder, options.items, note, profile=options.profile is not None)
            bench.prepare({each.system for each in scenarios})
            for _ in range(options.rounds):
                bench.round(scenarios)
            if options.history_items and options.only != "greenhouse":
                bench.history(options.history_items, options.rounds)
    print(as_text(bench.results))
    if options.json:
        options.json.write_bytes(orjson.dumps(as_json(bench.results), option=orjson.OPT_INDENT_2) + b"\n")
    return 0 if all(floor.kept for floor in floors(bench.results)) else 1


if __name__ == "__main__":
    sys.exit(main())
