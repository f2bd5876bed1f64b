"""Reads RSS 2.0, RSS 1.0 (RDF), Atom 1.0 and JSON Feed 1.1 into rows of one shape. Pure, and nothing in them is obeyed.

Sources: the RSS 2.0 specification (rssboard.org), RFC 4287 (Atom), jsonfeed.org/version/1.1, the RSS 1.0 specification.
"""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from jobmonitor.domain.charset import decode
from jobmonitor.errors import InvalidInput
from jobmonitor.items import DatePrecision, StatedDate

#: Bytes of one file, unpacked: what the sitemap protocol allows, and a little more.
LARGEST = 64 * 1024 * 1024
#: Other vocabularies that say what an entry's own one may leave out, by the prefix that they have here.
_VOCABULARIES = {
    "http://purl.org/rss/1.0/modules/content/": "content:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://www.w3.org/2005/Atom": "atom:",
}
#: Elements that say something of an entry, the best first; those without a prefix are of the entry's own vocabulary.
_IDS = ("guid", "id", "atom:id", "dc:identifier")
_TITLES = ("title", "dc:title")
_TEXTS = ("content:encoded", "content", "description", "summary", "atom:content", "dc:description")
_PUBLISHED = ("pubDate", "published", "issued", "date", "dc:date", "atom:published", "dcterms:issued")
_UPDATED = ("updated", "modified", "atom:updated", "dcterms:modified")
_CATEGORIES = frozenset({"category", "subject", "dc:subject", "atom:category"})
_JSON_READ = frozenset(
    {"id", "url", "external_url", "title", "content_html", "content_text", "summary", "date_published", "date_modified"}
) | {"tags"}
#: What no XML document may hold, however it is written.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKUP = re.compile(r"</?[a-zA-Z!][^<>]*>|&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);")
_CLOCK = re.compile(r"\d:\d\d(:\d\d)?")


class UnreadableFeed(InvalidInput):
    """The bytes are no feed."""

    code = "unreadable_feed"


def read_feed(body: bytes, *, url: str, content_type: str | None = None) -> list[Any]:
    """Entries in their order: id, link, title, html or text, published, updated, categories; absent ones are left out.

    What else an entry says stands in `other`, as sent: a list of texts for each element, a value for each JSON field.
    An item of a JSON Feed that is no object is handed over as it is.

    Args:
        body: the feed as received, packed or not.
        url: where it came from, for relative links.
        content_type: the Content-Type header, if there was one.

    Raises:
        UnreadableFeed: it is no feed of a known format.
    """
    text = decode(unpacked(body), content_type=content_type).text
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return [_tidy(_json_entry(item), url) if isinstance(item, dict) else item for item in _json_items(text)]
    root = parse_xml(text)
    name = local_name(root)
    if name not in {"rss", "RDF", "feed"}:
        raise UnreadableFeed(f"the root is {name!r}, which is no feed's")
    holders = [root, *(child for child in root if local_name(child) == "channel")]
    entries = [each for holder in holders for each in holder if local_name(each) in {"item", "entry"}]
    return [_tidy(_xml_entry(entry), url) for entry in entries]


def read_xml(body: bytes, *, content_type: str | None = None) -> etree._Element:
    """The root of an XML document, packed or not. Entities are not resolved and nothing is fetched.

    Raises:
        UnreadableFeed: it is no XML.
    """
    return parse_xml(decode(unpacked(body), content_type=content_type).text)


def parse_xml(text: str) -> etree._Element:
    """The root of a decoded XML document, whatever charset it says it has; see `read_xml`."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    clean = _FORBIDDEN.sub("", text).lstrip("\ufeff \t\r\n")
    try:
        return etree.fromstring(clean.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableFeed(f"this is no XML: {error}") from error


def unpacked(body: bytes) -> bytes:
    """A body that may have been packed by gzip.

    Raises:
        UnreadableFeed: it cannot be unpacked, or is too large.
    """
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        with gzip.open(io.BytesIO(body)) as file:
            plain = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFeed(f"it cannot be unpacked: {error}") from error
    if len(plain) > LARGEST:
        raise UnreadableFeed("it is larger than it may be")
    return plain


def local_name(element: etree._Element) -> str:
    """The name without its namespace; empty for what is no element."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def joined(url: str, address: str) -> str:
    """An address made whole; one that can be none is left as it is."""
    try:
        return urljoin(url, address)
    except ValueError:
        return address


def read_date(raw: str | None, zone: dt.tzinfo | None = None) -> StatedDate | None:
    """A date as feeds write it (RFC 822, RFC 3339, or less), None where none is stated.

    Without an offset it has a value only in the `zone` of its site.
    """
    if raw is None or not raw.strip():
        return None
    value = _moment(raw.strip())
    if value is not None and value.tzinfo is None:
        value = value.replace(tzinfo=zone) if zone is not None else None
    if value is None:
        return StatedDate(raw=raw, value=None, precision=None)
    clock = _CLOCK.search(raw)
    precision: DatePrecision = "day" if clock is None else "second" if clock[1] else "minute"
    return StatedDate(raw=raw, value=value, precision=precision)


