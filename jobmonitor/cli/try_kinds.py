"""What `jobmonitor try` can make of an input: one row per kind, from the fields of the input to `data`.

The modules behind a kind are imported when it is asked for: salary needs none of the cleaning, nothing needs
a database.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from html import unescape
from typing import Any, NamedTuple

from jobmonitor.errors import InvalidInput
from jobmonitor.items import Salary, Section, UnknownSalary

Fields = Mapping[str, Any]
_TITLE = re.compile(r"<(?P<tag>title|h1)\b[^>]*>(?P<text>.*?)</(?P=tag)\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[a-zA-Z!/][^>]*>")


class Kind(NamedTuple):
    """One kind of input."""

    #: Field → types it may have.
    fields: Mapping[str, tuple[type, ...]]
    #: Fields that must be there.
    required: frozenset[str]
    answer: Callable[[Fields], dict[str, Any]]


def answer(kind: str, fields: object) -> dict[str, Any]:
    """`data` of the envelope for one input.

    Raises:
        InvalidInput: the kind is unknown, or the input is no object with that kind's fields.
    """
    known = KINDS.get(kind)
    if known is None:
        raise InvalidInput(f"There is no kind {kind!r}. Kinds are: {', '.join(KINDS)}")
    if not isinstance(fields, dict):
        raise InvalidInput(f"The input of {kind} is a JSON object with {_listed(known.fields)}")
    _check_fields(kind, known, fields)
    return known.answer(fields)


def _check_fields(kind: str, known: Kind, fields: Fields) -> None:
    unknown = [name for name in fields if name not in known.fields]
    if unknown:
        raise InvalidInput(f"Unknown field {_listed(unknown)}: the input of {kind} has {_listed(known.fields)}")
    missing = [name for name in known.fields if name in known.required and name not in fields]
    if missing:
        raise InvalidInput(f"The input of {kind} lacks {_listed(missing)}")
    for name, value in fields.items():
        if not isinstance(value, known.fields[name]):
            raise InvalidInput(f"The field {name!r} is a {type(value).__name__}, not {_types(known.fields[name])}")
    if fields.get("html") is not None and fields.get("text") is not None:
        raise InvalidInput("The input has 'html' and 'text': one of them is the body")


def _listed(names: object) -> str:
    return ", ".join(repr(str(name)) for name in names)  # type: ignore[attr-defined]


_TYPE_NAMES: Mapping[type, str] = {str: "a string", type(None): "null", list: "a list", int: "a number"}


def _types(types: tuple[type, ...]) -> str:
    return " or ".join(_TYPE_NAMES[one] for one in types)


def page_fields(kind: str, body: bytes, *, content_type: str | None) -> dict[str, Any]:
    """The fields of an input that came as the raw bytes of a page or a text, charset trouble included."""
    from jobmonitor.domain.charset import decode

    text = decode(body, content_type=content_type).text
    if kind == "page":
        return {"html": text}
    if "html" not in KINDS[kind].fields:
        return {"text": text.strip("\n")}
    plain = (content_type or "").startswith("text/plain") or not _TAG.search(text)
    if plain:
        return {"title": "", "text": text}
    title = _TITLE.search(text)
    return {"title": unescape(_TAG.sub("", title["text"])).strip() if title else "", "html": text}


def _salary(fields: Fields) -> dict[str, Any]:
    from jobmonitor.domain.salary import parse_salary

    match parse_salary(fields["text"]):
        case UnknownSalary(reason=reason):
            return {"unknown": reason}
        case Salary() as salary:
            return asdict(salary)


def _experience(fields: Fields) -> dict[str, Any]:
    from jobmonitor.domain.experience import parse_experience

    return asdict(parse_experience(fields["text"]))


def _education(fields: Fields) -> dict[str, Any]:
    from jobmonitor.domain.education import parse_education

    return asdict(parse_education(fields["text"]))


def _redact(fields: Fields) -> dict[str, Any]:
    from jobmonitor.domain.redaction import redact

    redacted = redact(_sound(fields["text"]))
    found = [asdict(finding) for finding in redacted.findings]
    return {"text": redacted.text, "found": found, "quarantine": redacted.quarantine}


def _document(fields: Fields) -> dict[str, Any]:
    from jobmonitor.domain.canonical import SCHEME, content_hash

    markdown = _canonical_document(fields)
    return {"markdown": markdown, "content_hash": content_hash(markdown), "scheme": SCHEME}


def _profile(fields: Fields) -> dict[str, Any]:
    from jobmonitor.extraction.rules import extract

    extracted = extract(_canonical_document(fields))
    return {"profile": extracted.profile, "evidence": extracted.evidence, "producer": "rules"}


def _canonical_document(fields: Fields) -> str:
    """What stages 300 and 400 make of the posting: cleaned, then redacted."""
    from jobmonitor.domain.document import build_document
    from jobmonitor.domain.redaction import redact

    sections = []
    if fields.get("html") is not None:
        sections.append(Section(body=_sound(fields["html"]), format="html"))
    elif fields.get("text") is not None:
        sections.append(Section(body=_sound(fields["text"]), format="text"))
    locations = [place for place in fields.get("locations") or [] if isinstance(place, str)]
    slogans = _slogans(fields.get("source"))
    return redact(build_document(_sound(fields["title"]), sections, locations=locations, slogans=slogans)).text


def _slogans(source: str | None) -> tuple[str, ...]:
    """The slogans that a source declares; one that is not in `scrapy list` declares none."""
    if source is None:
        return ()
    from scrapy.settings import Settings

    from jobmonitor.crawling.loader import SourceLoader

    settings = Settings()
    settings.setmodule("jobmonitor.settings")
    try:
        spider = SourceLoader(settings).load(source)
    except KeyError:
        return ()
    return tuple(getattr(spider, "slogans", ()))


def _sound(text: str) -> str:
    """Lone surrogates, which no output can hold, become U+FFFD; positions stay."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _page(fields: Fields) -> dict[str, Any]:
    from jobmonitor.domain.pagestate import judge_page

    verdict = judge_page(
        fields["html"],
        url=fields.get("url") or "",
        status=fields.get("status") or 200,
        final_url=fields.get("final_url"),
        content_type=fields.get("content_type"),
    )
    return asdict(verdict)


_TEXT = Kind({"text": (str, type(None))}, frozenset({"text"}), _salary)
_POSTING: Mapping[str, tuple[type, ...]] = {"title": (str,), "html": (str, type(None)), "text": (str, type(None))}

KINDS: Mapping[str, Kind] = {
    "salary": _TEXT,
    "experience": _TEXT._replace(answer=_experience),
    "education": _TEXT._replace(answer=_education),
    "document": Kind(
        {**_POSTING, "source": (str, type(None)), "locations": (list, type(None))}, frozenset({"title"}), _document
    ),
    "redact": Kind({"text": (str,)}, frozenset({"text"}), _redact),
    "profile": Kind(_POSTING, frozenset({"title"}), _profile),
    "page": Kind(
        {
            "url": (str,),
            "status": (int,),
            "final_url": (str, type(None)),
            "content_type": (str, type(None)),
            "html": (str,),
        },
        frozenset({"html"}),
        _page,
    ),
}
