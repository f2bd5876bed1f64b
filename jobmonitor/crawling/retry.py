"""Retries as Scrapy does, but never asks again what the site has answered with a closed signal."""

from __future__ import annotations

from scrapy.downloadermiddlewares.retry import RetryMiddleware as ScrapyRetryMiddleware
from scrapy.http import Request, Response

from jobmonitor.crawling.spider import JobSpider


class RetryMiddleware(ScrapyRetryMiddleware):
    """HTTP 500 is a fault on most systems and an answer on some (Tencent: a withdrawn posting)."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Pass a closed signal on; leave the rest to Scrapy's rules."""
        spider = self.crawler.spider
        if isinstance(spider, JobSpider) and spider.closed_signal(response) is not None:
            return response
        return super().process_response(request, response)
