"""Reads recorded series of boards and prints the lifecycle of every posting in them. The test run does not use it.

    python tests/tools/read_timeseries.py [SAMPLES/timeseries] [--all]

Each snapshot is a look at one channel; the rules are the product's own (`jobmonitor.domain.lifecycle`,
`jobmonitor.domain.pagestate`), over a state kept in memory. Shapes without an adapter have small readers here. Without
`--all` only postings that were ever suspected, gone or held are printed. The table of sources' health knows numbers
alone: it drives the brake.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobmonitor.domain.lifecycle import Standing, State, counts, decide, implausible
from jobmonitor.domain.pagestate import judge_page

ROOT = Path(__file__).resolve().parents[2]
GAP = dt.timedelta(hours=20)
_DEEL_ID = re.compile(r"job-details/([0-9a-f-]{36})")
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2})(\d{2})")

#: Ids and titles that a snapshot shows; None where it is no listing.
Shown = Mapping[str, str] | None


@dataclass(slots=True)
class Posting:
    """What is known of one posting, with everything that happened to it."""

    title: str
    state: State = "active"
    misses: int = 0
    missed_at: dt.datetime | None = None
    story: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Channel:
    """One listing over time."""

    postings: dict[str, Posting] = field(default_factory=dict)
    past: list[float] = field(default_factory=list)
    held_at: dt.datetime | None = None
    log: list[str] = field(default_factory=list)

    def look(self, at: dt.datetime, shown: Shown) -> None:
        """One snapshot."""
        if shown is None:
            self.log.append(f"{at:%Y-%m-%d %H:%M}  not a listing: nothing counts")
            return
        for native_id, title in shown.items():
            posting = self.postings.setdefault(native_id, Posting(title))
            if posting.state != "active":
                posting.story.append(f"{at:%m-%d} reopened from {posting.state}")
            posting.state, posting.misses, posting.missed_at = "active", 0, None
        self._miss(at, shown)

    def _miss(self, at: dt.datetime, shown: Mapping[str, str]) -> None:
        there = {name: each for name, each in self.postings.items() if each.state != "gone"}
        newly = 0
        for name, posting in there.items():
            if name not in shown and counts(posting.missed_at, at, GAP):
                posting.misses, posting.missed_at = posting.misses + 1, at
                newly += posting.misses == 1
        reason = implausible(newly, len(there), past=self.past[-30:], shown=len(shown))
        self.past.append(newly / max(len(shown) + newly, 1))
        if reason is not None:
            self.held_at = at
            self.log.append(f"{at:%Y-%m-%d %H:%M}  held: {reason}")
            return
        if self.held_at is not None and counts(self.held_at, at, GAP):
            self.held_at = None
            self.log.append(f"{at:%Y-%m-%d %H:%M}  released")
        for posting in there.values():
            after = decide(Standing(state=posting.state, misses=[posting.misses], signals=0))
            if after != posting.state:
                posting.story.append(f"{at:%m-%d} {after} after {posting.misses} misses")
                posting.state = after


def moment(path: Path) -> dt.datetime:
    """When a snapshot was taken, by its name."""
    found = _TIME.search(path.name)
    assert found, path
    return dt.datetime.fromisoformat(f"{found[1]}T{found[2]}:{found[3]}:00+00:00")


def read_json(path: Path) -> Shown:
    """A board's own list of jobs, or a collector's list of postings."""
    data = json.loads(path.read_text("utf-8"))
    rows = data.get("jobs") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        return None
    return {str(row.get("externalId") or row["id"]): str(row.get("title", "")) for row in rows}


def read_page(path: Path) -> Shown:
    """A rendered page of a board: a listing, or not."""
    html = path.read_text("utf-8", "replace")
    if judge_page(html, url="https://jobs.example/board").state != "listing":
        return None
    return dict.fromkeys(dict.fromkeys(_DEEL_ID.findall(html)), "")


def series(folder: Path) -> Iterator[tuple[dt.datetime, Shown]]:
    """The snapshots of a folder, in order."""
    for path in sorted(folder.iterdir()):
        if _TIME.search(path.name):
            yield moment(path), read_page(path) if path.suffix == ".html" else read_json(path)


def report(name: str, channel: Channel, snapshots: int, *, everything: bool) -> None:
    """What happened in one series."""
    states = defaultdict(int)
    for posting in channel.postings.values():
        states[posting.state] += 1
    numbers = ", ".join(f"{states[state]} {state}" for state in ("active", "suspected", "gone"))
    reopened = sum("reopened" in line for posting in channel.postings.values() for line in posting.story)
    print(f"\n{name}: {snapshots} snapshots, {len(channel.postings)} postings: {numbers}; {reopened} times reopened")
    for line in channel.log:
        print(f"  {line}")
    for native_id, posting in channel.postings.items():
        if posting.story or everything:
            print(f"    {native_id:<38} {posting.title[:50]:<50} {'; '.join(posting.story) or 'active'}")


def brake(path: Path) -> None:
    """Numbers of jobs by company and run: how often the brake would hold, and what came after."""
    companies: defaultdict[str, list[tuple[dt.datetime, int | None]]] = defaultdict(list)
    for row in csv.DictReader(path.open(encoding="utf-8")):
        at = dt.datetime.fromisoformat(row["run_utc"].replace("Z", "+00:00"))
        companies[f"{row['platform']} {row['company']}"].append(
            (at, int(row["jobs"]) if row["status"] == "ok" else None)
        )
    held, silent = [], 0
    for company, looks in companies.items():
        known, past = 0, []
        for at, jobs in sorted(looks, key=lambda look: look[0]):
            if jobs is None:
                silent += 1
                continue
            vanished = max(known - jobs, 0)
            reason = implausible(vanished, known, past=past, shown=jobs)
            if reason is not None:
                held.append(f"{at:%Y-%m-%d %H:%M}  {company}: {reason}")
            past.append(vanished / max(known, 1))
            known = jobs
    print(f"\n{path.parent.name}: {len(companies)} companies, {silent} answers that were none, {len(held)} held")
    for line in held:
        print(f"  {line}")


def main(arguments: Sequence[str]) -> None:
    """Read every series."""
    places = [Path(each) for each in arguments if not each.startswith("--")]
    folder = places[0] if places else ROOT.parent / "shared" / "samples" / "timeseries"
    for place in sorted(folder.iterdir()):
        table = place / "status_by_company_and_run.csv"
        if table.exists():
            brake(table)
            continue
        channel, snapshots = Channel(), 0
        for at, shown in series(place):
            channel.look(at, shown)
            snapshots += 1
        if snapshots:
            report(place.name, channel, snapshots, everything="--all" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
