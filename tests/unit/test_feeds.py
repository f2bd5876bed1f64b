"""Feeds and sitemaps of every form, whole and broken."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobmonitor.crawling.discovery import FeedJobSpider
from jobmonitor.domain.feeds import UnreadableFeed, read_date, read_feed
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
        "other": {"description": ["Short."]},
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
    assert (entry["id"], entry["published"], entry["text"]) == ("https://acme.example/1", "2026-11-02", "Bake")


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
        },
        "nonsense",
    ]


def test_gbk_is_read_by_its_own_declaration() -> None:
    item = "<item><guid>1</guid><title>面点师</title></item>"
    text = f'<?xml version="1.0" encoding="GBK"?><rss><channel>{item}</channel></rss>'
    assert read_feed(text.encode("gbk"), url=URL)[0]["title"] == "面点师"


@pytest.mark.parametrize(
    ("declared", "codec", "content_type", "title"),
    [
        ("gb2312", "gbk", None, "朱镕基喆面点师招聘"),  # more than the declared charset has
        ("UTF-8", "gbk", "text/xml; charset=GBK", "面点师招聘，负责面包制作"),
        ("", "gbk", "text/xml; charset=GBK", "面点师招聘，负责面包制作"),
        ("ISO-8859-1", "latin-1", None, "Bäcker für Köln"),
        ("utf-16", "utf-16", None, "面点师"),
        ("gbk", "utf-8", None, "面点师招聘"),
    ],
)
def test_a_wrong_declaration_loses_nothing(declared: str, codec: str, content_type: str | None, title: str) -> None:
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    text = f"{head}<rss><channel><item><guid>1</guid><title>{title}</title></item></channel></rss>"
    assert read_feed(text.encode(codec), url=URL, content_type=content_type)[0]["title"] == title


def rss_item(children: str, namespaces: str = "") -> dict[str, Any]:
    feed = f"<rss {namespaces}><channel><item>{children}</item></channel></rss>"
    (entry,) = read_feed(feed.encode(), url=URL)
    assert isinstance(entry, dict)
    return entry


def atom_entry(children: str) -> dict[str, Any]:
    names = 'xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"'
    (entry,) = read_feed(f"<feed {names}><entry><id>1</id>{children}</entry></feed>".encode(), url=URL)
    assert isinstance(entry, dict)
    return entry


def test_another_vocabulary_does_not_stand_in_for_the_entry_s_own() -> None:
    entry = atom_entry(
        '<media:title>A photo</media:title><media:content url="x.png"/><title>Baker</title>'
        '<summary>Short.</summary><content type="html">&lt;p&gt;The whole text&lt;/p&gt;</content>'
    )
    assert (entry["title"], entry["html"]) == ("Baker", "<p>The whole text</p>")
    assert entry["other"] == {"title": ["A photo"], "summary": ["Short."]}


def test_what_else_an_entry_says_is_kept() -> None:
    entry = rss_item(
        "<guid>1</guid><job:location>Berlin</job:location><job:location>Bonn</job:location><salary>3000</salary>",
        'xmlns:job="https://acme.example/ns"',
    )
    assert entry["other"] == {"location": ["Berlin", "Bonn"], "salary": ["3000"]}
    item = {"id": "1", "_acme": {"pay": 3000}, "authors": [{"name": "Jane"}]}
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": [item]}
    (row,) = read_feed(json.dumps(feed).encode(), url=URL)
    assert FeedJobSpider.strip({"list": row}) == {"list": {"id": "1", "other": {"_acme": {"pay": 3000}}}}


def test_text_that_is_no_markup_stays_text() -> None:
    assert atom_entry("<content>C++ &lt;vector&gt;\nGo</content>")["text"] == "C++ <vector>\nGo"
    assert atom_entry('<title type="html">R&amp;amp;D &lt;b&gt;Lead&lt;/b&gt;</title>')["title"] == "R&D Lead"
    assert rss_item("<description>Bake\n- bread</description>")["text"] == "Bake\n- bread"
    assert rss_item("<description>Bake&lt;br&gt;bread</description>")["html"] == "Bake<br>bread"


def test_the_link_is_the_page() -> None:
    atom = 'xmlns:atom="http://www.w3.org/2005/Atom"'
    assert rss_item('<atom:link rel="self" href="/self"/><link>/jobs/1</link>', atom)["link"].endswith("/jobs/1")
    assert "link" not in atom_entry('<link rel="edit" href="/edit/1"/>')
    assert atom_entry('<link href="https://b.example/" xml:base="https://c.example/"/>')["link"] == "https://b.example/"
    assert atom_entry('<link href="1" xml:base="/jobs/"/>')["link"] == "https://acme.example/jobs/1"
    assert rss_item("<guid>https://acme.example/1</guid>")["link"] == "https://acme.example/1"
    assert "link" not in rss_item('<guid isPermaLink="false">https://acme.example/1</guid>')


def test_one_strange_entry_costs_no_other() -> None:
    items = "<item><guid>1</guid><link>http://[x</link></item><item><guid>2<!-- 3 --></guid></item>"
    assert read_feed(f"<rss><channel>{items}</channel></rss>".encode(), url=URL) == [
        {"id": "1", "link": "http://[x"},
        {"id": "2"},
    ]
    assert read_feed(ITEM.format("a\x0bb").encode(), url=URL) == [{"title": "ab"}]
    pages = "<urlset><url><loc>http://[x</loc></url><url><loc>/a</loc></url></urlset>"
    found = read_sitemap(pages.encode(), url=URL).pages
    assert found == (("http://[x", None), ("https://acme.example/a", None))


@pytest.mark.parametrize(
    ("raw", "zone", "value", "precision"),
    [
        ("Mon, 02 Nov 2026 08:00:00 +0800", None, "2026-11-02T08:00:00+08:00", "second"),
        ("Mon, 02 Nov 2026 08:00 GMT", None, "2026-11-02T08:00:00+00:00", "minute"),
        ("2026-11-02T08:00:00Z", None, "2026-11-02T08:00:00+00:00", "second"),
        ("2026-11-02", dt.UTC, "2026-11-02T00:00:00+00:00", "day"),
        ("2026-11-02", None, None, None),
        ("yesterday", dt.UTC, None, None),
    ],
)
def test_dates(raw: str, zone: dt.tzinfo | None, value: str | None, precision: str | None) -> None:
    date = read_date(raw, zone)
    assert date is not None
    assert (date.raw, date.value.isoformat() if date.value else None, date.precision) == (raw, value, precision)


@given(st.text(max_size=40))
def test_no_date_is_too_strange(raw: str) -> None:
    read_date(raw, dt.UTC)


def test_a_feed_may_be_packed() -> None:
    assert read_feed(gzip.compress(RSS.encode()), url=URL) == read_feed(RSS.encode(), url=URL)


def test_an_empty_feed_is_a_feed() -> None:
    assert read_feed(b"<rss><channel></channel></rss>", url=URL) == []


ITEM = "<rss><channel><item><title>{}</title></item></channel></rss>"
BOMB = "<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]>" + ITEM.format("&b;")
FILE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + ITEM.format("&x;")


LAUGHS = "".join(f"<!ENTITY a{each} '{f'&a{each - 1};' * 10}'>" for each in range(1, 12))


def test_a_bomb_in_an_attribute_is_no_feed() -> None:
    with pytest.raises(UnreadableFeed):
        read_feed(f"<!DOCTYPE a [<!ENTITY a0 'ha'>{LAUGHS}]><rss a='&a11;'/>".encode(), url=URL)


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


PACKED = gzip.compress(b"x", mtime=0)


@pytest.mark.parametrize("body", [b"<rss/>", b"\x1f\x8b", PACKED[:12], PACKED[:10] + b"\xff" * 9, b""])
def test_what_is_no_sitemap_says_so(body: bytes) -> None:
    with pytest.raises(UnreadableFeed):
        read_sitemap(body, url=URL)
