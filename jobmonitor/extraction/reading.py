"""Reading a document as a person does: which part a phrase stands in, and whether it is asked for, preferred or denied.

A page is cut into segments at sentence and comma borders. All offsets are those of the document itself,
because every step that prepares the text keeps its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from jobmonitor.extraction.matching import MIN_QUOTE, is_latin, match_form
from jobmonitor.extraction.parts import Part, split_parts

#: Longer postings do not exist; what a hostile one holds beyond this is not read.
MAX_LENGTH = 200_000
#: A quote is for a person to read.
MAX_QUOTE = 80
#: Characters on both sides of a find in a long segment.
_CONTEXT = 25

Stance: TypeAlias = Literal["plain", "preferred", "denied"]

#: Once one of these has a heading, what stands before it is an introduction; otherwise it is the text itself.
_KNOWN_PARTS = frozenset({"duties", "requirements", "preferred"})
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；：！？（）"} | {0x3000: 0x20}
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>()（）一-鿿]{1,2000}|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")
_SENTENCE_END = re.compile(
    r"[。；;！!？?\n|]+|(?<!e\.g)(?<!i\.e)(?<!etc)\.(?=\s+[^\sa-z]|\s*$)|(?<=[^\d\s.])\s{0,3}(?=\d{1,2}[、．])"
)
_COMMA = re.compile(r"[，]|[（(](?!不?含)|(?<!含)[）)]|,(?!\d{3})|\s[-–—]\s")
_LIST_MARK = re.compile(
    r"\s*(?:#{1,6}\s+|[-*•·]\s*)?(?:[(（]?\d{1,2}(?:[、)）．]|[:：](?!\d)|\.(?!\d)|\.(?=\d{2}届)|\.(?=\d{1,2}年)(?!5年))\s*)?"
)
_PREFERRED = re.compile(
    r"优先|加分|更佳|尤佳|为佳|者最佳|更有优势|者[^，]{0,4}优势|prefer(?!ences)|nice[ -]to[ -]have|\bplus(?:es)?\b"
    r"|\bbonus(?: points)?\b(?! plan| scheme| program)|desirable|\bdesired\b"
    r"|ideally|an advantage|advantageous|\bgreat to have|good to have|not required|would be (?:great|nice"
    r"|helpful)|an asset\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"不要求|无需|不需要|不作要求|不做要求|不强制|不必|不限(?!于|定)|无要求|没有要求|没有?经验也可"
    r"|\bnot (?:required|necessary|needed|a requirement)|\bno [\w ,'/+#-]{0,40}?\b(?:required|necessary|needed)\b"
    r"|\b(?:don['’]t|do not) (?:need|require)",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"^\s*(?:熟悉|精通|掌握|熟练|了解|具有|具备|拥有|有|能|会|懂|擅长|使用过|参与过|对|至少|良好|扎实|较强|较好"
    r"|丰富|从事过|做过|曾)"
    r"|\b(?:experience|knowledge|familiar|proficien|understanding|background|exposure|degree|skills?|ability"
    r"|expertise|fluen|comfortable)",
    re.IGNORECASE,
)
_OPENING_MARKER = re.compile(r"^\s*(?:优先|加分|nice|bonus|prefer|ideally|desir|plus|pluses)", re.IGNORECASE)
_CONTINUES = re.compile(
    r"^\s*(?:or|and|and/or|或|和|及|以及)\b|(?:者|经验|经历|背景|证书?)[^，]{0,8}(?:优先|加分|更佳|尤佳|为佳)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text between commas, with its part and its stance."""

    start: int
    end: int
    #: The document's text with full-width Latin forms narrowed and addresses blanked; same length.
    text: str
    part: Part
    stance: Stance = "plain"
    #: Number of the sentence it belongs to.
    sentence: int = 0
    #: The text in lower case, for cheap tests before dear patterns.
    lower: str = ""

    def has(self, words: Iterable[str]) -> bool:
        """True if the text holds any of these lower-case words."""
        return any(word in self.lower for word in words)

    @property
    def preferred(self) -> bool:
        """True for a wish rather than a demand."""
        return self.stance == "preferred"

    @property
    def denied(self) -> bool:
        """True where the text says that it is not asked for."""
        return self.stance == "denied"


