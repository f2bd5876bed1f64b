"""What the figures say: µs an item, minutes for a day of 47,000, ratios, and the floors they are held to."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.measure import LONGER, SCENARIOS, Results

#: Postings of a day, DESIGN's measure.
DAY = 47_000


class Floor(NamedTuple):
    """A limit that a figure is held to."""

    text: str
    value: float
    limit: float
    #: The value must not be above the limit, instead of not below.
    at_most: bool = False

    @property
    def kept(self) -> bool:
        """Whether the figure is on the right side."""
        return self.value <= self.limit if self.at_most else self.value >= self.limit


def rows(results: Results) -> list[dict[str, Any]]:
    """One row per scenario."""
    found = []
    for scenario in SCENARIOS:
        if not results.rounds[scenario.system, scenario.name]:
            continue
        best, bare = results.best(scenario.system, scenario.name), results.best(scenario.system, "bare")
        naive = results.rounds[scenario.system, f"naive {scenario.name}"]
        each = best["seconds"] / results.items
        found.append(
            {
                "system": scenario.system,
                "scenario": scenario.name,
                "microseconds": round(each * 1e6, 1),
                "minutes": round(each * DAY / 60, 2),
                "of_bare": round(bare["seconds"] / best["seconds"], 3),
                "of_bare_cpu": round(bare["cpu"] / best["cpu"], 3),
                "times_naive": round(min(each["seconds"] for each in naive) / best["seconds"], 2) if naive else None,
                "extra_mb": round(best["rss"] - bare["rss"], 1),
            }
        )
    return found


def floors(results: Results) -> list[Floor]:
    """The limits of the product."""
    table = {(row["system"], row["scenario"]): row for row in rows(results)}
    shares = {
        ("tencent", "unchanged"): ("unchanged day, share of bare", 0.60),
        ("tencent", "first"): ("first day Tencent-like, share of bare", 0.10),
        ("greenhouse", "first"): ("first day Greenhouse, share of bare", 0.08),
    }
    found = [Floor(text, table[key]["of_bare"], limit) for key, (text, limit) in shares.items() if key in table]
    if results.history_items:
        long, short = (results.best("tencent", f"history {times}")["seconds"] for times in (LONGER, 1))
        found.append(Floor(f"unchanged day, {LONGER} times the history, against one", long / short, 1.10, at_most=True))
    found.append(Floor("more memory than bare, MB", max(row["extra_mb"] for row in table.values()), 150, at_most=True))
    loaded = sum(each["litellm"] for each in results.rounds["tencent", "unchanged"])
    found.append(Floor("unchanged days that import litellm", loaded, 0, at_most=True))
    return found


def as_json(results: Results) -> dict[str, Any]:
    """Everything, for a machine."""
    return {
        "machine": machine(),
        "items": results.items,
        "record_bytes": {system: round(size) for system, size in results.sizes.items()},
        "rounds": max(len(each) for each in results.rounds.values()),
        "scenarios": rows(results),
        "history": {"items": results.history_items, "versions": results.history_versions},
        "floors": [
            {**floor._asdict(), "value": round(floor.value, 3), "kept": floor.kept} for floor in floors(results)
        ],
    }


def as_text(results: Results) -> str:
    """The tables, for a person."""
    rounds = max(len(each) for each in results.rounds.values())
    lines = [
        f"{results.items:,} items a crawl, best of {rounds} rounds; {machine()}",
        f"{'':28}{'µs/item':>9}{'min/47k':>9}{'of bare':>9}{'(CPU)':>8}{'× naive':>9}{'+MB':>7}",
    ]
    for row in rows(results):
        naive = f"{row['times_naive']:.1f}" if row["times_naive"] else ""
        lines.append(
            f"{row['system'] + ' ' + row['scenario']:28}{row['microseconds']:9.0f}{row['minutes']:9.1f}"
            f"{row['of_bare']:9.0%}{row['of_bare_cpu']:8.0%}{naive:>9}{row['extra_mb']:7.0f}"
        )
    lines += ["", f"{'limit':56}{'measured':>10}{'allowed':>10}"]
    for floor in floors(results):
        word = "≤" if floor.at_most else "≥"
        sign = "" if floor.kept else "  MISSED"
        lines.append(f"{floor.text:56}{floor.value:10.2f}{word + format(floor.limit, '.2f'):>10}{sign}")
    return "\n".join(lines)


def machine() -> str:
    """Processor, cores and versions."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
