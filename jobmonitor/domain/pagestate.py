"""What a page for people is: a posting, or one of the things that sites send in its place, whatever the status says.

Walls, login and maintenance pages are answers that say nothing; a closed text is a word against the posting; neither
may be hashed as content or counted as an empty board. The patterns, with their sources, are in pagestate.toml. Pure.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from jobmonitor.domain.html import to_markdown

PageState: TypeAlias = Literal[
    "posting", "closed", "listing", "wall", "login", "maintenance", "spa_shell", "not_found", "unknown"
]

#: Visible characters under which a page has nothing to say but what stands in its way.
SHORT = 1200
#: Visible characters under which a page with scripts is a shell that they would fill.
SHELL = 60
#: Characters of a visible line that may be a notice; prose is longer.
NOTICE = 160
#: Characters of source and of visible text that are looked at: more tells nothing more.
LOOKED_AT = 400_000
#: Characters of evidence.
_EVIDENCE = 120

_POSTING_DATA = re.compile(r'"@type"\s*:\s*\[?\s*"JobPosting"|schema\.org/JobPosting', re.IGNORECASE)
_PASSWORD = re.compile(r"<input\b[^>]{0,400}\btype\s*=\s*[\"']?password", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^>]{0,200}>([^<]{0,400})", re.IGNORECASE)
_POSTING_WORDS = re.compile(
    r"responsibilit|qualification|requirements|what you.ll do|about the (role|job|position)|apply (now|for this)|"
    r"职责|任职|岗位要求|职位描述|工作内容|岗位描述|申请职位|投递简历|立即申请",
    re.IGNORECASE,
)
#: Statuses that say nothing about a posting unless the page says more.
_REFUSALS = frozenset({401, 403, 405, 407, 429})
_MISSING = frozenset({404, 410})


class Pattern(NamedTuple):
    """One line of pagestate.toml."""

    state: PageState
    where: str
    match: re.Pattern[str]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVerdict:
    """What a page is, and what shows it."""

    state: PageState
    evidence: str


@cache
def patterns() -> tuple[Pattern, ...]:
    """The patterns, in the order of the file."""
    table = tomllib.loads(files("jobmonitor.domain").joinpath("pagestate.toml").read_text("utf-8"))
    return tuple(
        Pattern(row["state"], row["where"], re.compile(row["match"], re.IGNORECASE), row["source"])
        for row in table["pattern"]
    )


def judge_page(
    html: str, *, url: str = "", status: int = 200, final_url: str | None = None, content_type: str | None = None
) -> PageVerdict:
    """What a page is.

    Args:
        html: the decoded body.
        url: the address that was asked for.
        status: HTTP status.
        final_url: the address that answered, where a redirect led elsewhere.
        content_type: Content-Type header; a body that is no HTML is judged by its text.
    """
    page = _Page(html[:LOOKED_AT])
    if status in _MISSING:
        return PageVerdict(state="not_found", evidence=f"status {status}")
    in_the_way = _in_the_way(page)
    if status in _REFUSALS or status >= 500:
        login = status in {401, 407}
        return in_the_way or PageVerdict(state="login" if login else "unknown", evidence=f"status {status}")
    if status >= 400 or not page.html.strip():
        return PageVerdict(state="unknown", evidence=f"status {status}" if status >= 400 else "an empty body")
    notice = in_the_way or page.notice("closed") or (None if page.is_posting else page.notice("not_found"))
    if notice is not None:
        return notice
    if page.is_posting:
        return PageVerdict(state="posting", evidence="JobPosting in its data")
    return _by_content(page, url, final_url)


def _in_the_way(page: _Page) -> PageVerdict | None:
    """A wall, a maintenance page or a login in the place of an answer."""
    if page.is_posting or len(page.text) >= SHORT:
        return None
    for state in ("wall", "maintenance"):
        found = page.notice(state)
        # A careers page may carry a captcha for its form; it is a wall where nothing else is to be seen.
        shows_more = page.reads_like_a_posting or (state == "wall" and (page.posting_words or page.notice("listing")))
        if found is not None and not shows_more:
            return found
    if page.posting_words:
        return None
    if _PASSWORD.search(page.html):
        return PageVerdict(state="login", evidence="it asks for a password")
    return page.notice("login")


def _by_content(page: _Page, url: str, final_url: str | None) -> PageVerdict:
    listing = page.notice("listing")
    if final_url is not None and _is_above(final_url, url):
        return PageVerdict(state="listing", evidence=f"redirected to {final_url}"[:_EVIDENCE])
    if listing is not None and not page.reads_like_a_posting:
        return listing
    if page.weight < SHELL and _SCRIPT.search(page.html):
        return PageVerdict(state="spa_shell", evidence=f"scripts and {len(page.text)} visible characters")
    if page.reads_like_a_posting:
        return PageVerdict(state="posting", evidence=page.posting_words)
    return listing or PageVerdict(
        state="unknown", evidence=f"{len(page.text)} visible characters, none of them telling"
    )


def _is_above(final_url: str, url: str) -> bool:
    """Whether a redirect led from a posting's address to one above it, as to the list."""
    one, other = urlsplit(url), urlsplit(final_url)
    below, above = one.path.rstrip("/"), other.path.rstrip("/")
    return one.netloc == other.netloc and below != above and (below + "/").startswith(above + "/")


class _Page:
    """The source of a page and what a person sees of it."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.is_posting = _POSTING_DATA.search(html) is not None
        title = _TITLE.search(html)
        visible = to_markdown(html) if "<" in html else html
        self.text = unicodedata.normalize("NFKC", visible)
        self._title = unicodedata.normalize("NFKC", title[1]).strip() if title else ""

    @property
    def reads_like_a_posting(self) -> bool:
        """Whether it has the text and the words of one."""
        return self.weight >= SHELL and bool(self.posting_words)

    @property
    def weight(self) -> int:
        """Length of the visible text, a Chinese character for two."""
        return len(self.text) + sum(character >= "\u2e80" for character in self.text)

    @property
    def posting_words(self) -> str:
        """Words that postings are made of."""
        found = _POSTING_WORDS.search(self.text)
        return found[0] if found else ""

    def notice(self, state: str) -> PageVerdict | None:
        """The first pattern of a state that is found, with its words."""
        for pattern in patterns():
            if pattern.state == state and (words := self._find(pattern)):
                return PageVerdict(state=pattern.state, evidence=words[:_EVIDENCE])
        return None

    def _find(self, pattern: Pattern) -> str | None:
        if pattern.where == "markup":
            found = pattern.match.search(self.html)
        elif pattern.where == "text":
            found = pattern.match.search(f"{self._title}\n{self.text}"[:LOOKED_AT])
        else:
            found = next(filter(None, map(pattern.match.fullmatch, self._lines())), None)
        return found[0].strip() if found else None

    def _lines(self) -> Iterator[str]:
        """Visible lines that may be a notice, without their marks."""
        yield self._title
        for line in self.text.splitlines():
            plain = line.strip(" \t#*-|>").strip()
            if 0 < len(plain) <= NOTICE:
                yield plain
