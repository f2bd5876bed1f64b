"""Finding many phrases in one pass: a list of words becomes one regular expression in the shape of a trie."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: A space in a phrase stands for any of these, or for nothing: Spring Boot, Spring-Boot, SpringBoot.
_GAP = r"[\s_\-]{0,2}"
_GAPS = re.compile(r"[\s_\-]+")
_LATIN_START = r"(?<![A-Za-z0-9_])"
#: A version may follow a name (Python3, Java8); a letter may not (JavaScript, Go2Market).
_LATIN_END = r"(?!\d{0,3}[A-Za-z_])"

_Trie = dict[str, "_Trie"]
_END = ""


def phrase_key(phrase: str) -> str:
    """The form under which a phrase is looked up: gaps removed, letter case folded."""
    return _GAPS.sub("", phrase).casefold()


def phrase_pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds the longest phrase at each place; Latin ones only as whole words. Linear in the text."""
    tries: dict[bool, _Trie] = {False: {}, True: {}}
    for phrase in phrases:
        node = tries[_is_latin(phrase[0])]
        for token in _tokens(phrase.casefold()):
            node = node.setdefault(token, {})
        node[_END] = {}
    latin = _expression(tries[True]) + _LATIN_END if tries[True] else ""
    parts = [_LATIN_START + latin] if latin else []
    if tries[False]:
        parts.append(_expression(tries[False]))
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def _is_latin(character: str) -> bool:
    return character.isascii()


def _tokens(phrase: str) -> Iterable[str]:
    for character in _GAPS.sub(" ", phrase):
        yield _GAP if character == " " else re.escape(character)


def _expression(node: _Trie) -> str:
    """The node as a regular expression: continuations first, so that the longest phrase wins."""
    branches = [token + _expression(child) for token, child in node.items() if token != _END]
    if not branches:
        return ""
    joined = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{joined})?" if _END in node else joined
