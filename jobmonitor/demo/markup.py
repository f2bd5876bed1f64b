"""HTML as the editors of hosted job boards write it, with the noise they wear."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable

from jobmonitor.demo.companies import Company
from jobmonitor.demo.dress import dress_line
from jobmonitor.demo.postings import Posting
from jobmonitor.demo.texts import NESTED, Block, digest

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


def places(posting: Posting) -> tuple[str, ...]:
    """The stated places in the order of the day, which means nothing."""
    stated = posting.stated.locations
    return stated[::-1] if posting.wears("location_order") else stated


def framed(posting: Posting, body: str, day: int) -> str:
    """A text with what stands around and inside it without being seen."""
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


def render(posting: Posting, blocks: Iterable[Block]) -> str:
    """Blocks one under the other."""
    return "\n".join(_RENDER[block.kind](posting, block) for block in blocks)


def inline(posting: Posting, line: str) -> str:
    """A line's words."""
    text = html.escape(dress_line(posting, line)).replace("\u00a0", "&nbsp;")
    if not posting.wears("emphasis"):
        return text
    first, blank, rest = text.partition(" ")
    return f"<strong>{first}</strong>{blank}{rest}" if posting.wears("emphasis") % 2 else f"<em>{text}</em>"


def _heading(posting: Posting, block: Block) -> str:
    since = posting.wears("heading_levels")
    level = 2 + 2 * (since % 2) if since else 3
    return f"<h{level}>{inline(posting, block.lines[0])}</h{level}>"


def _paragraph(posting: Posting, block: Block) -> str:
    return "".join(f"<p>{inline(posting, line)}&nbsp;</p>" for line in block.lines)


def items(posting: Posting, block: Block) -> str:
    """The items of a list, without the element around them."""
    rendered: list[str] = []
    for line in block.lines:
        text = f"<li>{inline(posting, line.removeprefix(NESTED))}</li>"
        if line.startswith(NESTED):
            inner = f"<ul>{text}</ul></li>"
            joined = rendered[-1].endswith("</ul></li>")
            rendered[-1] = rendered[-1].removesuffix("</ul></li>" if joined else "</li>") + (
                f"{text}</ul></li>" if joined else inner
            )
        else:
            rendered.append(text)
    return "\n".join(rendered)


def _list(tag: str) -> Callable[[Posting, Block], str]:
    return lambda posting, block: f"<{tag}>\n{items(posting, block)}\n</{tag}>"


_RENDER: dict[str, Callable[[Posting, Block], str]] = {
    "heading": _heading,
    "paragraph": _paragraph,
    "bullets": _list("ul"),
    "numbers": _list("ol"),
}


def link(company: Company, posting: Posting) -> str:
    """A link to the company's own pages."""
    query = (
        f"?utm_source=board&amp;utm_campaign={posting.wears('tracked_links')}" if posting.wears("tracked_links") else ""
    )
    return f'<p><a href="https://{company.board}.example/life{query}">{company.name}</a></p>'
