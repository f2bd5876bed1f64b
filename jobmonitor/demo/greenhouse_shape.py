"""Postings in the shape of Greenhouse's job board API: one object each, the description escaped once more."""

from __future__ import annotations

import datetime as dt
import html
from typing import Any
from zoneinfo import ZoneInfo

from jobmonitor.demo.companies import Company
from jobmonitor.demo.dress import extra_lines
from jobmonitor.demo.markup import framed, link, places, render, title_of
from jobmonitor.demo.postings import Posting, date_of
from jobmonitor.demo.texts import digest

_EASTERN = ZoneInfo("America/New_York")


def job(company: Company, posting: Posting, day: int, *, stamped: int = 0, key_arrived: bool = False) -> dict[str, Any]:
    """One element of `jobs`. `stamped` is the last day on which the whole board was touched."""
    row: dict[str, Any] = {
        "absolute_url": _address(company, posting),
        "data_compliance": [
            {"type": "gdpr", "requires_consent": bool(posting.wears("consent")), "retention_period": None}
        ],
        "internal_job_id": posting.opening_id,
        "location": {"name": "; ".join(places(posting))},
        "metadata": _metadata(posting),
        "id": posting.number,
        "updated_at": _stamp(posting, max(posting.stamped, stamped)),
        "requisition_id": f"R-{posting.opening_id}",
        "title": title_of(posting),
        "company_name": company.name,
        "first_published": _stamp(posting, posting.posted),
        "language": posting.language,
        "content": html.escape(description(company, posting, day), quote=True),
        "departments": [_named(posting.stated.department, parent_id=None)],
        "offices": [_named(place, location=place, parent_id=None) for place in posting.stated.locations],
    }
    return {**row, "application_deadline": None} if key_arrived else row


def description(company: Company, posting: Posting, day: int) -> str:
    """The description as HTML, the board's own text before and after it."""
    parts = [f'<div class="content-intro">{render(posting, posting.text.part("intro"))}</div>']
    parts.append(render(posting, posting.text.part("duties")))
    parts.append(render(posting, posting.text.part("requirements")))
    parts.append(link(company, posting))
    parts += [f"<p>{line}</p>" for line in extra_lines(posting, day)]
    parts.append(f'<div class="content-conclusion">{render(posting, posting.text.part("closing"))}</div>')
    return framed(posting, "\n".join(part for part in parts if part), day)


def _metadata(posting: Posting) -> list[dict[str, Any]]:
    pay = str(posting.stated.pay) if posting.stated.pay else None
    if pay and posting.wears("fact_spelling"):
        pay = pay.replace("–", "-").replace(" ", "\u00a0 ")
    fields = [
        _field(4100, "Salary Range", pay, "short_text"),
        _field(4101, "Employment Type", posting.stated.employment_type, "single_select"),
        _field(4102, "Internal Grade", "G7" if posting.wears("staff_field") else "G6", "short_text"),
    ]
    return fields * 2 if posting.wears("doubled_list") else fields


def _field(number: int, name: str, value: str | None, value_type: str) -> dict[str, Any]:
    return {"id": number, "name": name, "value": value, "value_type": value_type}


def _named(name: str, **more: Any) -> dict[str, Any]:
    return {"id": 4_000_000 + int(digest(name)[:5], 16), "name": name, "child_ids": [], **more}


def _stamp(posting: Posting, day: int) -> str:
    """A time of that day in US Eastern time, as the API writes it."""
    number = posting.number
    moment = dt.datetime.combine(date_of(day), dt.time(number % 4, number % 60, number % 53), _EASTERN)
    return moment.isoformat()


def _address(company: Company, posting: Posting) -> str:
    if posting.wears("moved_url"):
        return f"https://careers.{company.board}.example/open?gh_jid={posting.native_id}"
    return f"https://job-boards.greenhouse.io/{company.board}/jobs/{posting.native_id}"
