"""join.qq.com, Tencent's campus and internship hiring (校招, 实习): numbered pages by POST, then one detail each.

List `POST /api/v1/position/searchPosition` with a JSON body, detail `GET /api/v1/jobDetails/getJobDetailsByPostId`;
both work without login or script. Success is `status` 0. An empty `projectMappingIdList` asks for all recruit projects
at once (projects close with their season, so a listing of each could never be proven to its end), and `count` is the
total of that whole. The project stands in each row and is a fact; one text is often posted under several projects, each
time with its own id. A withdrawn posting answers 404 with 岗位已下架; a bare 404 says nothing.

Most postings state `desc` and `request`; those of the talent plan 青云计划 state `topicDetail` and `topicRequirement`
instead, or the texts of their first direction in `subDirectionDtos`. Rows from Workday (jobs abroad) have no text here:
they are postings with a title alone. There is no pay, date, degree or deadline. Social hiring is the system `tencent`.

Other employers' sites of the same shape are crawled with `-a board=NAME -a base_url=URL`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar
from urllib.parse import urlencode

import orjson
from scrapy.http import Request, Response

from jobmonitor.crawling.answers import json_value
from jobmonitor.crawling.fields import Fields, UnreadableRecord, as_text, web_address
from jobmonitor.crawling.numbered import NumberedPagesSpider, rows_or_none
from jobmonitor.crawling.spider import JobSpider, Reading, Row
from jobmonitor.domain.facts import recruit_type
from jobmonitor.items import Facts, PostingKey, RawPosting, Section

#: What the page asks for when no filter is set.
SEARCH: Mapping[str, Any] = {
    "projectIdList": [],
    "projectMappingIdList": [],
    "bgList": [],
    "workCityList": [],
    "recruitCityList": [],
    "positionFidList": [],
    "keyword": "",
    "workCountryType": 0,
}

#: Parts of the document, each under the heading of the first field that states it.
PARTS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("introduction", "岗位介绍"),),
    (("desc", "岗位职责"), ("topicDetail", "课题介绍"), ("subDirection.desc", "岗位职责")),
    (("request", "任职要求"), ("topicRequirement", "课题要求"), ("subDirection.request", "任职要求")),
)
#: A detail without any of these keys has another shape, and no empty text.
BODIES = ("desc", "topicDetail", "subDirectionDtos")
#: The field of the remarks that the page shows, by `recruitType`; it never shows the other one.
REMARKS: Mapping[str, str] = {"1": "graduateBonus", "2": "internBonus"}
#: `recruitType` in words, for a posting whose label and project do not say what they are.
RECRUIT_TYPES: Mapping[str, str] = {"1": "校招", "2": "实习"}

#: Out of scope in row and detail: internal numbers, unit trees, interview cities, marks of the page.
IGNORED = frozenset(
    {
        "fid",
        "graduateBonus",
        "groupTag",
        "id",
        "intentionBGDList",
        "internBonus",
        "isQingyun",
        "position",
        "positionFamily",
        "positionSource",
        "projectId",
        "recruitCityList",
        "techTagName",
        "tid",
        "workCity",
    }
)
#: Those of them of which one is read, and so belongs to the record's identity.
REMARKED = frozenset(REMARKS.values())


class JoinqqSpider(NumberedPagesSpider):
    """Every open posting of join.qq.com, or of a board of the same shape."""

    name = "joinqq"
    system = "joinqq"
    boards = "optional"
    base_url = "https://join.qq.com"
    not_identity: ClassVar[tuple[str, ...]] = (
        *(f"list.{name}" for name in sorted(IGNORED - REMARKED)),
        *(f"detail.data.{name}" for name in sorted(IGNORED - REMARKED)),
        "detail.message",
    )
    #: A missing page is an error of the gateway: only the site's own word closes.
    closed_statuses = frozenset()
    # A row has neither text nor stamp, so nothing in it tells that a detail was edited.
    custom_settings = {**(JobSpider.custom_settings or {}), "DETAIL_MAX_AGE": 0}
    #: Out of season the list is short, and it may be empty between two.
    plausible = (0, 5_000)

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        if self.board:
            self.plausible = JobSpider.plausible  # another employer's size is not Tencent's

    def page_request(self, page: int) -> Request:
        """One page of the search without a filter."""
        body = {**SEARCH, "pageIndex": page, "pageSize": self.page_size}
        return self.list_request(
            f"{self.base_url}/api/v1/position/searchPosition",
            page=page,
            method="POST",
            body=orjson.dumps(body),
            headers={"Content-Type": "application/json"},
        )

    def is_answer(self, response: Response, data: Any) -> bool:
        """`status` 0 and an object as `data`."""
        return isinstance(data, dict) and data.get("status") == 0 and isinstance(data.get("data"), dict)

    def page_total(self, data: Any) -> object:
        """`count`."""
        return data["data"].get("count")

    def page_rows(self, data: Any, page: int) -> list[Any] | None:
        """`positionList`, null where there are none."""
        answer = data["data"]
        rows, present = answer.get("positionList"), "positionList" in answer
        return rows_or_none(rows, present=present, page=page, total=answer.get("count"))

    def row_id(self, row: Row) -> str | None:
        """`postId`; the row's own `id` is another number."""
        value = row.get("postId")
        return value.strip() if isinstance(value, str) else None

    def detail_url(self, row: Row) -> str | None:
        """Address of the detail, which alone has the text; None for a job whose text is on Workday."""
        if is_elsewhere(row):
            return None
        query = urlencode({"postId": row["postId"].strip()})
        return f"{self.base_url}/api/v1/jobDetails/getJobDetailsByPostId?{query}"

    def probe_url(self, native_id: str) -> str:
        """The detail again."""
        return f"{self.base_url}/api/v1/jobDetails/getJobDetailsByPostId?{urlencode({'postId': native_id})}"

    def shows(self, data: Any, native_id: str) -> bool:
        """The detail names the posting."""
        return self.is_detail_of({"postId": native_id}, data)

    def is_detail_of(self, row: Row, data: Any) -> bool:
        """The detail names its posting; that of a project's own template (`postId` below 0) by `id` alone."""
        detail = data["data"]
        named = detail.get("id") if detail.get("postId") is None else detail["postId"]
        return str(named).strip() == self.row_id(row)

    def closed_signal(self, response: Response) -> str | None:
        """岗位已下架 with 404, as the answer's status or as its own `status`."""
        data = json_value(response)
        if not isinstance(data, dict) or 404 not in {response.status, data.get("status")}:
            return None
        message = data.get("message")
        return message.strip() if isinstance(message, str) and "下架" in message else None

    @classmethod
    def read(cls, record: Mapping[str, Any], source: str) -> Reading:
        """Read a row and its detail; where both state a field, the detail is the fuller one."""
        row = Fields(record["list"], "list")
        answer = record.get("detail")
        detail = Fields(whole_detail(answer) if answer is not None else {}, "detail.data")
        native_id = row.pop_text("postId").strip()
        detail.maybe("postId")
        listed_title, address = row.pop_text("positionTitle"), web_address(row.maybe_text("positionUrl"))
        code = detail.maybe_text("recruitType") or ""
        posting = RawPosting(
            key=PostingKey(source=source, native_id=native_id),
            title=detail.maybe_text("title") or listed_title,
            sections=tuple(read_sections(detail, code)),
            facts=read_facts(row, detail, code),
            url=page_address(source, native_id, address),
            **cls.sealed(record),
        )
        return Reading(posting, row.unread(IGNORED) | detail.unread(IGNORED))


