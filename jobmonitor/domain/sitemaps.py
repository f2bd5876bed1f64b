"""Reads sitemap.xml: the pages of a site, or the sitemaps that list them (sitemaps.org, protocol 0.9). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from jobmonitor.domain.feeds import UnreadableFeed, joined, local_name, read_xml


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """One file: either the addresses of pages or of further sitemaps."""

    #: (address, lastmod as stated or None) of each page.
    pages: tuple[tuple[str, str | None], ...] = ()
    #: Addresses of further sitemaps.
    sitemaps: tuple[str, ...] = ()


def read_sitemap(body: bytes, *, url: str, content_type: str | None = None) -> Sitemap:
    """Read one file, packed or not.

    Raises:
        UnreadableFeed: it is no sitemap.
    """
    root = read_xml(body, content_type=content_type)
    entries = [
        (_child(each, "loc"), _child(each, "lastmod")) for each in root if local_name(each) in {"url", "sitemap"}
    ]
    found = [(joined(url, address), stamp) for address, stamp in entries if address]
    match local_name(root):
        case "urlset":
            return Sitemap(pages=tuple(found))
        case "sitemapindex":
            return Sitemap(sitemaps=tuple(address for address, _ in found))
        case name:
            raise UnreadableFeed(f"the root is {name!r}, which is no sitemap's")


def _child(element: object, name: str) -> str | None:
    for child in element:  # type: ignore[attr-defined]
        if local_name(child) == name:
            return (child.text or "").strip() or None
    return None
