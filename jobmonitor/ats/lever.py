"""Lever: one answer is the board, a bare list of postings (https://github.com/lever/postings-api).

A source sets nothing but its board, the first path part of `jobs.lever.co/{board}`. Accounts in the EU stand on
`jobs.eu.lever.co` and are asked at another host: name such a board by its whole address, or give its line in
boards.toml `base_url = "https://api.eu.lever.co"`.

Known limits: no total is announced and no stamp says that a posting was edited, so the texts are compared. Without
`limit` a board of 302 came in one answer, while other reports speak of 100 as the default: an answer that holds a round
number of postings is taken for a full page, and the walk goes on behind it. Confidential postings are left out of
the list while their page stays open. `createdAt` is when the posting was written, not when it was first shown.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import quote, urlencode, urlsplit

from scrapy.http import Request, Response

from jobmonitor.crawling.answers import json_value
from jobmonitor.crawling.fields import Fields, UnreadableRecord, as_text, web_address
from jobmonitor.crawling.spider import JobSpider, Reading, Result, Row
from jobmonitor.domain.html import to_markdown
from jobmonitor.items import Facts, PostingKey, RawPosting, Section, StatedDate, Validator

#: Postings asked for behind a full answer.
PAGE_SIZE = 100
#: Limits of servers are round numbers: an answer of such a length may have been cut there.
ROUND = 50
#: Pages that no real board reaches.
PAGE_LIMIT = 100

EU_BASE_URL = "https://api.eu.lever.co"

#: Lever's names of pay intervals in words; an interval that is not here stays as it was sent.
INTERVALS: Mapping[str, str] = {
    "per-year-salary": "per year",
    "per-month-salary": "per month",
    "per-week-salary": "per week",
    "per-day-wage": "per day",
    "per-hour-wage": "per hour",
}

#: The same texts once more without markup, the address of the form, and the parts that `description` joins.
IGNORED = frozenset(
    {
        "additionalPlain",
        "applyUrl",
        "descriptionBodyPlain",
        "descriptionPlain",
        "openingPlain",
        "salaryDescriptionPlain",
    }
)

_LIST_ITEM = re.compile(r"\s*<li\b", re.IGNORECASE)


class LeverBaseSpider(JobSpider):
    """Any board on Lever's public postings API."""

    boards = "required"
    base_url = "https://api.lever.co"
    not_identity: ClassVar[tuple[str, ...]] = (
        *(f"list.{name}" for name in sorted(IGNORED)),
        # A company that renames its board moves every address; the id in it is the key already.
        "list.hostedUrl",
    )
    plausible = (0, 5_000)

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        if "base_url" not in arguments and is_eu_address(arguments.get("board")):
            arguments["base_url"] = EU_BASE_URL
        super().__init__(name, **arguments)

    @classmethod
    def normalise_board(cls, board: str) -> str:
        """The board's name, also from a pasted address such as https://jobs.lever.co/acme/1f0c…"""
        board = super().normalise_board(board)
        path = lever_path(board)
        if path is None:
            return board
        steps = [step for step in path.split("/") if step and step not in {"v0", "postings"}]
        return steps[0] if steps else ""

    async def start(self) -> AsyncIterator[Request]:
        """Ask for the board."""
        yield self._page(1)

    def is_answer(self, response: Response, data: Any) -> bool:
        """A list. An unknown board is an object, `{"ok":false,"error":"Document not found"}`, and no empty board."""
        return isinstance(data, list)

    def failure_of(self, response: Response, reason: str) -> str:
        """`unknown_board` in Lever's own words, whatever the status."""
        data = json_value(response)
        unknown = isinstance(data, dict) and data.get("error") == "Document not found"
        return "unknown_board" if unknown else reason

    def read_list(self, response: Response, data: Any, *, listing: str, page: int) -> Iterator[Result]:
        """One answer. Only a walk that ends with an answer that nothing can have cut shows the whole board."""
        repeated = self.is_repeated(data)
        yield from self.read_rows(response, data, proof="whole_board")
        if repeated or not is_full(data):
            return
        following = self._page(page + 1, skip=self.distinct_ids())
        if page < PAGE_LIMIT:
            yield following
        else:
            yield self.unread_page(following, listing, "page_limit", asked=False)

    def after_unmodified(self, page: int, listing: str, validator: Validator) -> Iterator[Result]:
        """The next answer, as behind one that was read."""
        if is_full(validator.ids) and page < PAGE_LIMIT:
            yield self._page(page + 1, skip=self.distinct_ids())

    def probe_url(self, native_id: str) -> str:
        """Address of one posting; 404 once it is closed."""
        return f"{self.base_url}/v0/postings/{quote(self.board or '', safe='')}/{quote(native_id, safe='')}?mode=json"

    def is_posting_answer(self, response: Response, data: Any) -> bool:
        """One posting as an object with its id."""
        return isinstance(data, dict) and "id" in data

    def shows(self, data: Any, native_id: str) -> bool:
        """The posting is the one that was asked for."""
        return self.row_id(data) == native_id

    def row_id(self, row: Row) -> str | None:
        """The posting's uuid."""
        value = row.get("id")
        return value.strip() if isinstance(value, str) else None

    @classmethod
    def read(cls, record: Mapping[str, Any], source: str) -> Reading:
        """Read one posting of the list."""
        job = Fields(record["list"], "list")
        places = Fields(job.maybe("categories") or {}, "list.categories")
        pay = job.maybe_text("salaryDescription")
        posting = RawPosting(
            key=PostingKey(source=source, native_id=job.pop_text("id").strip()),
            title=job.pop_text("text"),
            sections=tuple(read_sections(job, pay)),
            facts=read_facts(job, places, pay),
            url=web_address(job.maybe_text("hostedUrl")),
            posted_at=read_instant(job.maybe("createdAt")),
            **cls.sealed(record),
        )
        return Reading(posting, job.unread(IGNORED) | places.unread(()))

    def _page(self, page: int, *, skip: int = 0) -> Request:
        query: dict[str, str | int] = {"mode": "json"}
        if skip:
            query |= {"skip": skip, "limit": PAGE_SIZE}
        address = f"{self.base_url}/v0/postings/{quote(self.board or '', safe='')}"
        return self.list_request(f"{address}?{urlencode(query)}", page=page)


