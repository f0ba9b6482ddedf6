"""Whole games that a seat cannot tell from the one it plays in: for bots that search.

A view says which cards are unseen and how many each of the others holds, and the
upcards that somebody took are known to be in that hand. Everything else is chance:
`sample` draws one of all the games that agree with it, each as likely as any other.
What the others' choices tell (nobody throws what it needs) is not in there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .cards import Card, Hand, sort_hand
from .claims import open_window
from .dealing import SEED_SIZE
from .state import GameState, Phase
from .views import PlayerView


class Chance(Protocol):
    """What is asked of a source of chance, such as `random.Random`."""

    def random(self) -> float:
        """Return a number from 0 up to, but not including, 1."""


def sample(view: PlayerView, rng: Chance, taken: Sequence[Sequence[Card]] = ()) -> GameState:
    """Return a game that this seat could be in, hidden cards included.

    Its view for this seat is the one given. Answers in an open window are all still to
    come, and the deals to come are others than the real ones.

    Args:
        view: What a seat knows, in a deal that is not over.
        rng: Where chance is taken from.
        taken: For each seat the cards it is known to hold: upcards that it took and
            has neither laid nor thrown. () if nothing of that is known.

    Raises:
        ValueError: no deal is going on, or what is said to be known cannot be.
    """
    if view.phase not in (Phase.WINDOW, Phase.PLAY):
        raise ValueError("there is nothing to sample: no deal is going on")
    hidden = [card for card, left in view.unseen().items() for _ in range(left)]
    if len(hidden) != view.stock + sum(view.hand_sizes) - len(view.hand):
        raise ValueError("the view does not add up: cards are missing or there are too many")
    known = [list(cards) for cards in taken] or [[] for _ in range(view.seats)]
    known[view.me] = []
    for seat, cards in enumerate(known):
        if len(cards) > view.hand_sizes[seat]:
            raise ValueError(f"seat {seat} cannot hold {len(cards)} known cards")
        for card in cards:
            if card not in hidden:
                raise ValueError(f"seat {seat} cannot hold {card}: all of them were seen")
            hidden.remove(card)
    _shuffle(hidden, rng)
    hands: list[Hand] = []
    drew = view.drew
    for seat, size in enumerate(view.hand_sizes):
        if seat == view.seat:
            hands.append(view.hand)
            continue
        given = hidden[: size - len(known[seat])]
        del hidden[: len(given)]
        if view.phase is Phase.PLAY and seat == view.turn:
            # of the cards that came unseen any may be the last one that did
            came = known[seat] if view.took_upcard else given
            drew = came[-1] if came else None
        hands.append(sort_hand([*known[seat], *given]))
    return _state(view, tuple(hands), tuple(hidden), drew, rng)


def _shuffle(cards: list[Card], rng: Chance) -> None:
    for n in range(len(cards) - 1, 0, -1):
        i = int(rng.random() * (n + 1))
        cards[n], cards[i] = cards[i], cards[n]


def _state(
    view: PlayerView, hands: tuple[Hand, ...], stock: Hand, drew: Card | None, rng: Chance
) -> GameState:
    return GameState(
        rules=view.rules,
        seats=view.seats,
        seed=bytes([int(rng.random() * 256) for _ in range(SEED_SIZE)]),
        phase=view.phase,
        deal=view.deal,
        dealer=view.dealer,
        turn=view.turn,
        contracts=view.contracts,
        hands=hands,
        order=stock,
        drawn=0,
        discards=view.discards,
        is_upcard_live=view.is_upcard_live,
        discarder=view.discarder,
        reshuffles=view.reshuffles,
        table=view.table,
        went_down=view.went_down,
        turns=view.turns,
        buys=view.buys,
        game_buys=view.game_buys,
        last_buyer=view.last_buyer,
        window=open_window(view.order) if view.phase is Phase.WINDOW else None,
        drew=drew,
        took_upcard=view.took_upcard,
        scores=view.scores,
        winners=view.winners,
    )
