"""What one seat may know: redacted events, and the view they fold into.

`redact` is the only place where hidden becomes unseen. A view is a fold over the
events its seat may see; server, client and bots all use this one fold, and tests
hold it against `view`, which takes the same facts from the state.
"""

from __future__ import annotations

import hashlib
from functools import cached_property

import msgspec
from msgspec.structs import replace

from . import events as ev
from .cards import Card, Hand, add_cards, remove_cards
from .contracts import Contract
from .melds import TableMeld, lay_on, swap
from .rulesets import RuleSet
from .state import GameState, Phase, set_at, sum_scores


class PlayerView(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One seat's knowledge of the game; `seat` is None for a spectator.

    Tuples over seats have one entry for each seat, in turn order.
    """

    rules: RuleSet
    seats: int
    seat: int | None
    phase: Phase = Phase.DEAL_OVER
    deal: int = -1
    """0-based number of the deal, -1 before the first."""
    dealer: int = 0
    turn: int = 0
    """The seat in turn."""
    contracts: tuple[int, ...] = ()
    """The index of each seat's contract in the rounds."""
    hand: Hand = ()
    """The cards this seat holds; () for a spectator."""
    hand_sizes: tuple[int, ...] = ()
    stock: int = 0
    """Cards left in the stock."""
    discards: Hand = ()
    """The discard pile, bottom to top."""
    is_upcard_live: bool = False
    """Whether the top of the discard pile may still be taken (0-25)."""
    discarder: int | None = None
    """Who discarded the upcard, None for the one turned up after the deal."""
    reshuffles: int = 0
    table: tuple[TableMeld, ...] = ()
    went_down: tuple[int | None, ...] = ()
    """The turn of this deal in which each seat went down, None if it has not."""
    turns: int = 0
    """How many turns of this deal have begun."""
    buys: tuple[int, ...] = ()
    """Buys of each seat in this deal (0-44)."""
    game_buys: tuple[int, ...] = ()
    """Buys of each seat in the game."""
    last_buyer: int | None = None
    """Who bought in the last window, None if nobody did."""
    order: tuple[int, ...] = ()
    """The seats asked in the open claim window, first in priority first."""
    drew: Card | None = None
    """What this seat has just drawn, if it is in turn."""
    took_upcard: bool = False
    """Whether the seat in turn drew the upcard (0-26)."""
    scores: tuple[tuple[int, ...], ...] = ()
    """Points of each seat for each deal that was scored."""
    winners: tuple[int, ...] = ()

    @cached_property
    def upcard(self) -> Card | None:
        """The live top of the discard pile."""
        return self.discards[-1] if self.is_upcard_live else None

    @property
    def me(self) -> int:
        """This seat's number.

        Raises:
            ValueError: the view is a spectator's.
        """
        if self.seat is None:
            raise ValueError("a spectator has no seat")
        return self.seat

    @property
    def round(self) -> int:
        """The index of this seat's contract in the rounds (0-6, 3-5)."""
        return self.contracts[self.me]

    @property
    def contract(self) -> Contract:
        """What this seat must lay to go down (0-6)."""
        return self.rules.contracts[self.round]

    @property
    def takes_all_cards(self) -> bool:
        """Whether this seat goes down with its whole hand or not at all (1-36)."""
        return self.rules.takes_all_cards(self.round)

    @property
    def is_down(self) -> bool:
        """Whether this seat has gone down in this deal."""
        return self.went_down[self.me] is not None

    @property
    def is_my_turn(self) -> bool:
        """Whether this seat is in turn."""
        return self.turn == self.seat

    @property
    def is_floating(self) -> bool:
        """Whether this seat is down with an empty hand (0-40)."""
        return self.is_down and not self.hand

    @property
    def buys_left(self) -> int | None:
        """Buys this seat may still make in this deal, None for no limit (0-44)."""
        return buys_left(self.rules, self.round, self.buys[self.me], self.game_buys[self.me])

    def is_playing(self, seat: int) -> bool:
        """Whether the seat has a contract left and cards in this deal (3-29)."""
        return self.contracts[seat] < len(self.rules.rounds)

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of each seat over all deals that were scored (0-4)."""
        return sum_scores(self.scores, self.seats)


def buys_left(rules: RuleSet, round_: int, buys: int, game_buys: int) -> int | None:
    """Buys that a seat with so many behind it may still make in that round (0-44).

    >>> from hollywood.protocol.rules import load_rules
    >>> buys_left(load_rules("hollywood"), 9, 3, 20)
    1
    """
    limits = [
        limit - used
        for limit, used in (
            (rules.buy_limit(round_), buys),
            (rules.buy.limit_game, game_buys),
        )
        if limit is not None
    ]
    return max(0, min(limits)) if limits else None


def new_view(rules: RuleSet, seats: int, seat: int | None) -> PlayerView:
    """Return the view before the first event."""
    return PlayerView(
        rules=rules, seats=seats, seat=seat, buys=(0,) * seats, game_buys=(0,) * seats
    )


def view(state: GameState, seat: int | None) -> PlayerView:
    """Return what the seat (None: a spectator) knows of the state."""
    return PlayerView(
        rules=state.rules,
        seats=state.seats,
        seat=seat,
        phase=state.phase,
        deal=state.deal,
        dealer=state.dealer,
        turn=state.turn,
        contracts=state.contracts,
        hand=() if seat is None else state.hands[seat],
        hand_sizes=tuple([len(hand) for hand in state.hands]),
        stock=len(state.order) - state.drawn,
        discards=state.discards,
        is_upcard_live=state.is_upcard_live,
        discarder=state.discarder,
        reshuffles=state.reshuffles,
        table=state.table,
        went_down=state.went_down,
        turns=state.turns,
        buys=state.buys,
        game_buys=state.game_buys,
        last_buyer=state.last_buyer,
        order=() if state.window is None else state.window.order,
        drew=state.drew if seat == state.turn else None,
        took_upcard=state.took_upcard,
        scores=state.scores,
        winners=state.winners,
    )


def redact(event: ev.Event, seat: int | None) -> ev.Event:
    """Return the event with what the seat (None: a spectator) may not see blanked."""
    match event:
        case ev.Dealt(hands=hands):
            return replace(
                event, hands=tuple(hand if s == seat else None for s, hand in enumerate(hands))
            )
        case ev.Drew(seat=owner) if owner != seat:
            return replace(event, card=None)
        case ev.Bought(seat=owner) if owner != seat:
            return replace(event, penalty=None)
    return event


def fold(before: PlayerView, event: object) -> PlayerView:
    """Return the view after an event that its seat has seen.

    Events this version does not know leave the view as it is.
    """
    match event:
        case ev.Dealt():
            return _dealt(before, event)
        case ev.WindowOpened(turn=turn, order=order):
            last_buyer = before.last_buyer
            began = _turn_began(before, turn)
            return replace(began, phase=Phase.WINDOW, order=order, last_buyer=last_buyer)
        case ev.WindowClosed():
            return replace(before, order=(), last_buyer=None)
        case ev.Took(seat=seat, card=card):
            return replace(
                _gain(before, seat, 1, (card,)),
                phase=Phase.PLAY,
                discards=before.discards[:-1],
                is_upcard_live=False,
                drew=card if seat == before.seat else None,
                took_upcard=True,
            )
        case ev.Bought():
            return _bought(before, event)
        case ev.Reshuffled(stock=stock):
            return replace(
                before,
                stock=stock,
                discards=before.discards[-1:] if before.is_upcard_live else (),
                reshuffles=before.reshuffles + 1,
            )
        case ev.Drew(seat=seat, card=card):
            return replace(
                _gain(_turn_began(before, seat), seat, 1, None if card is None else (card,)),
                phase=Phase.PLAY,
                stock=before.stock - 1,
                drew=card if seat == before.seat else None,
                took_upcard=False,
            )
        case ev.WentDown(seat=seat, melds=melds):
            cards = tuple(card for laid in melds for card in laid.meld.cards)
            return replace(
                _lose(before, seat, cards),
                table=before.table + melds,
                went_down=before.went_down
                if before.went_down[seat] is not None
                else set_at(before.went_down, seat, before.turns),
            )
        case ev.Swapped(seat=seat, meld=number, card=card, place=place, wild=wild):
            laid = before.table[number]
            meld, _ = swap(laid.meld, card, place)
            return replace(
                _gain(_lose(before, seat, (card,)), seat, 1, (wild,)),
                table=set_at(before.table, number, replace(laid, meld=meld)),
            )
        case ev.LaidOff(seat=seat, meld=number, card=card, place=place):
            laid = before.table[number]
            return replace(
                _lose(before, seat, (card,)),
                table=set_at(
                    before.table,
                    number,
                    replace(laid, meld=lay_on(laid.meld, card, place, before.rules)),
                ),
            )
        case ev.Discarded(seat=seat, card=card):
            return replace(
                _lose(before, seat, (card,)),
                discards=(*before.discards, card),
                is_upcard_live=True,
                discarder=seat,
                drew=None,
                took_upcard=False,
                phase=Phase.DEAL_OVER,
            )
        case ev.Floated():
            return replace(before, drew=None, took_upcard=False, phase=Phase.DEAL_OVER)
        case ev.StockRanOut(seat=seat):
            return replace(_turn_began(before, seat), phase=Phase.DEAL_OVER)
        case ev.DealEnded(points=points):
            return replace(
                before,
                phase=Phase.DEAL_OVER,
                drew=None,
                took_upcard=False,
                scores=(*before.scores, points),
            )
        case ev.GameEnded(winners=winners):
            return replace(before, phase=Phase.GAME_OVER, winners=winners)
    return before


def _turn_began(before: PlayerView, turn: int) -> PlayerView:
    """A turn begins with its window, or with its draw where no window opens."""
    if before.phase is not Phase.DEAL_OVER:
        return before
    return replace(before, turn=turn, turns=before.turns + 1, phase=Phase.PLAY, last_buyer=None)


def _dealt(before: PlayerView, event: ev.Dealt) -> PlayerView:
    rounds = before.rules.rounds
    sizes = tuple(rounds[i].deal if i < len(rounds) else 0 for i in event.contracts)
    own = None if before.seat is None else event.hands[before.seat]
    return replace(
        before,
        phase=Phase.DEAL_OVER,
        deal=event.deal,
        dealer=event.dealer,
        turn=event.first,
        contracts=event.contracts,
        hand=own or (),
        hand_sizes=sizes,
        stock=event.stock,
        discards=() if event.upcard is None else (event.upcard,),
        is_upcard_live=event.upcard is not None,
        discarder=None,
        reshuffles=0,
        table=(),
        went_down=(None,) * before.seats,
        turns=0,
        buys=(0,) * before.seats,
        last_buyer=None,
        order=(),
        drew=None,
        took_upcard=False,
    )


def _bought(before: PlayerView, event: ev.Bought) -> PlayerView:
    seat = event.seat
    gained = None if event.penalty is None else (event.card, *event.penalty)
    return replace(
        _gain(before, seat, 1 + event.penalty_count, gained),
        stock=before.stock - event.penalty_count,
        discards=before.discards[:-1],
        is_upcard_live=False,
        last_buyer=seat,
        buys=set_at(before.buys, seat, before.buys[seat] + 1),
        game_buys=set_at(before.game_buys, seat, before.game_buys[seat] + 1),
    )


def _gain(before: PlayerView, seat: int, count: int, cards: Hand | None) -> PlayerView:
    sizes = set_at(before.hand_sizes, seat, before.hand_sizes[seat] + count)
    if seat == before.seat and cards is not None:
        return replace(before, hand_sizes=sizes, hand=add_cards(before.hand, cards))
    return replace(before, hand_sizes=sizes)


def _lose(before: PlayerView, seat: int, cards: Hand) -> PlayerView:
    sizes = set_at(before.hand_sizes, seat, before.hand_sizes[seat] - len(cards))
    if seat == before.seat:
        rest = remove_cards(before.hand, cards)
        assert rest is not None, f"seat {seat} laid {cards} which it does not hold"
        return replace(before, hand_sizes=sizes, hand=rest)
    return replace(before, hand_sizes=sizes)


def digest(view: PlayerView) -> str:
    """Return 16 hex digits by which both ends check that they know the same.

    The first 16 of the SHA-256 of this text, which PROTOCOL.md writes down: deal,
    turn, turns, hand, hand sizes, stock, discards, whether the upcard is live,
    the melds, buys, and the points of every deal, joined by "|".
    """
    parts = (
        str(view.deal),
        str(view.turn),
        str(view.turns),
        " ".join(view.hand),
        _numbers(view.hand_sizes),
        str(view.stock),
        " ".join(view.discards),
        "live" if view.is_upcard_live else "dead",
        ";".join(
            f"{laid.number} {laid.seat} {laid.meld.kind} {laid.meld.rank or laid.meld.suit} "
            f"{laid.meld.low} {' '.join(laid.meld.cards)}"
            for laid in view.table
        ),
        _numbers(view.buys),
        ";".join(_numbers(points) for points in view.scores),
    )
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def _numbers(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
