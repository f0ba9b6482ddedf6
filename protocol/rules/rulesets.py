"""Rule sets: the options of one table, checked as a whole, and what follows from them.

A rule set is data; no code anywhere asks for its name. `rulefiles` reads one from
TOML; the options are listed in `ruleoptions` and told in RULES.md.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Literal

import msgspec

from ..errors import RuleSetError
from . import ruleoptions as o
from .cards import CARDS, HIGH_ACE, JOKER, PACK, PLACE_RANKS, RANK, Card, Hand
from .contracts import Contract, parse_contract
from .rulecheck import problems

_NO_LIMIT = 1 << 30


class RuleSet(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The rules of one table. Each attribute is a group of options.

    Constructing one checks it as a whole.
    """

    name: str
    title: str
    """What people call the game."""
    rounds: tuple[o.Round, ...]
    score: o.Score
    progress: Literal["lockstep", "per_player"] = "lockstep"
    """Whether all have the same contract, or each goes on after making it (3-5)."""
    final_round: Literal["normal", "all_cards_no_discard"] = "normal"
    """`all_cards_no_discard`: in the last round going down takes the whole hand (1-36)."""
    players: o.Players = o.Players()
    deck: o.Deck = o.Deck()
    game: o.Game = o.Game()
    turn: o.Turn = o.Turn()
    deal: o.Dealing = o.Dealing()
    upcard: o.Upcard = o.Upcard()
    draw: o.Draw = o.Draw()
    discard: o.Discard = o.Discard()
    buy: o.Buy = o.Buy()
    wild: o.Wild = o.Wild()
    meld: o.Melds = o.Melds()
    set: o.Sets = o.Sets()
    run: o.Runs = o.Runs()
    down: o.Down = o.Down()
    layoff: o.Layoff = o.Layoff()
    out: o.Out = o.Out()
    stock: o.Stock = o.Stock()

    def __post_init__(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            RuleSetError: names the key and what to change.
        """
        for problem in problems(self):
            raise RuleSetError(f"rule set {self.name!r}: {problem}")

    @cached_property
    def contracts(self) -> tuple[Contract, ...]:
        """The contract of each deal, parsed."""
        return tuple(parse_contract(round_.contract) for round_ in self.rounds)

    @cached_property
    def points(self) -> dict[Card, int]:
        """What each card costs in hand (0-52)."""
        by_rank = {rank: n for ranks, n in self.score.ranks.items() for rank in ranks}
        by_rank["JK"] = self.score.joker
        return {card: self.score.cards.get(card, by_rank[RANK[card]]) for card in CARDS}

    @cached_property
    def dearness(self) -> dict[Card, int]:
        """The place of each card among all, the dearest first, ties by code."""
        ordered = sorted(CARDS, key=lambda card: (-self.points[card], card))
        return {card: i for i, card in enumerate(ordered)}

    @cached_property
    def wilds(self) -> frozenset[Card]:
        """The cards that may stand for others (0-15)."""
        return frozenset(card for card in CARDS if RANK[card] in self.wild.ranks)

    @cached_property
    def has_natural_twos(self) -> bool:
        """Whether a two is natural in its own place."""
        return self.wild.natural_twos == "in_place"

    def deck_for(self, seats: int) -> Hand:
        """Every card of a game of so many, before the shuffle (0-1, 1-2, 3-2)."""
        packs, total = self.deck.packs, self.deck.jokers_total
        if packs == "per_two":
            packs = (seats + 1) // 2
        elif isinstance(packs, tuple):
            packs = packs[seats - self.players.min]
        if isinstance(total, tuple):
            total = total[seats - self.players.min]
        if total is None:
            return (PACK + (JOKER,) * self.deck.jokers) * packs
        return PACK * packs + (JOKER,) * total

    @cached_property
    def deck_cards(self) -> Hand:
        """The deck of a full table: no hand can hold more copies of a card than this."""
        return self.deck_for(self.players.max)

    @cached_property
    def low_place(self) -> int:
        """The lowest place of a run: 1 is the low ace (0-19)."""
        lowest = PLACE_RANKS.index(self.run.low_rank)
        return max(lowest, 2) if self.run.ace == "high" else lowest

    @cached_property
    def high_place(self) -> int:
        """The highest place of a run: 14 is the high ace, beyond it 15 a two (0-19, 0-20)."""
        if self.run.wrap:
            return len(PLACE_RANKS) - 1
        return HIGH_ACE - 1 if self.run.ace == "low" else HIGH_ACE

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the options as canonical JSON, 16 hex digits.

        Two rule sets with one hash play the same game under the same name.
        """
        data = msgspec.json.encode(self, order="sorted")
        return hashlib.sha256(data).hexdigest()[:16]

    def is_wild(self, card: Card) -> bool:
        """Whether the card may stand for others."""
        return card in self.wilds

    def max_wilds(self, size: int) -> int:
        """How many wilds a meld of that many cards may hold (0-16).

        >>> from hollywood.protocol.rules import load_rules
        >>> rules = load_rules("hollywood")
        >>> [rules.max_wilds(n) for n in (3, 4, 5)]
        [1, 2, 2]
        """
        limit = self.wild.limit
        if limit == "half":
            most = size // 2
        elif limit == "fewer":
            most = (size - 1) // 2
        elif limit == "none":
            most = size
        else:
            most = min(limit, size)
        return min(most, size - self.wild.min_naturals)

    @cached_property
    def buy_limits(self) -> tuple[int, ...]:
        """For each round the buys that a seat has in its deal (0-44), none past the last.

        Where there is no limit, more than a deal can have.
        """
        limits = [self.buy_limit(round_) for round_ in range(len(self.rounds))]
        return (*[_NO_LIMIT if limit is None else limit for limit in limits], 0)

    @cached_property
    def buy_penalties(self) -> tuple[int, ...]:
        """For each round the cards from the stock that come with a card bought (0-43)."""
        return tuple(map(self.buy_penalty, range(len(self.rounds))))

    def buy_limit(self, round_: int) -> int | None:
        """Buys a seat has in a deal of that round, None for no limit (0-44)."""
        limit = self.buy.limit_round
        return limit[round_] if isinstance(limit, tuple) else limit

    def buy_penalty(self, round_: int) -> int:
        """Cards from the stock that come with a card bought in that round (0-43)."""
        penalty = self.buy.penalty
        return penalty[round_] if isinstance(penalty, tuple) else penalty

    def takes_all_cards(self, round_: int) -> bool:
        """Whether going down takes the whole hand, without a discard, in that round (1-36)."""
        return self.final_round != "normal" and round_ == len(self.rounds) - 1

    def hand_points(self, cards: Hand) -> int:
        """What cards left in hand cost (0-51, T45).

        >>> from hollywood.protocol.rules import load_rules, parse_hand
        >>> rules = load_rules("hollywood")
        >>> rules.hand_points(parse_hand("2C JK AD KS 9H 3D"))
        80
        """
        points = self.points
        return sum([points[card] for card in cards])
