"""HTML of a posting → Markdown of what a reader sees: headings, lists and tables stay, styling and links' targets go.

The page is parsed with libxml2, which takes any markup, and walked once without recursion, so that neither
broken nesting nor ten thousand levels of it matter. Hidden text is left out before styles are forgotten.
"""

from __future__ import annotations

import html as entities
import re

from lxml import etree

from jobmonitor.domain.canonical import clean_text
from jobmonitor.domain.text import TEXT_STEPS, apply_steps, undo_references
from jobmonitor.domain.visibility import PLAIN, Look, Visibility

_UNSEEN = frozenset(
    {
        "head", "title", "script", "style", "template", "noscript", "iframe", "frame", "object", "embed", "applet",
        "svg", "math", "canvas", "audio", "video", "map", "area", "img", "picture", "source", "track", "link",
        "meta", "base", "select", "option", "optgroup", "datalist", "button", "input", "textarea", "progress",
        "meter", "rt", "rp", "dialog",
    }
)  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
#: Blocks with a margin: a blank line around them.
_PARAGRAPHS = frozenset(
    {
        "p", "ul", "ol", "menu", "dir", "dl", "table", "blockquote", "pre", "figure", "fieldset", "hr", "details",
        "section", "article", "main",
    }
)  # fmt: skip
#: Blocks without a margin: lines of their own.
_LINES = frozenset(
    {
        "div", "dt", "dd", "tr", "td", "th", "caption", "thead", "tbody", "tfoot", "form", "header", "footer",
        "nav", "aside", "address", "figcaption", "legend", "summary", "center", "li", "html", "body", "option",
    }
)  # fmt: skip
_MARGINS = _PARAGRAPHS | _HEADINGS.keys()
_BLOCKS = _LINES | _MARGINS
_TABLE_SPOILERS = ("table", "ul", "ol", "li", "dl", *_HEADINGS)
_SUPERSCRIPTS = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_RAISING = {"sup": _SUPERSCRIPTS, "sub": _SUBSCRIPTS}
_RAISED = re.compile(r"[-+−]?\(?[0-9]{1,4}\)?|n")
_MAX_LEVELS = 6

