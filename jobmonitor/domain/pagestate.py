"""What a page for people is: a posting, or one of the things that sites send in its place, whatever the status says.

Walls, login and maintenance pages are answers that say nothing; a closed text is a word against the posting; neither
may be hashed as content or counted as an empty board. A doubt is never `closed`: a closed text is a whole sentence of
its own, shown, and said of the page's own posting; prose is not searched for it. The patterns, with their sources, are
in pagestate.toml. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from jobmonitor.domain.pageaddress import Address, is_elsewhere, job_address, leads_to_listing, read_address
from jobmonitor.domain.pagepatterns import Pattern, compared_with
from jobmonitor.domain.pagetext import Line, Page, plain, read_page, title_parts, trimmed, weight

PageState: TypeAlias = Literal[
    "posting", "closed", "listing", "wall", "login", "maintenance", "spa_shell", "not_found", "unknown"
]

#: Characters of source that are looked at: more tells nothing more.
LOOKED_AT = 1_000_000
#: Weight of the prose up to which a wall, maintenance or a missing page is looked for, and a login.
SHORT, FORM = 1_500, 600
#: Weight of the text of a page that is nothing without its scripts.
SHELL = 200
#: Characters of a line that may be a notice, alone on a page and beside a posting.
NOTICE, BANNER = 300, 160
#: Lines that are searched, from the top and from the end.
_TOP, _END = 3_000, 300
#: Weight of prose that makes a page with two marks of a posting, with a section, with an apply button, a posting.
_MARKED, _SECTIONED, _APPLIED = 60, 120, 100
#: Distinct links to postings that make a page without a posting's text a listing.
_SOME_JOBS = 2
#: How often one heading stands on a page of many postings.
_OFTEN = 3
_EVIDENCE = 120

#: Statuses that tell of a posting that is not there.
_MISSING = frozenset({404, 410})
#: Statuses that are an answer of the site's door, not of its login.
_THROTTLES = frozenset({405, 429})


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVerdict:
    """What a page is, and what shows it."""

    state: PageState
    evidence: str


def _verdict(state: str, evidence: str) -> PageVerdict:
    return PageVerdict(state=cast("PageState", state), evidence=evidence[:_EVIDENCE])


def judge_page(
    html: str, *, url: str = "", status: int = 200, final_url: str | None = None, content_type: str | None = None
) -> PageVerdict:
    """What a page is.

    Args:
        html: the decoded body.
        url: the address that was asked for.
        status: HTTP status.
        final_url: the address that answered, where a redirect led elsewhere.
        content_type: Content-Type header.
    """
    page = read_page(html[:LOOKED_AT]) if html.strip() and _is_for_people(html, content_type) else None
    asked, final = read_address(url), read_address(final_url) if final_url else None
    redirect = _redirected(asked, final) if asked and final and is_elsewhere(asked, final) else None
    if not 200 <= status < 300:
        return _judge_error(status, page, redirect)
    if page is None:
        return redirect or _verdict("unknown", "an empty body" if not html.strip() else "data, not a page for people")
    return _judge_page(page, redirect)


_FOR_PEOPLE = ("text/", "application/xhtml", "application/xml")
_DATA = re.compile(
    r"[\s\ufeff]{0,50}(?:[{\[]|%PDF|PK\x03|\ufffd?PNG|(?:<\?xml[^>]{0,200}>\s{0,50})?<(?:rss|feed|urlset|sitemapindex|rdf:RDF)\b)"
)


def _is_for_people(html: str, content_type: str | None) -> bool:
    """Whether a body is a page or a text, no data, document or feed."""
    kind = (content_type or "").strip().lower()
    if kind and not kind.startswith(_FOR_PEOPLE) and not html.lstrip("\ufeff \r\n\t").startswith("<"):
        return False
    return _DATA.match(html) is None


def _judge_error(status: int, page: Page | None, redirect: PageVerdict | None) -> PageVerdict:
    """An answer that is no success: only a wall, maintenance or a login is read out of its body."""
    if page is not None and page.prose <= SHORT and _content(page) is None:
        found = _wall(page) or _maintenance(page)
        if found is None and status not in _MISSING | _THROTTLES and status < 500:
            found = _login(page)
        if found is not None:
            return found
    if status in _MISSING:
        return _verdict("not_found", f"status {status}")
    if status in {401, 407}:
        return _verdict("login", f"status {status}")
    return redirect if redirect and 300 <= status < 400 else _verdict("unknown", f"status {status}")


def _judge_page(page: Page, redirect: PageVerdict | None) -> PageVerdict:
    """An answer that calls itself a success."""
    content = _content(page)
    short = content is None and page.prose <= SHORT
    if short and (wall := _wall(page)):
        return wall
    in_the_way = redirect if redirect and redirect.state in {"wall", "login", "maintenance"} else None
    found = (None if content else in_the_way) or _closed(page, content)
    if found is None and redirect is not None and redirect.state == "listing":
        found = redirect
    found = found or content or (_instead(page) if short else None)
    return (
        found
        or redirect
        or _listing(page)
        or _loose_posting(page)
        or _shell(page)
        or _verdict("unknown", f"{page.shown} visible characters, none of them telling")
    )


def _instead(page: Page) -> PageVerdict | None:
    """What a page with little text shows in place of a posting."""
    found = _maintenance(page) or _phrase(page, "not_found")
    if found is None and len(_job_links(page)) < _SOME_JOBS:
        found = _login(page) or _check_with_library(page)
    return found


# --- redirects ----------------------------------------------------------------------------------------------------


def _redirected(asked: Address, final: Address) -> PageVerdict | None:
    """What the address says that answered in place of the one asked for."""
    shown = f"redirected to {final.host}{final.text}"
    for pattern in compared_with("address"):
        if pattern.part(final.text) and not pattern.part(asked.text):
            return _verdict(pattern.state, shown)
    if final.asks_for_a_login and asked.host != final.host:
        return _verdict("login", shown)
    return _verdict("listing", shown) if leads_to_listing(asked, final) else None


# --- walls, maintenance, missing pages, logins --------------------------------------------------------------------


def _speaking(page: Page) -> Iterator[str]:
    """Texts that may speak for the whole page."""
    yield from title_parts(page.title)[:4]
    for line in page.lines[:_TOP]:
        if not (line.link or line.around):
            yield line.text
    yield from filter(None, page.noscript.split("\n")[:20])


def _phrase(page: Page, state: str) -> PageVerdict | None:
    """A heading or a line that has a pattern of the state in it."""
    headings = [trimmed(plain(each[:NOTICE])) for each in page.headings]
    for pattern in compared_with("title", state):
        if found := next((each for each in headings if pattern.part(each)), None):
            return _verdict(state, found)
    texts = [(text, trimmed(plain(text[:1_000]))) for text in _speaking(page)]
    for pattern in compared_with("phrase", state):
        if found := next((text for text, compared in texts if pattern.part(compared)), None):
            return _verdict(state, found)
    return None


def _wall(page: Page) -> PageVerdict | None:
    """A check, a block or a challenge, by what stands on nothing else."""
    found = _phrase(page, "wall")
    # A page that lists postings may hold a vendor's widget.
    if found is None and page.shown <= SHORT and _listing(page) is None:
        found = _literal(page, "markup")
    return found


def _literal(page: Page, where: str) -> PageVerdict | None:
    """A literal in the source of the page."""
    for pattern in compared_with(where):
        if found := pattern.literal(page.source):
            return _verdict(pattern.state, found)
    return None


def _check_with_library(page: Page) -> PageVerdict | None:
    """The script of a captcha on a page that speaks of a check and of hardly anything else."""
    if page.shown > SHELL * 2 or not (library := _literal(page, "library")):
        return None
    said = plain(" ".join(_speaking(page)))
    words = next(filter(None, (pattern.part(said) for pattern in compared_with("check"))), None)
    return _verdict("wall", f"{library.evidence}, {words}") if words else None


def _maintenance(page: Page) -> PageVerdict | None:
    if found := _phrase(page, "maintenance"):
        return found
    if page.prose > SHELL:
        return None
    notices = compared_with("notice", "maintenance")
    return next((found for text in _speaking(page) if (found := _sentence(text, notices))), None)


_JUMP = re.compile(r"""location(?:\.href)?(?:\.replace\(|\.assign\(|\s{0,5}=)\s{0,5}["']([^"'\s]{1,500})["']""")


def _login(page: Page) -> PageVerdict | None:
    """A form to log in with, a page that asks to, or one that sends to such a page."""
    if page.prose > FORM:
        return None
    jump = page.refresh or (found[1] if page.shown < SHELL // 2 and (found := _JUMP.search(page.source)) else "")
    target = read_address(jump) if jump else None
    for pattern in compared_with("address") if target else ():
        if target and pattern.part(target.text):
            return _verdict(pattern.state, f"it sends to {target.text}")
    if page.password:
        return _verdict("login", "it asks for a password")
    return _phrase(page, "login")


# --- closed -------------------------------------------------------------------------------------------------------

#: Words by which a notice speaks of one posting.
_ONE = re.compile(r"\b(?:this|the|that|we|you)\b|[该此本您你抱]")
_SENTENCE = re.compile(r"[^.!?。！？;；…]+[.!?。！？;；…]*")


def _closed(page: Page, content: PageVerdict | None) -> PageVerdict | None:
    """The site's word that the page's own posting is over."""
    notices = compared_with("notice", "closed")
    for part in title_parts(page.title)[:6]:
        if found := _sentence(part, notices):
            return found
    if any(pattern.part(plain(page.title)) for pattern in compared_with("title", "closed")):
        return _verdict("closed", page.title)
    own = list(_own_lines(page))
    many = content is None and len(_job_links(page)) >= _SOME_JOBS
    most = NOTICE if content is None else BANNER
    often = Counter(line.text for line in own) if many else Counter()
    for line in own:
        if len(line.text) > most or line.link or (line.item and (content is not None or many)):
            continue
        # Among links to postings a bare "position filled", or one text again and again, is said of them.
        if many and (often[line.text] > 1 or not _ONE.search(plain(line.text[:NOTICE]))):
            continue
        if found := _sentence(line.text, notices):
            return found
    return None if many else _closing_label(page, own, content)


def _own_lines(page: Page) -> Iterator[Line]:
    """Lines that speak of the page's own posting, not of similar ones below it or of the site around it."""
    lines = page.lines if len(page.lines) <= _TOP + _END else [*page.lines[:_TOP], *page.lines[-_END:]]
    similar = compared_with("similar")
    for line in lines:
        if not (line.link or line.button) and len(line.text) <= BANNER:
            compared = trimmed(plain(line.text))
            if any(pattern.whole(compared) for pattern in similar):
                return
        if not line.around:
            yield line


def _sentence(text: str, notices: tuple[Pattern, ...]) -> PageVerdict | None:
    """A text, or one of its first sentences, that is a notice from end to end, and no question."""
    compared = plain(text[: NOTICE + 1])
    for sentence in dict.fromkeys([compared, *_SENTENCE.findall(compared)[:4]]):
        if sentence.rstrip().endswith("?"):
            continue
        whole = trimmed(sentence)
        for pattern in notices:
            if pattern.whole(whole):
                return _verdict(pattern.state, text)
    return None


def _closing_label(page: Page, own: list[Line], content: PageVerdict | None) -> PageVerdict | None:
    """A bare "closed": it counts on a button, beside the first heading, or where the page says hardly anything else."""
    alone = content is None and page.prose <= SHELL
    first = next((index for index, line in enumerate(own) if line.heading), None)
    for tag in _heading_tags(page, own, first):
        if any(pattern.whole(trimmed(plain(tag))) for pattern in compared_with("label")) or _sentence(
            tag, compared_with("notice", "closed")
        ):
            return _verdict("closed", tag)
    for index, line in enumerate(own):
        near = first is not None and abs(index - first) <= 2
        if len(line.text) > 40 or line.link or line.item or not (alone or near or line.button):
            continue
        compared = trimmed(plain(line.text))
        if any(pattern.whole(compared) for pattern in compared_with("label")):
            return _verdict("closed", line.text)
    return None


_BRACKETED = re.compile(r"[(（\[【]([^()（）\[\]【】]{2,40})[)）\]】]\s*$")


def _heading_tags(page: Page, own: list[Line], first: int | None) -> Iterator[str]:
    """What is set apart in the page's first heading: an element of its own, or brackets at its end."""
    if first is None:
        return
    yield from (tag for tag in page.tags[:20] if tag and tag != own[first].text and tag in own[first].text)
    if found := _BRACKETED.search(own[first].text):
        yield found[1]


# --- postings, listings, shells -----------------------------------------------------------------------------------


def _content(page: Page) -> PageVerdict | None:
    """A posting's text: its data, or its sections."""
    named = list(dict.fromkeys(page.job_postings))
    if len(named) == 1:
        return _verdict("posting", f"JobPosting in its data: {named[0][0]}")
    sections, fields = _marks(page)
    if len(named) > 1 or max(sections.values(), default=0) >= _OFTEN:
        return None
    marks = [*sections, *fields]
    applied = _apply_control(page)
    few = len(_job_links(page)) < _OFTEN
    if sections and page.prose >= (_MARKED if len(marks) >= 2 or applied else _SECTIONED):
        return _verdict("posting", ", ".join(marks[:4]))
    if few and len(fields) >= 2 and page.prose >= _MARKED:
        return _verdict("posting", ", ".join(marks[:4]))
    if few and applied and page.prose >= _APPLIED and (page.title or any(line.heading for line in page.lines)):
        return _verdict("posting", applied)
    return None


def _marks(page: Page) -> tuple[Counter[str], Counter[str]]:
    """The headings of a posting's sections, and its labelled fields."""
    sections: Counter[str] = Counter()
    fields: Counter[str] = Counter()
    last = ""
    for line in page.lines[:_TOP]:
        if line.link or line.button or line.around:
            continue
        start = plain(line.text[:BANNER])
        compared = trimmed(start)
        if weight(line.text) <= 60 and any(each.whole(compared) for each in compared_with("heading", "posting")):
            sections[compared] += compared != last  # a heading may be typed again by the text below it
            last = compared
            continue
        for pattern in compared_with("inline"):
            if found := pattern.part(start):
                (sections if pattern.name == "section-inline" else fields)[trimmed(found)] += 1
    return sections, fields


def _apply_control(page: Page) -> str | None:
    for line in page.lines[:_TOP]:
        if len(line.text) <= 40 and not line.around:
            compared = trimmed(plain(line.text))
            if any(pattern.whole(compared) for pattern in compared_with("control")):
                return line.text
    return None


def _job_links(page: Page) -> set[str]:
    return {address for href in page.links[:_TOP] if (address := job_address(href))}


def _listing(page: Page) -> PageVerdict | None:
    """Several postings, or a page that says how many there are."""
    for line in page.lines[:_TOP]:
        if len(line.text) > 120 or line.link or line.around:
            continue
        compared = trimmed(plain(line.text))
        if any(pattern.whole(compared) for pattern in compared_with("heading", "listing")):
            return _verdict("listing", line.text)
    named = set(page.job_postings)
    if len(named) > 1:
        return _verdict("listing", f"{len(named)} postings in its data")
    if len(jobs := _job_links(page)) >= _SOME_JOBS:
        return _verdict("listing", f"links to {len(jobs)} postings")
    sections, _ = _marks(page)
    if max(sections.values(), default=0) >= _OFTEN:
        heading, count = sections.most_common(1)[0]
        return _verdict("listing", f"{heading}, {count} times")
    return None


def _loose_posting(page: Page) -> PageVerdict | None:
    """A text that has something of a posting and nothing of anything else."""
    marks = [*(marked := _marks(page))[0], *marked[1]]
    return _verdict("posting", ", ".join(marks[:4])) if marks and page.prose >= _MARKED // 2 else None


def _shell(page: Page) -> PageVerdict | None:
    """A page that its scripts fill: hardly any text, or data in place of it."""
    if page.shown > SHELL:
        return None
    if page.shown <= SHELL // 4 and (found := _literal(page, "data")):
        return found
    if found := _phrase(page, "spa_shell"):
        return found
    if page.empty_root:
        return _verdict("spa_shell", f"an empty root and {page.shown} visible characters")
    if page.shown == 0 and (found := _literal(page, "sensor")):
        return found
    if page.scripts and page.prose <= SHELL // 2:
        return _verdict("spa_shell", f"scripts and {page.shown} visible characters")
    return None
