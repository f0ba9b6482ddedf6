"""Who listens at a table, and what each may hear."""

from __future__ import annotations

from hollywood.protocol.errors import ErrorCode, RefusedError
from hollywood.protocol.rules import Event, GameState, commitment, digest, redact, view
from hollywood.protocol.wire import ServerMessage
from hollywood.protocol.wire import messages as m

from .config import TableConfig
from .seating import Link, Seat

_EVENTS_IN_A_FRAME = 500
"""Who comes back late is told a whole game, in portions."""

_DIGEST_EVERY = 16
"""Events after which a viewer is told a digest again."""


class Audience:
    """The seats and the watchers of one table, and all that has happened there."""

    def __init__(self, config: TableConfig, seats: list[Seat], seed: bytes) -> None:
        self.config = config
        self.seats = seats
        self.seed = seed
        self.watchers: set[Link] = set()
        self.events: list[Event] = []

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

    @property
    def owner(self) -> int | None:
        """The seat that may start the game: the first one of a table somebody made."""
        return 0 if self.config.is_owned else None

    def watch(self, link: Link, cid: int, state: GameState | None) -> None:
        """Let somebody see what everybody may see.

        Raises:
            RefusedError: this table is not watched (`not_watchable`).
        """
        if not self.config.watchers:
            raise RefusedError(
                f"table {self.config.name!r} is not watched", ErrorCode.NOT_WATCHABLE
            )
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
            )
        )
        if seat.link is not None:
            self._send_events(seat.link, seat.number, seen, state)
        self.tell_seats(but=seat)

    def tell_seats(self, but: Seat | None = None) -> None:
        """Tell who sits where, to all but a seat that knows."""
        seated = m.Seated(seats=self.infos())
        for link in self.links():
            if but is None or link is not but.link:
                link.send(seated)

    def publish(self, events: tuple[Event, ...], state: GameState) -> None:
        """Everybody hears what has happened, with what it may not see blanked."""
        seen = len(self.events)
        self.events.extend(events)
        for seat in self.seats:
            if seat.link is not None:
                self._send_events(seat.link, seat.number, seen, state)
        for link in self.watchers:
            self._send_events(link, None, seen, state)

    def _send_events(
        self, link: Link, seat: int | None, seen: int, state: GameState | None
    ) -> None:
        """Tell a viewer what it has not seen; with a digest when 16 more are full."""
        last = len(self.events)
        for first in range(seen, last, _EVENTS_IN_A_FRAME):
            part = self.events[first : first + _EVENTS_IN_A_FRAME]
            news = tuple([redact(event, seat) for event in part])
            checked = ""
            if (
                state is not None
                and first + len(part) == last
                and last // _DIGEST_EVERY > seen // _DIGEST_EVERY
            ):
                checked = digest(view(state, seat))
            link.send(m.Events(seq=first + 1, events=news, digest=checked))
