"""A game to be looked at again: its events, what each seat knew after each, and a place in it.

A tape may grow while it is looked at, so the same serves a record and a table that
is being played. Nothing here knows of terminals, sockets or clocks: whoever calls
says what time it is, in seconds of any monotonic clock.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal

from hollywood.protocol.rules import (
    Card,
    Event,
    GameRecord,
    Hand,
    Phase,
    PlayerView,
    RuleSet,
    distance,
    new_view,
    redact,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.wire import follow
from hollywood.protocol.wire import messages as msg

from .narrate import narrate

Eyes = int | Literal["all", "public"]
"""Through whose eyes: a seat's, everybody's at once, or those of who only watches."""

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Steps a second."""

DOWN = -1
"""The strength of a hand that has gone down."""


class Tape:
    """Events of one game, in order, and what was known after each.

    Places are counted in events: at place n the first n events have happened.

    Args:
        rules: The rule set.
        names: A name for each seat.
        known: The seats whose cards the events show: all of a record, one of a seat's
            own events, none of what everybody may see.
    """

    def __init__(self, rules: RuleSet, names: Sequence[str], known: Iterable[int] = ()) -> None:
        self.rules = rules
        self.names = tuple(names)
        self.known = tuple(sorted(known))
        self.events: list[Event | msg.Unknown] = []
        self.stops: list[int] = [0]
        """The places after which something is told; 0 is before the first event."""
        self.turn_ends: list[int] = [0]
        """The places at which a turn, or a deal, has ended."""
        self.deals: list[int] = []
        """The place of the first cards of each deal."""
        seats = len(self.names)
        self._views: dict[int | None, list[PlayerView]] = {
            seat: [new_view(rules, seats, seat)] for seat in (None, *self.known)
        }
        self._strengths: dict[tuple[int, int], int | None] = {}

    def __len__(self) -> int:
        return len(self.events)

    @property
    def sees_all(self) -> bool:
        """Whether the cards of all seats are there."""
        return len(self.known) == len(self.names)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._views[None][-1].phase is Phase.GAME_OVER

    def add(self, events: Iterable[Event | msg.Unknown]) -> None:
        """Append what has happened since."""
        for event in events:
            public = self._views[None][-1]
            is_told = narrate(public, event, str) is not None
            for seat, views in self._views.items():
                seen = event if isinstance(event, msg.Unknown) else redact(event, seat)
                views.append(follow(views[-1], seen))
            self.events.append(event)
            place = len(self.events)
            if is_told:
                self.stops.append(place)
            if isinstance(event, ev.Dealt):
                self.deals.append(place)
            if isinstance(event, ev.Discarded | ev.Floated | ev.DealEnded | ev.GameEnded):
                self.turn_ends.append(place)

    def view(self, place: int, eyes: Eyes = "public") -> PlayerView:
        """Return what was known after so many events."""
        return self._views[eyes if isinstance(eyes, int) else None][place]

    def hand(self, place: int, seat: int) -> Hand | None:
        """Return the cards of a seat, None where they are hidden."""
        return self._views[seat][place].hand if seat in self._views else None

    def name(self, seat: int) -> str:
        """Return what a seat is called."""
        return self.names[seat]

    def tell(self, place: int, eyes: Eyes = "all") -> str:
        """Say what the event that led to this place was, "" for one that says nothing."""
        if place == 0:
            return "before the first card"
        event = self.events[place - 1]
        if isinstance(event, msg.Unknown):
            return ""
        if eyes != "all":
            event = redact(event, eyes if isinstance(eyes, int) else None)
        return narrate(self._views[None][place - 1], event, self.name) or ""

    def deal_at(self, place: int) -> int:
        """Return how many deals had begun before or at this place."""
        return bisect_right(self.deals, place)

    def new_cards(self, place: int) -> dict[int, tuple[Card, ...]]:
        """Return the cards that came into a hand by the event that led to this place."""
        if place == 0:
            return {}
        match self.events[place - 1]:
            case ev.Drew(seat=seat, card=card) if card is not None:
                return {seat: (card,)}
            case ev.Took(seat=seat, card=card):
                return {seat: (card,)}
            case ev.Bought(seat=seat, card=card, penalty=penalty):
                return {seat: (card, *(penalty or ()))}
        return {}

    def strengths(self, place: int, seat: int) -> list[int | None]:
        """Return how far a seat was from going down, at the deal and after each of its turns.

        A turn in which it goes down counts from that moment on.

        Returns:
            Of the deal at that place: cards short (0: complete), `DOWN` once it was
            down, None where no card could help. Empty where its cards are hidden.
        """
        if seat not in self._views or not self.deal_at(place):
            return []
        first = self.deals[self.deal_at(place) - 1]
        ends = self.turn_ends[
            bisect_right(self.turn_ends, first) : bisect_right(self.turn_ends, place)
        ]
        own = [end for end in ends if getattr(self.events[end - 1], "seat", None) == seat]
        found = [self.strength(at, seat) for at in (first, *own)]
        if found[-1] != DOWN and self._views[seat][place].is_down:
            found.append(DOWN)  # in this very turn
        return found

    def strength(self, place: int, seat: int) -> int | None:
        """Return how far a seat is from going down at a place (see `strengths`)."""
        key = (place, seat)
        if key not in self._strengths:
            view = self._views[seat][place]
            if view.is_down:
                found: int | None = DOWN
            elif not view.is_playing(seat):
                found = None
            else:
                found = distance(view.hand, view.contract, view.rules, view.round)
            self._strengths[key] = found
        return self._strengths[key]