def whole_detail(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The detail's fields; one without a key for the text is half a posting."""
    data: Mapping[str, Any] = answer["data"]
    if not any(name in data for name in BODIES):
        raise UnreadableRecord(f"detail.data has none of {', '.join(BODIES)}")
    return data


def is_elsewhere(row: Row) -> bool:
    """Whether the row only points at a posting on Workday."""
    source, address = row.get("positionSource"), row.get("positionUrl")
    return source == "workday" and isinstance(address, str) and web_address(address) is not None


def page_address(source: str, native_id: str, elsewhere: str | None) -> str | None:
    """The page for people; another employer's board has none that is known."""
    if elsewhere or source != JoinqqSpider.system:
        return elsewhere
    return f"https://join.qq.com/post_detail.html?{urlencode({'postid': native_id})}"


def read_sections(detail: Fields, code: str) -> Iterator[Section]:
    """The texts that the page shows, as plain text."""
    texts = first_direction(detail.maybe("subDirectionDtos"))
    texts |= {name: detail.maybe_text(name) for part in PARTS for name, _ in part if name not in texts}
    for part in PARTS:
        stated = (Section(heading=title, body=text, format="text") for name, title in part if (text := texts[name]))
        yield from islice(stated, 1)
    if remarks := detail.maybe_text(REMARKS.get(code, "")):
        yield Section(heading="加分项或注意事项", body=remarks, format="text")


def first_direction(directions: object) -> dict[str, str | None]:
    """Duties and requirements of the first direction, the one that the page opens with."""
    if directions is not None and not isinstance(directions, list):
        raise UnreadableRecord(f"detail.data.subDirectionDtos is not a list but {type(directions).__name__}")
    shown = Fields(directions[0], "subDirectionDtos").maybe("subDirection") if directions else None
    texts = Fields(shown or {}, "subDirection")
    return {f"subDirection.{name}": texts.maybe_text(name) for name in ("desc", "request")}


def read_facts(row: Fields, detail: Fields, code: str) -> Facts:
    """What the site states as fields."""
    project, label = (stated(row, detail, name) for name in ("projectName", "recruitLabelName"))
    units = (row.maybe_text("bgs") or "").split()
    return Facts(
        locations=read_cities(row, detail),
        department=", ".join(sorted(set(units))) or None,
        category=detail.maybe_text("tidName"),
        recruit_type=stated_type(label, project) or RECRUIT_TYPES.get(code),
        project=project or label,
    )


def stated(row: Fields, detail: Fields, name: str) -> str | None:
    """A field that row and detail both state; the detail's word counts, the row's where that is silent."""
    from_row, from_detail = row.maybe_text(name), detail.maybe_text(name)
    return from_detail or from_row


def stated_type(*texts: str | None) -> str | None:
    """The first of the site's own words that say what kind of hiring it is: 应届毕业生, 日常实习, 实习生 青云计划."""
    return next((text for text in texts if recruit_type(text)), None)


def read_cities(row: Fields, detail: Fields) -> tuple[str, ...]:
    """`workCityList`; where the detail has none, the row's `workCities`, one text with blanks between the names."""
    listed, cities = row.maybe_text("workCities"), detail.maybe("workCityList")
    if cities is not None and not isinstance(cities, list):
        raise UnreadableRecord(f"detail.data.workCityList is not a list but {type(cities).__name__}")
    names = [as_text(each, "detail.data.workCityList") or "" for each in cities or ()]
    return unique(names) or unique((listed or "").split())


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Trimmed, blank ones dropped, each once, in order."""
    return tuple(dict.fromkeys(text for value in values if (text := value.strip())))
