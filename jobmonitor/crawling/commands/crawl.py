"""`scrapy crawl`: takes any spelling of a source, refuses wrong arguments, and fails unless the run finished."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError

from jobmonitor.crawling.exchanges_addon import check_exchanges
from jobmonitor.crawling.spider import JobSpider
from jobmonitor.errors import JobMonitorError

#: Written by the run's runtime: "finished" by the commit that ends a run, else why it ended.
RUN_STATE = "jobmonitor/run/state"
#: Why a run was not finished, for a person.
RUN_REASON = "jobmonitor/run/reason"
#: How many ids a page showed that nothing came of.
RUN_UNACCOUNTED = "jobmonitor/run/unaccounted"


class Command(ScrapyCrawl):
    """Crawl one source."""

    def syntax(self) -> str:
        """Usage line."""
        return "[options] <system>[:<board>]"

    def short_desc(self) -> str:
        """One line for `scrapy -h`."""
        return "Crawl one source, such as tencent or greenhouse:stripe"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and set the exit status to 1 unless the run was finished."""
        if len(args) != 1:
            raise UsageError("Name one source; `scrapy list` shows every source.")
        crawler = self._checked_crawler(args[0], opts.spargs)
        assert self.crawler_process is not None
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        state = _stat(crawler, RUN_STATE)
        if state != "finished":
            self.exitcode = 1
            sys.stderr.write(_unfinished(args[0], state, _stat(crawler, RUN_REASON)))
        elif (lost := _stat(crawler, RUN_UNACCOUNTED)) is not None:
            self.exitcode = 1
            sys.stderr.write(f"{args[0]}: the ledger does not close: {lost} ids were lost; the log above says which\n")

    def _checked_crawler(self, name: str, arguments: dict[str, str]) -> Crawler:
        assert self.settings is not None
        try:
            crawler = self._create_crawler(name)
            if issubclass(crawler.spidercls, JobSpider):
                crawler.spidercls.check_arguments(arguments)
            check_exchanges(self.settings)
        except KeyError as error:
            raise UsageError(str(error.args[0]), print_help=False) from error
        except JobMonitorError as error:
            raise UsageError(str(error), print_help=False) from error
        return crawler


def _stat(crawler: Crawler, name: str) -> Any:
    try:
        return crawler.stats.get_value(name)
    except RuntimeError:  # the crawl ended before it had statistics
        return None


def _unfinished(source: str, state: object, reason: object) -> str:
    if state:
        return f"{source}: the run ended as {state}. {reason or ''}".rstrip() + "\n"
    return f"{source}: no run was finished; the log above says why\n"
