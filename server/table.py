"""One table: who sits there, who watches, who may do what, and how long it is kept.

The game itself is the referee's (`referee`). Like it, a table is synchronous: it is
called, it changes and queues what its people are owed, and nothing in it waits.
"""

from __future__ import annotations

import logging
import math
import secrets
from collections.abc import Callable

from hollywood.protocol.errors import ErrorCode, RefusedError
from hollywood.protocol.rules import GameState, Phase, seat_seed
from hollywood.protocol.rules.dealing import SEED_SIZE
from hollywood.protocol.wire import messages as m

from . import entries
from .audience import Audience
from .config import TableConfig
from .referee import Referee
from .seating import Link, Seat
from .shelf import Shelf

IDLE_NOTICE = 300.0
"""Seconds before a table that does not begin is closed, when it is told so."""

log = logging.getLogger("hollywood.server.table")


def _forget_it(entry: entries.Entry) -> None:
    """Keep no journal."""


class Table:
    """A game and the people around it."""

    def __init__(
        self,
        config: TableConfig,
        clock: Callable[[], float],
        note: Callable[[entries.Entry], None] = _forget_it,
        seed: bytes | None = None,
        shelf: Shelf | None = None,
    ) -> None:
        self.config = config
        self.seed = seed or config.seed or secrets.token_bytes(SEED_SIZE)
        self.seats = [Seat(n, seat_seed(self.seed, n), config.clocks) for n in range(config.seats)]
        self.audience = Audience(config, self.seats, self.seed, clock, shelf)
        self.referee = Referee(config, self.seats, self.audience, clock, note, shelf)
        self.banned: set[tuple[str, str]] = set()
        """Names and addresses of those who were kicked."""
        self._clock = clock
        self._note = note
        self._start_by = math.inf
        """When the game starts, whoever has not added to the seed by then."""
        self._close_at = clock() + config.clocks.idle
        """When the table is closed if nobody comes and its game has not begun."""
        self._is_warned = False
        if config.is_owned:
            self.audience.owner = 0
        first_house = config.seats - len(config.house)
        for seat, house in zip(self.seats[first_house:], config.house, strict=True):
            seat.house(house.name, self.referee.sit_down(seat, house.bot))

    @property
    def name(self) -> str:
        """The table's name in the lobby."""
        return self.config.name

    @property
    def state(self) -> GameState | None:
        """The position, None before the game."""
        return self.referee.state

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.referee.is_over

    @property
    def is_deserted(self) -> bool:
        """Whether nobody is connected to it."""
        return not self.audience.links()

    @property
    def is_needed(self) -> bool:
        """Whether anybody may still want it: it goes on, or is over for a short time only."""
        if self.referee.is_running or not self.is_deserted:
            return True
        return self._clock() < self.referee.over_since + self.config.clocks.linger < math.inf

    @property
    def info(self) -> m.TableInfo:
        """Its line in the list of tables."""
        config = self.config
        return m.TableInfo(
            name=config.name,
            rules=config.rules.name,
            seats=len(self.seats),
            free=sum(seat.kind == "open" for seat in self.seats),
            has_started=self.state is not None,
            watchers=config.watchers,
            locked=bool(config.password),
            timing=config.timing,
        )

    # who sits here

    def join(
        self,
        link: Link,
        name: str,
        kind: str,
        cid: int,
        *,
        wanted: int | None = None,
        secret: str = "",
    ) -> Seat:
        """Give somebody a seat; the game starts when all are taken.

        Args:
            link: The connection.
            name: What the player wants to be called.
            kind: `player` or `bot`.
            cid: The command it answers.
            wanted: A seat it takes if that is open; else the first open one.
            secret: What opens the seat, too, until its first token is used: the
                message that brings that may be lost.

        Raises:
            RefusedError: every seat is taken (`table_full`), or the player was
                kicked (`kicked`).
        """
        self._refuse_banned(link, name)
        free = [seat for seat in self.seats if seat.kind == "open"]
        if not free:
            raise RefusedError(
                f"table {self.name!r} is full: join another one", ErrorCode.TABLE_FULL
            )
        seat = next((seat for seat in free if seat.number == wanted), free[0])
        taken = {other.name for other in self.seats}
        numbered = (f"{name[:20]} {n}" for n in range(2, len(self.seats) + 2))
        seat.take(next(n for n in (name, *numbered) if n not in taken), kind, link, secret)
        self._note_seat(seat)
        self._close_at, self._is_warned = self._clock() + self.config.clocks.idle, False
        self.audience.welcome(seat, cid, 0, self.state)
        self._start_if_complete()
        return seat

    def _refuse_banned(self, link: Link, name: str) -> None:
        if any(name == other or link.address == at != "" for other, at in self.banned):
            raise RefusedError(
                f"the owner of table {self.name!r} has sent you away: join another one",
                ErrorCode.KICKED,
            )

    def _note_seat(self, seat: Seat) -> None:
        self._note(
            entries.Sat(
                seat.number, seat.name, seat.kind, seat.token_hash, seat.shown_hash, seat.address
            )
        )

    def _start_if_complete(self) -> None:
        """Start when every seat is taken and has had the time to add to the seed."""
        if self.state is not None or any(seat.kind == "open" for seat in self.seats):
            self._start_by = math.inf
            return
        owes = any(
            seat.link is not None and "entropy" in seat.caps and seat.entropy is None
            for seat in self.seats
        )
        if not owes or self.config.seed is not None or self._clock() >= self._start_by:
            self._start_by = math.inf
            log.info("table %s: the game starts", self.name)
            self.referee.begin()
        elif math.isinf(self._start_by):
            self._start_by = self._clock() + self.config.clocks.entropy

    def add_entropy(self, seat: Seat, text: str) -> None:
        """Take a seat's part of the seed. A game whose seed was given takes none.

        Raises:
            RefusedError: the game has started, or the seat has added its part.
        """
        if self.state is not None or seat.entropy is not None:
            raise RefusedError(
                "the seed is made up: add your part once, before the game", ErrorCode.STARTED
            )
        seat.entropy = text
        self._note(entries.Entropy(seat.number, text))
        self._start_if_complete()

    def take_order(self, seat: Seat, order: m.Order) -> None:
        """Keep a standing order instead of the one before."""
        seat.order = order
        self._note(entries.Ordered(seat.number, order))

    def take_back(self, link: Link, token: str, seq: int) -> Seat:
        """Give a seat back to the player who shows its token; it hears what it missed.

        Raises:
            RefusedError: no seat has that token (`bad_token`).
        """
        seat = next((seat for seat in self.seats if seat.has_token(token)), None)
        if seat is None:
            raise RefusedError(
                f"that token opens no seat at table {self.name!r}: join anew", ErrorCode.BAD_TOKEN
            )
        if seat.link is not None:
            _close(seat.link, ErrorCode.REPLACED, "another connection has taken this seat")
        seat.link, seat.caps, seat.address = link, link.caps, link.address
        seat.rotate_token(token)
        self._note_seat(seat)
        events = self.audience.events
        self.audience.welcome(seat, 0, seq if seq <= len(events) else 0, self.state)
        if self.referee.is_running:
            self.referee.back(seat)
        return seat

    def go_on_from_journal(
        self, note: Callable[[entries.Entry], None], spent: dict[int, float]
    ) -> None:
        """Begin to note again, after a restart; nobody is there yet, so the game is parked.

        Args:
            note: Where to note what happens from now on.
            spent: For each seat that is asked, how long its clock had run.
        """
        self._note = note
        self.referee.go_on_from_journal(note, spent)

    def tell_anew(self, seat: Seat) -> None:
        """Tell a client everything again that has found itself out of step."""
        log.warning("table %s: seat %d is out of step", self.name, seat.number)
        self.audience.welcome(seat, 0, 0, self.state)
        self.referee.asker.send_open(seat)

    def lost(self, seat: Seat, link: Link) -> None:
        """The seat's connection is gone. Nothing happens if it has another by now."""
        if seat.link is not link:
            return
        seat.link = None
        if self.state is None:
            self._vacate(seat)
        elif self.referee.is_running:
            self.referee.lost(seat)
        self.audience.tell_seats()
        self.referee.settle()

    def leave(self, seat: Seat) -> None:
        """The player gives the seat up: a house bot has it from now on."""
        seat.link = None
        if self.state is None:
            self._vacate(seat)
        elif self.referee.is_running:
            self.referee.let_house_play(seat)
            self._house(seat, seat.name)
        self.audience.tell_seats()
        self.referee.settle()

    def _vacate(self, seat: Seat) -> None:
        seat.vacate()
        self._note(entries.Vacated(seat.number))
        self.pass_on_ownership(seat)

    def _house(self, seat: Seat, name: str) -> None:
        """A house bot has the seat from now on; without players the game is abandoned."""
        bot = seat.bot or self.referee.sit_down(seat, self.config.stand_in)
        seat.house(name, bot)
        self._note(entries.Housed(seat.number, name))
        self.pass_on_ownership(seat)
        if self.referee.is_running and not any(other.is_taken for other in self.seats):
            self.referee.abandon()
        elif self.referee.is_running:
            self.referee.park_if_deserted()

    def pass_on_ownership(self, seat: Seat) -> None:
        """If the seat's player owned the table, the next player does."""
        if self.audience.owner != seat.number or not self.config.is_owned:
            return
        after = [*self.seats[seat.number :], *self.seats[: seat.number]]
        self.audience.owner = next((s.number for s in after if s.kind == "player"), None)
        if self.audience.owner is None:
            self.audience.owner = next((s.number for s in after if s.is_taken), 0)

    # what its owner may do

    def start_now(self, seat: Seat) -> None:
        """House bots take the free seats, at the owner's word.

        Raises:
            RefusedError: not the owner (`not_owner`), or started already.
        """
        self._need_owner(seat)
        if self.state is not None:
            raise RefusedError("the game has started", ErrorCode.STARTED)
        for other in self.seats:
            if other.kind == "open":
                self._house(other, f"house {other.number + 1}")
        self.audience.tell_seats()
        self._start_if_complete()

    def moderate(self, by: Seat, message: m.Moderate) -> Link | None:
        """Mute, kick or replace somebody; return the link that is to be closed, if any.

        Raises:
            RefusedError: not the owner, nobody there of that seat or name
                (`no_such_seat`), or a seat whose player is present is to be replaced.
        """
        self._need_owner(by)
        seat = self._seat_meant(message)
        name = seat.name if seat is not None else message.name
        match message.act:
            case m.Act.MUTE | m.Act.UNMUTE:
                self.mute(name, message.act is m.Act.MUTE)
                return None
            case m.Act.REPLACE:
                if seat is None or seat.link is not None or self.state is None:
                    raise RefusedError(
                        "only a player who is away from a game is replaced: kick others",
                        ErrorCode.NO_SUCH_SEAT,
                    )
                self._replace(seat)
                return None
            case m.Act.KICK:
                return self._kick(name, seat)

    def mute(self, name: str, is_muted: bool) -> None:
        """Stop passing on what somebody says, or begin again."""
        (self.audience.muted.add if is_muted else self.audience.muted.discard)(name)
        self._note(entries.Muted(name, is_muted))

    def kick(self, seat: Seat) -> Link | None:
        """Send a player away, for the server's own reasons."""
        return self._kick(seat.name, seat)

    def _need_owner(self, seat: Seat) -> None:
        if seat.number != self.audience.owner:
            raise RefusedError("only the owner of the table does that", ErrorCode.NOT_OWNER)

    def _seat_meant(self, message: m.Moderate) -> Seat | None:
        """Return the seat a message is about, None if it is about somebody who watches."""
        if message.seat is None:
            if not message.name:
                raise RefusedError(
                    "say whom: a seat, or the name of somebody who watches", ErrorCode.NO_SUCH_SEAT
                )
            return None
        seat = self.seats[message.seat] if message.seat < len(self.seats) else None
        if seat is None or not seat.is_taken:
            raise RefusedError(
                f"no player sits on seat {message.seat}: see who is there", ErrorCode.NO_SUCH_SEAT
            )
        return seat

    def _kick(self, name: str, seat: Seat | None) -> Link | None:
        if seat is None:
            link = next((link for link in self.audience.watchers if link.name == name), None)
            if link is None:
                raise RefusedError(f"nobody called {name!r} watches", ErrorCode.NO_SUCH_SEAT)
            address = link.address
            self.audience.watchers.discard(link)
        else:
            link, address = seat.link, seat.address
        self.banned.add((name, address))
        self._note(entries.Banned(name, address))
        if seat is not None and self.state is None:
            self._vacate(seat)
            self.audience.tell_seats()
        elif seat is not None:
            self._replace(seat)
        if link is not None:
            _close(link, ErrorCode.KICKED, "the owner of the table has sent you away")
        return link

    def _replace(self, seat: Seat) -> None:
        if self.referee.is_running:
            self.referee.let_house_play(seat)
        self._house(seat, seat.name)
        self.audience.tell_seats()
        self.referee.settle()

    # who watches and who speaks

    def watch(self, link: Link, cid: int, *, shared_machine: bool) -> None:
        """Let somebody see what everybody may see.

        Raises:
            RefusedError: this table is not watched (`not_watchable`), the watcher was
                kicked, or sits at the table, too (`at_the_table`).
        """
        if not self.config.watchers:
            raise RefusedError(f"table {self.name!r} is not watched", ErrorCode.NOT_WATCHABLE)
        self._refuse_banned(link, link.name)
        for seat in self.seats:
            is_same = seat.address == link.address != "" and not shared_machine
            if seat.is_taken and (seat.name == link.name or is_same):
                raise RefusedError(
                    f"nobody watches a table at which they sit: {seat.name} plays there "
                    "under your name or from your address",
                    ErrorCode.AT_THE_TABLE,
                )
        self.audience.watch(link, cid, self.state)

    def say(self, seat: Seat | None, name: str, text: str) -> None:
        """Pass on what somebody says.

        Raises:
            RefusedError: the owner has muted them (`muted`).
        """
        if name in self.audience.muted:
            raise RefusedError("the owner of the table has muted you", ErrorCode.MUTED)
        self.audience.say(seat, name, text)

    def offer_rematch(self, seat: Seat) -> None:
        """Tell the others that somebody wants to play again."""
        text = f"{seat.name} plays again: say rematch to join"
        self.audience.tell(m.Notice(code="rematch", text=text, seat=seat.number))

    # time

    def next_deadline(self) -> float:
        """Return when `tick` has something to do, infinity if only somebody can help."""
        if self.state is None:
            is_warned = self._is_warned or self._close_at == math.inf
            notice = self._close_at if is_warned else self._close_at - IDLE_NOTICE
            return min(self._start_by, notice)
        soonest = min(self.referee.next_deadline(), self.audience.next_due())
        if self.is_over and self.is_deserted:
            return min(soonest, self.referee.over_since + self.config.clocks.linger)
        return soonest

    def tick(self) -> None:
        """Do what is due."""
        now = self._clock()
        if self.state is None:
            self._start_if_complete()
            self._close_if_idle(now)
        self.audience.tell_watchers(now)
        self.referee.tick()

    def _close_if_idle(self, now: float) -> None:
        if self.state is not None or now < self._close_at - IDLE_NOTICE:
            return
        if now >= self._close_at:
            for link in self.audience.links():
                _close(link, ErrorCode.IDLE, "the table was closed: its game did not begin")
            for seat in self.seats:
                if seat.is_taken:
                    self._vacate(seat)
            self.audience.watchers.clear()
        elif not self._is_warned:
            self._is_warned = True
            text = f"this table is closed in {round(IDLE_NOTICE / 60)} minutes if nobody else comes"
            self.audience.tell(m.Notice(code="idle", text=text))

    @property
    def is_rated(self) -> bool:
        """Whether the game has been played to its end."""
        return self.state is not None and self.state.phase is Phase.GAME_OVER

    def abort(self) -> None:
        """End the table after a fault of ours: everybody is told and let go."""
        text = f"table {self.name!r} had to be closed after an internal error"
        for link in self.audience.links():
            _close(link, ErrorCode.INTERNAL, text, m.ErrorClass.INTERNAL)


def _close(
    link: Link, code: ErrorCode, text: str, klass: m.ErrorClass = m.ErrorClass.STATE
) -> None:
    link.close(m.Error(code=code, klass=klass, text=text, fatal=True))