def tape_of(record: GameRecord) -> Tape:
    """Return the tape of a whole game, with everybody's cards; each seat has its own name."""
    names = [
        f"{name} {seat}" if record.players.count(name) > 1 else name
        for seat, name in enumerate(record.players, 1)
    ]
    tape = Tape(record.rules, names, range(len(names)))
    tape.add(record.events)
    return tape


class Player:
    """A place on a tape, and how it moves.

    Args:
        tape: What is looked at.
        is_live: Whether it grows: then the place is at its end and stays there.
    """

    def __init__(self, tape: Tape, *, is_live: bool = False) -> None:
        self.tape = tape
        self.is_live = is_live
        self.is_playing = False
        self.speed = 1.0
        self.eyes: Eyes = self.choices[0]
        self._stop = len(tape.stops) - 1 if is_live else 0
        self._since = 0.0
        """When the place last moved by itself."""

    @property
    def choices(self) -> tuple[Eyes, ...]:
        """Through whose eyes the game can be looked at."""
        whole: tuple[Eyes, ...] = ("all",) if self.tape.sees_all else ()
        return (*whole, *self.tape.known, "public")

    @property
    def place(self) -> int:
        """Where we are, in events."""
        return self.tape.stops[self._stop]

    @property
    def step_number(self) -> int:
        """Where we are, in steps; 0 is before the first."""
        return self._stop

    @property
    def steps(self) -> int:
        """How many steps there are by now."""
        return len(self.tape.stops) - 1

    @property
    def is_at_end(self) -> bool:
        """Whether nothing more has happened yet."""
        return self._stop == self.steps

    def add(self, events: Iterable[Event | msg.Unknown]) -> None:
        """Append what has happened; who is at the end stays there."""
        was_at_end = self.is_at_end
        self.tape.add(events)
        if self.is_live and was_at_end and not self.is_playing:
            self._stop = self.steps

    def step(self, count: int) -> None:
        """Go on by so many steps, or back."""
        self._stop = max(0, min(self.steps, self._stop + count))

    def turn(self, direction: int) -> None:
        """Go to the next end of a turn, or back to the one before."""
        ends = self.tape.turn_ends
        if direction > 0:
            at = bisect_right(ends, self.place)
            self.go_to(ends[at] if at < len(ends) else len(self.tape))
        else:
            self.go_to(ends[max(0, bisect_left(ends, self.place) - 1)])

    def deal(self, number: int) -> None:
        """Go to the first cards of a deal, counted from 0; the nearest where there is none."""
        deals = self.tape.deals
        if deals:
            self.go_to(deals[max(0, min(len(deals) - 1, number))])

    def next_deal(self, direction: int) -> None:
        """Go to the next deal; back to the beginning of this one, then to the one before."""
        deals = self.tape.deals
        if direction > 0:
            at = bisect_right(deals, self.place)
            self.go_to(deals[at] if at < len(deals) else len(self.tape))
        else:
            at = bisect_left(deals, self.place) - 1
            self.go_to(deals[at] if at >= 0 else 0)

    def go_to(self, place: int) -> None:
        """Go to a place, or the last step before it."""
        self._stop = bisect_right(self.tape.stops, place) - 1

    def toggle(self, now: float) -> None:
        """Play, or stop; at the end of a whole game it begins anew."""
        if not self.is_playing and self.is_at_end and not self.is_live:
            self._stop = 0
        self.is_playing = not self.is_playing
        self._since = now

    def faster(self, direction: int) -> None:
        """Play faster, or more slowly."""
        at = SPEEDS.index(self.speed) + direction
        self.speed = SPEEDS[max(0, min(len(SPEEDS) - 1, at))]

    def run(self, now: float) -> None:
        """Move as far as the time that has passed makes it."""
        if not self.is_playing:
            return
        steps = int((now - self._since) * self.speed)
        if steps > 0:
            self._since += steps / self.speed
            self.step(steps)
        if self.is_at_end and not self.is_live:
            self.is_playing = False

    def next_eyes(self, direction: int) -> None:
        """Look through the next one's eyes."""
        choices = self.choices
        self.eyes = choices[(choices.index(self.eyes) + direction) % len(choices)]

    def see(self, eyes: Eyes) -> bool:
        """Look through those eyes; False where these are not there."""
        if eyes not in self.choices:
            return False
        self.eyes = eyes
        return True
