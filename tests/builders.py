"""Positions in a few words, so that a test shows only what it is about.

Cards are texts: `"9S 2D"`. Melds are `"9: 9S 9H 2D"` for a set and
`"5S: 5S 6S JK 8S"` for a run, whose head names its lowest place; several are
joined by `|`. Lay-offs are `"9D>0 4D>1@4"`: card, number of the meld, and the
place where the meld is a run; swaps are written the same way. Options of the rule
set are keywords with two underscores: `out__empty_hand="out"`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from hollywood.protocol.errors import ErrorCode, IllegalActionError
from hollywood.protocol.rules import (
    Action,
    Event,
    GameState,
    LayOff,
    Meld,
    Pass,
    Phase,
    Play,
    PlayerView,
    RuleSet,
    Swap,
    TableMeld,
    apply,
    explain,
    load_rules,
    parse_card,
    parse_hand,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules.cards import PLACE_RANKS
from hollywood.protocol.rules.claims import open_seats, open_window
from hollywood.protocol.rules.melds import run_of, set_of
from hollywood.protocol.rules.windows import window_order

E = TypeVar("E")
Steps = tuple[GameState, tuple[Event, ...]]

HOLLYWOOD = load_rules("hollywood")
SEVEN = load_rules("hollywood_seven")
DUMMY = load_rules("dummy")

STOCK = "3C 5D 7H 9S JC KD 4H 6S 8C TD QH AS"
"""What lies face down unless a test says otherwise: no two cards that go together."""

SEAT_BEFORE = -1
"""The discarder unless a test says otherwise."""


def rules(name: str = "hollywood", /, **options: object) -> RuleSet:
    """Return a rule set with some options flipped: `rules(set__same_rank="allow")`."""
    base = load_rules(name)
    groups: dict[str, dict[str, object]] = {}
    whole: dict[str, object] = {}
    for key, value in options.items():
        group, _, option = key.partition("__")
        if option:
            groups.setdefault(group, {})[option] = value
        else:
            whole[group] = value
    changed = {group: replace(getattr(base, group), **new) for group, new in groups.items()}
    return replace(base, **changed, **whole)


def meld(text: str) -> Meld:
    """Read one meld. It need not be legal. A head like `5*` is a run of any suit."""
    head, _, cards = text.partition(":")
    head = head.strip()
    in_order = [parse_card(word) for word in cards.split()]
    if len(head) == 1:
        return set_of(head, in_order)
    return run_of(head[1].replace("*", ""), PLACE_RANKS.index(head[0]), in_order)


def melds(text: str) -> tuple[Meld, ...]:
    """Read melds joined by `|`."""
    return tuple(meld(part) for part in text.split("|")) if text else ()


def lay_offs(text: str) -> tuple[LayOff, ...]:
    """Read lay-offs separated by spaces."""
    found = []
    for word in text.split():
        card, _, where = word.partition(">")
        number, _, place = where.partition("@")
        found.append(LayOff(int(number), parse_card(card), int(place or 0)))
    return tuple(found)


def swaps(text: str) -> tuple[Swap, ...]:
    """Read swaps, written like lay-offs: `"7S>0@7"`."""
    return tuple(Swap(found.meld, found.card, found.place) for found in lay_offs(text))


def play(down: str = "", off: str = "", discard: str | None = None, swap: str = "") -> Play:
    """A whole turn: melds to go down with, lay-offs in order, the discard."""
    last = None if discard is None else parse_card(discard)
    return Play(melds(down), lay_offs(off), last, swaps(swap))


def my_turn(rules: RuleSet, seats: int, round_: int, hand: str, **changes: object) -> PlayerView:
    """A turn of seat 0 after its draw; the others hold a card less."""
    state, _ = start(rules, seats, seed_from_text("my turn"))
    cards = parse_hand(hand)
    seen = replace(
        view(state, 0),
        hand=cards,
        hand_sizes=(len(cards), *[len(cards) - 1] * (seats - 1)),
        contracts=(round_,) * seats,
        turn=0,
        phase=Phase.PLAY,
        order=(),
        drew=cards[0],
        turns=9,
        discarder=1,
    )
    return replace(seen, **changes)


def position(
    *hands: str,
    book: str = "hollywood",
    phase: Phase = Phase.PLAY,
    deal: int = 0,
    contracts: Sequence[int] = (),
    turn: int = 0,
    upcard: str = "",
    discards: str = "",
    is_upcard_live: bool = True,
    discarder: int | None = SEAT_BEFORE,
    table: Sequence[tuple[int, str]] = (),
    down: Iterable[int] = (),
    stock: str = STOCK,
    reshuffles: int = 0,
    turns: int = 9,
    buys: Sequence[int] = (),
    game_buys: Sequence[int] = (),
    last_buyer: int | None = None,
    drew: str = "",
    took: str = "",
    scores: Sequence[Sequence[int]] = (),
    **options: object,
) -> GameState:
    """Build a position in the middle of a deal.

    Args:
        *hands: One text for each seat.
        book: The rule set.
        phase: PLAY: the seat in turn has drawn. WINDOW: a claim window is open.
        deal: 0-based.
        contracts: The round of each seat; that of the deal for all, if not given.
        turn: The seat in turn.
        upcard: The top of the discard pile, if it can still be taken.
        discards: The pile below it, bottom to top.
        is_upcard_live: False: nothing on the pile can be taken.
        discarder: Who discarded the upcard; None for the first one of a deal.
        table: The melds on the table with the seats that laid them, in order.
        down: Seats that are down, beside those with melds on the table.
        stock: The next card first.
        reshuffles: How often the stock was rebuilt in this deal.
        turns: How many turns of this deal have begun.
        buys: Buys of each seat in this deal.
        game_buys: Buys of each seat in the game.
        last_buyer: Who bought in the last window.
        drew: What the seat in turn drew; else the first card of its hand.
        took: The upcard that the seat in turn took as its draw.
        scores: Points of the deals before.
        **options: Options of the rule set to flip.
    """
    seats = len(hands)
    is_down = {seat for seat, _ in table} | set(down)
    pile = tuple(parse_card(word) for word in f"{discards} {upcard}".split())
    state = GameState(
        rules=rules(book, **options),
        seats=seats,
        seed=bytes(32),
        phase=phase,
        deal=deal,
        dealer=(turn - 1) % seats,
        turn=turn,
        contracts=tuple(contracts) or (deal,) * seats,
        hands=tuple(parse_hand(hand) for hand in hands),
        order=tuple(parse_card(word) for word in stock.split()),
        drawn=0,
        discards=pile,
        is_upcard_live=is_upcard_live and bool(upcard),
        discarder=(turn - 1) % seats if discarder == SEAT_BEFORE else discarder,
        reshuffles=reshuffles,
        table=tuple(TableMeld(i, seat, meld(text)) for i, (seat, text) in enumerate(table)),
        went_down=tuple(1 if seat in is_down else None for seat in range(seats)),
        turns=turns,
        buys=tuple(buys) or (0,) * seats,
        game_buys=tuple(game_buys) or (0,) * seats,
        last_buyer=last_buyer,
        window=None,
        drew=parse_card(took or drew) if took or drew else None,
        took_upcard=bool(took),
        scores=tuple(tuple(points) for points in scores),
        winners=(),
    )
    return _with_phase(state)


def _with_phase(state: GameState) -> GameState:
    if state.phase is Phase.WINDOW:
        return replace(state, window=open_window(window_order(state, state.turn)))
    if state.phase is Phase.PLAY and state.drew is None and state.hands[state.turn]:
        return replace(state, drew=state.hands[state.turn][0])
    return state


def asked(state: GameState) -> tuple[int, ...]:
    """The seats in the open window, the first in priority first."""
    return () if state.window is None else state.window.order


def waited_for(state: GameState) -> int:
    """The seat whose answer is due: the first open one of a window, or the one in turn."""
    return state.turn if state.window is None else open_seats(state.window)[0]


def all_pass(state: GameState) -> Steps:
    """Pass for every seat in the window."""
    return run(state, *((seat, Pass()) for seat in asked(state)))


def run(state: GameState, *steps: tuple[int, Action]) -> Steps:
    """Apply actions one after the other; return the last state and all events."""
    events: list[Event] = []
    for seat, action in steps:
        state, happened = apply(state, seat, action)
        events.extend(happened)
    return state, tuple(events)


def refusal(state: GameState, seat: int, action: Action) -> ErrorCode | None:
    """Return why the referee refuses the action, None if it applies.

    What the seat could have known beforehand must be the same.
    """
    violation = explain(view(state, seat), action)
    foreseen = None if violation is None else violation.code
    try:
        apply(state, seat, action)
    except IllegalActionError as error:
        code = error.code
    else:
        return foreseen
    assert foreseen in (code, None)
    return code


def some(events: Iterable[Event], kind: type[E]) -> list[E]:
    """Return the events of one kind."""
    return [event for event in events if isinstance(event, kind)]
