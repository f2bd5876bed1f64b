"""Every spelling of a source comes to one key, and boards.toml is data that says where it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.project import get_project_settings

from jobmonitor.crawling.boards import load_boards, parse_boards
from jobmonitor.crawling.loader import SourceLoader
from jobmonitor.crawling.spider import JobSpider
from jobmonitor.errors import ConfigurationError


def loader(**changes: Any) -> SourceLoader:
    settings = get_project_settings()
    settings.setdict(changes, priority="cmdline")
    return SourceLoader.from_settings(settings)


def source(name: str, **arguments: str) -> str:
    spider = loader().load(name)
    assert issubclass(spider, JobSpider)
    return spider(**arguments).source


SPELLINGS = [
    ("greenhouse:stripe", {}),
    ("greenhouse", {"board": "stripe"}),
    ("greenhouse", {"board": " stripe "}),
    ("greenhouse", {"board": "https://boards.greenhouse.io/stripe"}),
    ("greenhouse", {"board": "job-boards.greenhouse.io/stripe/jobs/1"}),
    ("greenhouse", {"board": "https://boards-api.greenhouse.io/v1/boards/stripe/jobs"}),
    ("greenhouse", {"board": "stripe", "_job": "from-scrapyd"}),
    ("greenhouse:stripe", {"board": "stripe"}),
]


@pytest.mark.parametrize(("name", "arguments"), SPELLINGS)
def test_spellings_of_one_source(name: str, arguments: dict[str, str]) -> None:
    assert source(name, **arguments) == "greenhouse:stripe"


LEVER = [
    ({"board": "acme"}, "https://api.lever.co"),
    ({"board": "https://jobs.lever.co/acme/0b5f3c1e/apply"}, "https://api.lever.co"),
    ({"board": "https://api.lever.co/v0/postings/acme?mode=json"}, "https://api.lever.co"),
    ({"board": "jobs.eu.lever.co/acme"}, "https://api.eu.lever.co"),
    ({"board": "https://jobs.eu.lever.co/acme", "base_url": "http://127.0.0.1:1"}, "http://127.0.0.1:1"),
]


@pytest.mark.parametrize(("arguments", "host"), LEVER)
def test_a_pasted_address_says_which_host_to_ask(arguments: dict[str, str], host: str) -> None:
    made = loader().load("lever")(**arguments)
    assert isinstance(made, JobSpider)
    assert (made.source, made.base_url) == ("lever:acme", host)


def test_a_board_outside_every_file_and_with_odd_characters() -> None:
    assert source("greenhouse:nobody-lists-me") == "greenhouse:nobody-lists-me"
    assert source("greenhouse:a%20b%2Fc") == source("greenhouse", board="a b/c") == "greenhouse:a%20b%2Fc"
    assert source("tencent") == "tencent"
    assert source("tencent", board="星河", base_url="http://127.0.0.1:1") == "tencent:%E6%98%9F%E6%B2%B3"


WRONG = [
    ("greenhouse", {}, "needs a board"),
    ("greenhouse", {"board": " "}, "empty"),
    ("greenhouse", {"bord": "stripe"}, "no argument 'bord'"),
    ("greenhouse:stripe", {"board": "figma"}, "already names a board"),
    ("tencent", {"base_url": "127.0.0.1"}, "base_url must look like"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), WRONG)
def test_wrong_arguments_are_refused(name: str, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        source(name, **arguments)


def test_a_system_without_boards_refuses_one() -> None:
    class Plain(JobSpider):
        name = system = "plain"

    with pytest.raises(ConfigurationError, match="plain has no boards"):
        Plain(board="x")


def test_the_list_shows_systems_and_lines() -> None:
    names = loader().list()
    assert {"tencent", "joinqq", "greenhouse", "greenhouse:stripe", "lever:spotify"} <= set(names)
    assert len(names) == 4 + len(load_boards())


@pytest.mark.parametrize(("name", "hint"), [("greenhous:stripe", "greenhouse:stripe"), ("zzz", "scrapy list")])
def test_an_unknown_source_names_near_ones(name: str, hint: str) -> None:
    with pytest.raises(KeyError, match=hint):
        loader().load(name)


def test_a_file_of_ones_own_adds_and_overrides(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        '[greenhouse]\nstripe = { name = "Stripe", plausible = [100, 900], settings = { DOWNLOAD_DELAY = 5 } }\n'
        'acme = "Acme"\n\n[tencent]\nxinghe = { name = "星河科技", base_url = "http://127.0.0.1:9" }\n'
    )
    mine = loader(BOARDS_FILE=str(own))
    stripe, xinghe = mine.load("greenhouse:stripe"), mine.load("tencent:xinghe")
    assert issubclass(stripe, JobSpider) and issubclass(xinghe, JobSpider)
    assert stripe.plausible == (100, 900)
    assert stripe.custom_settings == {"HTTPERROR_ALLOW_ALL": True, "DOWNLOAD_DELAY": 5}
    assert xinghe().base_url == "http://127.0.0.1:9"
    assert "greenhouse:acme" in mine.list()


BAD_LINES = [
    ("greenhouse = 3", "must be a section"),
    ("[greenhouse]\nacme = 3", r"\[greenhouse\] acme: write acme ="),
    ('[greenhouse]\nacme = { nme = "x" }', "unknown key 'nme'"),
    ('[greenhouse]\nacme = { name = "x", plausible = [9, 1] }', "fewest and most"),
    ('[greenhouse]\nacme = "A"\nacme = "B"\n', "line 3"),
    ("[greenhouse]\nacme = { settings = 3 }", "settings must be a table"),
    ("[greenhouse]\nacme = { settings = { ROBOTSTXT_OBEY = false } }", "acme: a line may not set ROBOTSTXT_OBEY; it"),
    ("[greenhouse]\nacme = { settings = { ITEM_PIPELINES = {} } }", "may not set ITEM_PIPELINES"),
    ("[greenhouse]\nacme = { settings = { USER_AGENT = 'Mozilla' } }", "may not set USER_AGENT"),
    ("[greenhouse]\nacme = { settings = { DOWNLOAD_DELAY = 'no' } }", "DOWNLOAD_DELAY is a number"),
    ("[greenhouse]\nacme = { settings = { DOWNLOAD_DELAY = -1 } }", "DOWNLOAD_DELAY is a number"),
    ("[greenhouse]\nacme = { settings = { DOWNLOAD_DELAY = nan } }", "DOWNLOAD_DELAY is a number"),
]


@pytest.mark.parametrize(("text", "message"), BAD_LINES)
def test_a_bad_line_is_named(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        list(parse_boards(text, "boards.toml"))


BAD_SOURCES = [
    ('[workday]\nacme = "A"', "no system 'workday'"),
    ('[greenhouse]\n" " = "A"', "board is empty"),
    ('[greenhouse]\nacme = "A"\n"https://boards.greenhouse.io/acme" = "A"', "twice"),
]


@pytest.mark.parametrize(("text", "message"), BAD_SOURCES)
def test_a_line_that_cannot_be_crawled_is_named(tmp_path: Path, text: str, message: str) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        loader(BOARDS_FILE=str(own))


def test_a_missing_file_of_ones_own_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="BOARDS_FILE"):
        loader(BOARDS_FILE=str(tmp_path / "none.toml"))


def test_nobody_switches_robots_txt_off() -> None:
    settings = get_project_settings()
    settings.set("ROBOTSTXT_OBEY", False, priority="cmdline")
    loader().load("greenhouse:stripe").update_settings(settings)
    assert settings.getbool("ROBOTSTXT_OBEY")
