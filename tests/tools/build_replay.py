"""Builds replay folders from recorded payloads, for crawls of real postings. The test run does not use it.

    python tests/tools/build_replay.py [SAMPLES] [OUT]

SAMPLES defaults to ../shared/samples beside the repository, OUT to .jobmonitor/replay. Made are
OUT/tencent, OUT/joinqq, OUT/greenhouse-<board> and OUT/lever-<board> for each job list, and
OUT/series/<board>/<time> for each snapshot of a series, whose `at` is the snapshot's time. `company`,
`fetched_at` and `job_count` around the jobs are the collector's and are left out. The recorded Tencent page
holds 7 of its 10 rows, a Count of 8,500 and no details: the Count is set to what is there, and each detail is
made from its row, its requirements marked as made. Of join.qq.com there are texts alone, in another crawler's
table: list and details are made around them, ids and labels included, and `groupTag` says so.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
MADE = "【本段为测试补写，非网站原文】熟悉岗位相关的专业知识，具备良好的沟通与协作能力。"
TENCENT = "https://careers.tencent.com/tencentcareer/api/post"
JOINQQ = "https://join.qq.com/api/v1"
SEARCH = {
    "projectIdList": [],
    "projectMappingIdList": [],
    "bgList": [],
    "workCityList": [],
    "recruitCityList": [],
    "positionFidList": [],
    "keyword": "",
    "workCountryType": 0,
    "pageSize": 100,
}


class Folder:
    """A replay folder in the making."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[dict[str, Any]] = []
        path.mkdir(parents=True, exist_ok=True)

    def add(self, url: str, answer: object, *, at: dt.datetime, body: dict[str, Any] | None = None) -> None:
        name = f"{len(self.entries) + 1:05d}.json"
        (self.path / name).write_text(json.dumps(answer, ensure_ascii=False), encoding="utf-8")
        headers = {"Content-Type": "application/json; charset=utf-8"}
        asked = {"method": "GET"} if body is None else {"method": "POST", "body": json.dumps(body)}
        self.entries.append(
            {**asked, "url": url, "status": 200, "headers": headers, "file": name, "at": at.isoformat()}
        )

    def write(self) -> None:
        text = json.dumps(self.entries, ensure_ascii=False, indent=1)
        (self.path / "exchanges.json").write_text(text + "\n", encoding="utf-8")


def tencent(samples: Path, out: Path) -> None:
    answer = json.loads((samples / "cn/tencent/careers_query_page1_2021-01.json").read_text("utf-8"))
    rows = answer["Data"]["Posts"]
    answer["Data"]["Count"] = len(rows)
    at = dt.datetime(2021, 1, 21, 12, tzinfo=dt.UTC)
    folder = Folder(out / "tencent")
    folder.add(f"{TENCENT}/Query?pageIndex=1&pageSize=100&language=zh-cn&area=cn", answer, at=at)
    for row in rows:
        query = urlencode({"postId": row["PostId"], "language": "zh-cn"})
        folder.add(f"{TENCENT}/ByPostId?{query}", {"Code": 200, "Data": {**row, "Requirement": MADE}}, at=at)
    folder.write()


