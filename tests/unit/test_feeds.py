"""Feeds and sitemaps of every form, whole and broken."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.domain.feeds import UnreadableFeed, read_feed
from jobmonitor.domain.sitemaps import Sitemap, read_sitemap

URL = "https://acme.example/jobs/feed.xml"
RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Jobs</title>
<item><title>Baker</title><link>/jobs/1</link><guid isPermaLink="false">job-1</guid>
<description>Short.</description><content:encoded><![CDATA[<p>Bake <b>bread</b> &amp; rolls</p>]]></content:encoded>
<pubDate>Mon, 02 Nov 2026 08:00:00 GMT</pubDate><category>Food</category><category>Full-time</category></item>
<item><title>Cook</title><link>https://acme.example/jobs/2</link></item>
<item><title>Nameless</title></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>tag:acme,1</id><title>Baker</title>
<link rel="edit" href="/edit/1"/><link href="jobs/1"/><updated>2026-11-02T08:00:00Z</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Bake</p></div></content>
<category term="Food"/></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><item rdf:about="https://acme.example/1"><title>Baker</title>
<link>https://acme.example/1</link><description>Bake</description><dc:date>2026-11-02</dc:date></item></rdf:RDF>"""


def test_rss() -> None:
    first, second, third = read_feed(RSS.encode(), url=URL)
    assert first == {
        "id": "job-1",
        "link": "https://acme.example/jobs/1",
        "title": "Baker",
        "html": "<p>Bake <b>bread</b> &amp; rolls</p>",
        "published": "Mon, 02 Nov 2026 08:00:00 GMT",
        "categories": ["Food", "Full-time"],
    }
    assert second == {"link": "https://acme.example/jobs/2", "title": "Cook"}
    assert third == {"title": "Nameless"}


def test_atom() -> None:
    (entry,) = read_feed(ATOM.encode(), url=URL)
    assert (entry["id"], entry["link"], entry["updated"]) == (
        "tag:acme,1",
        "https://acme.example/jobs/jobs/1",
        "2026-11-02T08:00:00Z",
    )
    assert "<p>Bake</p>" in entry["html"]
    assert entry["categories"] == ["Food"]


def test_rdf() -> None:
    (entry,) = read_feed(RDF.encode(), url=URL)
    assert (entry["id"], entry["published"], entry["html"]) == ("https://acme.example/1", "2026-11-02", "Bake")


def test_json_feed() -> None:
    item = {"id": 7, "url": "/7", "title": "Baker", "content_html": "<p>Bake</p>", "date_published": "2026-11-02"}
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": [item, "nonsense"]}
    assert read_feed(json.dumps(feed).encode(), url=URL) == [
        {
            "id": "7",
            "link": "https://acme.example/7",
            "title": "Baker",
            "html": "<p>Bake</p>",
            "published": "2026-11-02",
        }
    ]


def test_gbk_is_read_by_its_own_declaration() -> None:
    item = "<item><guid>1</guid><title>面点师</title></item>"
    text = f'<?xml version="1.0" encoding="GBK"?><rss><channel>{item}</channel></rss>'
    assert read_feed(text.encode("gbk"), url=URL)[0]["title"] == "面点师"


def test_an_empty_feed_is_a_feed() -> None:
    assert read_feed(b"<rss><channel></channel></rss>", url=URL) == []


ITEM = "<rss><channel><item><title>{}</title></item></channel></rss>"
BOMB = "<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]>" + ITEM.format("&b;")
FILE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + ITEM.format("&x;")


@pytest.mark.parametrize("text", [BOMB, FILE])
def test_entities_are_not_resolved(text: str) -> None:
    assert read_feed(text.encode(), url=URL)[0]["title"] in {"&b;", "&x;"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>Jobs</body></html>",
        b"<rss><channel>",
        b"{}",
        b'{"version":"1","items":[]}',
        b"{",
        b"plain",
        b"\x00",
    ],
)
def test_what_is_no_feed_says_so(body: bytes) -> None:
    with pytest.raises(UnreadableFeed):
        read_feed(body, url=URL)


@given(st.binary(max_size=200))
def test_no_bytes_are_too_strange(body: bytes) -> None:
    for read in (read_feed, read_sitemap):
        try:
            found = read(body, url=URL)
        except UnreadableFeed:
            found = []
        assert isinstance(found, list | Sitemap)


PAGES = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> /jobs/1 </loc><lastmod>2026-11-01</lastmod></url><url><loc>https://acme.example/about</loc></url><url/></urlset>"""
INDEX = "<sitemapindex><sitemap><loc>https://acme.example/a.xml</loc></sitemap></sitemapindex>"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_sitemaps(pack: object) -> None:
    packed = pack(PAGES.encode())  # type: ignore[operator]
    assert read_sitemap(packed, url=URL) == Sitemap(
        pages=(("https://acme.example/jobs/1", "2026-11-01"), ("https://acme.example/about", None))
    )
    assert read_sitemap(INDEX.encode(), url=URL) == Sitemap(sitemaps=("https://acme.example/a.xml",))


@pytest.mark.parametrize("body", [b"<rss/>", b"\x1f\x8b", gzip.compress(b"x", mtime=0)[:12], b""])
def test_what_is_no_sitemap_says_so(body: bytes) -> None:
    with pytest.raises(UnreadableFeed):
        read_sitemap(body, url=URL)
