"""Who listens at a table, and what each may hear."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

import msgspec

from hollywood.protocol.rules import Event, GameState, commitment, digest, redact, view
from hollywood.protocol.rules.views import redactions
from hollywood.protocol.wire import ServerMessage
from hollywood.protocol.wire import messages as m

from .chronicle import Chronicle
from .config import TableConfig
from .seating import Link, Seat
from .shelf import Shelf

_EVENTS_IN_A_FRAME = 500
"""Who comes back late is told a whole game, in portions."""

_DIGEST_EVERY = 16
"""Events after which a viewer is told a digest again."""


class Audience:
    """The seats and the watchers of one table, and all that has happened there."""

    def __init__(
        self,
        config: TableConfig,
        seats: list[Seat],
        seed: bytes,
        clock: Callable[[], float],
        shelf: Shelf | None = None,
    ) -> None:
        self.config = config
        self.seats = seats
        self.seed = seed
        self.watchers: set[Link] = set()
        self.events = Chronicle[Event](Event, shelf)
        self.muted: set[str] = set()
        """Names of those who are not heard."""
        self.owner: int | None = None
        """The seat that may start the game and moderate."""
        self._clock = clock
        self._shown = 0
        """Events that those who watch have been told."""
        self._waiting: deque[tuple[float, int]] = deque()
        """When those who watch may be told, and up to which event."""

    def links(self) -> list[Link]:
        """Everybody who is connected."""
        seated = [seat.link for seat in self.seats if seat.link is not None]
        return [*seated, *self.watchers]

    def tell(self, message: ServerMessage) -> None:
        """Tell everybody the same."""
        for link in self.links():
            link.send(message)

    def infos(self) -> tuple[m.SeatInfo, ...]:
        """What everybody may know of the seats."""
        return tuple(seat.info for seat in self.seats)

    def watch(self, link: Link, cid: int, state: GameState | None) -> None:
        """Let somebody see what everybody may see."""
        self.watchers.add(link)
        rules = self.config.rules
        link.send(
            m.Watching(
                cid=cid,
                table=self.config.name,
                rules=rules,
                rules_hash=rules.hash,
                seats=self.infos(),
            )
        )
        if self.config.watch_delay:
            self._send_events(link, None, 0, None, last=self._shown)
        else:
            self._send_events(link, None, 0, state)

    def say(self, seat: Seat | None, name: str, text: str) -> None:
        """Pass on what somebody says, without anything that could move a cursor."""
        plain = "".join(letter if letter.isprintable() else " " for letter in text).strip()
        self.tell(m.Said(seat=None if seat is None else seat.number, name=name, text=plain))

    def welcome(self, seat: Seat, cid: int, seen: int, state: GameState | None) -> None:
        """Tell a seat all it needs to follow the game, from event `seen` on."""
        rules = self.config.rules
        seat.send(
            m.Joined(
                cid=cid,
                table=self.config.name,
                seat=seat.number,
                token=seat.token,
                rules=rules,
                rules_hash=rules.hash,
                seats=self.infos(),
                rng=seat.rng.hex(),
                seq=seen,
                commitment=commitment(self.seed),
                owner=self.owner,
                timing=self.config.timing,
            )
        )
        if seat.link is not None:
            self._send_events(seat.link, seat.number, seen, state)
        self.tell_seats(but=seat)

    def tell_seats(self, but: Seat | None = None) -> None:
        """Tell who sits where, to all but a seat that knows."""
        seated = m.Seated(seats=self.infos(), owner=self.owner)
        for link in self.links():
            if but is None or link is not but.link:
                link.send(seated)

    def publish(self, events: tuple[Event, ...], state: GameState) -> None:
        """Everybody hears what has happened, with what it may not see blanked."""
        seen = len(self.events)
        self.events.extend(events)
        last = len(self.events)
        forms = [redactions(event) for event in events]
        is_checked = last // _DIGEST_EVERY > seen // _DIGEST_EVERY
        public = m.Events(seq=seen + 1, events=tuple([form for form, _ in forms]))
        for seat in self.seats:
            if seat.link is None:
                continue
            if is_checked or any(seat.number in own for _, own in forms):
                news = tuple([own.get(seat.number, form) for form, own in forms])
                checked = digest(view(state, seat.number)) if is_checked else ""
                seat.link.send(m.Events(seq=seen + 1, events=news, digest=checked))
            else:
                seat.link.send(public)
        if self.config.watch_delay:
            self._waiting.append((self._clock() + self.config.watch_delay, last))
            return
        self._shown = last
        if self.watchers and is_checked:
            public = msgspec.structs.replace(public, digest=digest(view(state, None)))
        for link in self.watchers:
            link.send(public)

    # those who watch and hear later

    def next_due(self) -> float:
        """Return when those who watch may be told more."""
        return self._waiting[0][0] if self._waiting else math.inf

    def tell_watchers(self, now: float) -> None:
        """Tell those who watch what is old enough."""
        seen = self._shown
        while self._waiting and self._waiting[0][0] <= now:
            self._shown = self._waiting.popleft()[1]
        for link in self.watchers:
            self._send_events(link, None, seen, None, last=self._shown)

    def _send_events(
        self,
        link: Link,
        seat: int | None,
        seen: int,
        state: GameState | None,
        last: int | None = None,
    ) -> None:
        """Tell a viewer what it has not seen; with a digest when 16 more are full."""
        last = len(self.events) if last is None else last
        for first in range(seen, last, _EVENTS_IN_A_FRAME):
            part = self.events[first : min(last, first + _EVENTS_IN_A_FRAME)]
            news = tuple([redact(event, seat) for event in part])
            checked = ""
            if (
                state is not None
                and first + len(part) == last
                and last // _DIGEST_EVERY > seen // _DIGEST_EVERY
            ):
                checked = digest(view(state, seat))
            link.send(m.Events(seq=first + 1, events=news, digest=checked))
