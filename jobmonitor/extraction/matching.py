"""The match form of a text: NFKC, letter case folded, whitespace removed, with the way back to the text."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

#: A shorter quote proves something only if it is a whole token.
MIN_QUOTE = 4
#: A quote that touches its neighbours in this many places is given up; real ones are found at once.
MAX_TRIES = 1_000


def match_form(text: str) -> str:
    """NFKC, case folded, whitespace removed: ３ 年 and 3年 are one."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass(frozen=True, slots=True)
class Source:
    """A document, ready to be searched for quotes."""

    #: The document under NFKC, whitespace and letter case kept.
    text: str
    _form: str = field(repr=False)
    #: For each run of the form without whitespace inside: where it begins in the form and in the text.
    _form_starts: tuple[int, ...] = field(repr=False)
    _text_starts: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, document: str) -> Source:
        """Prepare a document."""
        text = unicodedata.normalize("NFKC", document)
        folded = text.casefold()
        # Casefolding lengthens a few letters (ß); then positions are those of the folded text.
        text = text if len(folded) == len(text) else folded
        parts, form_starts, text_starts, length = [], [], [], 0
        for start, end in _runs(folded):
            parts.append(folded[start:end])
            form_starts.append(length)
            text_starts.append(start)
            length += end - start
        return cls(text, "".join(parts), tuple(form_starts), tuple(text_starts))

    def find(self, quote: str) -> str | None:
        """The words of the document that a quote names, None if it does not occur as whole words.

        A quote under four characters must be a whole token: nothing of its own script touches it.
        """
        form = match_form(quote)
        at = self._form.find(form) if form else -1
        for _ in range(MAX_TRIES):
            if at < 0:
                break
            start, end = self._back(at), self._back(at + len(form) - 1) + 1
            if self._is_whole(start, end, strict=len(form) < MIN_QUOTE):
                return self.text[start:end]
            at = self._form.find(form, at + 1)
        return None

    def _back(self, position: int) -> int:
        run = bisect_left(self._form_starts, position + 1) - 1
        return self._text_starts[run] + position - self._form_starts[run]

    def _is_whole(self, start: int, end: int, *, strict: bool) -> bool:
        before, after = self.text[start - 1 : start], self.text[end : end + 1]
        return not (_same_word(before, self.text[start], strict) or _same_word(self.text[end - 1], after, strict))


def is_latin(character: str) -> bool:
    """True for letters and digits of scripts that put spaces between words."""
    return character.isalnum() and not is_cjk(character)


def is_cjk(character: str) -> bool:
    """True for scripts written without spaces: Han, kana, hangul."""
    return character >= "\u2e80" and character.isalnum() and not "\uff00" < character < "\uff60"


def _same_word(left: str, right: str, strict: bool) -> bool:
    if not left or not right:
        return False
    return (is_latin(left) and is_latin(right)) or (strict and is_cjk(left) and is_cjk(right))


def _runs(text: str) -> Iterator[tuple[int, int]]:
    start: int | None = None
    for index, character in enumerate(text):
        if character.isspace():
            if start is not None:
                yield start, index
            start = None
        elif start is None:
            start = index
    if start is not None:
        yield start, len(text)
