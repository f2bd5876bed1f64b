"""Which elements of a page a reader does not see: attributes, inline styles and `<style>` rules.

Styles are resolved before anything is dropped. What a script would change later is not guessed, and neither are
rules for one medium or screen width (`@media`), because what a phone hides a desktop shows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, TypeAlias, cast

from cssselect import GenericTranslator, SelectorError, parse
from cssselect.parser import Selector
from lxml import etree

Style = Mapping[str, str]
#: Ids, classes and tags of a selector.
Specificity: TypeAlias = tuple[int, int, int]

#: Properties that can hide an element.
_RELEVANT = frozenset(
    {
        "display", "visibility", "content-visibility", "opacity", "font-size", "font", "color", "background-color",
        "background", "overflow", "overflow-x", "overflow-y", "width", "height", "max-width", "max-height",
        "position", "left", "top", "right", "bottom", "text-indent", "margin-left", "clip", "clip-path",
        "transform", "white-space",
    }
)  # fmt: skip
_HINT = re.compile(
    r"none|visib|hidden|collapse|opacity|font|color|clip|transform|indent|overflow|left|top|right|bottom|margin|white-space",
    re.I,
)
_LENGTH = re.compile(r"^([-+]?\d*\.?\d+)(px|em|rem|pt|vw|vh|%|)$")
_FAR = -900.0
#: Rules of a page that are looked at; real pages hold fewer than 3,000.
_MAX_RULES = 10_000
#: Elements that selectors may be tried on, and matches that are kept, for one page.
_MAX_VISITS = 500_000
#: What it takes to read a selector, in such visits.
_READING = 50
_TRANSLATOR = GenericTranslator()
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


class Look(NamedTuple):
    """What an element's own style says about its text. None = inherited."""

    #: Neither the element nor anything in it is seen.
    gone: bool = False
    #: Own text has no size, no colour or is hidden; a descendant may show itself again.
    sizeless: bool | None = None
    concealed: bool | None = None
    colourless: bool | None = None
    #: Line breaks of the source are shown (`white-space: pre…`).
    preformatted: bool | None = None


#: An element that says nothing about its text.
PLAIN = Look()


@lru_cache(maxsize=4096)
def _declarations(style: str) -> tuple[tuple[str, str, bool], ...]:
    """(property, value, important) of a declaration block, the relevant ones."""
    found = []
    for declaration in style.lower().split(";"):
        name, colon, value = declaration.partition(":")
        if colon and (name := name.strip()) in _RELEVANT:
            plain = value.replace("!important", "").replace("! important", "").strip()
            if name == "font":
                name, plain = "font-size", _font_size(plain)
            found.append((name, plain, "!" in value))
    return tuple(found)


def _font_size(font: str) -> str:
    """The size inside a `font` shorthand, or nothing."""
    return next((size for part in font.split() if _LENGTH.match(size := part.partition("/")[0])), "")


def _number(value: str | None) -> tuple[float, str] | None:
    match = _LENGTH.match(value) if value else None
    return (float(match[1]), match[2]) if match else None


def _tiny(value: str | None, limit: float = 0.0) -> bool:
    """A length of nothing, or of at most `limit` pixels."""
    length = _number(value)
    return length is not None and (length[0] == 0 or (length[1] == "px" and 0 <= length[0] <= limit))


def _far(value: str | None) -> bool:
    """A length that moves things off the screen."""
    length = _number(value)
    if length is None:
        return False
    return length[0] <= (_FAR if length[1] in {"px", "pt", ""} else -60 if length[1] in {"em", "rem"} else -100)


