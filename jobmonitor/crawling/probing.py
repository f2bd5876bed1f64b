"""Asks postings at their own addresses, where no list can prove that they are gone.

Once the lists of a run are read and one of them could not be proven whole, the postings that no list has shown for
`PROBE_AFTER` days are asked for one by one, a bounded share of the run's requests. Only the site's own word counts: a
closed signal, or an answer that shows the posting. Everything else is unknown and changes nothing.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Request

from jobmonitor.items import PostingKey
from jobmonitor.storage import lifecycle as storage
from jobmonitor.storage.faults import brief

if TYPE_CHECKING:
    from jobmonitor.crawling.runtime import Runtime

logger = logging.getLogger(__name__)


class Prober:
    """Sends the probes of one run when its spider falls idle for the first time."""

    def __init__(self, crawler: Crawler, runtime: Runtime) -> None:
        self._crawler = crawler
        self._runtime = runtime
        self._asking: asyncio.Task[None] | None = None
        crawler.signals.connect(self._on_idle, signals.spider_idle)

    def _on_idle(self) -> None:
        if self._asking is None:
            # Scrapy looks again only seconds later, so nothing is begun where nobody is missing.
            if not self._runtime.unseen(self._runtime.unproven()):
                return
            self._asking = asyncio.create_task(self._ask(), name="probes")
        if not self._asking.done():
            raise DontCloseSpider

    async def _ask(self) -> None:
        engine = self._crawler.engine
        assert engine is not None
        try:
            requests = list(await self._requests())
        except Exception as error:  # noqa: BLE001 - the run ends well without its probes; the next one asks again
            logger.warning("No posting was asked for at its own address: %s: %s", type(error).__name__, brief(error))
            return
        for request in requests:
            engine.crawl(request)
        if requests:
            logger.info("Asking %d postings that no list has shown lately", len(requests))

    async def _requests(self) -> Iterator[Request]:
        runtime, settings = self._runtime, self._crawler.settings
        channels = runtime.unproven()
        unseen = runtime.unseen(channels)
        sent = runtime.stats.get_value("downloader/request_count", 0)
        most = max(settings.getint("PROBE_MIN"), int(sent * settings.getfloat("PROBE_SHARE")))
        since = runtime.observed_at - dt.timedelta(days=settings.getfloat("PROBE_AFTER"))
        async with runtime.run.engine.connect() as conn:
            due = set(await storage.unseen_since(conn, list(unseen), channels, since, most))
        found = ((unseen[posting_id], self._request(unseen[posting_id])) for posting_id in unseen if posting_id in due)
        return (runtime.probing(key, request) for key, request in found if request is not None)

    def _request(self, key: PostingKey) -> Request | None:
        request: Request | None = self._crawler.spider.probe_request(key)  # type: ignore[union-attr]
        return request
