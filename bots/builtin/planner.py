"""Plans for its contract: how far it is, what is left to help, what others may want.

Four policies, one for each thing that is decided: claiming, throwing before going
down, going down, and playing on from there. Weights are points of a deal; they were
chosen by games on duplicate deals (bench/ladder.py).
"""

from __future__ import annotations

from hollywood.bots.api import Bot
from hollywood.protocol.rules import (
    Card,
    Hand,
    Play,
    PlayerView,
    next_discards,
    suggest_play,
    wants_upcard,
)
from hollywood.protocol.rules.cards import add_cards, remove_cards
from hollywood.protocol.rules.laydowns import Outlook, outlook

from .danger import Danger
from .godown import cards_left, finished, is_out, ways_down
from .unseen import Unseen

_MOST_OUTLOOKS = 4096
_NEVER = 99
"""The distance of a hand that no card could help."""


class PlannerBot(Bot):
    """Counts the cards that still help it, and throws what others do not wait for."""

    per_out = 40.0
    """What it is worth that every unseen card helps; a share of them, that share of it."""
    per_point = 0.4
    """What a point in hand costs: most hands are not caught with all of theirs."""
    per_point_when_down = 1.0
    """The same of a seat that is down, which keeps what it holds."""
    per_danger = 48.0
    """What it costs to throw what somebody surely wants, shared by all others."""
    outs_worth_a_claim = 0.06
    """A share of the unseen cards: to claim a card that only makes more others help."""

    def __init__(self, seed: bytes = bytes(32)) -> None:
        super().__init__(seed)
        self._outlooks: dict[tuple[Hand, int], Outlook] = {}

    def wants(self, view: PlayerView) -> bool:
        """Claim what brings the contract nearer, or makes many more cards do so."""
        upcard = view.upcard
        if upcard is None or view.is_down or view.takes_all_cards:
            return wants_upcard(view)
        if wants_upcard(view):
            return True
        now = self._outlook(view, view.hand)
        if not now.distance:
            return False
        then = self._outlook(view, add_cards(view.hand, (upcard,)))
        unseen = Unseen(view)
        return unseen.share(then.useful) - unseen.share(now.useful) > self.outs_worth_a_claim

    def play(self, view: PlayerView) -> Play:
        """Go down as soon as possible; else throw what is missed least and helps nobody."""
        if view.is_down:
            return self._play_on(view)
        if view.takes_all_cards:
            return suggest_play(view)
        if self._outlook(view, view.hand).distance == 0:
            play = self._go_down(view)
            if play is not None:
                return play
        return Play(discard=self._throws(view)[0])

    def _go_down(self, view: PlayerView) -> Play | None:
        """Out at once if possible, else with few cards left."""

        def cost(play: Play) -> tuple[bool, int, int]:
            left = cards_left(view, play)
            return not is_out(view, left), len(left), view.rules.hand_points(left)

        for play in sorted(ways_down(view), key=cost):
            cards = next_discards(view, play)
            points = view.rules.points
            discard = min(cards, key=lambda card: (-points[card], card), default=None)
            whole = finished(view, play, discard)
            if whole is not None:
                return whole
        play = suggest_play(view)
        return play if play.melds else None

    def _play_on(self, view: PlayerView) -> Play:
        """Lay off all that fits; of what is left throw what costs most and helps nobody."""
        play = suggest_play(view)
        cards = next_discards(view, play)
        if play.discard is None or len(cards) < 2:
            return play
        danger = self._danger(view, Unseen(view))
        per_danger = self.per_danger / (view.seats - 1)
        points = view.rules.points

        def cost(card: Card) -> tuple[float, Card]:
            value = per_danger * danger.of(card) - self.per_point_when_down * points[card]
            return value, card

        return finished(view, play, min(cards, key=cost)) or play

    def _throws(self, view: PlayerView) -> list[Card]:
        """Return the discards that leave the contract nearest, the best first."""
        after = {}
        for card in next_discards(view, Play()):
            away = self._outlook(view, view.hand).after_discards[card]
            after[card] = _NEVER if away is None else away
        nearest = min(after.values())
        unseen = Unseen(view)
        danger = self._danger(view, unseen)
        per_danger = self.per_danger / (view.seats - 1)
        rules = view.rules

        def cost(card: Card) -> tuple[bool, float, Card]:
            rest = remove_cards(view.hand, (card,)) or ()
            value = -self.per_out * unseen.share(self._outlook(view, rest).useful)
            value += per_danger * danger.of(card) - self.per_point * rules.points[card]
            # a wild that changes nothing now will help later, or the next player at once
            return rules.is_wild(card), value, card

        costs = sorted([cost(card) for card, away in after.items() if away == nearest])
        return [card for *_, card in costs]

    def _danger(self, view: PlayerView, unseen: Unseen) -> Danger:
        return Danger(view, unseen)

    def _outlook(self, view: PlayerView, hand: Hand) -> Outlook:
        """Return the outlook of a hand; it is asked about again and again."""
        key = hand, view.round
        found = self._outlooks.get(key)
        if found is None:
            if len(self._outlooks) >= _MOST_OUTLOOKS:
                self._outlooks.clear()
            found = outlook(hand, view.contract, view.rules, view.round)
            self._outlooks[key] = found
        return found
