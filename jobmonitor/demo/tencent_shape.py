"""Postings in the shape of careers.tencent.com: a list row without requirements, and a detail that adds them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobmonitor.demo.dress import dress_line, extra_lines
from jobmonitor.demo.postings import Posting, date_of
from jobmonitor.demo.texts import Block, Part

_NUMBERS = ("{n}、{line}", "{n}.{line}", "{n}. {line}", "{n}){line}", "{n}） {line}")
_BULLETS = ("•{line}", "▪{line}", "➢ {line}", "- {line}", "* {line}")


def title_of(posting: Posting) -> str:
    """The title as printed, with the place in brackets where the advertisement is cross-posted."""
    bracket = f"（{posting.stated.locations[0]}）" if posting.bracketed else ""
    return dress_line(posting, posting.text.title + bracket)


def list_row(posting: Posting, day: int, *, key_arrived: bool = False) -> dict[str, Any]:
    """One element of Data.Posts. The duties are in it, the requirements are not."""
    row: dict[str, Any] = {
        "Id": 0,
        "PostId": posting.native_id,
        "RecruitPostId": posting.opening_id,
        "RecruitPostName": title_of(posting),
        "CountryName": "中国",
        "LocationName": posting.stated.locations[0],
        "BGName": posting.stated.department,
        "ProductName": "",
        "CategoryName": posting.stated.category,
        "ComCode": "",
        "ComName": "",
        "Responsibility": plain_text(posting, "duties", day),
        "LastUpdateTime": f"{date_of(posting.stamped):%Y年%m月%d日}",
        "PostURL": _address(posting),
        "RequireWorkYearsName": posting.stated.experience,
        "SourceID": 2 if posting.wears("source_id") else 1,
        "IsCollect": bool(posting.wears("collected")),
        "IsValid": True,
    }
    return {**row, "OverseasTag": None} if key_arrived else row


def detail(posting: Posting, day: int, *, key_arrived: bool = False) -> dict[str, Any]:
    """The answer of ByPostId for a listed posting."""
    row = list_row(posting, day, key_arrived=key_arrived)
    extra = {
        "LocationId": len(posting.stated.locations[0]) * 7,
        "BGId": 29292 + len(posting.stated.department),
        "OuterPostTypeID": "40001001",
        "Requirement": plain_text(posting, "requirements", day),
        "Introduction": "",
        "PostLightItem": None,
        "ImportantItem": "",
    }
    return {"Code": 200, "Data": {**row, **extra}}


def plain_text(posting: Posting, part: Part, day: int) -> str:
    """One part of the text as Tencent prints it: plain lines with marks typed by hand."""
    lines = [line for block in posting.text.part(part) for line in _arranged(posting, block)]
    if part == "duties":
        lines += extra_lines(posting, day)
    ends = posting.wears("line_ends")
    return ("\r\n\r\n" if ends % 2 else "\n \n" if ends else "\n").join(lines) + "\n"


def _arranged(posting: Posting, block: Block) -> list[str]:
    """A block's lines as they are set out: one under the other, or run together, or indented."""
    lines = list(_printed(posting, block))
    if len(lines) > 1 and posting.wears(f"glued_{block.kind}"):
        lines = ["".join(lines)]
    if posting.wears("starred") and len(lines) == 1 and lines[0].endswith("："):
        lines = [f"**{lines[0]}**"]
    since = posting.wears("indents")
    return [("\u3000\u3000", "\ufeff")[since % 2] + line for line in lines] if since else lines


def _printed(posting: Posting, block: Block) -> Iterator[str]:
    marks = {"numbers": _mark(_NUMBERS, posting, "list_marks"), "bullets": _mark(_BULLETS, posting, "bullets")}
    form = marks.get(block.kind, "{line}")
    for number, line in enumerate(block.lines, start=1):
        yield form.replace("{n}", str(number)).replace("{line}", dress_line(posting, line))


def _mark(forms: tuple[str, ...], posting: Posting, kind: str) -> str:
    since = posting.wears(kind)
    return forms[1 + since % (len(forms) - 1)] if since else forms[0]


def _address(posting: Posting) -> str:
    named = "0" if posting.wears("moved_url") else posting.native_id
    return f"http://careers.tencent.com/jobdesc.html?postId={named}"
