"""What the other seats have shown in a deal: what they took, passed on and threw."""

from __future__ import annotations

from hollywood.protocol.rules import Card, Event
from hollywood.protocol.rules import events as ev


class Shown:
    """One seat's doings in this deal."""

    def __init__(self) -> None:
        self.taken: list[Card] = []
        """Cards it took from the discards and has not laid or thrown since."""
        self.passed: list[Card] = []
        """Upcards it might have had and did not want."""
        self.thrown: list[Card] = []
        """What it discarded."""


class Memory:
    """A fold over the events that one seat sees.

    Who passed is known of the seats before the one that got the card: losing claims
    stay private, so of the seats after it nothing is known.
    """

    def __init__(self) -> None:
        self.seats: list[Shown] = []
        self._order: tuple[int, ...] = ()
        self._upcard: Card | None = None

    def observe(self, event: Event) -> None:
        """Note what an event shows."""
        match event:
            case ev.Dealt(contracts=contracts):
                self.seats = [Shown() for _ in contracts]
            case ev.WindowOpened(upcard=card, order=order):
                self._order, self._upcard = order, card
            case ev.WindowClosed(winner=winner, silent=silent):
                self._note_passes(winner, silent)
            case ev.Took(seat=seat, card=card) | ev.Bought(seat=seat, card=card):
                self._of(seat).taken.append(card)
            case ev.Discarded(seat=seat, card=card):
                self._of(seat).thrown.append(card)
                self._forget(seat, (card,))
            case ev.LaidOff(seat=seat, card=card):
                self._forget(seat, (card,))
            case ev.WentDown(seat=seat, melds=melds):
                self._forget(seat, [card for laid in melds for card in laid.meld.cards])

    def _note_passes(self, winner: int | None, silent: tuple[int, ...]) -> None:
        if self._upcard is None:
            return
        for seat in self._order:
            if seat == winner:
                break
            # who was silent may have been asleep
            if seat not in silent:
                self._of(seat).passed.append(self._upcard)

    def _of(self, seat: int) -> Shown:
        # a bot that came late has not seen the cards being dealt
        while len(self.seats) <= seat:
            self.seats.append(Shown())
        return self.seats[seat]

    def _forget(self, seat: int, cards: list[Card] | tuple[Card, ...]) -> None:
        taken = self._of(seat).taken
        for card in cards:
            if card in taken:
                taken.remove(card)
