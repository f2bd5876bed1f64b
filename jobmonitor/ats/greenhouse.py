"""Greenhouse: one answer is the whole board (https://developers.greenhouse.io/job-board.html).

A source sets nothing but its board, the last path part of `boards.greenhouse.io/{board}` or
`job-boards.greenhouse.io/{board}`. Boards whose pages stand on `job-boards.eu.greenhouse.io` are hosted in
the EU; if the API address below does not know such a board, give its own with `base_url`.

Known limits, measured on 997 boards (2025-10 to 2026-08): the answer carries pay and employment type only in
`metadata`, under names each employer chooses, so a table of names decides what is read; the same list holds
names of staff, so every other entry is dropped before anything is stored. 81 % of all row changes are
`updated_at` alone, and jobs of equal title come in a new random order each time.
"""

from __future__ import annotations

import datetime as dt
import html
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from scrapy.http import Request, Response

from jobmonitor.crawling.fields import Fields, UnreadableRecord, as_text, web_address
from jobmonitor.crawling.spider import JobSpider, Reading, Result, Row
from jobmonitor.domain.completeness import is_total
from jobmonitor.items import Facts, PostingKey, RawPosting, Section, StatedDate

#: Names of custom fields that state a fact, lower case; every other custom field is out of scope and dropped.
METADATA_FACTS: Mapping[str, str] = {
    "salary range": "salary",
    "compensation": "salary",
    "pay range": "salary",
    "employment type": "employment_type",
    "time type": "employment_type",
    "commitment": "employment_type",
}

#: What escaping markup makes. The ampersand comes last, or `&amp;lt;` would be undone twice.
ESCAPES: Mapping[str, str] = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&"}

#: Fields that are out of scope: board settings, form settings, and what the source key says already.
IGNORED = frozenset(
    {
        "ai_disclaimer",
        "ai_opt_out_request_url",
        "company_name",
        "data_compliance",
        "education",  # whether the form asks for it, not what the job asks for
        "employment",
        "include_ai_disclaimer",
        "language",
        "offices",  # the company's sites; `location` is the job's place
        "requisition_id",
        "updated_at",
    }
)


