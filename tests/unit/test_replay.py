"""REPLAY_DIR alone suffices: no network, no delays, the folder's own time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import DownloadFailedError
from scrapy.http import HtmlResponse, Request, TextResponse
from scrapy.utils.project import get_project_settings
from scrapy.utils.test import get_crawler

from jobmonitor.crawling.exchanges import load_exchanges
from jobmonitor.crawling.exchanges_addon import ExchangesAddon
from jobmonitor.crawling.replay import ReplayHandler
from jobmonitor.errors import ConfigurationError

URL = "https://example.com/jobs"


def folder(path: Path, body: bytes = b"{}", **entry: Any) -> Path:
    (path / "1").write_bytes(body)
    exchange = {"method": "GET", "url": URL, "status": 200, "file": "1", "at": "2026-05-01T06:00:00+00:00", **entry}
    (path / "exchanges.json").write_text(json.dumps([exchange]))
    return path


def handler(path: Path) -> ReplayHandler:
    return ReplayHandler(get_crawler(), load_exchanges(path))


async def test_a_response_has_the_class_and_charset_of_its_type(tmp_path: Path) -> None:
    page = folder(tmp_path, "职位".encode("gbk"), headers={"content-type": "text/html; charset=gbk"})
    response = await handler(page).download_request(Request(URL))
    assert isinstance(response, HtmlResponse)
    assert response.text == "职位"


async def test_wire_headers_of_a_foreign_recording_do_not_count(tmp_path: Path) -> None:
    page = folder(tmp_path, headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})
    response = await handler(page).download_request(Request(URL))
    assert isinstance(response, TextResponse)
    assert "Content-Encoding" not in response.headers


async def test_robots_txt_is_404_and_the_rest_a_dead_network(tmp_path: Path) -> None:
    replay = handler(folder(tmp_path))
    assert (await replay.download_request(Request("https://other.example/robots.txt"))).status == 404
    for url in ("https://other.example/", f"{URL}/robots.txt"):
        with pytest.raises(DownloadFailedError):
            await replay.download_request(Request(url))


@pytest.mark.parametrize(("given", "used"), [(None, "2026-05-01T06:00:00+00:00"), ("2026-06-01", "2026-06-01")])
def test_the_folder_sets_the_time_unless_one_is_given(tmp_path: Path, given: str | None, used: str) -> None:
    settings = get_project_settings()
    settings.setdict({"REPLAY_DIR": str(folder(tmp_path)), "OBSERVED_AT": given, "DOWNLOAD_DELAY": 5}, "cmdline")
    ExchangesAddon().update_settings(settings)
    assert settings["OBSERVED_AT"] == used
    assert settings.getfloat("DOWNLOAD_DELAY") == 0
    assert not settings.getbool("AUTOTHROTTLE_ENABLED")
    assert settings.getbool("ROBOTSTXT_OBEY")


def test_recording_a_replay_is_refused(tmp_path: Path) -> None:
    settings = get_project_settings()
    settings.setdict({"REPLAY_DIR": str(folder(tmp_path)), "RECORD_DIR": "x"}, "cmdline")
    with pytest.raises(ConfigurationError, match="not both"):
        ExchangesAddon().update_settings(settings)
