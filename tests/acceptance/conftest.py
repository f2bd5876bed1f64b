"""Fixtures of the acceptance tests."""

from pathlib import Path

import pytest

from tests.acceptance.crawling import Crawls


@pytest.fixture
def crawls(database: str, tmp_path: Path) -> Crawls:
    """Crawls on a database of the test's own."""
    return Crawls(database, tmp_path / "home")