def _moment(text: str) -> dt.datetime | None:
    for read in (dt.datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def _json_items(text: str) -> list[Any]:
    try:
        feed = json.loads(text.lstrip("\ufeff \t\r\n"))
    except (ValueError, RecursionError) as error:
        raise UnreadableFeed(f"this is no JSON: {error}") from error
    version, items = str(feed.get("version", "")), feed.get("items")
    if "jsonfeed.org/version/" not in version or not isinstance(items, list):
        raise UnreadableFeed("this JSON is no JSON Feed: it needs a version and items")
    return items


def _json_entry(item: Mapping[str, Any]) -> dict[str, Any]:
    native_id, tags = item.get("id"), item.get("tags")
    return {
        "id": str(native_id) if isinstance(native_id, str | int) and not isinstance(native_id, bool) else None,
        "link": item.get("url") or item.get("external_url"),
        "title": item.get("title"),
        "html": item.get("content_html"),
        "text": item.get("content_text") or item.get("summary"),
        "published": item.get("date_published"),
        "updated": item.get("date_modified"),
        "categories": [str(tag) for tag in tags] if isinstance(tags, list) else [],
        "other": {name: value for name, value in item.items() if name not in _JSON_READ},
    }


def _xml_entry(entry: etree._Element) -> dict[str, Any]:
    children = [child for child in entry if local_name(child)]
    named: dict[str, etree._Element] = {}
    for child in children:
        if _content(child):
            named.setdefault(_term(child, entry), child)
    found = {
        part: next((named[term] for term in terms if term in named), None)
        for part, terms in (
            ("id", _IDS), ("title", _TITLES), ("body", _TEXTS), ("published", _PUBLISHED), ("updated", _UPDATED),
        )
    }  # fmt: skip
    said = {part: _content(child) for part, child in found.items() if child is not None}
    about = next((str(value) for name, value in entry.attrib.items() if str(name).endswith("}about")), None)
    return {
        "id": said.get("id") or about,
        "link": _link(children, entry) or _permalink(found["id"]),
        "title": _title(found["title"]),
        **_body(found["body"]),
        "published": said.get("published"),
        "updated": said.get("updated"),
        "categories": list(_categories(children, entry)),
        "other": _other(children, entry, [child for child in found.values() if child is not None]),
    }


def _term(child: etree._Element, entry: etree._Element) -> str:
    """What an element is called here: plainly in the entry's own vocabulary, with a prefix in one that we know."""
    name = etree.QName(child)
    if name.namespace == etree.QName(entry).namespace:
        return name.localname
    return f"{_VOCABULARIES.get(name.namespace or '', '?')}{name.localname}"


def _content(element: etree._Element) -> str:
    """Text of an element; of one that holds markup itself (Atom's xhtml) the markup."""
    if len(element):
        inner = b"".join(etree.tostring(child, encoding="utf-8") for child in element)
        return (element.text or "") + inner.decode("utf-8")
    return (element.text or "").strip()


def _is_markup(element: etree._Element) -> bool:
    """Whether a text is meant as HTML: Atom says so, of RSS it is to be seen."""
    if len(element) or element.get("type") in {"html", "xhtml", "text/html", "application/xhtml+xml"}:
        return True
    atom = _VOCABULARIES.get(etree.QName(element).namespace or "") == "atom:"
    return not atom and _MARKUP.search(element.text or "") is not None


def _body(element: etree._Element | None) -> dict[str, str]:
    if element is None:
        return {}
    return {"html" if _is_markup(element) else "text": _content(element)}


def _title(element: etree._Element | None) -> str | None:
    """A title as plain text; only Atom says that one is HTML."""
    if element is None:
        return None
    text = _content(element)
    if not len(element) and element.get("type") not in {"html", "xhtml"}:
        return text
    root = etree.fromstring(f"<div>{text}</div>", etree.HTMLParser(no_network=True))
    return " ".join("".join(map(str, root.itertext())).split())


def _link(children: list[etree._Element], entry: etree._Element) -> str | None:
    """Address of the entry's page: not its feed, its picture or the place where it is edited."""
    links = [child for child in children if _term(child, entry) in {"link", "atom:link"}]
    for child in links:
        if not child.get("href") and _content(child):
            return joined(child.base or "", _content(child))
    pages = [child for child in links if child.get("href") and (child.get("rel") or "alternate") == "alternate"]
    pages.sort(key=lambda child: child.get("type") not in {None, "text/html", "application/xhtml+xml"})
    return joined(pages[0].base or "", str(pages[0].get("href"))) if pages else None


def _permalink(element: etree._Element | None) -> str | None:
    """RSS: a guid is the address of the page unless it says that it is not."""
    if element is None or local_name(element) != "guid" or element.get("isPermaLink") == "false":
        return None
    text = _content(element)
    return text if text.startswith(("http://", "https://")) else None


def _categories(children: list[etree._Element], entry: etree._Element) -> Iterator[str]:
    for child in children:
        if _term(child, entry) in _CATEGORIES:
            name = str(child.get("term") or child.text or "").strip()
            if name:
                yield name


def _other(children: list[etree._Element], entry: etree._Element, read: list[etree._Element]) -> dict[str, list[str]]:
    """Texts of the elements that are not read, by their names without namespaces."""
    other: dict[str, list[str]] = {}
    for child in children:
        known = child in read or _term(child, entry) in _CATEGORIES | {"link", "atom:link"}
        if not known and (text := _content(child)):
            other.setdefault(local_name(child), []).append(text)
    return other


def _tidy(entry: dict[str, Any], url: str) -> dict[str, Any]:
    """Without what is not stated; links made whole."""
    link = entry.get("link")
    if isinstance(link, str) and link.strip():
        entry["link"] = joined(url, link.strip())
    return {name: value for name, value in entry.items() if value}
