"""What may be done: why an action is refused, and what a decision offers.

Everything here is judged from a `PlayerView`, so a client or a bot can ask the
same questions as the referee and get the same answers.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ..errors import ErrorCode
from .actions import Action, Pass, Play
from .cards import ORDER, Card, Hand, remove_cards
from .melds import LayOff, TableMeld, Violation, check_contract, extend, places_for
from .state import Phase, set_at
from .views import PlayerView, buys_left


class WindowOptions(msgspec.Struct, frozen=True, tag="window", tag_field="t"):
    """A window decision: Claim or Pass."""

    is_free: bool
    """True for the seat in turn, which takes the upcard as its draw (0-46)."""
    penalty: int
    """Cards from the stock that a claim brings along (0-43)."""
    default: Pass = Pass()


class PlayOptions(msgspec.Struct, frozen=True, tag="play", tag_field="t"):
    """A play decision: one whole turn."""

    may_go_down: bool
    """Whether the contract may be laid now, if the hand has it."""
    lay_offs: tuple[LayOff, ...]
    """Every lay-off that is legal as the first of this turn."""
    must_lay_off: bool
    """Whether a card that fits must be laid off before the discard (0-31)."""
    discards: Hand
    """Every card that may be discarded when nothing is laid before."""
    default: Play
    """What is played when the time runs out."""


Options = WindowOptions | PlayOptions


def explain(view: PlayerView, action: Action) -> Violation | None:
    """Say why the action is not allowed, or return None if it is.

    Args:
        view: What the seat may know; never a full state.
        action: The action to judge.

    Returns:
        The first violation in the order of a turn, so that messages are stable.
    """
    if view.phase is Phase.GAME_OVER:
        return Violation(ErrorCode.GAME_OVER, "the game is over")
    if isinstance(action, Play):
        return _explain_play(view, action)
    if view.phase is not Phase.WINDOW:
        return Violation(
            ErrorCode.WRONG_PHASE, "no claim window is open: the upcard cannot be taken now (0-47)"
        )
    if view.seat not in view.order:
        return Violation(ErrorCode.NOT_ELIGIBLE, _why_not_asked(view))
    return None


def _why_not_asked(view: PlayerView) -> str:
    if view.is_floating:
        return "you float: with an empty hand you draw from the stock (0-40)"
    if view.is_my_turn:
        return "you are down and must draw from the stock (0-24)"
    if not view.rules.buy.enabled:
        return "there is no buying here"
    if view.seat == view.discarder and not view.rules.buy.discarder:
        return "you discarded this card and may not buy it back (0-42)"
    if view.is_down and not view.rules.buy.down_players:
        return "you are down and may not buy any more (0-41)"
    if view.buys_left == 0:
        return "you have no buys left in this deal (0-44)"
    return "the stock cannot give the penalty card and the next draw (0-49)"


def window_order(view: PlayerView) -> tuple[int, ...]:
    """Return the seats that may claim the upcard, the first in priority first.

    The seat in turn comes first (0-46), then the others in turn order (0-45); a
    seat that discarded the card, where it may claim at all, is last. Everything
    asked is public, so the order tells nothing (`view` may be a spectator's).
    """
    if not view.is_upcard_live:
        return ()
    seats = [(view.turn + i) % view.seats for i in range(view.seats)]
    order = [seats[0]] if _may_take(view, seats[0]) else []
    if _can_sell(view):
        others = [seat for seat in seats[1:] if seat != view.discarder]
        if view.rules.buy.discarder:
            others += [seat for seat in seats[1:] if seat == view.discarder]
        order.extend(seat for seat in others if _may_buy(view, seat))
    return tuple(order)


def _may_take(view: PlayerView, seat: int) -> bool:
    if view.went_down[seat] is None:
        return True
    return view.hand_sizes[seat] > 0 and view.rules.draw.down_may_take_discard


def _may_buy(view: PlayerView, seat: int) -> bool:
    is_down = view.went_down[seat] is not None
    if is_down and (view.hand_sizes[seat] == 0 or not view.rules.buy.down_players):
        return False
    return buys_left(view.rules, view.deal, view.buys[seat], view.game_buys[seat]) != 0


def _can_sell(view: PlayerView) -> bool:
    """Whether a buy is offered at all: rules allow it and cards suffice (0-49)."""
    rules = view.rules
    if not rules.buy.enabled or (view.discarder is None and not rules.upcard.buyable):
        return False
    return drawable(view) >= rules.buy.penalty + 1


def drawable(view: PlayerView) -> int:
    """How many cards the stock can still give, a rebuild included (0-49, 0-54)."""
    rules = view.rules.stock
    cards = view.stock
    if rules.empty == "reshuffle" and (
        rules.max_reshuffles is None or view.reshuffles < rules.max_reshuffles
    ):
        cards += len(view.discards) - view.is_upcard_live
    return cards


def _explain_play(view: PlayerView, play: Play) -> Violation | None:
    if not view.is_my_turn:
        return Violation(ErrorCode.NOT_YOUR_TURN, f"it is seat {view.turn}'s turn")
    if view.phase is not Phase.PLAY:
        return Violation(ErrorCode.WRONG_PHASE, "the turn begins with the draw (0-23)")
    laid = [card for meld in play.melds for card in meld.cards]
    laid += [lay_off.card for lay_off in play.lay_offs]
    rest = remove_cards(view.hand, laid)
    if rest is None or (play.discard is not None and play.discard not in rest):
        return _not_in_hand(view.hand, laid if rest is None else [*laid, play.discard])
    if play.melds and (violation := _explain_melds(view, play)) is not None:
        return violation
    is_down = view.is_down or bool(play.melds)
    table = table_after_melds(view, play)
    for lay_off in play.lay_offs:
        violation = _explain_lay_off(view, table, lay_off, bool(play.melds))
        if violation is not None:
            return violation
        table = table_after_lay_off(table, lay_off)
    return _explain_end(view, table, rest, is_down, play.discard)


def _not_in_hand(hand: Hand, wanted: Iterable[Card | None]) -> Violation:
    left = list(hand)
    for card in wanted:
        if card not in left:
            break
        left.remove(card)
    if card not in ORDER:
        return Violation(ErrorCode.BAD_CARD, f"{card!r} is not a card")
    return Violation(ErrorCode.NOT_IN_HAND, f"you do not hold {card}, or not so many of it")


def _explain_melds(view: PlayerView, play: Play) -> Violation | None:
    if view.is_down:
        return Violation(
            ErrorCode.ALREADY_DOWN, "you are down: no more melds, only lay-offs (0-34)"
        )
    return check_contract(play.melds, view.contract, view.rules)


def _explain_lay_off(
    view: PlayerView, table: tuple[TableMeld, ...], lay_off: LayOff, went_down_now: bool
) -> Violation | None:
    if not view.is_down and not went_down_now:
        return Violation(ErrorCode.NOT_DOWN, "go down first, then lay off (0-30)")
    if not may_lay_off_now(view, went_down_now):
        return Violation(ErrorCode.TOO_SOON, "lay off from your next turn on (0-28)")
    if not 0 <= lay_off.meld < len(table):
        return Violation(ErrorCode.NO_SUCH_MELD, f"there is no meld {lay_off.meld} on the table")
    target = table[lay_off.meld]
    if not is_target(view, target):
        return Violation(ErrorCode.DOES_NOT_FIT, f"meld {lay_off.meld} may not be added to (0-29)")
    places = places_for(target.meld, lay_off.card, view.rules)
    if lay_off.place in places:
        return None
    if places:
        where = " or ".join(str(place) for place in places)
        return Violation(
            ErrorCode.DOES_NOT_FIT, f"{lay_off.card} goes on meld {lay_off.meld} at place {where}"
        )
    return Violation(
        ErrorCode.DOES_NOT_FIT,
        f"{lay_off.card} does not fit the {target.meld} (0-17, 0-29)",
    )


def may_lay_off_now(view: PlayerView, went_down_now: bool) -> bool:
    """Whether the rules let this seat lay off in this turn (0-28)."""
    if went_down_now or view.went_down[view.me] == view.turns:
        return view.rules.layoff.first == "same_turn"
    return view.is_down


def is_target(view: PlayerView, target: TableMeld) -> bool:
    """Whether this seat may add to that meld (0-29)."""
    targets = view.rules.layoff.targets
    return targets == "all" or (target.seat == view.seat) == (targets == "own")


def table_after_melds(view: PlayerView, play: Play) -> tuple[TableMeld, ...]:
    """Return the table with the Play's melds on it, numbered in their order."""
    first = len(view.table)
    return view.table + tuple(
        [TableMeld(first + i, view.me, meld) for i, meld in enumerate(play.melds)]
    )


def table_after_lay_off(table: tuple[TableMeld, ...], lay_off: LayOff) -> tuple[TableMeld, ...]:
    """Return the table with one more card on one of its melds."""
    target = table[lay_off.meld]
    grown = extend(target.meld, lay_off.card, lay_off.place)
    return set_at(table, lay_off.meld, TableMeld(target.number, target.seat, grown))


def _explain_end(
    view: PlayerView,
    table: tuple[TableMeld, ...],
    rest: Hand,
    is_down: bool,
    discard: Card | None,
) -> Violation | None:
    rules = view.rules
    can_lay_off = is_down and may_lay_off_now(view, not view.is_down)
    if can_lay_off and rules.layoff.mandatory and _lay_offs_bind(view, rest):
        for card in dict.fromkeys(rest):
            if (target := fitting_meld(view, table, card)) is not None:
                return Violation(
                    ErrorCode.MUST_LAY_OFF,
                    f"{card} fits the {target.meld}: lay it off before you discard (0-31)",
                )
    if discard is None:
        if rest:
            return Violation(ErrorCode.MUST_DISCARD, "a turn ends with a discard (0-35)")
        if rules.out.empty_hand == "illegal":
            return Violation(ErrorCode.MUST_DISCARD, "keep one card to discard (0-40)")
        return None
    allowed = discardable(view, table, rest, is_down)
    return None if discard in allowed else _why_not_discard(view, table, discard, is_down)


def _lay_offs_bind(view: PlayerView, rest: Hand) -> bool:
    """Where a card must be kept for the discard, the last one need not be laid off."""
    return view.rules.out.empty_hand != "illegal" or len(rest) > 1


def fitting_meld(view: PlayerView, table: tuple[TableMeld, ...], card: Card) -> TableMeld | None:
    """Return the first meld on which this seat could lay the card, None if it plays nowhere."""
    for target in table:
        if is_target(view, target) and places_for(target.meld, card, view.rules):
            return target
    return None


def discardable(view: PlayerView, table: tuple[TableMeld, ...], rest: Hand, is_down: bool) -> Hand:
    """Return the cards of what is left in hand that may be discarded (0-26, 0-36 to 0-39)."""
    cards = tuple(dict.fromkeys(rest))
    if not is_down and view.rules.discard.playable == "forbid":
        idle = tuple([card for card in cards if not _plays(view, table, card)])
        cards = idle or cards
    if view.took_upcard and view.rules.discard.return_upcard == "forbid":
        upcard = view.drew
        if upcard in cards and len(cards) > 1 and view.hand.count(upcard) == 1:
            cards = tuple([card for card in cards if card != upcard])
    return cards


def _plays(view: PlayerView, table: tuple[TableMeld, ...], card: Card) -> bool:
    return any(places_for(target.meld, card, view.rules) for target in table)


def _why_not_discard(
    view: PlayerView, table: tuple[TableMeld, ...], card: Card, is_down: bool
) -> Violation:
    if not is_down and view.rules.discard.playable == "forbid":
        for target in table:
            if places_for(target.meld, card, view.rules):
                return Violation(
                    ErrorCode.CARD_PLAYS,
                    f"{card} fits the {target.meld} of seat {target.seat} (meld {target.number}) "
                    "and may not be discarded before you are down (0-36)",
                )
    return Violation(
        ErrorCode.RETURNS_UPCARD, f"you took {card} this turn: discard another card (0-26)"
    )


def lay_offs_now(
    view: PlayerView, table: tuple[TableMeld, ...], cards: Iterable[Card]
) -> tuple[LayOff, ...]:
    """Return every single lay-off of the cards, by meld number, card and place."""
    kinds = tuple(dict.fromkeys(cards))
    return tuple(
        [
            LayOff(target.number, card, place)
            for target in table
            if is_target(view, target)
            for card in kinds
            for place in places_for(target.meld, card, view.rules)
        ]
    )


def position_after(view: PlayerView, play: Play) -> tuple[tuple[TableMeld, ...], Hand]:
    """Return the table and the rest of the hand when the Play's melds and lay-offs lie.

    For composing a turn step by step: nothing here is judged, `explain` does that.
    """
    table, rest = table_after_melds(view, play), view.hand
    for meld in play.melds:
        rest = remove_cards(rest, meld.cards) or ()
    for lay_off in play.lay_offs:
        table = table_after_lay_off(table, lay_off)
        rest = remove_cards(rest, (lay_off.card,)) or ()
    return table, rest


def next_lay_offs(view: PlayerView, play: Play) -> tuple[LayOff, ...]:
    """Return every lay-off that may follow the Play's melds and lay-offs."""
    went_down_now = bool(play.melds)
    if not (view.is_down or went_down_now) or not may_lay_off_now(view, went_down_now):
        return ()
    return lay_offs_now(view, *position_after(view, play))


def next_discards(view: PlayerView, play: Play) -> Hand:
    """Return the cards with which the Play's melds and lay-offs may end the turn."""
    table, rest = position_after(view, play)
    is_down = view.is_down or bool(play.melds)
    return discardable(view, table, rest, is_down)


def options(view: PlayerView) -> Options | None:
    """Return what this seat is asked and may answer; None if nothing is asked of it."""
    if view.phase is Phase.WINDOW and view.seat in view.order:
        is_free = view.is_my_turn
        return WindowOptions(is_free, 0 if is_free else view.rules.buy.penalty)
    if view.phase is Phase.PLAY and view.is_my_turn:
        rules = view.rules
        is_down = view.is_down
        can_lay_off = is_down and may_lay_off_now(view, False)
        lay_offs = lay_offs_now(view, view.table, view.hand) if can_lay_off else ()
        must = bool(lay_offs) and rules.layoff.mandatory and _lay_offs_bind(view, view.hand)
        return PlayOptions(
            may_go_down=not is_down,
            lay_offs=lay_offs,
            must_lay_off=must,
            discards=() if must else discardable(view, view.table, view.hand, is_down),
            default=default_play(view),
        )
    return None


def default_play(view: PlayerView) -> Play:
    """Return what is played for a seat that does not answer.

    Compulsory lay-offs by lowest meld number, then lowest place; then the
    dearest card that may be discarded, ties by code; never a meld.
    """
    table, rest = view.table, view.hand
    lay_offs: list[LayOff] = []
    if view.is_down and view.rules.layoff.mandatory and may_lay_off_now(view, False):
        while _lay_offs_bind(view, rest) and (found := lay_offs_now(view, table, rest)):
            lay_off = min(found, key=lambda f: (f.meld, f.place, f.card))
            table = table_after_lay_off(table, lay_off)
            rest = remove_cards(rest, (lay_off.card,)) or ()
            lay_offs.append(lay_off)
    cards = discardable(view, table, rest, view.is_down)
    points = view.rules.points
    discard = min(cards, key=lambda card: (-points[card], card), default=None)
    return Play(lay_offs=tuple(lay_offs), discard=discard)
