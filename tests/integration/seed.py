"""Fills a database with a small job market, through the models, for the tests of what readers see."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from jobmonitor.storage.engine import create_sync_engine
from jobmonitor.storage.models import (
    Content,
    Event,
    Extraction,
    ExtractionConfig,
    Object,
    Page,
    Posting,
    Presence,
    Profile,
    Run,
    RunChannel,
    Source,
    Version,
)
from jobmonitor.storage.objects import pack

START = dt.datetime(2026, 3, 1, 4, 0, tzinfo=dt.UTC)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def on_day(number: int) -> dt.datetime:
    """The time of the crawl on a day, from 1."""
    return START + dt.timedelta(days=number - 1)


@dataclass(frozen=True, kw_only=True)
class Text:
    """One version of a posting, before it is stored."""

    document: str
    day: int = 1
    kind: str = "new"
    facts: dict[str, Any] = field(default_factory=dict)
    #: Derived columns of the version.
    derived: dict[str, Any] = field(default_factory=dict)
    quarantine: str | None = None
    #: Profile of the content; None = none yet.
    profile: dict[str, Any] | None = None
    evidence: dict[str, str] = field(default_factory=dict)
    contract: int = 1
    producer: str = "rules"


def record_of(text: Text) -> str:
    """What the site is said to have sent."""
    return f"record of {text.document} {text.facts}"


class Seed:
    """Writes rows; what it is not told it makes up."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def add(self, table: type, **values: Any) -> Any:
        """Insert one row and return its primary key."""
        return self.connection.execute(insert(table).values(**values)).inserted_primary_key

    def source(self, system: str, board: str | None = None) -> str:
        key = f"{system}:{board}" if board else system
        self.add(Source, key=key, system=system, board=board, newest_observed_at=on_day(3))
        return key

    def run(self, source: str, day: int, state: str = "finished", **values: Any) -> int:
        ledger = {"seen": 3, "new": 1, "changed": 1, "unchanged": 1, "rejected": 0}
        (number,) = self.add(Run, source=source, observed_at=on_day(day), state=state, ledger=ledger, **values)
        return int(number)

    def page(self, run: int, source: str, day: int, ids: list[str], **values: Any) -> None:
        row = {"kind": "list", "url": "https://jobs.example/list", "state": "done", "status": 200, **values}
        self.add(Page, run_id=run, source=source, ids=ids, observed_at=on_day(day), **row)

    def channel(self, run: int, channel: str, ids: int) -> None:
        self.add(RunChannel, run_id=run, channel=channel, complete=True, proof="total", total=ids, distinct_ids=ids)

    def posting(
        self, source: str, native_id: str, *texts: Text, channel: str = "", state: str = "active", **values: Any
    ) -> str:
        """A posting with its versions; the last one is current."""
        reference = f"{source}/{channel + ':' if channel else ''}{native_id}"
        title = texts[-1].document.partition("\n")[0].removeprefix("# ")
        row = {
            "title": title,
            "identity_hash": sha(f"identity {reference}"),
            "first_observed_at": on_day(texts[0].day),
            **values,
        }
        key = {"source": source, "channel": channel, "native_id": native_id, "reference": reference, "state": state}
        (number,) = self.add(Posting, **key, **row)
        for place, each in enumerate(texts):
            following = texts[place + 1].day if place + 1 < len(texts) else None
            self._version(number, place + 1, each, following)
        closing = {"closed_at": on_day(9), "closed_evidence": "missed"} if state == "gone" else {}
        self.add(Presence, posting_id=number, opened_at=on_day(texts[0].day), opened_evidence="seen", **closing)
        return reference

    def _version(self, posting: int, number: int, text: Text, following: int | None) -> None:
        content, body = self.content(text), record_of(text)
        record = sha(body)
        self._once(Object, hash=record, media_type="application/json", size=len(body), data=pack(body.encode()))
        self.add(
            Version,
            posting_id=posting,
            number=number,
            kind=text.kind,
            content_hash=content,
            facts_hash=sha(repr(text.facts)),
            facts=text.facts,
            record_hash=record,
            cleaning=1,
            valid_from=on_day(text.day),
            valid_to=None if following is None else on_day(following),
            locations=text.facts.get("locations", []),
            **text.derived,
        )

    def content(self, text: Text) -> str:
        """The content of a text, once, with its profile."""
        name = sha(text.document)
        self._once(Content, hash=name, scheme="canonical/1", document=text.document, quarantine=text.quarantine)
        if text.profile is not None:
            self.profile(name, text.profile, text.evidence, contract=text.contract, producer=text.producer)
        elif text.quarantine:
            self.add(Extraction, content_hash=name, contract=1, state="skipped", reason="quarantined")
        return name

    def profile(
        self,
        content: str,
        profile: dict[str, Any],
        evidence: dict[str, str] | None = None,
        *,
        contract: int = 1,
        producer: str = "rules",
    ) -> None:
        """A current profile; an older one of the same contract stays as history."""
        self._once(ExtractionConfig, hash=sha(producer), producer=producer, model=f"{producer}/1")
        config = self.connection.scalar(select(ExtractionConfig.id).where(ExtractionConfig.hash == sha(producer)))
        self._once(Extraction, content_hash=content, contract=contract)
        key = {"content_hash": content, "contract": contract, "producer": producer}
        (number,) = self.add(Profile, **key, config_id=config, profile=profile, evidence=evidence or {})
        self.connection.execute(
            update(Extraction)
            .where(Extraction.content_hash == content, Extraction.contract == contract)
            .values(state="succeeded", producer=producer, profile_id=number, empty=not any(profile.values()))
        )

    def event(self, kind: str, reference: str, day: int, **values: Any) -> None:
        source = reference.partition("/")[0]
        self.add(Event, kind=kind, posting=reference, source=source, at=on_day(day), **values)

    def _once(self, table: type, **values: Any) -> None:
        self.connection.execute(upsert(table).values(**values).on_conflict_do_nothing())


