"""The fold of a document and the hashes that name contents, facts and records; see docs/hashing.md.

The fold exists for the hash alone. It levels how a text is typed and leaves alone what it says: signs, numbers,
superscripts, fractions, letter case and order all stay. A change to a rule, here or in the shared cleaning,
is a new scheme number, never a new expectation of the golden tests.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import orjson

from jobmonitor.items import Facts

#: Numbers fold, shared cleaning and redaction together; stored beside each content hash.
SCHEME = "canonical/1"
#: Numbers the form of the stated facts that are hashed.
FACTS_SCHEME = "facts/1"

_UNCLEAN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_CARRIAGE_RETURN = re.compile("\r\n?")


def clean_text(value: str) -> str:
    """Remove what no database text may hold: NUL, other control characters (not \\n, \\t) and lone surrogates."""
    if "\r" in value:
        value = _CARRIAGE_RETURN.sub("\n", value)
    return _UNCLEAN.sub("", value)


class Rule(NamedTuple):
    """One named rule of the fold; a mutation test switches them off one by one."""

    name: str
    apply: Callable[[str], str]


def _width_form(character: str) -> str | None:
    """The plain form of a compatibility character, or None where that form would say something else."""
    tag = unicodedata.decomposition(character).partition(" ")[0]
    if not tag.startswith("<") or tag in {"<super>", "<sub>", "<fraction>", "<circle>"}:
        return None
    plain = unicodedata.normalize("NFKC", character)
    name = unicodedata.name(character, "")
    if "SQUARED" in name or "CUBED" in name:  # ㎡ is m², not m2
        return plain[:-1] + ("²" if plain[-1] == "2" else "³") if plain[-1] in "23" else None
    if plain.startswith(" ") and plain.strip():  # ´ would become a space and a combining mark
        return None
    return plain


def _width_table() -> dict[str, str]:
    """Every compatibility character that the fold levels, with its plain form."""
    candidates = (chr(code) for code in (*range(0xA0, 0xD800), *range(0xF900, 0x10000), *range(0x1D400, 0x1F200)))
    forms = ((character, _width_form(character)) for character in candidates)
    return {character: plain for character, plain in forms if plain is not None and plain != character}


_WIDTH = _width_table()
#: Neither ASCII nor an ordinary ideograph: none of those is in the table.
_UNUSUAL = re.compile("[^\x00-\x7f\u4e00-\u9fff]")


def _replace(text: str, characters: Iterable[str], plain: str) -> str:
    """Each of the characters by the plain one. `str.replace` is several times as fast as a character class."""
    for character in characters:
        text = text.replace(character, plain)
    return text


def _fold_width(text: str) -> str:
    """Full and half width, ligatures and styled letters to the plain form; then composed (NFC)."""
    if text.isascii():
        return text
    for character in _WIDTH.keys() & set(_UNUSUAL.findall(text)):
        text = text.replace(character, _WIDTH[character])
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


#: Characters of no width: joiners, soft hyphens, marks and embeddings of direction, byte order marks.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e01ef]"
)


def drop_invisible(text: str) -> str:
    """The text without characters of no width."""
    return text if text.isascii() else INVISIBLE.sub("", text)


_LONG_DASHES = "―─⸺⸻"
_DASHES = "‐‑‒–—−"
_DOUBLE_QUOTES = "“”„‟″〝〞「」『』"
_SINGLE_QUOTES = "‘’‚‛′`´ʼ"
_ELLIPSES = re.compile(r"\.\.\.+|。。。+")
_MIDDLE_DOTS = "・•‧∙⋅●"
_HEADING_LEVELS = tuple("#" * level for level in range(2, 7))
#: Hangul is not here: Korean separates words by spaces.
_CJK = (
    "\u2e80-\u2fdf\u3001-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Both begin with what is rare in a text, which makes the search fast.
_CJK_SPACING = re.compile(f" (?:(?<=[{_CJK}] )|(?=[{_CJK}]))")
_PUNCTUATION = ",;:!?()[]"
#: Not between two digits: "1, 2" is not "1,2".
_SPACE_BEHIND = re.compile(r"([,;:!?()\[\]]) (?:(?!\d)|(?<=[^\d][,;:!?()\[\]] ))")


def _fold_heading_levels(text: str) -> str:
    """Every heading to the first level; runs of spaces behind the mark are another rule's."""
    if "##" not in text:
        return text
    text = f"\n{text}"
    for mark in _HEADING_LEVELS:
        text = text.replace(f"\n{mark} ", "\n# ")
    return text[1:]


