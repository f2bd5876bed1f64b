"""The fleet: every spider class keeps the house rules."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from scrapy.utils.project import get_project_settings

from jobmonitor.crawling.loader import SourceLoader
from jobmonitor.crawling.spider import JobSpider
from jobmonitor.domain.reference import source_key, split_source_key

ROOT = Path(__file__).resolve().parents[2]
LOADER = SourceLoader.from_settings(get_project_settings())
SOURCES = sorted(LOADER.list())
SYSTEMS = [name for name in SOURCES if ":" not in name]

#: Settings that make a crawl less polite, and the written reasons that allow one: source → {setting: reason}.
RUDE = ("DOWNLOAD_DELAY", "ROBOTSTXT_OBEY", "AUTOTHROTTLE_ENABLED", "CONCURRENT_REQUESTS_PER_DOMAIN", "USER_AGENT")
ALLOWED: dict[str, dict[str, str]] = {}


def spider(name: str) -> type[JobSpider]:
    found = LOADER.load(name)
    assert issubclass(found, JobSpider)
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_names_are_source_keys(name: str) -> None:
    system, board = split_source_key(name)
    assert spider(name).name == name == source_key(system, board)
    assert spider(name).system == system


@pytest.mark.parametrize("name", SYSTEMS)
def test_file_name_and_class_stem_are_the_system(name: str) -> None:
    assert spider(name).__module__ == f"spiders.{name}"
    assert spider(name).__name__.lower() == f"{name.replace('_', '')}spider"


def test_every_module_is_a_system() -> None:
    modules = {path.stem for path in (ROOT / "spiders").glob("*.py")} - {"__init__"}
    assert modules == set(SYSTEMS)


@pytest.mark.parametrize("name", SOURCES)
def test_no_source_is_less_polite_than_the_default(name: str) -> None:
    own = spider(name).custom_settings or {}
    assert {key for key in own if key in RUDE} == set(ALLOWED.get(name, {}))


def test_the_defaults_are_polite() -> None:
    settings = get_project_settings()
    assert settings.getbool("ROBOTSTXT_OBEY")
    assert settings.getbool("AUTOTHROTTLE_ENABLED")
    assert settings.getfloat("DOWNLOAD_DELAY") >= 2
    assert settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") == 1
    assert settings.getfloat("AUTOTHROTTLE_TARGET_CONCURRENCY") <= 1
    assert "JobMarketMonitor" in settings["USER_AGENT"]
    assert "Mozilla" not in settings["USER_AGENT"]


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_declares_what_it_is(name: str) -> None:
    cls = spider(name)
    low, high = cls.plausible
    assert 0 <= low < high
    assert cls.base_url.startswith("https://")
    assert set(cls.refetch_hints) <= set(cls.not_identity)
    assert all(path.split(".")[0] in {"list", "detail"} for path in (*cls.not_identity, *cls.personal))
    assert cls.cleaning >= 1
    assert cls.listings


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_is_documented(name: str) -> None:
    assert (inspect.getdoc(spider(name)) or "").strip()
    assert (inspect.getmodule(spider(name)).__doc__ or "").strip()
    assert f"`{name}`" in (ROOT / "docs" / "add-a-source.md").read_text("utf-8")


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_has_cases(name: str) -> None:
    assert list((ROOT / "tests" / "sites" / "cases").glob(f"{name}-*/expected.json"))
