"""Plans for its contract: how far it is, what is left to help, and whether it is possible.

Four policies, one for each thing that is decided: claiming, throwing before going
down, going down, and playing on from there. Weights are points of a deal; what other
answers would be worth is in bots/LADDER.md.
"""

from __future__ import annotations

from collections.abc import Callable

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
from hollywood.protocol.rules.cards import remove_cards
from hollywood.protocol.rules.laydowns import Outlook, outlook
from hollywood.protocol.rules.offers import dearest

from .godown import cards_left, finished, is_out, stuck_cards, ways_down
from .reach import is_in_reach, must_buy
from .unseen import Unseen

_MOST_OUTLOOKS = 4096
_NEVER = 99
"""The distance of a hand that no card could help."""


class PlannerBot(Bot):
    """Counts the cards that still help it; throws points where its contract is out of reach."""

    per_out = 70.0
    """What it is worth that every unseen card helps; a share of them, that share of it."""
    per_point = 0.4
    """What a point in hand costs: most hands are not caught with all of theirs."""
    per_point_when_down = 1.0
    """The same of a seat that is down, which keeps what it holds."""

    def __init__(self, seed: bytes = bytes(32)) -> None:
        super().__init__(seed)
        self._outlooks: dict[tuple[Hand, int], Outlook] = {}

    def wants(self, view: PlayerView) -> bool:
        """Claim what brings the contract nearer."""
        upcard = view.upcard
        if upcard is None or view.is_down:
            return wants_upcard(view)
        if view.takes_all_cards:
            # every card that is bought has to be laid as well, and so has its penalty
            return view.is_my_turn and wants_upcard(view)
        if not is_in_reach(view, view.me):
            return self._wants_out_of_reach(view, upcard)
        if view.seats == 2 and not view.is_my_turn and must_buy(view, view.me):
            return True  # there is nothing else to buy in this deal
        return wants_upcard(view)

    def play(self, view: PlayerView) -> Play:
        """Go down as soon as possible; else throw what is missed least."""
        if view.is_down:
            return self._play_on(view)
        if view.takes_all_cards:
            return suggest_play(view)
        if self._outlook(view, view.hand).distance == 0:
            play = self._go_down(view)
            if play is not None:
                return play
        return Play(discard=self._throws(view)[0])

    def _wants_out_of_reach(self, view: PlayerView, upcard: Card) -> bool:
        """Take what costs least, free."""
        if not view.is_my_turn:
            return False
        points = view.rules.points
        return points[upcard] == min(points.values()) < max([points[card] for card in view.hand])

    def _go_down(self, view: PlayerView) -> Play | None:
        """Out at once if possible, else with few cards left that fit nowhere."""

        def cost(play: Play) -> tuple[bool, int, int]:
            left = cards_left(view, play)
            stuck = len(stuck_cards(view, play))
            return not is_out(view, left), stuck, view.rules.hand_points(left)

        for play in sorted(ways_down(view), key=cost):
            cards = next_discards(view, play)
            stuck = {*stuck_cards(view, play)}
            thrown = tuple([card for card in cards if card in stuck]) or cards
            whole = finished(view, play, dearest(thrown, view))
            if whole is not None:
                return whole
        play = suggest_play(view)
        return play if play.melds else None

    def _play_on(self, view: PlayerView) -> Play:
        """Lay off all that fits; of what is left throw what costs most."""
        play = suggest_play(view)
        cards = next_discards(view, play)
        if play.discard is None or len(cards) < 2:
            return play
        gift, hope = self._gift(view, Unseen(view)), self._hope(view, play, cards)
        points = view.rules.points

        def cost(card: Card) -> tuple[float, Card]:
            return gift(card) + hope(card) - self.per_point_when_down * points[card], card

        return finished(view, play, min(cards, key=cost)) or play

    def _throws(self, view: PlayerView) -> list[Card]:
        """Return the discards from the best on."""
        cards = next_discards(view, Play())
        if not is_in_reach(view, view.me):
            return self._dearest(view, cards)
        now = self._outlook(view, view.hand).after_discards
        after = {card: _NEVER if (away := now[card]) is None else away for card in cards}
        nearest = min(after.values())
        unseen = Unseen(view)
        rules, risk = view.rules, self._risk(view, unseen)

        def cost(card: Card) -> tuple[bool, float, Card]:
            rest = remove_cards(view.hand, (card,)) or ()
            value = -self.per_out * unseen.share(self._outlook(view, rest).useful)
            value += risk(card) - self.per_point * rules.points[card]
            # a wild that changes nothing now will help later, or the next player at once
            return rules.is_wild(card), value, card

        costs = sorted([cost(card) for card, away in after.items() if away == nearest])
        return [card for *_, card in costs]

    def _dearest(self, view: PlayerView, cards: Hand) -> list[Card]:
        """Return them by what they cost in hand and give to others."""
        points, gift = view.rules.points, self._gift(view, Unseen(view))
        return sorted(cards, key=lambda card: (gift(card) - points[card], card))

    def _gift(self, view: PlayerView, unseen: Unseen) -> Callable[[Card], float]:
        """Return what it costs to throw a card because somebody may want it."""
        return lambda card: 0.0

    def _risk(self, view: PlayerView, unseen: Unseen) -> Callable[[Card], float]:
        """Return the same for a seat that still plays for its contract."""
        return lambda card: 0.0

    def _hope(self, view: PlayerView, play: Play, cards: Hand) -> Callable[[Card], float]:
        """Return what it is worth to keep a card that fits no meld yet, after that play."""
        return lambda card: 0.0

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
