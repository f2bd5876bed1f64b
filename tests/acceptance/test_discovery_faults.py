"""What a sitemap may not make a crawl do: hide a board behind a 304, read a file, ask another host, lose the rest."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from jobmonitor.demo.loopback import LoopbackServer
from tests.acceptance.crawling import Crawls
from tests.acceptance.test_discovery import BASE, INDEX, AcmeSitemapSpider, crawl, folder, page, sitemap

SPIDERS = "spiders,tests.acceptance.test_discovery,tests.acceptance.test_discovery_faults"


class AcmeNewestSpider(AcmeSitemapSpider):
    """A sitemap that need not list every posting; each can be asked for at its own address."""

    name = system = "acmenewest"
    whole = False

    def probe_url(self, native_id: str) -> str:
        """The page."""
        return f"{BASE}/jobs/{native_id}"


class _Files(BaseHTTPRequestHandler):
    """Answers each path with its text, or with 304 to whoever has that one."""

    server: _Server
    wbufsize = -1

    def do_GET(self) -> None:
        body = self.server.files.get(self.path)
        tag = f'"{abs(hash(body))}"'
        same = body is not None and self.headers.get("If-None-Match") == tag
        if self.path != "/robots.txt":
            self.server.asked.append((self.path, same))
        sent = b"" if same else (body or "").encode()
        self.send_response(404 if body is None else 304 if same else 200)
        for name, value in {"ETag": tag, "Content-Type": "text/html; charset=utf-8"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


class _Server(LoopbackServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Files)
        self.files: dict[str, str] = {}
        #: Path of each request, and whether it was answered by 304.
        self.asked: list[tuple[str, bool]] = []


@contextmanager
def serving() -> Iterator[_Server]:
    server = _Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def at_home(base: str, files: Mapping[str, tuple[int, str]]) -> dict[str, str]:
    return {path: text.replace("https://acme.example", base) for path, (_, text) in files.items()}


def test_an_unchanged_index_hides_no_posting(crawls: Crawls) -> None:
    site = {"/sitemap.xml": INDEX, "/a.xml": sitemap(1, 2), "/b.xml": sitemap(3, 4)}
    with serving() as server:
        base = f"http://127.0.0.1:{server.server_port}"
        server.files = at_home(base, site | {f"/jobs/{number}": page(number) for number in (1, 2, 3, 4)})
        for day in (3, 5, 7):
            server.asked.clear()
            at = f"2026-11-{day:02d}T06:00:00+00:00"
            status, errors = crawls.run(
                "acmesitemap", arguments={"base_url": base}, SPIDER_MODULES=SPIDERS, OBSERVED_AT=at
            )
            assert status == 0, errors
    assert crawls.rows("SELECT state, count(*) FROM posting GROUP BY 1") == [("active", 4)]
    # Now and then one of its sitemaps is read in full; the index always is.
    assert ("/sitemap.xml", False) in server.asked
    assert {path for path, same in server.asked if same} <= {"/a.xml", "/b.xml"}
    assert {path for path, _ in server.asked} == {"/sitemap.xml", "/a.xml", "/b.xml"}


def test_a_sitemap_leads_to_no_file_and_no_other_host(crawls: Crawls, tmp_path: Path) -> None:
    secret, child = tmp_path / "jobs" / "9", tmp_path / "child.xml"
    secret.parent.mkdir()
    secret.write_text(page(9)[1], "utf-8")
    child.write_text(sitemap(8)[1], "utf-8")
    sitemaps = "".join(
        f"<sitemap><loc>{url}</loc></sitemap>"
        for url in (child.as_uri(), "http://[x", "//other.example/b.xml", "/a.xml")
    )
    wrong = (secret.as_uri(), "https://other.example/jobs/7", "http://[x/jobs/6", "data:text/html,/jobs/5")
    pages = "".join(f"<url><loc>{url}</loc></url>" for url in ("https://ACME.example:443/jobs/1", *wrong))
    site = {
        "/sitemap.xml": (200, f"<sitemapindex>{sitemaps}</sitemapindex>"),
        "/a.xml": (200, f"<urlset>{pages}</urlset>"),
        "/jobs/1": page(1),
    }
    crawl(crawls, "acmesitemap", folder(tmp_path, 1, site))
    assert crawls.rows("SELECT native_id FROM posting") == [("1",)]
    assert crawls.rows("SELECT key, reason FROM reject ORDER BY 1") == [(each, "unparsable") for each in "5679"]
    assert crawls.rows("SELECT complete FROM run_channel") == [(False,)]
    assert crawls.rows("SELECT url, failure FROM page WHERE failure IS NOT NULL ORDER BY 1") == [
        (child.as_uri(), "other_host"),
        ("http://[x", "other_host"),
        ("https://other.example/b.xml", "other_host"),
    ]


def test_a_posting_that_no_sitemap_lists_is_asked_for(crawls: Crawls, tmp_path: Path) -> None:
    pages = {f"/jobs/{number}": page(number) for number in (1, 2)}
    states = []
    for day, listed, status in ((1, (1, 2), 200), (6, (1,), 404), (10, (1,), 200), (14, (1,), 404), (18, (1,), 404)):
        answers = pages | {"/jobs/2": (status, pages["/jobs/2"][1])}
        replay = folder(tmp_path, day, {"/sitemap.xml": sitemap(*listed)} | answers)
        code, errors = crawls.run("acmenewest", REPLAY_DIR=str(replay), SPIDER_MODULES=SPIDERS)
        assert code == 0, errors
        states += crawls.rows("SELECT state FROM posting WHERE native_id = '2'")
    assert states == [("active",), ("suspected",), ("active",), ("suspected",), ("gone",)]
    assert crawls.rows("SELECT state FROM posting WHERE native_id = '1'") == [("active",)]