def lever_path(board: str) -> str | None:
    """The path of a pasted address on Lever, None for anything else."""
    parts = urlsplit(board if "//" in board else f"//{board}")
    return parts.path if (parts.hostname or "").endswith(".lever.co") else None


def is_eu_address(board: str | None) -> bool:
    """Whether a pasted address stands on one of the EU hosts."""
    parts = urlsplit(board if board and "//" in board else f"//{board}")
    return (parts.hostname or "").endswith(".eu.lever.co")


def is_full(rows: Sequence[Any]) -> bool:
    """Whether an answer may have been cut at a limit: it holds a round number of postings."""
    return bool(rows) and len(rows) % ROUND == 0


def read_sections(job: Fields, pay: str | None) -> Iterator[Section]:
    """The whole text: description, the lists under their headings, pay, closing text."""
    opening, body = job.maybe_text("opening"), job.maybe_text("descriptionBody")
    description = job.maybe_text("description")
    texts = [description] if description else [opening, body]  # `description` is the two joined
    yield from html_sections(texts)
    yield from read_lists(job.maybe("lists"))
    yield from html_sections([pay, job.maybe_text("additional")])


def html_sections(texts: Iterable[str | None]) -> Iterator[Section]:
    """A section of each stated text, without a heading of ours."""
    return (Section(body=text, format="html") for text in texts if text)


def read_lists(lists: object) -> Iterator[Section]:
    """The lists with their headings. The items come bare, without the element that makes them a list."""
    if lists is not None and not isinstance(lists, list):
        raise UnreadableRecord(f"list.lists is not a list but {type(lists).__name__}")
    for each in lists or ():
        part = Fields(each, "list.lists")
        heading, content = part.maybe_text("text"), part.maybe_text("content") or ""
        body = f"<ul>{content}</ul>" if _LIST_ITEM.match(content) else content
        if heading or content:
            yield Section(heading=heading, body=body, format="html")


def read_facts(job: Fields, places: Fields, pay: str | None) -> Facts:
    """What the posting states as fields. A country alone is a place only where no other is stated."""
    country, remote = job.maybe_text("country"), job.maybe_text("workplaceType")
    locations = read_locations(places)
    return Facts(
        locations=locations or ((country,) if country else ()),
        salary=read_salary(job.maybe("salaryRange")) or plain_line(pay),
        department=places.maybe_text("department"),
        category=places.maybe_text("team"),
        employment_type=places.maybe_text("commitment"),
        remote=remote if remote != "unspecified" else None,
    )


def read_locations(places: Fields) -> tuple[str, ...]:
    """`location` and whatever `allLocations` adds to it, each once."""
    first, others = places.maybe_text("location"), places.maybe("allLocations")
    if others is not None and not isinstance(others, list):
        raise UnreadableRecord(f"list.categories.allLocations is not a list but {type(others).__name__}")
    stated = [first, *(as_text(each, "list.categories.allLocations") for each in others or ())]
    return tuple(dict.fromkeys(each.strip() for each in stated if each))


def read_salary(pay: object) -> str | None:
    """A pay range as one text, `USD 120000 - 150000 per year`; None where it states no amount."""
    if pay is None:
        return None
    fields = Fields(pay, "list.salaryRange")
    low, high = read_amount(fields.maybe("min")), read_amount(fields.maybe("max"))
    interval = fields.maybe_text("interval")
    words = (amounts(low, high), INTERVALS.get(interval or "", interval))
    currency = fields.maybe_text("currency")
    return " ".join(word for word in (currency, *words) if word) if words[0] else None


def amounts(low: str | None, high: str | None) -> str | None:
    """Both ends of a range, or the one that is stated."""
    if low and high:
        return low if low == high else f"{low} - {high}"
    return f"from {low}" if low else f"up to {high}" if high else None


def read_amount(value: object) -> str | None:
    """An amount without the `.0` of a whole one; 0 is how an unset end of a range is sent."""
    text = as_text(int(value) if isinstance(value, float) and value.is_integer() else value, "list.salaryRange")
    return None if text is None or text.strip() == "0" else text.strip()


def plain_line(html: str | None) -> str | None:
    """The words of a short HTML text on one line."""
    return (" ".join(to_markdown(html).split()) or None) if html else None


def read_instant(value: object) -> StatedDate | None:
    """Milliseconds since 1970; an unreadable value keeps its text alone."""
    raw = as_text(value, "list.createdAt")
    if raw is None:
        return None
    try:
        moment = dt.datetime.fromtimestamp(int(raw) / 1000, dt.UTC)
    except (ValueError, OverflowError, OSError):
        return StatedDate(raw=raw, value=None, precision=None)
    return StatedDate(raw=raw, value=moment, precision="second")
