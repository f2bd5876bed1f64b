"""Reads RSS 2.0, RSS 1.0 (RDF), Atom 1.0 and JSON Feed 1.1 into rows of one shape. Pure, and nothing in them is obeyed.

Sources: the RSS 2.0 specification (rssboard.org), RFC 4287 (Atom), jsonfeed.org/version/1.1, the RSS 1.0 specification.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from jobmonitor.errors import InvalidInput

#: Elements of an entry that hold its text, the fullest first.
_TEXTS = ("encoded", "content", "description", "summary")
_PUBLISHED, _UPDATED = ("pubDate", "published", "date", "issued"), ("updated", "modified", "lastBuildDate")


class UnreadableFeed(InvalidInput):
    """The bytes are no feed."""

    code = "unreadable_feed"


def read_feed(body: bytes, *, url: str) -> list[dict[str, Any]]:
    """Entries in their order: id, link, title, html or text, published, updated, categories; absent ones are left out.

    Args:
        body: the feed as received; its own declaration says how it is encoded.
        url: where it came from, for relative links.

    Raises:
        UnreadableFeed: it is no feed of a known format.
    """
    if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return [_tidy(_json_entry(item), url) for item in _json_items(body)]
    root = read_xml(body)
    name = local_name(root)
    if name not in {"rss", "RDF", "feed"}:
        raise UnreadableFeed(f"the root is {name!r}, which is no feed's")
    entries = [element for element in root.iter() if local_name(element) in {"item", "entry"}]
    return [_tidy(_xml_entry(entry), url) for entry in entries]


def read_xml(body: bytes) -> etree._Element:
    """The root of an XML document. Entities are not resolved and nothing is fetched.

    Raises:
        UnreadableFeed: it is no XML.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=False, huge_tree=False)
    try:
        return etree.fromstring(body.strip(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableFeed(f"this is no XML: {error}") from error


def local_name(element: etree._Element) -> str:
    """The name without its namespace; empty for comments and instructions."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _json_items(body: bytes) -> list[dict[str, Any]]:
    try:
        feed = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnreadableFeed(f"this is no JSON: {error}") from error
    version, items = str(feed.get("version", "")), feed.get("items")
    if "jsonfeed.org/version/" not in version or not isinstance(items, list):
        raise UnreadableFeed("this JSON is no JSON Feed: it needs a version and items")
    return [item for item in items if isinstance(item, dict)]


def _json_entry(item: dict[str, Any]) -> dict[str, Any]:
    tags = item.get("tags")
    return {
        "id": str(item["id"]) if item.get("id") is not None else None,
        "link": item.get("url") or item.get("external_url"),
        "title": item.get("title"),
        "html": item.get("content_html"),
        "text": item.get("content_text") or item.get("summary"),
        "published": item.get("date_published"),
        "updated": item.get("date_modified"),
        "categories": [str(tag) for tag in tags] if isinstance(tags, list) else [],
    }


def _xml_entry(entry: etree._Element) -> dict[str, Any]:
    children = [child for child in entry if local_name(child)]
    named: dict[str, str] = {}
    for child in children:
        named.setdefault(local_name(child), _content(child))
    text = next((named[name] for name in _TEXTS if named.get(name)), None)
    about = next((value for name, value in entry.attrib.items() if str(name).endswith("}about")), None)
    return {
        "id": named.get("guid") or named.get("id") or (str(about) if about is not None else None),
        "link": _link(children) or named.get("link"),
        "title": named.get("title"),
        "html": text,
        "published": next((named[name] for name in _PUBLISHED if named.get(name)), None),
        "updated": next((named[name] for name in _UPDATED if named.get(name)), None),
        "categories": list(_categories(children)),
    }


def _content(element: etree._Element) -> str:
    """Text of an element; of one that holds markup itself (Atom's xhtml) the markup."""
    if len(element):
        inner = b"".join(etree.tostring(child, encoding="utf-8") for child in element)
        return (element.text or "") + inner.decode("utf-8")
    return (element.text or "").strip()


def _link(children: list[etree._Element]) -> str | None:
    """Atom's link to the entry's page."""
    links = [child for child in children if local_name(child) == "link" and child.get("href")]
    pages = [child for child in links if child.get("rel", "alternate") == "alternate"]
    return str((pages or links)[0].get("href")) if links else None


def _categories(children: list[etree._Element]) -> Iterator[str]:
    for child in children:
        if local_name(child) in {"category", "subject"}:
            name = str(child.get("term") or child.text or "").strip()
            if name:
                yield name


def _tidy(entry: dict[str, Any], url: str) -> dict[str, Any]:
    """Without what is not stated; links made whole."""
    link = entry.get("link")
    if isinstance(link, str) and link.strip():
        entry["link"] = urljoin(url, link.strip())
    return {name: value for name, value in entry.items() if value}
