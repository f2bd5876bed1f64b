"""The end of a run, for the postings: who was missed, who is suspected or gone, who came back, and what is held back.

Called once, in the transaction that ends the run. On an unchanged day it reads two short lists and writes nothing for
a posting.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from jobmonitor.domain import lifecycle as rules
from jobmonitor.domain.completeness import ChannelVerdict
from jobmonitor.domain.reference import LocalKey
from jobmonitor.domain.versioning import KnownPosting
from jobmonitor.storage import holds
from jobmonitor.storage import lifecycle as storage
from jobmonitor.storage.events import NewEvent, append
from jobmonitor.storage.leases import Lease

#: Channel under which closed signals are held, whatever listing they came from.
SIGNALS = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """What a run saw of a source."""

    verdicts: Sequence[ChannelVerdict]
    #: Native ids that each listing channel showed, rejects included.
    shown: Mapping[str, AbstractSet[str]]
    #: Postings that the site said are closed, with its words.
    withdrawn: Mapping[LocalKey, str]
    #: Postings whose own address answered that they are open.
    alive: AbstractSet[LocalKey] = frozenset()
    #: Postings whose own address was asked.
    probed: AbstractSet[LocalKey] = frozenset()


@dataclass(slots=True, kw_only=True)
class Settled:
    """What came of it."""

    events: list[NewEvent] = field(default_factory=list)
    #: (missed, newly missed) of each complete channel.
    missed: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Held channels with the reason.
    held: dict[str, str] = field(default_factory=dict)


class Settling:
    """Settles one run.

    Args:
        conn: the transaction that ends the run.
        lease: whose run it is.
        at: the run's logical time.
        known: what is known by (channel, native id), as of the run's end.
        looks: what the run saw.
        gap: least time between two looks that count.
        least: fewest postings that the adapter finds believable.
    """

    def __init__(
        self,
        conn: AsyncConnection,
        *,
        lease: Lease,
        at: dt.datetime,
        known: Mapping[LocalKey, KnownPosting],
        looks: Looks,
        gap: dt.timedelta,
        least: int = 0,
    ) -> None:
        self._conn = conn
        self._lease = lease
        self._at = at
        self._known = known
        self._looks = looks
        self._gap = gap
        self._least = least
        self._settled = Settled()

    async def settle(self) -> Settled:
        """Count, hold, decide and link, in this order. The caller appends the events, last, and commits."""
        await self._forget_what_was_seen()
        open_holds = await holds.open_holds(self._conn, self._lease.source)
        missing: set[int] = set()
        for verdict in self._looks.verdicts:
            if verdict.complete:
                missing |= await self._miss(verdict, open_holds.get(verdict.listing))
            else:
                self._say_incomplete(verdict)
        await self._signal(open_holds.get(SIGNALS))
        await self._link(missing)
        await self._decide()
        return self._settled

    # -- seen

    async def _forget_what_was_seen(self) -> None:
        seen = {self._known[key].posting_id: key for key in self._seen()}
        before = await storage.missed_before(self._conn, self._lease.source)
        again = {(row.posting_id, row.channel) for row in before if self._shows(seen.get(row.posting_id), row.channel)}
        alive = {self._known[key] for key in self._looks.alive if key in self._known}
        again |= {(each.posting_id, channel) for each in alive for channel in each.listings}
        await storage.note_seen(self._conn, again, self._at)
        signalled = await storage.signalled_before(self._conn, self._lease.source)
        await storage.forget_signals(self._conn, [each for each in signalled if each in seen])
        probed = [self._known[key].posting_id for key in self._looks.probed if key in self._known]
        await storage.note_probed(self._conn, probed, self._at)
        elsewhere = [posting_id for posting_id, key in seen.items() if self._known[key].state != "active"]
        self._return(await storage.away(self._conn, elsewhere))
        await self._write_returns()

    def _seen(self) -> Iterator[LocalKey]:
        """Known postings that this run saw and that the site did not call closed."""
        shown = {
            (channel, each) for listing, ids in self._looks.shown.items() for channel in ("", listing) for each in ids
        }
        for key in shown | self._looks.alive:
            if key in self._known and key not in self._looks.withdrawn:
                yield key

    def _shows(self, key: LocalKey | None, channel: str) -> bool:
        return key is not None and (key[1] in self._looks.shown.get(channel, ()) or key in self._looks.alive)

    def _return(self, rows: Sequence[Row[Any]]) -> None:
        for row in rows:
            back = {"state": "active", "from": row.state}
            if row.state == "gone":
                back |= {"opened_at": self._at.isoformat(), "closed_at": None}
            self._tell("posting.reopened", row, back)

    async def _write_returns(self) -> None:
        returned = [event for event in self._settled.events if event.kind == "posting.reopened"]
        await storage.set_state(self._conn, [event.posting_id for event in returned if event.posting_id], "active")
        gone = [event.posting_id for event in returned if event.posting_id and event.payload["from"] == "gone"]
        await storage.open_presences(self._conn, gone, self._at)

    # -- missed

    async def _miss(self, verdict: ChannelVerdict, held_since: dt.datetime | None) -> set[int]:
        """Count the misses of a complete channel, and hold them if they are too many; who was missing."""
        channel, shown = verdict.listing, self._looks.shown.get(verdict.listing, frozenset())
        there = {key: each for key, each in self._known.items() if channel in each.listings and each.state != "gone"}
        missing = {
            each.posting_id for key, each in there.items() if key[1] not in shown and key not in self._looks.alive
        }
        counted = await storage.count_misses(self._conn, channel, missing, self._at, self._gap)
        newly = sum(count == 1 for count in counted.values())
        self._settled.missed[channel] = (len(missing), newly)
        past = await storage.past_shares(self._conn, self._lease.source, channel)
        reason = rules.implausible(newly, len(there), past=past, shown=len(shown), least=self._least)
        if reason is not None:
            await self._hold(channel, newly, len(there), reason)
        elif held_since is not None and rules.counts(held_since, self._at, self._gap):
            await holds.release(self._conn, self._lease.source, channel, by="run")
        elif held_since is not None:
            self._settled.held[channel] = "the second look comes too soon after the first"
        return missing

    def _say_incomplete(self, verdict: ChannelVerdict) -> None:
        obstacles = {"channel": verdict.listing, "obstacles": list(verdict.prevented_by)}
        self._settled.events.append(self._event("source.incomplete", obstacles))

    async def _hold(self, channel: str, missing: int, known: int, reason: str) -> None:
        self._settled.held[channel] = reason
        source, run_id = self._lease.source, self._lease.run_id
        await holds.hold(
            self._conn, source, channel, run_id=run_id, at=self._at, missing=missing, known=known, reason=reason
        )
        payload = {"channel": channel, "missing": missing, "known": known, "reason": reason}
        self._settled.events.append(self._event("source.held", payload))

    # -- the site's own word

    async def _signal(self, held_since: dt.datetime | None) -> None:
        """Count closed signals; too many at once are held, and a held one is no first look."""
        told = {
            self._known[key].posting_id: words
            for key, words in self._looks.withdrawn.items()
            if key in self._known and self._known[key].state != "gone"
        }
        before = set(await storage.signalled_before(self._conn, self._lease.source))
        newly, known = len(told.keys() - before), sum(each.state != "gone" for each in self._known.values())
        reason = rules.implausible(newly, known)
        confirmed = held_since is not None and rules.counts(held_since, self._at, self._gap)
        if reason is not None and not confirmed:
            await self._hold(SIGNALS, newly, known, f"the site calls {newly:,} of {known:,} postings closed at once")
            told = {posting_id: words for posting_id, words in told.items() if posting_id in before}
        elif confirmed and told:
            await holds.release(self._conn, self._lease.source, SIGNALS, by="run")
        await storage.count_signals(self._conn, told, self._at, self._gap)

    # -- what follows

    async def _link(self, missing: Collection[int]) -> None:
        rows = await storage.successors(self._conn, self._lease.source, missing, self._at)
        for row in rows:
            self._tell("posting.moved", row, {"to": row.successor, "reason": "same opening"})
        await storage.set_successors(self._conn, [(row.id, row.successor) for row in rows])

    async def _decide(self) -> None:
        doubts = await storage.doubtful(self._conn, self._lease.source)
        moves = [each for each in map(self._move, doubts) if each is not None]
        await act(self._conn, moves, self._at)
        self._settled.events += [event_of(each, source=self._lease.source, at=self._at) for each in moves]

    def _move(self, row: Row[Any]) -> Move | None:
        held = self._settled.held.keys() & set(row.channels) and not row.signals
        return None if held else move_of(row)

    def _tell(self, kind: str, row: Row[Any], payload: dict[str, Any]) -> None:
        self._settled.events.append(self._event(kind, payload, row.id, row.reference))

    def _event(
        self, kind: str, payload: dict[str, Any], posting_id: int | None = None, posting: str | None = None
    ) -> NewEvent:
        return NewEvent(
            kind=kind, at=self._at, source=self._lease.source, posting_id=posting_id, posting=posting, payload=payload
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A posting's way from one state to the next."""

    posting_id: int
    posting: str
    before: rules.State
    after: rules.State
    evidence: str


