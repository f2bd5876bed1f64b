"""The simulated market: the same everywhere, full of noise, honest about what is true."""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest

from jobmonitor.demo.companies import COMPANIES
from jobmonitor.demo.edits import EDITS
from jobmonitor.demo.market import Market
from jobmonitor.demo.noise import noise_kinds, posting_noise
from jobmonitor.demo.rivals import EveryDay, RawRowHash, raw_rows
from jobmonitor.demo.schedule import MOVES
from jobmonitor.demo.server import serving
from jobmonitor.demo.texts import digest

SEEDS = (0, 1, 7, 42, 20_260_907)


def fingerprint(market: Market) -> str:
    """A digest of everything that every site would send."""
    return digest([[list(key), raw] for key, raw in raw_rows(market).items()])


def walk(seed: int, days: int = 5) -> list[Market]:
    """The market on each of the first days, as markets of their own."""
    return [Market(seed, day) for day in range(1, days + 1)]


def test_a_day_reached_at_once_is_the_day_walked_to() -> None:
    walked = Market(3)
    for _ in range(3):
        walked.advance()
    assert fingerprint(walked) == fingerprint(Market(3, 4))


def test_another_process_sees_the_same_market() -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests/unit'); from test_market import fingerprint, Market; "
        "print(fingerprint(Market(11, 3)))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert seen == {fingerprint(Market(11, 3))}


