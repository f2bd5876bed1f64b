"""What the address that answered says beside the one that was asked for, and which links lead to postings."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

#: Words that the path of a listing is made of.
_LISTING_WORDS = frozenset(
    {
        "job", "jobs", "career", "careers", "position", "positions", "search", "joblist", "job-list", "job_list",
        "list", "job-listing", "job-listings", "joblistings", "vacancy", "vacancies", "opening", "openings",
        "current-openings", "open-positions",
        "open-roles", "opportunities", "postings", "roles", "all", "all-jobs", "social", "campus",
        "intern", "interns", "experienced", "society", "school", "recruit", "recruitment", "recruiting", "join",
        "join-us", "joinus", "home", "index", "default", "main", "portal", "hr", "zhaopin", "xiaozhao", "shezhao",
        "stellen", "karriere", "stellenangebote", "jobsearch", "job-search", "search-jobs", "search-results", "board",
        "boards", "embed", "job_board", "jobboard", "talent", "browse", "positionlist", "position-list", "find-jobs",
    }
)  # fmt: skip
_LOCALE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_SUFFIX = re.compile(r"\.(?:html?|aspx?|php|jsp|do|action|shtml)$", re.IGNORECASE)
_ID_NAME = re.compile(
    r"(?:^|_)(?:gh_jid|jid|job_?id|id|post_?id|position_?id|req|req_?id|job_?no|pid|job_?ad_?id)$", re.IGNORECASE
)
#: A step of a path that names one thing: digits, or three words and more.
_MARK = re.compile(r"\d{2}|\d$|^\d|[^-]-[^-]{1,80}-[^-]|[^_]_[^_]{1,80}_[^_]{1,80}_[^_]")
_SECOND_LEVEL = frozenset({"com", "co", "net", "org", "gov", "edu", "ac", "or", "ne", "go"})
_LOGIN_HOSTS = frozenset({"login", "passport", "sso", "auth", "signin", "cas"})


class Address(NamedTuple):
    """The parts of an address that tell one page from another."""

    host: str
    path: tuple[str, ...]
    query: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """Path and query, for patterns."""
        query = "&".join(f"{name}={value}" for name, value in self.query)
        return f"/{'/'.join(self.path)}{'?' if query else ''}{query}".lower()

    @property
    def marks(self) -> frozenset[str]:
        """What names one posting: steps with digits or of many words, and ids of the query."""
        steps = {step for step in self.steps if _MARK.search(step)}
        return frozenset(steps | {value.lower() for name, value in self.query if value and _ID_NAME.search(name)})

    @property
    def steps(self) -> tuple[str, ...]:
        """The path as it is compared."""
        steps = (_SUFFIX.sub("", step).lower() for step in self.path)
        return tuple(step for step in steps if step not in {"index", "default"})

    @property
    def names_a_listing(self) -> bool:
        """Whether nothing in it is more than a word for a list."""
        return not self.marks and all(step in _LISTING_WORDS or _LOCALE.fullmatch(step) for step in self.steps)

    @property
    def asks_for_a_login(self) -> bool:
        """Whether the host is there for logins."""
        return self.host.partition(".")[0] in _LOGIN_HOSTS


def read_address(url: str) -> Address | None:
    """An address; None for one that cannot be read."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").removeprefix("www.")
        query = parse_qsl(parts.query[:2_000], keep_blank_values=True)[:50]
    except ValueError:
        return None
    return Address(host, tuple(step for step in unquote(parts.path[:2_000]).split("/") if step), tuple(query))


def is_elsewhere(asked: Address, final: Address) -> bool:
    """Whether another page answered: scheme, `www.`, a closing slash, a suffix and the fragment do not make one."""
    if asked.host.removeprefix("www.") != final.host or asked.steps != final.steps:
        return True
    one, other = set(asked.query), set(final.query)
    return not (one <= other or other <= one) or asked.marks != final.marks


def leads_to_listing(asked: Address, final: Address) -> bool:
    """Whether a listing of the same site answered in place of one posting."""
    if not asked.marks or final.marks or _site(asked.host) != _site(final.host):
        return False
    above = asked.host == final.host and final.steps == asked.steps[: len(final.steps)]
    return final.names_a_listing or (above and len(final.steps) < len(asked.steps))


def _site(host: str) -> str:
    """The registrable part of a host name, near enough for two hosts of one company."""
    labels = host.split(".")
    length = 3 if len(labels) > 2 and labels[-2] in _SECOND_LEVEL and len(labels[-1]) == 2 else 2
    return ".".join(labels[-length:])


_JOB_STEP = re.compile(
    r"/(?P<word>jobs?|positions?|careers?|vacanc(?:y|ies)|openings?|postings?|requisitions?|offers?|stellen\w{0,20}|viewjob"
    r"|o|p|j|r|job[-_]?(?:details?|desc|opening|view|posting|info)|(?:position|post|jobad)[-_]?(?:details?|info)?|zhaopin"
    r"|recruit\w{0,20}|details?)/(?P<rest>[^?#]{1,300})",
    re.IGNORECASE,
)
_JOB_QUERY = re.compile(
    r"[?&](?:gh_jid|job_?id|post_?id|position_?id|req|jid|job_?ad_?id|job_?no|pid|id)=[\w%-]{2,80}", re.IGNORECASE
)
_JOB_WORD = re.compile(r"job|posi|post|career|recruit|vacan|opening|zhaopin|gangwei|zhiwei", re.IGNORECASE)


def job_address(href: str) -> str | None:
    """A link that looks like one to a posting, in the form in which two of them are compared; None for any other."""
    href = href.strip()[:1_000]
    if href.startswith(("javascript:", "mailto:", "tel:")):
        return None
    found = _JOB_STEP.search(href)
    if found and _names_one(found["word"].lower(), [step for step in found["rest"].split("/") if step]):
        return href.partition("?")[0]
    return href if _JOB_QUERY.search(href) and _JOB_WORD.search(href) else None


def _names_one(word: str, steps: list[str]) -> bool:
    """Whether what follows "jobs/" is the name of one posting, not of a part of the site."""
    if any(_MARK.search(_SUFFIX.sub("", step)) for step in steps):
        return True
    return word == "job" and bool(steps) and len(steps[-1]) > 4 and steps[-1].lower() not in _LISTING_WORDS
