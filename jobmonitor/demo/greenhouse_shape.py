"""Postings in the shape of Greenhouse's job board API: one object each, the description escaped once more."""

from __future__ import annotations

import datetime as dt
import html
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from jobmonitor.demo.companies import Company
from jobmonitor.demo.dress import dress_line, extra_lines
from jobmonitor.demo.postings import Posting, date_of
from jobmonitor.demo.texts import NESTED, Block, digest

_EASTERN = ZoneInfo("America/New_York")

_HIDDEN = (
    '<span style="display:none">src-{mark}</span>',
    "<span hidden>ref {mark}</span>",
    '<span style="font-size:0">{mark}</span>',
    '<div aria-hidden="true" style="position:absolute;left:-9999px">{mark}</div>',
)
_MACHINERY = (
    "<!-- build {mark} -->",
    '<script>window.track("{mark}")</script>',
    '<img src="https://count.example/p.gif?i={mark}" width="1" height="1" alt="">',
)


def title_of(posting: Posting) -> str:
    """The title as printed, with the place in brackets where the advertisement is cross-posted."""
    bracket = f" ({posting.stated.locations[0]})" if posting.bracketed else ""
    return dress_line(posting, posting.text.title + bracket)


def job(company: Company, posting: Posting, day: int, *, stamped: int = 0, key_arrived: bool = False) -> dict[str, Any]:
    """One element of `jobs`. `stamped` is the last day on which the whole board was touched."""
    row: dict[str, Any] = {
        "absolute_url": _address(company, posting),
        "data_compliance": [
            {"type": "gdpr", "requires_consent": bool(posting.wears("consent")), "retention_period": None}
        ],
        "internal_job_id": posting.opening_id,
        "location": {"name": "; ".join(_places(posting))},
        "metadata": _metadata(posting),
        "id": int(posting.native_id),
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
    parts = [f'<div class="content-intro">{_blocks(posting, "intro")}</div>']
    parts.append(_blocks(posting, "duties"))
    parts.append(_blocks(posting, "requirements"))
    parts.append(_link(company, posting))
    parts += [f"<p>{line}</p>" for line in extra_lines(posting, day)]
    parts.append(f'<div class="content-conclusion">{_blocks(posting, "closing")}</div>')
    return _framed(posting, "\n".join(part for part in parts if part), day)


def _framed(posting: Posting, body: str, day: int) -> str:
    mark = digest([posting.native_id, day])
    for kind, forms in (("hidden_text", _HIDDEN), ("machinery", _MACHINERY)):
        since = posting.wears(kind)
        if since:
            body = body.replace("</p>", forms[since % len(forms)].format(mark=mark) + "</p>", 1)
    if posting.wears("attributes"):
        body = body.replace("<p>", '<p style="min-height:1.5em" data-id="p1">').replace("<li>", '<li class="x-li">')
        body = f'<div class="wrap"><div>{body}</div></div>'
    if posting.wears("entities"):
        body = body.replace("&#x27;", "&#39;").replace("&amp;", "&#38;").replace("€", "&euro;")
        body = body.replace("ü", "&uuml;").replace("+", "&#43;")
    return body


def _blocks(posting: Posting, part: str) -> str:
    return "\n".join(_RENDER[block.kind](posting, block) for block in posting.text.blocks if block.part == part)


def _inline(posting: Posting, line: str) -> str:
    text = html.escape(dress_line(posting, line)).replace("\u00a0", "&nbsp;")
    if not posting.wears("emphasis"):
        return text
    first, blank, rest = text.partition(" ")
    return f"<strong>{first}</strong>{blank}{rest}" if posting.wears("emphasis") % 2 else f"<em>{text}</em>"


def _heading(posting: Posting, block: Block) -> str:
    since = posting.wears("heading_levels")
    level = 2 + 2 * (since % 2) if since else 3
    return f"<h{level}>{_inline(posting, block.lines[0])}</h{level}>"


def _paragraph(posting: Posting, block: Block) -> str:
    return "".join(f"<p>{_inline(posting, line)}&nbsp;</p>" for line in block.lines)


def _list(tag: str) -> Callable[[Posting, Block], str]:
    def render(posting: Posting, block: Block) -> str:
        items: list[str] = []
        for line in block.lines:
            text = f"<li>{_inline(posting, line.removeprefix(NESTED))}</li>"
            if line.startswith(NESTED):
                inner = f"<ul>{text}</ul></li>"
                joined = items[-1].endswith("</ul></li>")
                items[-1] = items[-1].removesuffix("</ul></li>" if joined else "</li>") + (
                    f"{text}</ul></li>" if joined else inner
                )
            else:
                items.append(text)
        return f"<{tag}>\n" + "\n".join(items) + f"\n</{tag}>"

    return render


_RENDER: dict[str, Callable[[Posting, Block], str]] = {
    "heading": _heading,
    "paragraph": _paragraph,
    "bullets": _list("ul"),
    "numbers": _list("ol"),
}


def _link(company: Company, posting: Posting) -> str:
    query = (
        f"?utm_source=board&amp;utm_campaign={posting.wears('tracked_links')}" if posting.wears("tracked_links") else ""
    )
    return f'<p><a href="https://{company.board}.example/life{query}">{company.name}</a></p>'


def _places(posting: Posting) -> tuple[str, ...]:
    places = posting.stated.locations
    return places[::-1] if posting.wears("location_order") else places


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
    number = int(posting.native_id)
    moment = dt.datetime.combine(date_of(day), dt.time(number % 4, number % 60, number % 53), _EASTERN)
    return moment.isoformat()


def _address(company: Company, posting: Posting) -> str:
    if posting.wears("moved_url"):
        return f"https://careers.{company.board}.example/open?gh_jid={posting.native_id}"
    return f"https://job-boards.greenhouse.io/{company.board}/jobs/{posting.native_id}"
