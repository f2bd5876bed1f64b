"""Postings in the shape of Lever's postings API: the text in parts, its lists as bare items, no stamp of an edit."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from jobmonitor.demo.companies import Company
from jobmonitor.demo.dress import dress_line, extra_lines
from jobmonitor.demo.markup import framed, items, link, places, render, title_of
from jobmonitor.demo.postings import Pay, Posting, date_of
from jobmonitor.demo.texts import Block


def job(company: Company, posting: Posting, day: int, *, key_arrived: bool = False) -> dict[str, Any]:
    """One element of the board's list."""
    opening, body = render(posting, posting.text.part("intro")), _body(company, posting, day)
    row: dict[str, Any] = {
        "id": posting.native_id,
        "text": title_of(posting),
        "categories": _categories(posting),
        "country": None,
        "workplaceType": "remote" if "Remote" in posting.stated.locations else "on-site",
        "createdAt": _created(posting),
        "opening": opening,
        "openingPlain": _twin(posting, 0),
        "description": framed(posting, opening + body, day),
        "descriptionPlain": _twin(posting, 1),
        "descriptionBody": body,
        "descriptionBodyPlain": _twin(posting, 2),
        "lists": [
            {"text": dress_line(posting, head), "content": framed(posting, items(posting, block), day)}
            for head, block in _lists(posting)
        ],
        "additional": render(posting, posting.text.part("closing")),
        "additionalPlain": _twin(posting, 3),
        "hostedUrl": f"https://jobs.lever.co/{_site(company, posting)}/{posting.native_id}",
        "applyUrl": f"https://jobs.lever.co/{company.board}/{posting.native_id}/apply{_query(posting)}",
    }
    if posting.stated.pay:
        row["salaryRange"] = _range(posting.stated.pay)
    return {**row, "salaryDescription": None} if key_arrived else row


def _body(company: Company, posting: Posting, day: int) -> str:
    listed = {id(block) for _, block in _lists(posting)}
    heads = {id(block) for block in _heads(posting)}
    told = (each for each in posting.text.part("duties", "requirements") if id(each) not in listed | heads)
    lines = [f"<p>{line}</p>" for line in extra_lines(posting, day)]
    return "\n".join([render(posting, told), link(company, posting), *lines])


def _lists(posting: Posting) -> Iterator[tuple[str, Block]]:
    """The lists with the words of the headings before them; each list of the western texts has one."""
    head = ""
    for block in posting.text.part("duties", "requirements"):
        if block.kind == "heading":
            head = block.lines[0]
        elif block.kind in {"bullets", "numbers"}:
            yield head, block


def _heads(posting: Posting) -> Iterator[Block]:
    """The headings of the lists."""
    blocks = posting.text.part("duties", "requirements")
    for block, following in pairwise(blocks):
        if block.kind == "heading" and following.kind in {"bullets", "numbers"}:
            yield block


def _categories(posting: Posting) -> dict[str, Any]:
    stated, shown = posting.stated, places(posting)
    categories = {
        "location": shown[0],
        "allLocations": list(shown),
        "department": stated.department,
        "team": stated.category,
    }
    return {**categories, "commitment": stated.employment_type} if stated.employment_type else categories


def _range(pay: Pay) -> dict[str, Any]:
    interval = "per-hour-wage" if pay.by_the_hour else "per-year-salary"
    return {"currency": "USD", "interval": interval, "min": pay.low, "max": pay.high}


def _created(posting: Posting) -> int:
    """Milliseconds since 1970, at a time of day of its own."""
    moment = dt.datetime.combine(date_of(posting.posted), dt.time(posting.number % 6, posting.number % 60), dt.UTC)
    return int(moment.timestamp()) * 1000 + posting.number % 1000


def _twin(posting: Posting, place: int) -> str:
    """A text without markup; Lever cuts them in its own way, and nobody should read them."""
    return f"{posting.text.title} {place}" + "\n" * posting.wears("plain_twin")


def _site(company: Company, posting: Posting) -> str:
    return f"{company.board}-1" if posting.wears("moved_url") else company.board


def _query(posting: Posting) -> str:
    return f"?lever-source=board{posting.wears('apply_url')}" if posting.wears("apply_url") else ""
