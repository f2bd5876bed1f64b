"""The wheel and the egg hold everything: spiders, stages, migrations, schemas, boards. scrapyd loads an egg zipped."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.packaging.conftest import PACKAGES, ROOT

#: Prints what a crawl and a migration need from the package at hand.
PROBE = """
import sys
from importlib.metadata import entry_points
from scrapy.utils.project import get_project_settings
from scrapy.spiderloader import get_spider_loader
import jobmonitor.settings
from jobmonitor.extraction.contract import load_contract
from jobmonitor.storage.migrate import head
settings = get_project_settings()
print(jobmonitor.settings.__file__)
print(" ".join(get_spider_loader(settings).list()))
print(load_contract(1).number, head())
print(*(entry.value for entry in entry_points(group="scrapy", name="settings")))
"""


def run(*command: str, cwd: Path, path: Path | None = None) -> str:
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "jobmonitor.settings", "PYTHONWARNINGS": "ignore"}
    environment.pop("PYTHONPATH", None)
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def probe(path: Path, tmp_path: Path) -> list[str]:
    lines = run(sys.executable, "-c", PROBE, cwd=tmp_path, path=path).splitlines()
    assert lines[0].startswith(str(path)), "the probe must look at the package, not at the working folder"
    return lines[1:]


def expected() -> set[str]:
    return set(run(sys.executable, "-m", "scrapy", "list", cwd=ROOT).split())


def test_the_wheel_lists_the_spiders(source: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), cwd=source)
    (wheel,) = tmp_path.glob("*.whl")
    target = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    spiders, versions, settings = probe(target, tmp_path)
    assert set(spiders.split()) == expected()
    assert {"tencent", "greenhouse"} <= set(spiders.split())
    assert versions.startswith("1 ")
    assert settings == "jobmonitor.settings"


def test_the_zipped_egg_lists_the_spiders(source: Path, tmp_path: Path) -> None:
    script = "import setuptools; setuptools.setup()"
    run(sys.executable, "-c", script, "-q", "bdist_egg", "--dist-dir", str(tmp_path), cwd=source)
    (egg,) = tmp_path.glob("*.egg")
    assert zipfile.is_zipfile(egg)
    spiders, versions, settings = probe(egg, tmp_path)
    assert set(spiders.split()) == expected()
    assert versions.startswith("1 ")
    assert settings == "jobmonitor.settings"


def test_tests_are_not_shipped(source: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), cwd=source)
    (wheel,) = tmp_path.glob("*.whl")
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert tops - {name for name in tops if name.endswith(".dist-info")} == set(PACKAGES)