@dataclass(frozen=True, slots=True)
class Page:
    """A document, read."""

    document: str
    text: str
    title: Segment
    segments: tuple[Segment, ...]
    _starts: tuple[int, ...] = field(repr=False)

    def at(self, offset: int) -> Segment:
        """The segment that holds an offset (or the one before it, for a comma)."""
        return self.segments[max(0, bisect_right(self._starts, offset) - 1)]

    def with_words(self, words: Iterable[str]) -> Iterator[Segment]:
        """The segments that hold any of these lower-case words."""
        words = tuple(words)
        return (segment for segment in self.segments if segment.has(words))

    def sentences(self) -> Iterator[tuple[Segment, ...]]:
        """The segments, sentence by sentence."""
        group: list[Segment] = []
        for segment in self.segments:
            if group and group[-1].sentence != segment.sentence:
                yield tuple(group)
                group = []
            group.append(segment)
        if group:
            yield tuple(group)

    def quote(self, start: int, end: int) -> str:
        """The words of the document around a find: its segment, or some words on both sides where that is long."""
        segment = self.at(start)
        if start < self.title.end and not re.search(r"\d", segment.text):
            segment = self.title
        if segment.start <= start and end <= segment.end:
            whole = segment.end - segment.start <= MAX_QUOTE
            start = segment.start if whole else max(segment.start, start - _CONTEXT)
            end = segment.end if whole else min(segment.end, end + _CONTEXT)
        return self.words(start, end)

    def words(self, start: int, end: int) -> str:
        """The words of the document in a span, widened until it cuts no Latin word and is long enough."""
        start, end = self._whole_words(start, end)
        return self.document[start:end].strip()

    def _whole_words(self, start: int, end: int) -> tuple[int, int]:
        """Widen a span until it is long enough to be found again and cuts no Latin word."""
        text = self.document
        while start > 0 and text[start - 1] != "\n" and (_cuts(text, start) or _is_short(text[start:end])):
            start -= 1
        while end < len(text) and text[end] != "\n" and (_cuts(text, end) or _is_short(text[start:end])):
            end += 1
        return start, end


def read_page(document: str) -> Page:
    """Cut a canonical document into segments. Never fails; an empty text has one empty segment."""
    text = prepare(document[:MAX_LENGTH])
    segments: list[Segment] = []
    for number, (start, end, part) in enumerate(_sentences(text)):
        segments.extend(_with_stance(_pieces(text, start, end, part, number)))
    if not any(piece.part in _KNOWN_PARTS for piece in segments):
        segments = [replace(piece, part="other") if piece.part == "intro" else piece for piece in segments]
    segments = segments or [Segment(0, 0, "", "other")]
    first = next((piece for piece in segments if piece.part == "title"), Segment(0, 0, "", "title"))
    title = _whole_title(text, first)
    return Page(document, text, title, tuple(segments), tuple(piece.start for piece in segments))


def _whole_title(text: str, first: Segment) -> Segment:
    """The title as one stretch, brackets included."""
    end = text.find("\n", first.start) if first.lower else first.end
    end = len(text) if end < 0 else end
    words = text[first.start : end].rstrip()
    return replace(first, end=first.start + len(words), text=words, lower=words.lower())


def prepare(text: str) -> str:
    """Narrow full-width Latin forms and blank out addresses, keeping every offset."""
    return _ADDRESS.sub(lambda match: " " * len(match[0]), text.translate(_WIDE))


def _sentences(text: str) -> Iterator[tuple[int, int, Part]]:
    for start, end, part in split_parts(text):
        cursor = start
        for match in _SENTENCE_END.finditer(text, start, end):
            if match.start() > cursor:
                yield cursor, match.start(), part
            cursor = match.end()
        if cursor < end:
            yield cursor, end, part


def _pieces(text: str, start: int, end: int, part: Part, sentence: int) -> list[Segment]:
    """The comma-separated stretches of one sentence, list marks and blanks left out."""
    mark = _LIST_MARK.match(text, start, end)
    cursor = mark.end() if mark else start
    borders = [(match.start(), match.end()) for match in _COMMA.finditer(text, cursor, end)]
    pieces = []
    for left, right in [*borders, (end, end)]:
        stretch = text[cursor:left]
        if stretch.strip():
            first = cursor + len(stretch) - len(stretch.lstrip())
            words = stretch.strip()
            pieces.append(Segment(first, first + len(words), words, part, sentence=sentence, lower=words.lower()))
        cursor = right
    return pieces


def _with_stance(pieces: list[Segment]) -> list[Segment]:
    """Say of each stretch of a sentence whether it is asked for, preferred or denied."""
    stances: list[Stance] = ["preferred" if piece.part == "preferred" else "plain" for piece in pieces]
    for index, piece in enumerate(pieces):
        if _PREFERRED.search(piece.text):
            for covered in _covered(pieces, index):
                stances[covered] = "preferred"
    for index, piece in enumerate(pieces):
        if _DENIED.search(piece.text):
            stances[index] = "denied"
    return [
        piece if stance == piece.stance else replace(piece, stance=stance)
        for piece, stance in zip(pieces, stances, strict=True)
    ]


def _covered(pieces: list[Segment], index: int) -> range:
    """Which stretches a word such as 优先 speaks about: "Kafka优先" itself, "Docker, or Istio preferred" the list."""
    text = pieces[index].text
    if _OPENING_MARKER.search(text):
        return range(index, len(pieces))
    first = index
    if not _PREDICATE.search(text) and (
        _CONTINUES.search(text) or not _PREFERRED.sub("", text).strip(" 者的考虑录用:：是有")
    ):
        while first > 0:
            first -= 1
            if _PREDICATE.search(pieces[first].text):
                break
    return range(first, index + 1)


def _cuts(text: str, border: int) -> bool:
    """True if a border stands inside a word of a script with spaces."""
    return is_latin(text[border - 1]) and is_latin(text[border])


def _is_short(quote: str) -> bool:
    return len(quote) < 2 * MIN_QUOTE and len(match_form(quote)) < MIN_QUOTE
