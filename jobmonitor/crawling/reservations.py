"""What a page says about being kept: `noindex` for robots, and the reservation of text and data mining.

Sources: the X-Robots-Tag header and the robots meta element as search engines document them; the TDM Reservation
Protocol (W3C community group report, 2024), whose header and meta element are both `tdm-reservation: 1`.
"""

from __future__ import annotations

import re

from scrapy.http import HtmlResponse, Response

#: Directives that forbid to keep a page.
FORBIDDING = frozenset({"noindex", "none"})
_NAMED = re.compile(r"^\s*([A-Za-z][\w-]*)\s*:\s*(.*)$")
#: Directives that have a value of their own after a colon, and name no robot.
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


def reservation(response: Response, agent: str) -> str | None:
    """`noindex` or `tdm_reserved` if the page must not be kept by us, else None.

    Args:
        response: the answer.
        agent: our user agent; a directive for another robot does not concern us.
    """
    product = agent.partition("/")[0].strip().lower()
    tags = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
    reserved = [value.decode("latin-1") for value in response.headers.getlist("tdm-reservation")]
    if isinstance(response, HtmlResponse):
        tags += _meta(response, "robots") + [f"{product}: {each}" for each in _meta(response, product)]
        reserved += _meta(response, "tdm-reservation")
    if any(_forbids(tag, product) for tag in tags):
        return "noindex"
    return "tdm_reserved" if any(value.strip() == "1" for value in reserved) else None


def _forbids(tag: str, product: str) -> bool:
    """Whether one header value forbids us: directives, of all robots or after the name of one."""
    ours = True
    for part in tag.split(","):
        named = _NAMED.match(part)
        directive = part
        if named and named[1].lower() not in _VALUED:
            ours, directive = named[1].lower() in {product, "robots"}, named[2]
        if ours and directive.strip().lower() in FORBIDDING:
            return True
    return False


def _meta(response: HtmlResponse, name: str) -> list[str]:
    query = "//meta[translate(@name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') = $name]/@content"
    return [str(each) for each in response.xpath(query, name=name).getall()]
