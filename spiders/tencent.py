"""Tencent 腾讯 careers.tencent.com: numbered list pages, then one detail per posting.

List `GET /tencentcareer/api/post/Query`, detail `GET /tencentcareer/api/post/ByPostId`; both work without
login or script. Only the detail has the requirements (任职要求), so a list alone is half a posting. Success is
`Code` 200 inside HTTP 200; a closed posting answers HTTP 500 with `{"Code":500,"Data":"E1005"}`, while
E1003 means a bad argument and says nothing. There is no pay, degree or deadline; `LastUpdateTime` is a
stamp of the last save, not a posting date, and moves for every posting now and then. One text is
posted once per city under its own id. Campus hiring (join.qq.com) is another system.

Other employers' sites of the same shape are crawled with `-a board=NAME -a base_url=URL`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

from scrapy.http import Request, Response

from jobmonitor.crawling.answers import json_value
from jobmonitor.crawling.fields import Fields, web_address
from jobmonitor.crawling.numbered import NumberedPagesSpider, rows_or_none
from jobmonitor.crawling.spider import JobSpider, Reading, Row
from jobmonitor.items import Facts, PostingKey, RawPosting, Section

#: Texts of the detail and their headings, in the order of the document.
SECTIONS = (
    ("Introduction", "部门介绍"),
    ("Responsibility", "岗位职责"),
    ("Requirement", "任职要求"),
    ("ImportantItem", "加分项"),
    ("PostLightItem", "岗位亮点"),
)

#: Out of scope: the visitor's own marks, internal numbers, names of parent units, stamps.
IGNORED = frozenset(
    {
        "BGId",
        "CategoryId",
        "ComCode",
        "ComName",
        "Id",
        "IsCollect",
        "IsValid",
        "LastUpdateTime",
        "LocationId",
        "OuterPostTypeID",
        "PostURL",  # read for other employers' boards alone
        "ProductName",
        "RecruitPostId",
        "SourceID",
    }
)


class TencentSpider(NumberedPagesSpider):
    """Every open posting of careers.tencent.com, or of a board of the same shape."""

    name = "tencent"
    system = "tencent"
    boards = "optional"
    base_url = "https://careers.tencent.com"
    not_identity: ClassVar[tuple[str, ...]] = (
        *(f"list.{name}" for name in sorted(IGNORED)),
        *(f"detail.Data.{name}" for name in sorted(IGNORED)),
        "detail.Timestamp",
    )
    refetch_hints = ("list.LastUpdateTime",)
    #: A missing page is an error of the gateway, not a word about a posting: only E1005 closes.
    closed_statuses = frozenset()
    plausible = (500, 20_000)

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        if self.board and self.plausible == TencentSpider.plausible:
            self.plausible = JobSpider.plausible  # another employer's size is not Tencent's

    def page_request(self, page: int) -> Request:
        """One page of the list."""
        query = urlencode({"pageIndex": page, "pageSize": self.page_size, "language": "zh-cn", "area": "cn"})
        return self.list_request(f"{self.base_url}/tencentcareer/api/post/Query?{query}", page=page)

    def is_answer(self, response: Response, data: Any) -> bool:
        """`Code` 200 and an object as `Data`; bad arguments answer another code with `Data` null."""
        return isinstance(data, dict) and data.get("Code") == 200 and isinstance(data.get("Data"), dict)

    def page_total(self, data: Any) -> object:
        """`Count`."""
        return data["Data"].get("Count")

    def page_rows(self, data: Any, page: int) -> list[Any] | None:
        """`Posts`, null where there are none."""
        answer = data["Data"]
        return rows_or_none(answer.get("Posts"), present="Posts" in answer, page=page, total=answer.get("Count"))

    def row_id(self, row: Row) -> str | None:
        """`PostId`; `Id` is always 0."""
        value = row.get("PostId")
        return value.strip() if isinstance(value, str) and value.strip() != "0" else None

    def detail_url(self, row: Row) -> str | None:
        """Address of the detail, which alone has the requirements."""
        return self.probe_url(row["PostId"].strip())

    def probe_url(self, native_id: str) -> str:
        """The detail again."""
        query = urlencode({"postId": native_id, "language": "zh-cn"})
        return f"{self.base_url}/tencentcareer/api/post/ByPostId?{query}"

    def shows(self, data: Any, native_id: str) -> bool:
        """The detail names the posting."""
        return self.row_id(data["Data"]) == native_id

    def is_detail_of(self, row: Row, data: Any) -> bool:
        """The detail names its posting."""
        return bool(self.row_id(data["Data"]) == self.row_id(row))

    def closed_signal(self, response: Response) -> str | None:
        """E1005 is the site's word for a withdrawn posting."""
        data = json_value(response)
        closed = isinstance(data, dict) and data.get("Code") == 500 and data.get("Data") == "E1005"
        return "E1005" if closed else None

    @classmethod
    def read(cls, record: Mapping[str, Any], source: str) -> Reading:
        """Read a row and its detail; where both state a field, the detail is the fuller one."""
        row, detail = Fields(record["list"], "list"), Fields(record["detail"]["Data"], "detail.Data")
        native_id = detail.pop_text("PostId").strip()
        row.pop("PostId")
        posting = RawPosting(
            key=PostingKey(source=source, native_id=native_id),
            title=stated(row, detail, "RecruitPostName") or "",
            sections=read_sections(row, detail),
            facts=read_facts(row, detail),
            url=page_address(source, native_id, stated(row, detail, "PostURL")),
            **cls.sealed(record),
        )
        return Reading(posting, row.unread(IGNORED) | detail.unread(IGNORED))


def page_address(source: str, native_id: str, post_url: str | None) -> str | None:
    """The page for people. Tencent's own `PostURL` is http, sometimes postId=0 and sometimes another site."""
    if source == TencentSpider.system:
        return f"https://careers.tencent.com/jobdesc.html?{urlencode({'postId': native_id})}"
    return web_address(post_url)


def stated(row: Fields, detail: Fields, name: str) -> str | None:
    """A field that row and detail both state; the detail's word counts, the row's where that is silent."""
    from_row, from_detail = row.maybe_text(name), detail.maybe_text(name)
    return from_detail or from_row


def read_sections(row: Fields, detail: Fields) -> tuple[Section, ...]:
    """The texts that the site keeps apart, as plain text. The detail must have the key of the requirements."""
    texts = {name: stated(row, detail, name) for name, _ in SECTIONS if name != "Requirement"}
    row.maybe("Requirement")
    texts["Requirement"] = detail.pop_text("Requirement")
    return tuple(
        Section(heading=heading, body=text, format="text") for name, heading in SECTIONS if (text := texts[name])
    )


def read_facts(row: Fields, detail: Fields) -> Facts:
    """What the site states as fields."""
    place, country = stated(row, detail, "LocationName"), stated(row, detail, "CountryName")
    where = place or country
    return Facts(
        locations=(where,) if where else (),
        department=stated(row, detail, "BGName"),
        category=stated(row, detail, "CategoryName"),
        experience=stated(row, detail, "RequireWorkYearsName"),
    )