def _fold_cjk_spacing(text: str) -> str:
    """No space beside Chinese or Japanese."""
    return text if text.isascii() else _CJK_SPACING.sub("", text)


def _fold_punctuation_spacing(text: str) -> str:
    """No space behind a mark, then none before one: what stands behind is judged by the text as it was."""
    text = _SPACE_BEHIND.sub(r"\1", text)
    for mark in _PUNCTUATION:
        text = text.replace(f" {mark}", mark)
    return text


def _fold_quotes(text: str) -> str:
    """Every kind of quotation mark and apostrophe to the two straight ones."""
    return _replace(_replace(text, _SINGLE_QUOTES, "'"), (*_DOUBLE_QUOTES, "''"), '"')


def _fold_dots(text: str) -> str:
    """One ellipsis and one middle dot."""
    if "..." in text or "。。。" in text:
        text = _ELLIPSES.sub("...", text)
    return _replace(text, _MIDDLE_DOTS, "·")


def _fold_dashes(text: str) -> str:
    """Hyphens, dashes and minus signs to "-"; a drawn-out dash is one dash. The sign itself stays."""
    text = _replace(text, _LONG_DASHES, "—").replace(" -- ", " - ")
    while "——" in text:
        text = text.replace("——", "—")
    return _replace(text, _DASHES, "-")


#: In this order. Spacing rules come last, because the others make and unmake spaces.
FOLD_RULES: tuple[Rule, ...] = (
    Rule("heading level", _fold_heading_levels),
    Rule("invisible characters", drop_invisible),
    Rule("width forms", _fold_width),
    Rule("dashes", _fold_dashes),
    Rule("quotes", _fold_quotes),
    Rule("dots", _fold_dots),
    Rule("whitespace runs", lambda text: " ".join(text.split())),
    Rule("CJK spacing", _fold_cjk_spacing),
    Rule("punctuation spacing", _fold_punctuation_spacing),
)


def fold(document: str) -> str:
    """Level the typing of a text: the input of its hash, never shown to anyone."""
    for rule in FOLD_RULES:
        document = rule.apply(document)
    return document


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def content_hash(document: str) -> str:
    """The name of a canonical document: SHA-256 of its fold, under `SCHEME`."""
    return sha256_hex(fold(clean_text(document)).encode())


#: Distinct short texts kept, and the longest that is kept: the same places and departments stand on many postings.
_SHORT_TEXTS = 8192
_LONGEST_SHORT = 200


@lru_cache(_SHORT_TEXTS)
def _fold_once(text: str, _rules: tuple[Rule, ...]) -> str:
    """Remembered under the rules in force, which a test may switch."""
    return fold(text)


def fold_short(text: str) -> str:
    """`fold` of a name or a stated fact; the same short text is folded once."""
    return _fold_once(text, FOLD_RULES) if len(text) <= _LONGEST_SHORT else fold(text)


def _fold_fact(value: str | None) -> str | None:
    """A stated fact folded; blank is not stated."""
    return (fold_short(clean_text(value)) or None) if value else None


def fold_facts(facts: Facts) -> Facts:
    """Facts as they are hashed: strings folded, blank → None, sets without order and repetition."""
    stated = {field: getattr(facts, field) for field in _FACT_FIELDS}
    locations = sorted({folded for place in facts.locations if (folded := _fold_fact(place))})
    return Facts(locations=tuple(locations), **{field: _fold_fact(value) for field, value in stated.items()})


def tidy_facts(facts: Facts) -> Facts:
    """Facts as they are stored and shown: as stated, less stray spaces; the same set and order as their fold."""
    stated = {field: getattr(facts, field) for field in _FACT_FIELDS}
    places = {folded: _tidy(place) for place in reversed(facts.locations) if (folded := _fold_fact(place))}
    locations = tuple(places[folded] or folded for folded in sorted(places))
    return Facts(locations=locations, **{field: _tidy(value) for field, value in stated.items()})


def _tidy(value: str | None) -> str | None:
    """A stated fact on one line; what folds to nothing is not stated."""
    return " ".join(clean_text(value).split()) if value and _fold_fact(value) else None


_FACT_FIELDS = tuple(field.name for field in dataclasses.fields(Facts) if field.name != "locations")


def facts_json(facts: Facts) -> dict[str, Any]:
    """The stated facts alone, as JSON values."""
    stated = {field: value for field in _FACT_FIELDS if (value := getattr(facts, field)) is not None}
    return {**stated, "locations": list(facts.locations)} if facts.locations else stated