ENGINEER = """# 后端开发工程师

## 岗位职责

- 负责交易系统的设计与开发
- 参与架构评审

## 岗位要求

- {years}年以上 {language} 开发经验
- 本科及以上学历
"""
HOSTILE_TITLE = "Senior [bold red]Engineer[/] \x1b[31m\u202elive\u2066"
HELD = "# 拟录用公示\n\n- 候选人一\n- 候选人二\n"


def small_market(connection: Connection) -> None:
    """Two sources: an edited posting, one with a hostile title, one gone, one held, and what their crawls wrote."""
    seed = Seed(connection)
    tencent, stripe = seed.source("tencent"), seed.source("greenhouse", "stripe")
    profile = {
        "recruit_type": None,
        "education": {"minimum": "bachelor", "full_time_required": None, "majors": []},
        "experience": {"min_years": 5, "max_years": None},
        "skills": [{"name": "C++", "group": "language", "required": True}],
        "salary": None,
        "head_count": None,
    }
    evidence = {"/education/minimum": "本科及以上学历", "/experience/min_years": "5年以上", "/skills/0/name": "C++"}
    edited = seed.posting(
        tencent,
        "1001",
        Text(document=ENGINEER.format(years=3, language="Go"), facts={"locations": ["深圳"], "education": "不限"}),
        Text(
            document=ENGINEER.format(years=5, language="C++"),
            day=3,
            kind="content",
            facts={"locations": ["北京", "深圳"], "education": "不限", "salary": "15-30K·14薪"},
            derived={
                "education_minimum": "none",
                "salary_min": 15000,
                "salary_max": 30000,
                "salary_currency": "CNY",
                "salary_period": "month",
                "salary_months": 14,
            },
            profile=profile,
            evidence=evidence,
        ),
        url="https://jobs.example/1001",
    )
    gone = seed.posting(
        tencent, "77", Text(document="# 实习生\n", profile={"recruit_type": "intern"}), channel="campus", state="gone"
    )
    seed.posting(tencent, "1002", Text(document=HELD, day=2, quarantine="people_list"))
    seed.posting(
        stripe, "4567", Text(document=f"# {HOSTILE_TITLE}\n\nPay the [link=file:///etc/passwd]bills[/link].\n", day=2)
    )
    first, last = seed.run(tencent, 1), seed.run(tencent, 3)
    seed.channel(last, "social", 2)
    seed.page(first, tencent, 1, ["1001", "77"], channel="social")
    seed.page(last, tencent, 3, ["1001", "1002"], channel="social", total=2)
    seed.page(last, tencent, 3, [], channel="social", failure="http_503", status=503, state="failed")
    intern, engineer = sha("# 实习生\n"), sha(ENGINEER.format(years=5, language="C++"))
    ready = {"contract": 1, "producer": "rules", "degraded": False, "empty": False, "profile": profile}
    seed.event("posting.new", gone, 1, version=1, content=intern, payload={"title": "实习生"})
    seed.event("posting.content_changed", edited, 3, version=2, content=engineer)
    seed.event("profile.ready", edited, 3, content=engineer, payload=ready)


def write_market(url: str) -> None:
    """Put the small market into the database at `url`."""
    with create_sync_engine(url).begin() as connection:
        small_market(connection)
