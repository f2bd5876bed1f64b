"""Runs real extractors in processes of their own, against the scripted model server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from jobmonitor.demo.model_server import ModelServer
from jobmonitor.domain.canonical import SCHEME, content_hash
from jobmonitor.storage.engine import create_sync_engine
from jobmonitor.storage.models import Content, Extraction
from tests.acceptance.crawling import PATIENCE, ROOT, environment, rows

PROGRAM = [sys.executable, "-m", "jobmonitor"]
OUTCOMES = "SELECT outcome, count(*) FROM model_call GROUP BY 1 ORDER BY 1"


def posting_text(number: int) -> str:
    """A document that the rules can read, unlike any other number's."""
    years = number % 7 + 1
    return f"# 后端开发工程师 {number}\n\n## 要求\n\n- 本科及以上学历，{years} 年以上 Go 开发经验\n- 编号 {number}\n"


def queue(url: str, documents: Sequence[str], *, contract: int = 1) -> list[str]:
    """Store contents that wait for their profile; their hashes."""
    hashes = [content_hash(document) for document in documents]
    engine = create_sync_engine(url)
    with engine.begin() as conn:
        conn.execute(
            insert(Content),
            [
                {"hash": name, "scheme": SCHEME, "document": document}
                for name, document in zip(hashes, documents, strict=True)
            ],
        )
        conn.execute(insert(Extraction), [{"content_hash": name, "contract": contract} for name in hashes])
    return hashes


class Extractors:
    """Extractors on one database, asking one server."""

    def __init__(self, url: str, home: Path, server: ModelServer | str, **settings: str) -> None:
        self.url = url
        api_base = server if isinstance(server, str) else server.api_base
        self.environment = environment(url, home) | {
            "JOBMONITOR_LLM_MODEL": "openai/scripted",
            "JOBMONITOR_LLM_API_BASE": api_base,
            "JOBMONITOR_LLM_PRICE": "1/2",
            "OPENAI_API_KEY": "sk-test",
        }
        self.set(**settings)

    def set(self, **settings: str) -> None:
        """Change `JOBMONITOR_LLM_<name>`; an empty value unsets it."""
        for name, value in settings.items():
            self.environment[f"JOBMONITOR_LLM_{name}"] = value

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `jobmonitor extract` and return its process."""
        return subprocess.Popen(
            [*PROGRAM, "extract", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """Extract to the end; the exit status and the envelope."""
        with self.start("--json", *arguments) as process:
            out, err = process.communicate(timeout=PATIENCE)
        assert out, err
        return process.returncode, json.loads(out)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of the database."""
        return rows(self.url, query, *values)

    def outcomes(self) -> dict[str | None, int]:
        """How calls ended, with their numbers."""
        return dict(self.rows(OUTCOMES))
