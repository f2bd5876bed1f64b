"""Postings in the shape of join.qq.com: a list row without any text, and a detail that has it."""

from __future__ import annotations

from typing import Any

from jobmonitor.demo.markup import places
from jobmonitor.demo.postings import Posting
from jobmonitor.demo.tencent_shape import plain_text, title_of

#: Label of a recruit project: the project's name, its number, and the site's `recruitType`.
PROJECTS: dict[str, tuple[str, int, int]] = {
    "应届毕业生": ("2027校园招聘", 1, 1),
    "应届毕业生 青云计划": ("青云计划-应届生", 14, 1),
    "应届实习": ("2027实习生招聘", 2, 2),
    "日常实习": ("日常实习", 104, 2),
}


def list_row(posting: Posting, *, key_arrived: bool = False) -> dict[str, Any]:
    """One element of data.positionList."""
    label = posting.stated.employment_type or ""
    project, number, _ = PROJECTS[label]
    blank = "  " if posting.wears("unit_order") else " "
    row: dict[str, Any] = {
        "id": posting.opening_id,
        "position": posting.opening_id % 1000,
        "positionTitle": title_of(posting),
        "positionFamily": 1,
        "projectId": number,
        "bgs": posting.stated.department + blank,
        "workCities": "".join(f"{place} " for place in places(posting)),
        "positionUrl": None,
        "positionSource": "oa",
        "projectName": project,
        "recruitLabelName": label,
        "groupTag": "急招" if posting.wears("card_tag") else None,
        "postId": posting.native_id,
    }
    return {**row, "overseasTag": None} if key_arrived else row


def detail(posting: Posting, day: int) -> dict[str, Any]:
    """The answer of getJobDetailsByPostId for a listed posting."""
    label = posting.stated.employment_type or ""
    project, number, kind = PROJECTS[label]
    talent = "青云计划" in label
    duties, requirements = plain_text(posting, "duties", day), plain_text(posting, "requirements", day)
    data = {
        "postId": posting.native_id,
        "id": posting.opening_id,
        "tid": 40001,
        "tidName": posting.stated.category,
        "fid": 1,
        "title": title_of(posting),
        "desc": "" if talent else duties,
        "request": "" if talent else requirements,
        "topicDetail": duties if talent else "",
        "topicRequirement": requirements if talent else "",
        "introduction": "",
        "graduateBonus": "",
        "internBonus": "",
        "isQingyun": int(talent),
        "workCity": "",
        "workCityList": list(places(posting)),
        "intentionBGDList": [],
        "subDirectionDtos": [],
        "projectId": number,
        "projectName": project,
        "recruitType": kind,
        "recruitLabelName": label,
    }
    return {"status": 0, "message": "", "data": data}