def joinqq(samples: Path, out: Path) -> None:
    jobs = json.loads((samples / "cn/tencent/join_qq_campus_scrape_2026-03.json").read_text("utf-8"))
    at = dt.datetime(2026, 3, 15, 12, tzinfo=dt.UTC)
    rows = [joinqq_row(number, job) for number, job in enumerate(jobs, start=1)]
    folder = Folder(out / "joinqq")
    for page in range(-(-len(rows) // 100)):
        shown = rows[page * 100 : page * 100 + 100]
        answer = {"status": 0, "message": "", "data": {"positionList": shown, "count": len(rows)}}
        folder.add(f"{JOINQQ}/position/searchPosition", answer, at=at, body={**SEARCH, "pageIndex": page + 1})
    for row, job in zip(rows, jobs, strict=True):
        query = urlencode({"postId": row["postId"]})
        answer = {"status": 0, "message": "", "data": joinqq_detail(row, job)}
        folder.add(f"{JOINQQ}/jobDetails/getJobDetailsByPostId?{query}", answer, at=at)
    folder.write()


def joinqq_row(number: int, job: dict[str, str]) -> dict[str, Any]:
    return {
        "postId": str(1_900_000_000_000_000_000 + number),
        "positionTitle": job["岗位名称"],
        "projectName": None,
        "recruitLabelName": job["性质"],
        "workCities": "",
        "bgs": "",
        "positionUrl": None,
        "positionSource": "oa",
        "groupTag": "made",
    }


def joinqq_detail(row: dict[str, Any], job: dict[str, str]) -> dict[str, Any]:
    intern = "实习" in job["性质"]
    return {
        "postId": row["postId"],
        "title": job["岗位名称"],
        "tidName": job["岗位类别"],
        "desc": job["工作职责"],
        "request": job["任职要求"],
        "workCityList": [],
        "recruitType": 2 if intern else 1,
        "recruitLabelName": job["性质"],
        "internBonus" if intern else "graduateBonus": job["加分项"],
    }


def lever_lists(samples: Path, out: Path) -> None:
    for file in sorted((samples / "ats/lever").glob("*_list*.json")):
        board = file.name.partition("_")[0]
        folder = Folder(out / f"lever-{board}")
        jobs = json.loads(file.read_text("utf-8"))
        newest = max(job["createdAt"] for job in jobs) / 1000
        at = dt.datetime.fromtimestamp(newest, dt.UTC) + dt.timedelta(days=1)
        folder.add(f"https://api.lever.co/v0/postings/{board}?mode=json", jobs, at=at)
        folder.write()


def greenhouse(board: str, payload: dict[str, Any], path: Path, at: dt.datetime) -> None:
    answer = {key: payload[key] for key in ("jobs", "meta") if key in payload}
    folder = Folder(path)
    folder.add(f"https://boards-api.greenhouse.io/v1/boards/{board}/jobs?content=true", answer, at=at)
    folder.write()


def fetched_at(payload: dict[str, Any], default: dt.datetime) -> dt.datetime:
    text = payload.get("fetched_at")
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC) if text else default


def greenhouse_lists(samples: Path, out: Path) -> None:
    for file in sorted((samples / "ats/greenhouse").glob("*.json")):
        payload = json.loads(file.read_text("utf-8"))
        board = file.name.partition("_")[0]
        if "jobs" in payload:  # the others are trees of departments and offices
            at = fetched_at(payload, dt.datetime(2026, 8, 1, tzinfo=dt.UTC))
            greenhouse(board, payload, out / f"greenhouse-{board}", at)


def greenhouse_series(samples: Path, out: Path) -> None:
    for folder in sorted((samples / "timeseries").glob("greenhouse-*")):
        if folder.name == "greenhouse-noise":
            continue
        board = folder.name.removeprefix("greenhouse-")
        for file in sorted(folder.glob("*.json")):
            at = dt.datetime.strptime(file.stem, "%Y-%m-%dT%H%M").replace(tzinfo=dt.UTC)
            greenhouse(board, json.loads(file.read_text("utf-8")), out / "series" / board / file.stem, at)


def main(arguments: list[str]) -> int:
    samples = Path(arguments[0]) if arguments else ROOT.parent / "shared" / "samples"
    out = Path(arguments[1]) if len(arguments) > 1 else ROOT / ".jobmonitor" / "replay"
    if not samples.is_dir():
        sys.stderr.write(f"There are no samples in {samples}; name their folder as the first argument.\n")
        return 1
    tencent(samples, out)
    joinqq(samples, out)
    lever_lists(samples, out)
    greenhouse_lists(samples, out)
    greenhouse_series(samples, out)
    sys.stdout.write(f"Replay folders are in {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
