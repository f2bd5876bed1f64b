"""Every command has help and stands in docs/cli.md; help needs no database library."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from jobmonitor.cli.main import LATER, app, load_later

ROOT = Path(__file__).parents[2]


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that can be typed, with the words that name it."""
    yield from _below("", get_command(app))
    for name in LATER:
        command = get_command(load_later(name))
        yield name, command
        yield from _below(f"{name} ", command)


def _below(prefix: str, group: Any) -> Iterator[tuple[str, Any]]:
    for name, command in getattr(group, "commands", {}).items():
        if prefix or name not in LATER:
            yield f"{prefix}{name}", command
            yield from _below(f"{prefix}{name} ", command)


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_and_stands_in_the_documentation(name: str) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert COMMANDS[name].help
    assert re.search(rf"`jobmonitor {name}[ `]", page), f"docs/cli.md does not show `jobmonitor {name}`"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help(name: str) -> None:
    silent = [each.name for each in COMMANDS[name].params if each.param_type_name == "option" and not each.help]
    assert silent == []


def test_help_is_light() -> None:
    """`jobmonitor --help` must not pay for SQLAlchemy, Scrapy or lxml."""
    program = (
        "import sys, jobmonitor.cli.main; "
        "sys.exit(', '.join({'sqlalchemy', 'scrapy', 'lxml', 'alembic', 'psycopg'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
