"""What a page shows, line by line and with its place, for the judgement of what kind of page it is.

Unlike the Markdown of a posting this keeps what surrounds one: buttons, titles, what stands in place of scripts. Text
that the usual class names of style sheets hide (`d-none`, `sr-only`) is left out, and so is what a script would first
decide on.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from jobmonitor.domain.canonical import clean_text
from jobmonitor.domain.html import parse_markup, style_sheets
from jobmonitor.domain.visibility import Visibility

#: Never shown, or shown as something else than text.
_UNSEEN = frozenset(
    {
        "script", "style", "template", "object", "embed", "svg", "math", "canvas", "audio", "video", "map", "select",
        "datalist", "title", "noscript", "noframes", "meta", "link", "base",
    }
)  # fmt: skip
#: Elements that stay inside a line.
_INLINE = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
        "img", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
        "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    }
)  # fmt: skip
#: Where an element stands, by its tag.
_PLACES = {
    "h1": "heading", "h2": "heading", "h3": "heading", "button": "button", "li": "item", "td": "item",
    "dd": "item", "nav": "around", "header": "around", "footer": "around", "aside": "around",
}  # fmt: skip
#: Names that style sheets all over the web give to what they hide.
_HIDDEN_CLASS = re.compile(
    r"(?:^|\s)(?:d-none|hidden|hide|is-hidden|ng-hide|invisible|visually-hidden|sr-only|screen-reader-text|display-none"
    r"|u-hidden|js-hidden|is-invisible|w-hidden|el-hide|layui-hide)(?:\s|$)",
    re.IGNORECASE,
)
#: Attributes that let a script decide whether the element is shown: in a page as it was sent that is open.
_CONDITIONS = frozenset(
    {
        "v-if", "v-else", "v-else-if", "v-show", "ng-if", "ng-show", "ng-hide", "data-ng-if", "data-ng-show", "*ngif",
        "x-if", "x-show", "x-cloak",
    }
)  # fmt: skip
#: Ids and tags of the empty element that a script fills.
_ROOTS = re.compile(r"(?:react-|main-|js-)?(?:root|app)(?:-root|-container)?|__next|__nuxt|svelte|gatsby-focus-wrapper")
#: What is read of a page: lines, objects of its data, characters of its noscript.
_MAX_LINES = 20_000
_MAX_NODES = 20_000
_MAX_NOSCRIPT = 5_000
_MAX_TAGS = 100
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_QUOTES = str.maketrans("‘’‛`´“”", "'''''\"\"")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]")


def plain(text: str) -> str:
    """A line in the form in which it is compared: width forms, case, quotes and spaces levelled."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).lower().split())


def trimmed(text: str) -> str:
    """The same line without what is no letter or digit at its ends."""
    return _EDGES.sub("", text)