def facts_hash(facts: Facts) -> str:
    """SHA-256 of the folded facts as canonical JSON, under `FACTS_SCHEME`."""
    return sha256_hex(canonical_json(facts_json(fold_facts(facts))))


#: Levels of a JSON value that are written as such where it is not plain; what lies deeper becomes its text.
MAX_LEVELS = 64


def canonical_json(value: object) -> bytes:
    """One spelling of any JSON value: UTF-8, keys sorted, no spaces; control characters and lone surrogates out."""
    try:
        encoded = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # lone surrogates, keys that are no strings, integers beyond 64 bits, more than 254 levels
        return orjson.dumps(bounded(value), option=orjson.OPT_SORT_KEYS)
    if b"\\u00" in encoded:
        return orjson.dumps(bounded(value), option=orjson.OPT_SORT_KEYS)
    return encoded


def bounded(value: object, levels: int = MAX_LEVELS) -> Any:
    """The value with every string cleaned; what lies too deep, or what JSON cannot say, is written as a string."""
    if isinstance(value, Mapping):
        if not levels:
            return _json_text(value)
        return {clean_text(str(key)): bounded(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [bounded(item, levels - 1) for item in value] if levels else _json_text(value)
    return _plain_value(value)


def _plain_value(value: object) -> object:
    """A value that holds no others, as JSON can say it."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    return str(value)


class _Mark(str):
    """A piece of JSON that is written as it is."""


def _json_text(value: object) -> str:
    """A value of any depth as JSON text, without recursion."""
    parts: list[str] = []
    waiting: list[object] = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, _Mark):
            parts.append(each)
        elif isinstance(each, Mapping):
            pieces: list[object] = [_Mark("{")]
            for key, item in sorted((clean_text(str(key)), item) for key, item in each.items()):
                pieces += [_Mark(orjson.dumps(key).decode() + ":"), item, _Mark(",")]
            waiting += reversed([*pieces[: -1 if len(pieces) > 1 else None], _Mark("}")])
        elif isinstance(each, list | tuple):
            pieces = [piece for item in each for piece in (_Mark(","), item)]
            waiting += reversed([_Mark("["), *pieces[1:], _Mark("]")])
        else:
            parts.append(orjson.dumps(_plain_value(each)).decode())
    return "".join(parts)


_PathTree: TypeAlias = "dict[str, _PathTree | None]"


@lru_cache(maxsize=256)
def _path_tree(paths: frozenset[str]) -> _PathTree:
    """Dotted paths as a tree; None marks a field to leave out."""
    tree: _PathTree = {}
    for path in sorted(paths):
        *parents, last = path.split(".")
        node: _PathTree | None = tree
        for part in parents:
            node = node.setdefault(part, {}) if node is not None else None
        if node is not None:
            node[last] = None
    return tree


def without_fields(value: Any, paths: frozenset[str]) -> Any:
    """A copy of a JSON value without the fields at dotted paths; lists are walked, an absent path changes nothing."""
    return _without(value, _path_tree(paths)) if paths else value


def _without(value: Any, tree: _PathTree) -> Any:
    """A copy of the value without the tree's fields; only the containers on the way are copied."""
    if isinstance(value, Mapping):
        copy = dict(value)
        for key, below in tree.items():
            if key not in copy:
                continue
            if below is None:
                del copy[key]
            else:
                copy[key] = _without(copy[key], below)
        return copy
    if isinstance(value, list | tuple):
        return [_without(item, tree) if isinstance(item, Mapping) else item for item in value]
    return value


def _without_nulls(value: Any) -> Any:
    """A copy without the keys whose value is null, at any depth."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_nulls(item) for item in value]
    return value


def identity_hash(record: Mapping[str, Any], not_identity: Collection[str]) -> str:
    """SHA-256 of a record less the fields that do not make it another record.

    Args:
        record: What the site sent, as parsed JSON.
        not_identity: Dotted paths such as "list.LastUpdateTime". A list on the way is walked; a path that is
            not there is ignored. Keys that arrive as null are left out, so that a new empty field changes nothing.
    """
    paths = not_identity if isinstance(not_identity, frozenset) else frozenset(not_identity)
    encoded = canonical_json(without_fields(record, paths))
    if b":null" in encoded:
        encoded = canonical_json(_without_nulls(orjson.loads(encoded)))
    return sha256_hex(encoded)