def move_of(row: Row[Any]) -> Move | None:
    """Where a row of `doubtful` goes; None if it stays."""
    standing = rules.Standing(state=row.state, misses=row.misses, signals=row.signals)
    after = rules.decide(standing)
    if after == row.state:
        return None
    evidence = rules.evidence_of(standing, row.signal)
    return Move(posting_id=row.id, posting=row.reference, before=row.state, after=after, evidence=evidence)


async def act(conn: AsyncConnection, moves: Sequence[Move], at: dt.datetime) -> None:
    """Write the moves."""
    for state in ("suspected", "gone"):
        await storage.set_state(conn, [each.posting_id for each in moves if each.after == state], state)
    closed = {each.posting_id: each.evidence for each in moves if each.after == "gone"}
    await storage.close_presences(conn, closed, at)


def event_of(move: Move, *, source: str, at: dt.datetime) -> NewEvent:
    """The event of a move."""
    payload: dict[str, Any] = {"state": move.after, "from": move.before, "evidence": move.evidence}
    if move.after == "gone":
        payload["closed_at"] = at.isoformat()
    return NewEvent(
        kind=f"posting.{move.after}",
        at=at,
        source=source,
        posting_id=move.posting_id,
        posting=move.posting,
        payload=payload,
    )


async def release_holds(
    conn: AsyncConnection, source: str, channel: str | None, now: dt.datetime
) -> tuple[list[str], list[str]]:
    """A person believes what is held back: the misses counted so far decide, at once.

    Returns:
        The channels that were held, and the references of the postings that moved on.
    """
    released = await holds.release(conn, source, channel, by="person")
    if not released:
        return [], []
    moves = [each for each in map(move_of, await storage.doubtful(conn, source)) if each is not None]
    await act(conn, moves, now)
    await append(conn, [event_of(each, source=source, at=now) for each in moves])
    return released, [each.posting for each in moves]
