"""What one seat may know: redacted events, and the view they fold into.

`redact` is the only place where hidden becomes unseen. A view is a fold over the
events its seat may see; server, client and bots all use this one fold, and tests
hold it against `view`, which takes the same facts from the state. All three stand
together, field by field, so the file is long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from . import events as ev
from .cards import Card, Hand, add_cards, remove_cards
from .contracts import Contract
from .melds import TableMeld, lay_on, swap
from .rulesets import RuleSet
from .state import GameState, Phase, set_at, sum_scores

if TYPE_CHECKING:
    from .actions import Play
    from .laydowns import Laydown
    from .melds import LayOff

T = TypeVar("T")


class PlayerView(msgspec.Struct, frozen=True, dict=True):
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
    def stock_size(self) -> int:
        """Cards left in the stock, as `GameState` calls it."""
        return self.stock

    def hand_size(self, seat: int) -> int:
        """How many cards a seat holds."""
        return self.hand_sizes[seat]

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
        rules = self.rules
        return rules.final_round != "normal" and rules.takes_all_cards(self.round)

    @property
    def is_down(self) -> bool:
        """Whether this seat has gone down in this deal."""
        seat = self.seat
        return self.went_down[self.me if seat is None else seat] is not None

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

    # what a bot asks for most, worked out in `reckoning`, which imports this module

    def best_laydown(self) -> Laydown | None:
        """Return the best way to go down in this turn, None if there is none."""
        from . import reckoning

        return reckoning.best_laydown(self)

    def distance(self, more: Card | None = None, less: Card | None = None) -> int | None:
        """Return how many cards the hand lacks, with one more or one less if given."""
        from . import reckoning

        return reckoning.distance(self, more, less)

    def lay_offs(self, play: Play | None = None) -> tuple[LayOff, ...]:
        """Return the lay-offs that shed most, after what a Play has so far."""
        from . import reckoning

        return reckoning.lay_offs(self, play)

    def unseen(self) -> dict[Card, int]:
        """Return how many copies of each card are in the stock and the other hands."""
        from . import reckoning

        return reckoning.unseen(self)


def buys_left(rules: RuleSet, round_: int, buys: int, game_buys: int) -> int | None:
    """Buys that a seat with so many behind it may still make in that round (0-44).

    >>> from hollywood.protocol.rules import load_rules
    >>> buys_left(load_rules("hollywood"), 9, 3, 20)
    1
    """
    in_deal, in_game = rules.buy_limit(round_), rules.buy.limit_game
    if in_game is None:
        return None if in_deal is None else max(0, in_deal - buys)
    left = in_game - game_buys
    return max(0, left if in_deal is None else min(left, in_deal - buys))


def new_view(rules: RuleSet, seats: int, seat: int | None) -> PlayerView:
    """Return the view before the first event."""
    return PlayerView(
        rules=rules, seats=seats, seat=seat, buys=(0,) * seats, game_buys=(0,) * seats
    )


def view(state: GameState, seat: int | None) -> PlayerView:
    """Return what the seat (None: a spectator) knows of the state.

    The same object each time: what is worked out for a view (`kept`) is there again
    when the same seat is looked at in the same state.
    """
    views: dict[int | None, PlayerView] | None = state.__dict__.get("views")
    if views is not None and seat in views:
        return views[seat]
    hand: Hand = () if seat is None else state.hands[seat]
    drew = state.drew if seat == state.turn else None
    if views is None:
        found = _view(state, seat, hand, drew)
        state.__dict__["views"] = {seat: found}
    else:
        # what all may see is common to the views of all seats
        found = replace(next(iter(views.values())), seat=seat, hand=hand, drew=drew)
        views[seat] = found
    return found


def _view(state: GameState, seat: int | None, hand: Hand, drew: Card | None) -> PlayerView:
    # by position: that takes half the time, and there is one of these for each decision
    return PlayerView(
        state.rules,
        state.seats,
        seat,
        state.phase,
        state.deal,
        state.dealer,
        state.turn,
        state.contracts,
        hand,
        tuple(map(len, state.hands)),
        len(state.order) - state.drawn,
        state.discards,
        state.is_upcard_live,
        state.discarder,
        state.reshuffles,
        state.table,
        state.went_down,
        state.turns,
        state.buys,
        state.game_buys,
        state.last_buyer,
        () if state.window is None else state.window.order,
        drew,
        state.took_upcard,
        state.scores,
        state.winners,
    )


def share_views(before: GameState, after: GameState) -> GameState:
    """Return the state after a change that nobody sees, with the views of the one before."""
    if "views" in before.__dict__:
        after.__dict__["views"] = before.__dict__["views"]
    return after


def kept(work: Callable[[PlayerView], T]) -> Callable[[PlayerView], T]:
    """Let a function of a view work out each view once; the answer stays with the view."""
    name = work.__name__

    @wraps(work)
    def look_up(view: PlayerView) -> T:
        answers = view.__dict__
        if name in answers:
            found: T = answers[name]
            return found
        found = answers[name] = work(view)
        return found

    return look_up


_NOBODY: Mapping[int | None, ev.Event] = {}


def redactions(event: ev.Event) -> tuple[ev.Event, Mapping[int | None, ev.Event]]:
    """Return the event as all may see it, and as those seats do that may see more.

    So a table of many viewers blanks (and encodes) an event once for all of them.

    >>> redactions(ev.Drew(1, Card("9D")))
    (Drew(seat=1, card=None), {1: Drew(seat=1, card='9D')})
    >>> redactions(ev.Discarded(1, Card("9D")))
    (Discarded(seat=1, card='9D', timed_out=False), {})
    """
    if isinstance(event, ev.Drew):
        return replace(event, card=None), {event.seat: event}
    if isinstance(event, ev.Bought):
        return replace(event, penalty=None), {event.seat: event}
    if isinstance(event, ev.Dealt):
        hands = event.hands
        hidden = (None,) * len(hands)
        return replace(event, hands=hidden), {
            seat: replace(event, hands=set_at(hidden, seat, hand))
            for seat, hand in enumerate(hands)
        }
    return event, _NOBODY


def redact(event: ev.Event, seat: int | None) -> ev.Event:
    """Return the event with what the seat (None: a spectator) may not see blanked."""
    public, own = redactions(event)
    return own.get(seat, public) if own else event


def fold(before: PlayerView, event: object) -> PlayerView:
    """Return the view after an event that its seat has seen.

    Events this version does not know leave the view as it is.
    """
    change = _CHANGES.get(type(event))
    return before if change is None else change(before, event)


def _window_opened(before: PlayerView, event: ev.WindowOpened) -> PlayerView:
    began = _turn_began(before, event.turn)
    last_buyer = before.last_buyer
    return replace(began, phase=Phase.WINDOW, order=event.order, last_buyer=last_buyer)


def _window_closed(before: PlayerView, event: ev.WindowClosed) -> PlayerView:
    return replace(before, order=(), last_buyer=None)


def _took(before: PlayerView, event: ev.Took) -> PlayerView:
    seat, card = event.seat, event.card
    return replace(
        _gain(before, seat, 1, (card,)),
        phase=Phase.PLAY,
        discards=before.discards[:-1],
        is_upcard_live=False,
        drew=card if seat == before.seat else None,
        took_upcard=True,
    )


def _reshuffled(before: PlayerView, event: ev.Reshuffled) -> PlayerView:
    return replace(
        before,
        stock=event.stock,
        discards=before.discards[-1:] if before.is_upcard_live else (),
        reshuffles=before.reshuffles + 1,
    )


def _drew(before: PlayerView, event: ev.Drew) -> PlayerView:
    seat, card = event.seat, event.card
    return replace(
        _gain(_turn_began(before, seat), seat, 1, None if card is None else (card,)),
        phase=Phase.PLAY,
        stock=before.stock - 1,
        drew=card if seat == before.seat else None,
        took_upcard=False,
    )


def _went_down(before: PlayerView, event: ev.WentDown) -> PlayerView:
    seat, went_down = event.seat, before.went_down
    if went_down[seat] is None:
        went_down = set_at(went_down, seat, before.turns)
    cards = tuple([card for laid in event.melds for card in laid.meld.cards])
    return replace(
        _lose(before, seat, cards), table=before.table + event.melds, went_down=went_down
    )


def _swapped(before: PlayerView, event: ev.Swapped) -> PlayerView:
    laid = before.table[event.meld]
    meld, _ = swap(laid.meld, event.card, event.place)
    return replace(
        _gain(_lose(before, event.seat, (event.card,)), event.seat, 1, (event.wild,)),
        table=set_at(before.table, event.meld, replace(laid, meld=meld)),
    )


def _laid_off(before: PlayerView, event: ev.LaidOff) -> PlayerView:
    laid = before.table[event.meld]
    meld = lay_on(laid.meld, event.card, event.place, before.rules)
    return replace(
        _lose(before, event.seat, (event.card,)),
        table=set_at(before.table, event.meld, replace(laid, meld=meld)),
    )


def _discarded(before: PlayerView, event: ev.Discarded) -> PlayerView:
    return replace(
        _lose(before, event.seat, (event.card,)),
        discards=(*before.discards, event.card),
        is_upcard_live=True,
        discarder=event.seat,
        drew=None,
        took_upcard=False,
        phase=Phase.DEAL_OVER,
    )


def _floated(before: PlayerView, event: ev.Floated) -> PlayerView:
    return replace(before, drew=None, took_upcard=False, phase=Phase.DEAL_OVER)


def _stock_ran_out(before: PlayerView, event: ev.StockRanOut) -> PlayerView:
    return replace(_turn_began(before, event.seat), phase=Phase.DEAL_OVER)


def _deal_ended(before: PlayerView, event: ev.DealEnded) -> PlayerView:
    return replace(
        before,
        phase=Phase.DEAL_OVER,
        drew=None,
        took_upcard=False,
        scores=(*before.scores, event.points),
    )


def _game_ended(before: PlayerView, event: ev.GameEnded) -> PlayerView:
    return replace(before, phase=Phase.GAME_OVER, winners=event.winners)


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


_CHANGES: dict[type, Callable[[PlayerView, Any], PlayerView]] = {
    ev.Dealt: _dealt,
    ev.WindowOpened: _window_opened,
    ev.WindowClosed: _window_closed,
    ev.Took: _took,
    ev.Bought: _bought,
    ev.Reshuffled: _reshuffled,
    ev.Drew: _drew,
    ev.WentDown: _went_down,
    ev.Swapped: _swapped,
    ev.LaidOff: _laid_off,
    ev.Discarded: _discarded,
    ev.Floated: _floated,
    ev.StockRanOut: _stock_ran_out,
    ev.DealEnded: _deal_ended,
    ev.GameEnded: _game_ended,
}
"""What each event changes in a view; those that are not here change nothing."""