def _squeezed(style: Style) -> bool:
    """No width or no height, and what does not fit is cut off."""
    overflow = " ".join(style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    if not ("hidden" in overflow or "clip" in overflow):
        return False
    sizes = [style.get(name) for name in ("width", "height", "max-width", "max-height")]
    return any(map(_tiny, sizes)) or (_tiny(style.get("width"), 1) and _tiny(style.get("height"), 1))


def _off_screen(style: Style) -> bool:
    """Moved out of the page by position, indent or margin."""
    if _far(style.get("text-indent")) or _far(style.get("margin-left")):
        return True
    placed = style.get("position") in {"absolute", "fixed", "relative"}
    return placed and any(_far(style.get(side)) for side in ("left", "top", "right", "bottom"))


_CLIPPED = re.compile(r"^rect\((?:\s*[01](?:px)?[\s,]*){4}\)$|^inset\((?:50|100)%|^circle\(0")
_SHRUNK = re.compile(r"scale[xy3d]*\(0(?:\.0+)?[,)]|translate[xy3d]*\(-\d{4,}px|translate[xy3d]*\(-[1-9]\d{2,}vw")


def _gone(style: Style) -> bool:
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return True
    opacity = _number(style.get("opacity"))
    if opacity is not None and opacity[0] <= 0.01:
        return True
    if _CLIPPED.search(style.get("clip", "")) or _CLIPPED.search(style.get("clip-path", "")):
        return True
    return bool(_SHRUNK.search(style.get("transform", ""))) or _squeezed(style) or _off_screen(style)


def _colourless(style: Style) -> bool | None:
    colour = style.get("color")
    if colour is None or colour == "inherit":
        return None
    background = style.get("background-color") or style.get("background")
    return (
        colour == "transparent" or colour == background or bool(re.search(r"rgba\([^)]*,\s*0(?:\.0+)?\s*\)$", colour))
    )


def look(style: Style) -> Look:
    """What a computed style does to an element's text."""
    size = style.get("font-size")
    visibility = style.get("visibility")
    space = style.get("white-space")
    return Look(
        gone=_gone(style),
        sizeless=None if size is None or (size.endswith(("%", "em")) and not _tiny(size)) else _tiny(size, 1),
        concealed=None if visibility in {None, "inherit"} else visibility in {"hidden", "collapse"},
        colourless=_colourless(style),
        preformatted=None if space is None else space.startswith(("pre", "break")),
    )


@lru_cache(maxsize=4096)
def _inline_look(style: str) -> Look:
    return look({name: value for name, value, _ in _declarations(style)})


class _StyleRule(NamedTuple):
    selector: str
    declarations: tuple[tuple[str, str, bool], ...]


def _style_rules(css: str) -> Iterable[_StyleRule]:
    """The rules of a style sheet that can hide or show, at-rules left out."""
    css = _COMMENT.sub(" ", css).replace("<!--", " ").replace("-->", " ")
    position = 0
    while (opening := css.find("{", position)) != -1:
        head = css[position:opening].rpartition(";")[2].rpartition("}")[2].strip()
        closing = _closing_brace(css, opening) if head.startswith("@") else css.find("}", opening)
        if closing == -1:
            closing = len(css)
        if head and not head.startswith("@") and (found := _declarations(css[opening + 1 : closing])):
            yield _StyleRule(head, found)
        position = closing + 1


def _closing_brace(css: str, opening: int) -> int:
    """Position of the brace that closes the block opened there, or -1."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(css, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return -1


_TOO_DEAR = re.compile(r"[~]|:(?:nth|has|is|where|hover|focus|active|target|checked|before|after|first-l)|::")


def _deciding_rules(css: str) -> list[_StyleRule]:
    """The rules that hide, and those that set the same properties and may undo it."""
    rules = list(islice(_style_rules(css), _MAX_RULES))
    hiding = [rule for rule in rules if any(look({name: value for name, value, _ in rule.declarations})[:4])]
    names = {name for rule in hiding for name, _, _ in rule.declarations}
    return [rule for rule in rules if any(name in names for name, _, _ in rule.declarations)] if hiding else []


#: What a style sheet says of one selector: (property, important) → (order, value), the last word on each.
_Statements: TypeAlias = dict[tuple[str, bool], tuple[int, str]]


#: Where a comma may not part two selectors.
_NESTED = re.compile(r"[(\[\"']")


def _statements(css: str) -> dict[str, _Statements]:
    """The deciding rules by selector: however often a selector is repeated, it is looked up once."""
    found: dict[str, _Statements] = {}
    for order, rule in enumerate(_deciding_rules(css)):
        for selector in [rule.selector] if _NESTED.search(rule.selector) else rule.selector.split(","):
            stated = found.setdefault(selector.strip(), {})
            stated.update({(name, important): (order, value) for name, value, important in rule.declarations})
    return found


_SIMPLE = re.compile(r"([a-zA-Z][a-zA-Z0-9]*|\*)?(?:([.#])([A-Za-z_\u0080-\uffff-][\w-]*))?")


class _Elements:
    """A page's elements by tag, class and id: most selectors name nothing else."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._named: defaultdict[str, list[etree._Element]] = defaultdict(list)
        self.count = 0
        for element in root.iter():
            self.count += 1
            self._named[element.tag].append(element)
            for name in set(element.get("class", "").split()):
                self._named[f".{name}"].append(element)
            if identity := element.get("id"):
                self._named[f"#{identity}"].append(element)

    def simple(self, selector: str) -> tuple[Specificity, list[etree._Element]] | None:
        """Specificity and elements of a selector of one tag, class or id; None for any other."""
        match = _SIMPLE.fullmatch(selector)
        if not match or not selector:
            return None
        tag, sign, name = match.groups()
        tag = None if tag == "*" else tag and tag.lower()
        weight = (int(sign == "#"), int(sign == "."), int(tag is not None))
        if sign is None:
            return weight, self._named[tag] if tag else list(self._root.iter())
        named = self._named[sign + name]
        return weight, [element for element in named if element.tag == tag] if tag else named

    def other(self, selector: str) -> Iterator[tuple[Specificity, list[etree._Element]]]:
        """The same for any selector that is not too dear, dynamic or malformed."""
        for parsed, path in _paths(selector):
            yield parsed.specificity(), cast("list[etree._Element]", self._root.xpath(path))


def _paths(selector: str) -> list[tuple[Selector, str]]:
    """The selectors of a rule as XPath; none where they are too dear, dynamic or malformed."""
    if len(selector) > 500 or selector.count(" ") > 40 or _TOO_DEAR.search(selector):
        return []
    try:
        return [(parsed, _TRANSLATOR.selector_to_xpath(parsed)) for parsed in parse(selector)]
    except SelectorError:
        return []


class Visibility:
    """The looks of a parsed page's elements."""

    def __init__(self, root: etree._Element, css: str) -> None:
        self._cascade: dict[etree._Element, list[tuple[tuple[bool, Specificity, int], str, str]]] = {}
        if css and _HINT.search(css):
            self._apply(root, css)

    @property
    def has_rules(self) -> bool:
        """Some element has a style from a style sheet."""
        return bool(self._cascade)

    def _apply(self, root: etree._Element, css: str) -> None:
        elements = _Elements(root)
        budget = _MAX_VISITS
        for selector, stated in _statements(css).items():
            if budget <= 0:
                break
            simple = elements.simple(selector)
            if simple is None:
                budget -= elements.count + _READING
            for specificity, matched in elements.other(selector) if simple is None else [simple]:
                self._note(matched[:budget], specificity, stated)
                budget -= len(matched) * len(stated)

    def _note(self, elements: Iterable[etree._Element], specificity: Specificity, stated: _Statements) -> None:
        entries = [
            ((important, specificity, order), name, value) for (name, important), (order, value) in stated.items()
        ]
        for element in elements:
            self._cascade.setdefault(element, []).extend(entries)

    def of(self, element: etree._Element) -> Look:
        """What the element's attributes and styles do to its text."""
        attributes = element.attrib
        if not attributes and not self._cascade:
            return PLAIN
        if "hidden" in attributes or attributes.get("aria-hidden", "").strip().lower() == "true":
            return Look(gone=True)
        style = attributes.get("style", "")
        if element not in self._cascade:
            return _inline_look(style[:2000]) if style and _HINT.search(style) else PLAIN
        return look(self._computed(element, style))

    def _computed(self, element: etree._Element, style: str) -> Style:
        """Style sheet and inline style in the order of the cascade, the last one winning."""
        inline = [((important, (9, 0, 0), 0), name, value) for name, value, important in _declarations(style[:2000])]
        ranked = sorted([*self._cascade[element], *inline], key=lambda entry: entry[0])
        return {name: value for _, name, value in ranked}
