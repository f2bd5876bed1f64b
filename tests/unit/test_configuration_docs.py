"""docs/configuration.md is complete: every variable that is read and every number of a crawl stands in its tables."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from jobmonitor.config import PREFIX, VARIABLES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
#: Settings that wire the project together; nobody tunes them.
WIRING = {
    "BOT_NAME",
    "SPIDER_MODULES",
    "NEWSPIDER_MODULE",
    "SPIDER_LOADER_CLASS",
    "COMMANDS_MODULE",
    "ADDONS",
    "TWISTED_REACTOR",
    "ITEM_PIPELINES",
    "ROBOTSTXT_OBEY",
    "AUTOTHROTTLE_ENABLED",
    "EXTENSIONS",
    "SPIDER_MIDDLEWARES",
    "COOKIES_ENABLED",
    "TELNETCONSOLE_ENABLED",
    "REMOTE_CONTROL_ENABLED",
    "DOWNLOADER_MIDDLEWARES",
    "LOG_FORMATTER",
    "FEED_EXPORT_ENCODING",
}


def listed(pattern: str) -> set[str]:
    return set(re.findall(rf"^\| `({pattern})` \|", PAGE, flags=re.MULTILINE))


def settings() -> set[str]:
    tree = ast.parse((ROOT / "jobmonitor" / "settings.py").read_text(encoding="utf-8"))
    targets = [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    targets += [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def test_every_variable_is_listed_and_read() -> None:
    assert listed(f"{PREFIX}[A-Z_]+") == {f"{PREFIX}{name}" for name in VARIABLES}


def test_every_variable_is_read_in_one_place() -> None:
    named = re.compile(rf"\b{PREFIX}[A-Z_]+\b")
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "jobmonitor").rglob("*.py")
        if re.search(r"environ(\.get\(|\[)[\"']" + PREFIX, path.read_text(encoding="utf-8"))
    }
    assert readers == set()
    found = set(named.findall((ROOT / "jobmonitor" / "config.py").read_text(encoding="utf-8")))
    assert found <= {f"{PREFIX}{name}" for name in VARIABLES}


def test_every_setting_is_listed() -> None:
    assert listed("[A-Z_]+") - listed(f"{PREFIX}[A-Z_]+") == settings() - WIRING