def test_seeds_differ() -> None:
    assert len({fingerprint(Market(seed, 2)) for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_happens_within_five_days(seed: int) -> None:
    market, happened, noise = Market(seed), set[str](), set[str]()
    for _ in range(4):
        market.advance()
        happened |= {name for names in market.happenings.values() for name in names}
        noise |= market.noise
    assert noise_kinds().keys() - noise == set()
    assert (EDITS.keys() | MOVES.keys()) - happened == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_kinds_agree_with_the_ids(seed: int) -> None:
    known: dict[tuple[str, str], list[tuple[str, str]]] = {}
    contents: set[str] = set()
    for market in walk(seed):
        for key, row in market.truth.items():
            past = known.setdefault(key, [])
            contents.add(row.content_id)
            if not past:
                assert row.kind == "new"
            elif past[-1][0] != row.content_id:
                assert row.kind == ("reverted" if row.content_id in {each[0] for each in past} else "content")
            elif past[-1][1] != row.facts_id:
                assert row.kind in {"salary", "facts"}
            else:
                assert row.kind == "unchanged"
            past.append((row.content_id, row.facts_id))
        assert market.distinct_contents == len(contents)
        assert sum(market.counts.values()) == len(market.truth)


def test_edits_do_what_their_table_says() -> None:
    market = Market(5)
    for _ in range(4):
        market.advance()
        for key, names in market.happenings.items():
            if key in market.truth and len(names) == 1 and names[0] in EDITS:
                kinds = {EDITS[names[0]].effect}
                assert market.truth[key].kind in kinds | ({"reverted"} if "content" in kinds else set())


def test_noise_changes_what_is_sent_and_nothing_else() -> None:
    before, market = Market(9, 2), Market(9, 3)
    raw_before, raw_now = raw_rows(before), raw_rows(market)
    struck = [key for key, names in market.happenings.items() if set(names) <= noise_kinds().keys()]
    assert struck
    for key in struck:
        assert raw_now[key] != raw_before[key]
        assert market.truth[key].kind == "unchanged"


def test_no_two_postings_say_the_same_unless_cross_posted() -> None:
    texts: dict[tuple[str, str], set[str]] = {}
    for source in Market(4).sources:
        for posting in Market(4).board(source).listed():
            texts.setdefault((source, posting.content_id), set()).add(posting.group)
    groups = [group for group in texts.values() if group != {""}]
    assert groups
    assert all(len(group) == 1 for group in texts.values())


def test_most_row_changes_are_the_stamp_alone() -> None:
    """81 % on real boards: sites that touch a row, or a whole board, far outnumber those that say something new."""
    edits = sum(edit.rate for edit in EDITS.values() if "greenhouse" in edit.within)
    others = sum(kind.rate for kind in posting_noise("greenhouse") if kind.name != "touched")
    stamps = noise_kinds()["touched"].rate + noise_kinds()["board_touched"].rate
    assert 0.76 < stamps / (stamps + others + edits) < 0.86


def test_scale_changes_the_number_of_postings() -> None:
    counts = {scale: len(Market(1, scale=scale).truth) for scale in (0.2, 1.0, 3.0)}
    assert counts[0.2] < counts[1.0] < counts[3.0]
    assert counts[1.0] >= sum(company.size for company in COMPANIES)


def test_silent_edits_show_in_the_stamp_unless_unannounced() -> None:
    def stamp_stood_still(market: Market) -> int:
        market.advance()
        return sum(
            market.board(key[0]).find(key[1]).stamped < market.day  # type: ignore[union-attr]
            for key, names in market.happenings.items()
            if names == ("silent",) and key[0].startswith("tencent") and key in market.truth
        )

    announced, unannounced = Market(2, scale=5), Market(2, scale=5, unannounced=True)
    assert sum(stamp_stood_still(announced) for _ in range(4)) == 0
    assert sum(stamp_stood_still(unannounced) for _ in range(4)) > 0


def test_tencent_keeps_requirements_for_the_detail() -> None:
    board = Market(7).board("tencent:xinghe")
    posting = next(each for each in board.listed() if each.text.part("requirements"))
    row, detail = board.row(posting), board.detail(posting)
    assert detail is not None
    assert "Requirement" not in row
    data: Any = detail["Data"]
    assert data["PostId"] == row["PostId"]
    assert data["Requirement"].startswith("1、")
    assert "年" in str(row["LastUpdateTime"])


def test_greenhouse_escapes_the_description_once_more() -> None:
    board = Market(7).board("greenhouse:larkspur")
    content = str(board.row(board.listed()[0])["content"])
    assert "<" not in content
    assert "&amp;nbsp;" in content
    assert html.unescape(content).startswith('<div class="content-intro"><p>')


def get(url: str, body: object = None) -> tuple[int, Any]:
    """Status and JSON (or text) of an answer, to a POST where there is a body."""
    try:
        with urllib.request.urlopen(url, None if body is None else json.dumps(body).encode(), timeout=10) as answer:
            body = answer.read()
            status = answer.status
    except urllib.error.HTTPError as error:
        with error:
            body, status = error.read(), error.code
    try:
        return status, json.loads(body)
    except ValueError:
        return status, body.decode()


def test_the_server_speaks_as_tencent_does() -> None:
    with serving(Market(7)) as server:
        url = server.base_url("tencent:yunfan") + "/tencentcareer/api/post"
        pages = [get(f"{url}/Query?pageIndex={page}&pageSize=40&language=zh-cn")[1]["Data"] for page in (1, 2, 3, 4)]
        rows = [row for page in pages for row in page["Posts"] or []]
        assert {page["Count"] for page in pages} == {len(rows)} == {len({row["PostId"] for row in rows})}
        assert len(pages[0]["Posts"]) == 40
        status, detail = get(f"{url}/ByPostId?postId={rows[0]['PostId']}&language=zh-cn")
        assert (status, detail["Code"], detail["Data"]["PostId"]) == (200, 200, rows[0]["PostId"])
        assert get(f"{url}/ByPostId?postId=1") == (500, {"Code": 500, "Data": "E1005"})
        assert get(f"{url}/Query?pageIndex=0") == (500, {"Code": 500, "Data": "E1003"})
        assert get(server.base_url("tencent:yunfan") + "/robots.txt")[0] == 200
        assert [entry.path.rpartition("/")[2] for entry in server.log[:5]] == ["Query"] * 4 + ["ByPostId"]
        assert server.log[5].status == 500


def test_the_server_speaks_as_greenhouse_does_and_changes_its_day() -> None:
    with serving(Market(7)) as server:
        root = server.base_url("greenhouse:nordwerk") + "/v1/boards"
        status, first = get(f"{root}/nordwerk/jobs?content=true")
        assert status == 200
        assert first["meta"]["total"] == len(first["jobs"]) == len({job["id"] for job in first["jobs"]})
        assert [job["title"] for job in first["jobs"]] == sorted(job["title"] for job in first["jobs"])
        assert "content" not in get(f"{root}/nordwerk/jobs")[1]["jobs"][0]
        assert get(f"{root}/elsewhere/jobs")[0] == 404
        assert get(f"{root}/nordwerk/jobs?content=true")[1] == first
        server.advance()
        assert get(f"{root}/nordwerk/jobs?content=true")[1] != first


def test_the_server_speaks_as_lever_does() -> None:
    with serving(Market(7)) as server:
        root = server.base_url("lever:windrose") + "/v0/postings"
        status, jobs = get(f"{root}/windrose?mode=json")
        assert status == 200
        titles = [job["text"].partition(" (")[0] for job in jobs]
        assert titles == sorted(titles)
        assert len({job["id"] for job in jobs}) == len(jobs) > 60
        assert get(f"{root}/windrose?mode=json&skip=10&limit=5")[1] == jobs[10:15]
        assert get(f"{root}/windrose?mode=json&skip={len(jobs)}")[1] == []
        assert get(f"{root}/elsewhere?mode=json") == (404, {"ok": False, "error": "Document not found"})
        assert all(item["content"].startswith("<li>") for job in jobs for item in job["lists"])
        assert any(job.get("salaryRange") for job in jobs)
        assert not any("updatedAt" in job for job in jobs)


def test_the_server_speaks_as_join_qq_does() -> None:
    with serving(Market(7)) as server:
        api = server.base_url("joinqq:qinghe") + "/api/v1"
        search = f"{api}/position/searchPosition"
        pages = [get(search, {"pageIndex": page, "pageSize": 60})[1]["data"] for page in (1, 2, 3)]
        rows = [row for page in pages for row in page["positionList"]]
        assert {page["count"] for page in pages} == {len(rows)} == {len({row["postId"] for row in rows})}
        details = [get(f"{api}/jobDetails/getJobDetailsByPostId?postId={row['postId']}")[1] for row in rows]
        assert {detail["status"] for detail in details} == {0}
        assert {detail["data"]["recruitType"] for detail in details} == {1, 2}
        assert any(detail["data"]["topicDetail"] and not detail["data"]["desc"] for detail in details)
        gone = get(f"{api}/jobDetails/getJobDetailsByPostId?postId=1")
        assert gone == (404, {"status": 404, "message": "岗位已下架", "data": None})
        assert get(search, {"pageIndex": "x"})[1]["status"] == 1
        assert get(search)[0] == 404


def test_the_rivals_pay_for_noise() -> None:
    market, raw, daily = Market(7), RawRowHash(), EveryDay()
    for _ in range(5):
        for rival in (raw, daily):
            rival.observe(market)
        market.advance()
    assert sum(day.false_changes for day in raw.days) > 5 * sum(day.changed - day.false_changes for day in raw.days)
    assert sum(day.calls for day in daily.days) > 2 * sum(day.calls for day in raw.days)
    assert raw.days[0].changed == 0
