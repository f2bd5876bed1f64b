"""The environment is read in one place, typed and checked."""

from decimal import Decimal
from pathlib import Path

import pytest

from jobmonitor.config import default_home, load_config
from jobmonitor.errors import ConfigurationError


def test_defaults() -> None:
    config = load_config({"JOBMONITOR_HOME": "/srv/jobs"})
    assert config.home == Path("/srv/jobs")
    assert config.database_url is None
    assert config.object_store == Path("/srv/jobs/objects")
    assert str(config.timezone) == "UTC"
    assert config.contract == 1


def test_the_model_is_unset_by_default() -> None:
    config = load_config({"JOBMONITOR_HOME": "/srv/jobs"})
    assert (config.llm_model, config.llm_api_base, config.llm_daily_budget, config.llm_price) == (None,) * 4
    assert (config.llm_concurrency, config.llm_timeout) == (4, 25.0)


def test_the_model_is_read() -> None:
    config = load_config(
        {
            "JOBMONITOR_LLM_MODEL": "openai/small",
            "JOBMONITOR_LLM_API_BASE": "http://127.0.0.1:8000/v1",
            "JOBMONITOR_LLM_CONCURRENCY": "8",
            "JOBMONITOR_LLM_TIMEOUT": "2.5",
            "JOBMONITOR_LLM_DAILY_BUDGET": "0.10",
            "JOBMONITOR_LLM_PRICE": "0/0",
        }
    )
    assert config.llm_model == "openai/small"
    assert config.llm_timeout == 2.5
    assert config.llm_daily_budget == Decimal("0.10")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg", "postgresql+asyncpg"])
def test_any_postgresql_url_is_used_through_psycopg(scheme: str) -> None:
    config = load_config({"JOBMONITOR_DATABASE_URL": f"{scheme}://me:p%40ss@db:5433/jobs"})
    assert config.database_url == "postgresql+psycopg://me:p%40ss@db:5433/jobs"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("DATABASE_URL", "sqlite:///x.db", "PostgreSQL server"),
        ("DATABASE_URL", "nonsense", "looks like postgresql://"),
        ("TIMEZONE", "Asia/Atlantis", "IANA time zone"),
        ("TIMEZONE", "../etc/passwd", "IANA time zone"),
        ("CONTRACT", "0", "whole number from 1"),
        ("CONTRACT", "one", "whole number from 1"),
        ("LLM_API_BASE", "127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
        ("LLM_CONCURRENCY", "0", "whole number from 1"),
        ("LLM_TIMEOUT", "0", "number of seconds above 0"),
        ("LLM_TIMEOUT", "inf", "number of seconds above 0"),
        ("LLM_DAILY_BUDGET", "two", "an amount such as 2.50"),
        ("LLM_DAILY_BUDGET", "-1", "an amount such as 2.50"),
        ("CONTRACT", "99", "no such contract"),
        ("CONTRACT", "9" * 30, "no such contract"),
        ("DATABASE_URL", "postgresql://me@db:port/jobs", "looks like postgresql://"),
        ("HOME", "/dev/null", "not a folder"),
        ("HOME", "~nobody-of-that-name/jobs", "names no folder"),
        ("HOME", "/tmp/\udcff", "names no folder"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_do(name: str, value: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        load_config({f"JOBMONITOR_{name}": value})
    assert f"JOBMONITOR_{name}" in str(caught.value)


def test_a_password_is_not_repeated_in_an_error() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_config({"JOBMONITOR_DATABASE_URL": "mysql://me:secret@db/jobs"})
    assert "secret" not in str(caught.value)


def test_the_home_lies_beside_the_project_or_else_in_the_users_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.chdir(tmp_path)  # such as scrapyd's folder: an egg has no scrapy.cfg
    assert default_home({}) == Path("/home/me/.local/state/jobmonitor")
    assert default_home({"XDG_STATE_HOME": "/state"}) == Path("/state/jobmonitor")
    (tmp_path / "scrapy.cfg").touch()
    assert default_home({"XDG_STATE_HOME": "/state"}) == tmp_path / ".jobmonitor"
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert default_home({}) == Path("/var/lib/jobmonitor")
