"""robots.txt as RFC 9309 has it: what does not exist allows all, what cannot be reached forbids all."""

from __future__ import annotations

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as ScrapyRobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.robotstxt import RobotParser


class RobotsUnreachable(IgnoreRequest):
    """robots.txt could not be had, so nothing may be asked (RFC 9309, section 2.3.1.4)."""


class RobotsTxtMiddleware(ScrapyRobotsTxtMiddleware):
    """Scrapy's, which allows everything where robots.txt answers 5xx or not at all."""

    def __init__(self, crawler: object) -> None:
        super().__init__(crawler)  # type: ignore[arg-type]
        self._unreachable: set[str] = set()

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Refuse everything on a host whose robots.txt cannot be read.

        Raises:
            RobotsUnreachable: it could not be fetched.
        """
        if _netloc(request.url) in self._unreachable:
            raise RobotsUnreachable("robots.txt cannot be reached")
        super().process_request_2(rp, request)

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500 or response.status == 429:
            self._unreachable.add(netloc)
        await super()._parse_robots(response, netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        self._unreachable.add(netloc)
        super()._robots_error(exc, netloc)


def _netloc(url: str) -> str:
    return url.split("//", 1)[-1].split("/", 1)[0].split("?", 1)[0]
