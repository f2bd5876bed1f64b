"""The download handler of RECORD_DIR: asks the network and writes each exchange into a replay folder."""

from __future__ import annotations

import datetime as dt
import json
import logging
import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any, Self

from scrapy.core.downloader.handlers import DownloadHandlerProtocol
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import Request, Response
from scrapy.utils.misc import build_from_crawler, load_object

from jobmonitor.crawling.exchanges import INDEX
from jobmonitor.crawling.replay import WIRE_HEADERS
from jobmonitor.errors import ConfigurationError

logger = logging.getLogger(__name__)

#: Not recorded: what a visitor was given, and what described the bytes on the wire.
LEFT_OUT = WIRE_HEADERS | {b"set-cookie", b"connection", b"keep-alive"}
#: File name endings by type; the name itself is a number, never a text from outside.
ENDINGS = {"application/json": ".json", "text/html": ".html", "text/plain": ".txt", "application/xml": ".xml"}
_TAIL = b"\n]\n"


class Recorder:
    """Appends to a replay folder so that it can be read after a kill, or on a full disk, at any moment."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index = folder / INDEX
        self._stopped = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._count = self._recorded()
            self._last_name = max([self._count, *_numbers(folder)])
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"RECORD_DIR {folder} cannot be used: {error}") from error

    def _recorded(self) -> int:
        """Entries that the folder holds already; a recording is continued."""
        if not self._index.exists():
            return 0
        entries = json.loads(self._index.read_bytes())
        if not isinstance(entries, list):
            raise ValueError(f"{INDEX} holds no list")
        # Written anew in our own form, so that the tail stands where `add` expects it.
        self._replace_index(entries)
        return len(entries)

    def _replace_index(self, entries: list[Any]) -> None:
        lines = ",\n".join(json.dumps(entry, ensure_ascii=True) for entry in entries)
        temporary = self._folder / f"{INDEX}.part"
        try:
            temporary.write_bytes(b"[\n" + lines.encode() + _TAIL)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        temporary.replace(self._index)

    def add(self, request: Request, response: Response, at: dt.datetime) -> None:
        """Record an exchange. One that cannot be written ends the recording, with one error; the crawl goes on."""
        if self._stopped:
            return
        try:
            self._add(request, response, at)
        except OSError as error:
            self._stopped = True
            logger.error(
                "RECORD_DIR %s takes no more (%s): recording stopped after %d exchanges, which can be replayed; the "
                "crawl goes on without it. Make room and run the same command again to go on recording",
                self._folder,
                error.strerror,
                self._count,
            )

    def _add(self, request: Request, response: Response, at: dt.datetime) -> None:
        """Write the body first, then its entry: an entry never names a file that is not there."""
        name = self._body_name(response)
        path = self._folder / name
        entry = {
            "method": request.method,
            "url": request.url,
            **({"body": request.body.decode("utf-8", "surrogateescape")} if request.body else {}),
            "status": response.status,
            "headers": _headers(response),
            "file": name,
            "at": at.isoformat(timespec="seconds"),
        }
        try:
            path.write_bytes(response.body)
            self._write_entry(entry)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        self._count += 1

    def _write_entry(self, entry: dict[str, Any]) -> None:
        if self._count == 0:
            self._replace_index([entry])
        else:
            self._append(entry)

    def _append(self, entry: dict[str, Any]) -> None:
        """One write over the closing bracket: the list is whole before and after it, and after one that fails."""
        with self._index.open("r+b", buffering=0) as file:
            end = file.seek(-len(_TAIL), os.SEEK_END)
            try:
                _write_all(file, b",\n" + json.dumps(entry, ensure_ascii=True).encode() + _TAIL)
            except OSError:
                file.seek(end)
                file.truncate()
                _write_all(file, _TAIL)
                raise

    def _body_name(self, response: Response) -> str:
        """A number that nothing in the folder has, not even what a killed recording left."""
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
        self._last_name += 1
        return f"{self._last_name:05d}{ENDINGS.get(content_type, '.bin')}"


def _numbers(folder: Path) -> Iterator[int]:
    """The numbers of the bodies in a folder."""
    return (int(path.stem) for path in folder.iterdir() if path.stem.isascii() and path.stem.isdigit())


def _write_all(file: FileIO, data: bytes) -> None:
    """Write every byte: a disk with a little room left takes the first part without an error."""
    while data:
        data = data[file.write(data) :]


class RecordHandler(BaseDownloadHandler):
    """Wraps Scrapy's own handler."""

    lazy = False

    def __init__(self, crawler: Crawler, inner: DownloadHandlerProtocol, recorder: Recorder) -> None:
        super().__init__(crawler)
        self._inner = inner
        self._recorder = recorder
        self._decoder = HttpCompressionMiddleware(crawler=crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Wrap the default handler; http and https share one recorder."""
        path = crawler.settings.getdict("DOWNLOAD_HANDLERS_BASE")["https"]
        return cls(crawler, build_from_crawler(load_object(path), crawler), shared_recorder(crawler))

    async def download_request(self, request: Request) -> Response:
        """The network's answer, decoded and recorded. A failure is not recorded: replayed, it fails again."""
        at = dt.datetime.now(dt.UTC)
        response = await self._inner.download_request(request)
        decoded = self._decoder.process_response(request, response)
        assert isinstance(decoded, Response)
        self._recorder.add(request, decoded, at)
        return decoded

    async def close(self) -> None:
        """Close the wrapped handler."""
        await self._inner.close()


def shared_recorder(crawler: Crawler) -> Recorder:
    """One recorder per crawl, whatever the number of handlers."""
    found = getattr(crawler, "exchange_recorder", None)
    if not isinstance(found, Recorder):
        found = Recorder(Path(crawler.settings["RECORD_DIR"]))
        crawler.exchange_recorder = found  # type: ignore[attr-defined]
    return found


def _headers(response: Response) -> dict[str, list[str]]:
    return {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in response.headers.items()
        if name.lower() not in LEFT_OUT
    }