_ESCAPED_TAG = re.compile(
    r"&(?:amp;)*lt;(?:/(?:p|div|ul|ol|li|span|strong|b|em|i|u|a|h[1-6]|table|tr|td|section|font)\s*|br\s*/?\s*)&(?:amp;)*gt;",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<(?:/?[a-zA-Z]|!)")
#: A hint only, to tell text with stray inline tags from a page: nothing is cut by it.
_BLOCK_HINT = re.compile(r"<(?:p|br|div|li|ul|ol|h[1-6r]|t[rdha]|dl|dd|section|article|pre)\b", re.IGNORECASE)


def undo_double_escaping(markup: str) -> str:
    """Markup whose tags arrived as text (`&amp;lt;p&amp;gt;`) becomes markup again, at most three layers deep."""
    for _ in range(3):
        if "lt;" not in markup or not _ESCAPED_TAG.search(markup):
            break
        markup = entities.unescape(markup)
    return markup


def to_markdown(html: str) -> str:
    """The visible text of an HTML fragment or page in the normal form, without a final line break."""
    return apply_steps(render(html), TEXT_STEPS)


def render(html: str) -> str:
    """The visible text as rough Markdown: the input of the cleaning steps."""
    markup = clean_text(undo_double_escaping(html))
    if not _MARKUP.search(markup):
        return entities.unescape(markup)
    root = parse_markup(markup)
    if root is None:
        return ""
    renderer = _Renderer(Visibility(root, style_sheets(root, markup)), preformatted=not _BLOCK_HINT.search(markup))
    renderer.walk(root)
    return "\n".join(renderer.lines)


def parse_markup(markup: str) -> etree._Element | None:
    """The tree that libxml2 makes of any markup; None for one without a single element."""
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, no_network=True)
    try:
        return etree.fromstring(markup.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


def style_sheets(root: etree._Element, markup: str) -> str:
    """The text of the page's own style sheets."""
    if "<style" not in markup.lower():
        return ""
    return "\n".join(filter(None, (element.text for element in root.iter("style"))))


class _Renderer:
    """One walk over a tree, collecting lines."""

    def __init__(self, visibility: Visibility, *, preformatted: bool) -> None:
        self.lines: list[str] = []
        self._visibility = visibility
        self._styled = visibility.has_rules
        self._inline: list[str] = []
        self._marker = ""
        self._heading = 0
        self._numbers: list[int | None] = []
        self._row: list[str] | None = None
        self._rows = 0
        self._looks: list[tuple[etree._Element, Look]] = []
        self._sight = Look(sizeless=False, concealed=False, colourless=False, preformatted=preformatted)
        self._tables: list[etree._Element] = []

    def walk(self, root: etree._Element) -> None:
        """Read the whole tree. A subtree that is not seen is skipped; the text behind it is not."""
        skipped: etree._Element | None = None
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if event == "start":
                if self._enter(element):
                    self._text(_raised(element) if element.tag in _RAISING else element.text)
                else:
                    skipped = element
                    walker.skip_subtree()
                continue
            if element is skipped:
                skipped = None
            else:
                self._leave(element)
            if element is not root:
                self._text(element.tail)
        self._end_line()

    # --- elements ---

    def _enter(self, element: etree._Element) -> bool:
        """Open an element; False if it is not seen."""
        tag = element.tag
        if tag in _UNSEEN:
            return False
        if self._styled or element.attrib:
            look = self._visibility.of(element)
            if look.gone:
                return False
            if look is not PLAIN and any(value is not None for value in look[1:]):
                self._looks.append((element, self._sight))
                self._sight = Look(
                    False,
                    *(new if new is not None else old for new, old in zip(look[1:], self._sight[1:], strict=True)),
                )
        if tag == "br":
            self._break()
        elif tag in _BLOCKS:
            self._open_block(element, tag)
        return True

    def _leave(self, element: etree._Element) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self._close_block(element, tag)
        if self._looks and self._looks[-1][0] is element:
            self._sight = self._looks.pop()[1]

    def _open_block(self, element: etree._Element, tag: str) -> None:
        self._end_line()
        if tag in _MARGINS:
            self._blank()
        if tag == "li":
            self._marker = self._next_marker(element)
        elif tag in _LISTS:
            self._numbers.append(_start(element) if tag == "ol" else None)
        elif tag in _HEADINGS and not self._marker:
            self._heading = _HEADINGS[tag]
        elif tag == "table" and not self._tables and _is_data_table(element):
            self._tables.append(element)
            self._rows = 0
        elif tag == "tr" and self._tables:
            self._row = []
        elif tag == "pre":
            self._looks.append((element, self._sight))
            self._sight = self._sight._replace(preformatted=True)

    def _close_block(self, element: etree._Element, tag: str) -> None:
        if self._row is not None and tag in {"td", "th"}:
            self._row.append(" ".join("".join(self._inline).split()).replace("|", "\\|"))
            self._inline.clear()
            return
        if tag == "tr" and self._row is not None:
            self._end_row(self._row)
            return
        self._end_line()
        if tag == "li":
            self._marker = ""
        elif tag in _LISTS and self._numbers:
            self._numbers.pop()
        elif tag in _HEADINGS:
            self._heading = 0
        elif self._tables and element is self._tables[-1]:
            self._tables.pop()
        if tag in _MARGINS:
            self._blank()

    def _next_marker(self, item: etree._Element) -> str:
        """The mark of a list item; an item without a list is one of a bulleted list."""
        indent = "  " * min(max(len(self._numbers) - 1, 0), _MAX_LEVELS)
        number = self._numbers[-1] if self._numbers else None
        if number is None:
            return f"{indent}- "
        number = _integer(item.get("value"), number)
        self._numbers[-1] = number + 1
        return f"{indent}{number}. "

    def _end_row(self, row: list[str]) -> None:
        self._row = None
        if not any(row):
            return
        self.lines.append(f"| {' | '.join(row)} |")
        self._rows += 1
        if self._rows == 1:
            self.lines.append(f"|{' --- |' * len(row)}")

    # --- text ---

    def _text(self, text: str | None) -> None:
        if not text:
            return
        _, sizeless, concealed, colourless, preformatted = self._sight
        if sizeless or concealed or colourless:
            return
        if "&" in text and (undone := undo_references(text)) != text:
            preformatted = preformatted or "\n" in undone
            text = undone
        if preformatted and "\n" in text:
            *whole, last = text.split("\n")
            for line in whole:
                self._inline.append(line)
                self._break()
            self._inline.append(last)
        else:
            self._inline.append(text)

    def _break(self) -> None:
        """A line break inside a block: a space in headings and cells, a blank line where it follows another."""
        if self._heading or self._row is not None:
            self._inline.append(" ")
        elif not self._end_line():
            self._blank()

    def _blank(self) -> None:
        if self.lines and self.lines[-1] and self._row is None:
            self.lines.append("")

    def _end_line(self) -> bool:
        """Finish the line that is being collected; False if there was none."""
        if self._row is not None:
            self._inline.append(" ")
            return True
        if not self._inline:
            return False
        line = " ".join("".join(self._inline).split())
        self._inline.clear()
        if not line:
            return False
        if self._marker:
            line, self._marker = self._marker + line, ""
        elif self._heading:
            line = f"{'#' * self._heading} {line}"
        self.lines.append(line)
        return True


def _raised(element: etree._Element) -> str | None:
    """10<sup>5</sup> is 10⁵, never 105; letters (1<sup>st</sup>) stay as they are."""
    text = element.text
    return text.strip().translate(_RAISING[element.tag]) if text and _RAISED.fullmatch(text.strip()) else text


def _integer(text: str | None, default: int) -> int:
    """A short decimal number of an attribute, else the default."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 5 else default


def _start(element: etree._Element) -> int:
    return _integer(element.get("start"), 1)


def _is_data_table(table: etree._Element) -> bool:
    """Rows of short cells, not a page laid out by a table."""
    if next(table.iterdescendants(*_TABLE_SPOILERS), None) is not None:
        return False
    rows = list(table.iter("tr"))
    cells = sum(1 for _ in table.iter("td", "th"))
    breaks = sum(1 for _ in table.iter("br"))
    return cells > len(rows) > 0 and breaks <= 2 * cells
