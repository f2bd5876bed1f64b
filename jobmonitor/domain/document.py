"""The canonical document of a posting: title, then the sections in the order the source keeps; see docs/hashing.md.

It is the only text that is hashed as content, shown to a model or cited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from jobmonitor.domain.canonical import INVISIBLE, clean_text, fold_short
from jobmonitor.domain.html import render
from jobmonitor.domain.noise import drop_slogans
from jobmonitor.domain.text import TEXT_STEPS, Step, apply_steps, arrange_blocks, undo_references
from jobmonitor.items import Section

#: What a text goes through on its way into the document, in this order.
CLEANING_STEPS: tuple[Step, ...] = TEXT_STEPS

_STRAY_MARKUP = re.compile(r"<br\s*/?>|</(?:p|div|li|ul|ol)>", re.IGNORECASE)
_SUFFIX = re.compile(r"\s*(?:（([^（）()]*)[）)]|\(([^（）()]*)[)）]|【([^【】]*)】|\[([^\[\]]*)\]|［([^［］]*)］)\s*$")
_PLACE_SEPARATORS = re.compile(r"[/、,，|｜;；\s&+·・\-–—]+|(?:\b(?:and|or)\b)|[和或及]")
_ADMINISTRATIVE = re.compile(r"(?:特别行政区|自治区|[省市区县])$")


def clean_title(title: str, locations: Sequence[str] = ()) -> str:
    """The title on one line, less bracketed suffixes that only repeat the posting's own locations."""
    # Invisible characters behind a bracket would hide that the title ends with it.
    title = " ".join(INVISIBLE.sub("", clean_text(undo_references(title))).split())
    places = frozenset(_places(locations))
    while (suffix := _SUFFIX.search(title)) and _only_places(next(filter(None, suffix.groups()), ""), places):
        if not title[: suffix.start()].strip():
            break
        title = title[: suffix.start()].rstrip()
    return title


def _places(locations: Iterable[str]) -> Iterable[str]:
    """Every spelling under which a location may be repeated: whole, and each of its parts."""
    for location in locations:
        yield _place(location)
        yield from filter(None, map(_place, _PLACE_SEPARATORS.split(location)))


def _place(name: str) -> str:
    """A place's name for comparison: 深圳市 and 深圳 are one."""
    folded = fold_short(name).casefold().strip()
    return _ADMINISTRATIVE.sub("", folded) if len(folded) > 2 else folded


def _only_places(suffix: str, places: frozenset[str]) -> bool:
    """The suffix is one of the places, or a list of nothing but them."""
    if not suffix.strip() or not places:
        return False
    parts = [_place(part) for part in _PLACE_SEPARATORS.split(suffix) if part.strip()]
    return _place(suffix) in places or (bool(parts) and all(part in places for part in parts))


def _rough(section: Section) -> str:
    """The body as text; a plain text in which a site left `<br/>` and the like is read as markup, its lines kept."""
    if section.format == "html":
        return render(section.body)
    if "<" in section.body and _STRAY_MARKUP.search(section.body):
        return render(section.body.replace("\n", "<br>"))
    return section.body


def clean_section(section: Section, slogans: Sequence[str] = ()) -> str:
    """One section's body in the normal form, without its heading."""
    text = apply_steps(_rough(section), CLEANING_STEPS)
    return arrange_blocks(drop_slogans(text, slogans)) if slogans else text


def build_document(
    title: str, sections: Sequence[Section], *, locations: Sequence[str] = (), slogans: Sequence[str] = ()
) -> str:
    """The canonical document as Markdown, ending in one line break. A title alone is a posting.

    Args:
        title: As the site sent it.
        sections: In the order of the document; an empty one leaves no trace.
        locations: The posting's own, as stated; a bracketed title suffix that repeats them is cut.
        slogans: Lines that the source declares to be no part of any posting.
    """
    blocks = [f"# {clean_title(title, locations)}".rstrip()]
    for section in sections:
        body = clean_section(section, slogans)
        if not body:
            continue
        heading = " ".join(clean_text(section.heading or "").split())
        blocks += [f"## {heading}", body] if heading else [body]
    return "\n\n".join(blocks) + "\n"
