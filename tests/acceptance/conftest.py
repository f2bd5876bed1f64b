"""Fixtures of the acceptance tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobmonitor.demo.model_server import ModelServer, serving_model
from tests.acceptance.crawling import Crawls
from tests.acceptance.extracting import Extractors


@pytest.fixture
def crawls(database: str, tmp_path: Path) -> Crawls:
    """Crawls on a database of the test's own."""
    return Crawls(database, tmp_path / "home")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model that answers well unless the test changes its script."""
    with serving_model() as server:
        yield server


@pytest.fixture
def extractors(database: str, tmp_path: Path, server: ModelServer) -> Extractors:
    """Extractors that ask that model."""
    return Extractors(database, tmp_path / "home", server)


@pytest.fixture
def crawls_with_model(extractors: Extractors, crawls: Crawls) -> Crawls:
    """Crawls whose new contents go to that model."""
    crawls.environment = extractors.environment
    return crawls