def weight(text: str) -> int:
    """Length of a text, a Chinese character for two."""
    return len(text) + len(_WIDE.findall(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the visible text."""

    text: str
    #: Inside a heading.
    heading: bool = False
    #: All of it a link, or a button.
    link: bool = False
    button: bool = False
    #: Inside a list or a table.
    item: bool = False
    #: Inside header, footer, navigation or aside.
    around: bool = False


@dataclass(slots=True, kw_only=True)
class Page:
    """What a page shows, and what its source holds beside."""

    title: str = ""
    lines: list[Line] = field(default_factory=list)
    noscript: str = ""
    #: Short texts set apart inside headings ("Engineer <span>closed</span>").
    tags: list[str] = field(default_factory=list)
    #: Addresses of links, in order.
    links: list[str] = field(default_factory=list)
    #: A visible field for a password.
    password: bool = False
    #: Where the page sends its reader on.
    refresh: str = ""
    scripts: int = 0
    #: An element that a script would fill, and that is empty.
    empty_root: bool = False
    #: Objects of type JobPosting: title and address of each.
    job_postings: list[tuple[str, str]] = field(default_factory=list)
    #: The source in lower case.
    source: str = ""
    #: Weight of the visible text, and of what of it is neither link, button nor frame of the page.
    shown: int = 0
    prose: int = 0

    def add(self, line: Line) -> None:
        """Add a line, and what it weighs."""
        self.lines.append(line)
        heavy = weight(line.text)
        self.shown += heavy
        if not (line.link or line.button or line.around):
            self.prose += heavy

    @property
    def headings(self) -> list[str]:
        """The parts of the title and the headings of the page."""
        return [*title_parts(self.title), *(line.text for line in self.lines if line.heading and not line.link)]


_TITLE_SIGNS = re.compile(r"\s+[-–—·•:]{1,3}\s+|[|｜»«]|—{1,3}")


def title_parts(title: str) -> list[str]:
    """The whole title, then what its signs part ("Job closed | Acme")."""
    parts = [part.strip() for part in _TITLE_SIGNS.split(title)]
    return list(dict.fromkeys(part for part in [title, *parts] if part))


def read_page(markup: str) -> Page:
    """Read a page of any markup. A text without a single element is one of lines."""
    markup = clean_text(markup)
    page = Page(source=markup.lower())
    root = parse_markup(markup) if "<" in markup else None
    if root is None:
        for text in map(_tidy, markup.split("\n")[:_MAX_LINES]):
            if text:
                page.add(Line(text=text))
        return page
    _Reader(page, Visibility(root, style_sheets(root, markup))).read(root)
    return page


def _tidy(text: str) -> str:
    return " ".join(text.split())


#: Size, visibility and colour of text: seen, and as around it.
_SEEN = (False, False, False)
_INHERITED = (None, None, None)


class _Reader:
    """One walk over a tree without recursion."""

    def __init__(self, page: Page, visibility: Visibility) -> None:
        self._page = page
        self._visibility = visibility
        self._pieces: list[str] = []
        self._open = dict.fromkeys(("heading", "link", "button", "item", "around"), 0)
        #: Characters of the line that stand inside links and buttons.
        self._inside = {"link": 0, "button": 0}
        self._sight: tuple[bool, ...] = _SEEN
        self._sights: list[tuple[etree._Element, tuple[bool, ...]]] = []

    def read(self, root: etree._Element) -> None:
        """Fill the page."""
        skipped: etree._Element | None = None
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if event == "start":
                if self._enter(element):
                    self._text(element.text)
                else:
                    skipped = element
                    walker.skip_subtree()
                continue
            if element is not skipped:
                self._leave(element)
            skipped = None
            self._text(element.tail)
            if len(self._page.lines) >= _MAX_LINES:
                break
        self._end_line()

    def _enter(self, element: etree._Element) -> bool:
        tag = element.tag
        if tag in _UNSEEN:
            self._note_unseen(element, tag)
            return False
        if self._is_hidden(element):
            return False
        attributes = element.attrib
        if "JobPosting" in attributes.get("itemtype", ""):
            self._page.job_postings.append(("microdata", attributes.get("itemid", "")))
        if tag not in _INLINE:
            self._end_line()
        if place := _place(element):
            self._open[place] += 1
        if place == "link":
            self._page.links.append(element.get("href", ""))
        elif tag == "input":
            self._input(element)
        elif not len(element) and not (element.text or "").strip() and _is_root(element):
            self._page.empty_root = True
        return True

    def _is_hidden(self, element: etree._Element) -> bool:
        if element.tag in {"html", "body"}:  # hidden until a script runs, as far as that goes
            return False
        attributes = element.attrib
        if attributes and (
            not _CONDITIONS.isdisjoint(attributes) or _HIDDEN_CLASS.search(element.get("class", "")[:500])
        ):
            return True
        look = self._visibility.of(element)
        if look.gone:
            return True
        own = (look.sizeless, look.concealed, look.colourless)
        if own != _INHERITED:
            self._sights.append((element, self._sight))
            self._sight = tuple(old if new is None else new for new, old in zip(own, self._sight, strict=True))
        return False

    def _leave(self, element: etree._Element) -> None:
        if element.tag not in _INLINE:
            self._end_line()
        elif self._open["heading"] and len(self._page.tags) < _MAX_TAGS and element.text:
            self._page.tags.append(_tidy(element.text))
        if place := _place(element):
            self._open[place] -= 1
        if self._sights and self._sights[-1][0] is element:
            self._sight = self._sights.pop()[1]

    def _input(self, element: etree._Element) -> None:
        kind = element.get("type", "").lower()
        if kind == "password":
            self._page.password = True
        elif kind in {"submit", "button"} and (value := _tidy(element.get("value", ""))):
            self._page.add(Line(text=value, button=True))

    def _note_unseen(self, element: etree._Element, tag: str) -> None:
        if tag == "script":
            self._page.scripts += 1
            if "ld+json" in element.get("type", ""):
                self._page.job_postings += _job_postings(element.text or "")
        elif tag == "title" and not self._page.title:
            self._page.title = _tidy("".join(map(str, element.itertext())))[:500]
        elif tag in {"noscript", "noframes"} and len(self._page.noscript) < _MAX_NOSCRIPT:
            self._page.noscript += _tidy(" ".join(_texts(element)))[:_MAX_NOSCRIPT] + "\n"
        elif tag == "meta" and element.get("http-equiv", "").lower() == "refresh":
            self._page.refresh = element.get("content", "").partition("=")[2].strip(" '\"")

    def _text(self, text: str | None) -> None:
        if not text or any(self._sight):
            return
        self._pieces.append(text)
        for place in self._inside:
            if self._open[place]:
                self._inside[place] += len(text)

    def _end_line(self) -> None:
        if not self._pieces:
            return
        whole = "".join(self._pieces)
        self._pieces.clear()
        text = _tidy(whole)
        if text:
            within = {place: bool(count) for place, count in self._open.items()}
            within |= {place: count > 0.8 * len(text) for place, count in self._inside.items()}
            self._page.add(Line(text=text, **within))
        self._inside = dict.fromkeys(self._inside, 0)


def _place(element: etree._Element) -> str | None:
    """Where the texts of an element stand. A link that leads nowhere is a button."""
    if element.tag != "a":
        return _PLACES.get(element.tag)
    href = element.get("href", "").strip()
    leads = href.startswith("#/") or (href and not href.startswith(("#", "javascript:")))
    return "link" if leads else "button"


def _is_root(element: etree._Element) -> bool:
    if element.tag == "app-root":
        return True
    return element.tag in {"div", "main", "section"} and bool(_ROOTS.fullmatch(element.get("id", "").lower()))


def _texts(element: etree._Element) -> Iterator[str]:
    """The texts of an element, scripts and styles left out."""
    for node in element.iter():
        if node.tag not in {"script", "style"} and node.text:
            yield node.text
        if node is not element and node.tail:
            yield node.tail


_BROKEN = re.compile(r'"@type"\s{0,20}:\s{0,20}\[?\s{0,20}"JobPosting"')


def _job_postings(text: str) -> list[tuple[str, str]]:
    """Title and address of each JobPosting of a piece of JSON-LD, however deep it lies."""
    try:
        pending: list[Any] = [json.loads(text, strict=False)]
    except (ValueError, RecursionError):  # a stray comma is common; the type is enough to know it by
        return [("unreadable", "")] if _BROKEN.search(text) else []
    found = []
    for _ in range(_MAX_NODES):
        if not pending:
            break
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            kinds = node.get("@type")
            if "JobPosting" in (kinds if isinstance(kinds, list) else [kinds]) and node.get("title"):
                found.append((str(node["title"]), str(node.get("url") or node.get("identifier") or "")))
            else:
                pending.extend(node.values())
    return found