class GreenhouseBaseSpider(JobSpider):
    """Any board on Greenhouse's public job board API."""

    boards = "required"
    base_url = "https://boards-api.greenhouse.io"
    not_identity: ClassVar[tuple[str, ...]] = (
        *(f"list.{name}" for name in sorted(IGNORED)),
        # A board moves to another host in one step; the id in the address is the key already.
        "list.absolute_url",
        "list.departments.id",
        "list.departments.child_ids",
        "list.departments.parent_id",
    )
    plausible = (0, 5_000)

    @classmethod
    def normalise_board(cls, board: str) -> str:
        """The board's token, also from a pasted address such as https://boards.greenhouse.io/acme/jobs/1."""
        board = super().normalise_board(board)
        parts = urlsplit(board if "//" in board else f"//{board}")
        if not (parts.hostname or "").endswith("greenhouse.io"):
            return board
        steps = [step for step in parts.path.split("/") if step and step not in {"v1", "boards"}]
        return steps[0] if steps else ""

    async def start(self) -> AsyncIterator[Request]:
        """Ask for the board."""
        yield self.list_request(f"{self.base_url}/v1/boards/{quote(self.board or '', safe='')}/jobs?content=true")

    def is_answer(self, response: Response, data: Any) -> bool:
        """The root has the documented shape: an object with a list of jobs."""
        return isinstance(data, dict) and isinstance(data.get("jobs"), list)

    def read_list(self, response: Response, data: Any, *, listing: str, page: int) -> Iterator[Result]:
        """The board: complete if it shows as many distinct jobs as it announces, where it announces a number."""
        jobs = data["jobs"]
        total = announced_total(data)
        whole = total is None or (is_total(total) and len(self.row_ids(jobs)) >= total)
        yield from self.read_rows(response, jobs, total=total, proof="whole_board" if whole else "total")

    def probe_url(self, native_id: str) -> str:
        """Address of one job of the board; 404 once it is closed."""
        return f"{self.base_url}/v1/boards/{quote(self.board or '', safe='')}/jobs/{quote(native_id, safe='')}"

    def is_posting_answer(self, response: Response, data: Any) -> bool:
        """One job as an object with its id."""
        return isinstance(data, dict) and "id" in data

    def shows(self, data: Any, native_id: str) -> bool:
        """The job is the one that was asked for."""
        return post_id(data) == native_id

    def row_id(self, row: Row) -> str | None:
        """The post's id; an opening may have several posts."""
        return post_id(row)

    @classmethod
    def strip(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Keep only the custom fields that state a fact: the others hold names and addresses of staff."""
        row = record["list"]
        if not isinstance(row, Mapping) or "metadata" not in row:
            return record
        kept = {key: value for key, value in row.items() if key != "metadata"}
        if stated := stated_metadata(row["metadata"]):
            kept["metadata"] = stated
        return {**record, "list": kept}

    @classmethod
    def read(cls, record: Mapping[str, Any], source: str) -> Reading:
        """Read one job of the list; a job without `content` is a posting with a title alone."""
        job = Fields(record["list"], "list")
        native_id = as_text(job.pop("id"), "list.id")
        if native_id is None:
            raise UnreadableRecord("list.id is blank")
        posting = RawPosting(
            key=PostingKey(source=source, native_id=native_id),
            title=job.pop_text("title"),
            sections=read_content(job.maybe_text("content")),
            facts=read_facts(job),
            url=web_address(job.maybe_text("absolute_url")),
            posted_at=stated_instant(job.maybe_text("first_published")),
            opening_key=job.maybe_text("internal_job_id"),
            **cls.sealed(record),
        )
        return Reading(posting, job.unread(IGNORED))


def post_id(row: Row) -> str | None:
    """The id as a string, None if the row has none."""
    value = row.get("id")
    return str(value) if isinstance(value, int | str) and not isinstance(value, bool) and str(value).strip() else None


def announced_total(data: Mapping[str, Any]) -> object:
    """`meta.total` as sent, None where the answer has none."""
    meta = data.get("meta")
    return meta.get("total") if isinstance(meta, Mapping) else None


def read_content(content: str | None) -> tuple[Section, ...]:
    """The description. It is HTML escaped once more as entities: undone exactly once, its own entities stay."""
    return (Section(body=unescape_once(content), format="html"),) if content else ()


def unescape_once(content: str) -> str:
    """`html.unescape`, thirty times faster where only the escapes of markup occur, which is nearly always."""
    if content.count("&") != sum(map(content.count, ESCAPES)):
        return html.unescape(content)
    for escape, character in ESCAPES.items():
        content = content.replace(escape, character)
    return content


def read_facts(job: Fields) -> Facts:
    """What the job states as fields."""
    stated = read_metadata(job.maybe("metadata"))
    return Facts(
        locations=read_locations(job.maybe("location")),
        department=join(read_names(job.maybe("departments"))),
        deadline=job.maybe_text("application_deadline"),
        salary=join(stated["salary"]),
        employment_type=join(stated["employment_type"]),
    )


def read_locations(location: object) -> tuple[str, ...]:
    """The places of `location.name`, which joins several by a semicolon."""
    if location is None:
        return ()
    name = Fields(location, "list.location").maybe_text("name") or ""
    return unique(name.split(";"))


def read_names(values: object) -> tuple[str, ...]:
    """The `name` of each object in a list."""
    if values is None:
        return ()
    if not isinstance(values, list):
        raise UnreadableRecord(f"list.departments is not a list but {type(values).__name__}")
    return unique(Fields(value, "list.departments").maybe_text("name") or "" for value in values)


def stated_metadata(metadata: object) -> list[dict[str, Any]]:
    """The custom fields that state a fact, by name and value alone, once each: boards deliver them doubled."""
    if not isinstance(metadata, list):
        return []
    kept: list[dict[str, Any]] = []
    for field in metadata:
        name = field.get("name") if isinstance(field, Mapping) else None
        if isinstance(name, str) and name.strip().casefold() in METADATA_FACTS:
            entry = {"name": name, "value": field.get("value")}
            if entry not in kept:
                kept.append(entry)
    return kept


def read_metadata(metadata: object) -> dict[str, list[str]]:
    """Stated values by fact. A fact may be stated by several custom fields; blank ones state nothing."""
    stated: dict[str, list[str]] = {fact: [] for fact in METADATA_FACTS.values()}
    for field in stated_metadata(metadata):
        fact = METADATA_FACTS[field["name"].strip().casefold()]
        stated[fact].extend(stated_values(field["value"]))
    return stated


def stated_values(value: object) -> tuple[str, ...]:
    """The texts of a custom field: one value, several (multi_select), or a range of money."""
    if isinstance(value, list):
        return tuple(text for each in value for text in stated_values(each))
    if isinstance(value, Mapping):
        amounts = [as_text(value.get(name), name) for name in ("min_value", "max_value", "amount", "value")]
        unit = as_text(value.get("unit"), "unit")
        joined = " - ".join(unique(amount or "" for amount in amounts))
        return (f"{joined} {unit}" if unit else joined,) if joined else ()
    text = as_text(value, "metadata.value")
    return (text.strip(),) if text else ()


def stated_instant(raw: str | None) -> StatedDate | None:
    """An ISO instant with its offset (US Eastern, by season); an unreadable one keeps its text alone."""
    if raw is None:
        return None
    try:
        value = dt.datetime.fromisoformat(raw)
    except ValueError:
        return StatedDate(raw=raw, value=None, precision=None)
    if value.tzinfo is None:
        return StatedDate(raw=raw, value=None, precision=None)
    return StatedDate(raw=raw, value=value, precision="second")


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Trimmed, blank ones dropped, each once, in order."""
    return tuple(dict.fromkeys(text for value in values if (text := value.strip())))


def join(values: Iterable[str]) -> str | None:
    """Several stated values as one, independent of their order; None if there are none."""
    return ", ".join(sorted(unique(values))) or None
