"""How a game moves: start, apply, time out, next deal.

Each function takes a state and returns the next one with the events in between;
the old state stays as it is, so a refused or crashed action changes nothing.
Every change that a state ever goes through is here, so the file is long.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from ..errors import ErrorCode, IllegalActionError, RulesError
from . import events as ev
from .actions import Action, Claim, Play
from .cards import Card, Hand, add_card, add_cards, remove_cards
from .claims import Answer, decide, open_window, record_answer
from .dealing import SEED_SIZE, commitment, first_dealer, mix_entropy, shuffle
from .legality import explain
from .melds import LayOff, Swap
from .offers import default_play
from .piles import deal_piles, draw_own, pay_own, put_under, who_can_pay
from .rulesets import RuleSet
from .scoring import contracts_made, deal_points, is_game_over, winners
from .state import GameState, Phase, set_at
from .turns import table_after_swap, with_lay_off, with_melds
from .views import share_views, view
from .windows import drawable, window_order

Result = tuple[GameState, tuple[ev.Event, ...]]
Hands = tuple[Hand, ...]

# names of the module, since members of an enum are looked up three times as long
_WINDOW, _PLAY = Phase.WINDOW, Phase.PLAY
_CLAIM, _PASS, _SILENT = Answer.CLAIM, Answer.PASS, Answer.SILENT


def start(
    rules: RuleSet,
    seats: int,
    seed: bytes,
    entropy: tuple[str, ...] = (),
    *,
    own_piles: bool = False,
) -> Result:
    """Begin a game: deal the first hands and open the first turn.

    Args:
        rules: The rule set of the table.
        seats: How many players there are.
        seed: 32 bytes from which every card order is derived.
        entropy: What each seat has added to the seed, in hex.
        own_piles: Whether each seat draws from a stock pile of its own (`piles`).

    Raises:
        RulesError: the rule set is not for that many players.
    """
    players = rules.players
    if not players.min <= seats <= players.max:
        raise RulesError(
            f"{rules.title} is for {players.min} to {players.max} players, not {seats} (0-2)",
            ErrorCode.BAD_RULE_SET,
        )
    if len(seed) != SEED_SIZE:
        raise ValueError(f"a seed has {SEED_SIZE} bytes, not {len(seed)}")
    nobody = (0,) * seats
    server_seed, seed = seed, mix_entropy(seed, entropy)
    state = GameState(
        rules=rules,
        seats=seats,
        seed=seed,
        server_seed=server_seed,
        phase=Phase.DEAL_OVER,
        deal=-1,
        dealer=(first_dealer(seed, seats) - 1) % seats,
        turn=0,
        contracts=nobody,
        hands=((),) * seats,
        order=(),
        drawn=0,
        piles=nobody if own_piles else (),
        discards=(),
        is_upcard_live=False,
        discarder=None,
        reshuffles=0,
        table=(),
        went_down=(None,) * seats,
        turns=0,
        buys=nobody,
        game_buys=nobody,
        last_buyer=None,
        window=None,
        drew=None,
        took_upcard=False,
        scores=(),
        winners=(),
    )
    started = ev.GameStarted(seats, rules.name, rules.hash, commitment(server_seed), entropy)
    state, events = next_deal(state)
    return state, (started, *events)


def next_deal(state: GameState) -> Result:
    """Deal the next hands (0-5) and open the first turn. The deal moves on (0-9)."""
    if state.phase is not Phase.DEAL_OVER:
        raise IllegalActionError("the deal is not over", ErrorCode.WRONG_PHASE)
    rules, seats, deal = state.rules, state.seats, state.deal + 1
    contracts = _next_contracts(state)
    dealer = _next_dealer(state)
    first = _next_seat(replace(state, contracts=contracts), dealer)
    order = shuffle(rules.deck_for(seats), state.seed, f"deal/{deal}")
    rounds = rules.rounds
    sizes = [rounds[i].deal if i < len(rounds) else 0 for i in contracts]
    if state.piles:
        upcards = order[:1] if rules.upcard.initial else ()
        hands, order, piles = deal_piles(order[len(upcards) :], sizes)
        drawn = 0
    else:
        hands, dealt = _deal_out(order, sizes, first)
        upcards = order[dealt : dealt + 1] if rules.upcard.initial else ()
        drawn, piles = dealt + len(upcards), ()
    state = replace(
        state,
        deal=deal,
        dealer=dealer,
        turn=first,
        contracts=contracts,
        hands=hands,
        order=order,
        drawn=drawn,
        piles=piles,
        discards=upcards,
        is_upcard_live=bool(upcards),
        discarder=None,
        reshuffles=0,
        table=(),
        went_down=(None,) * seats,
        turns=0,
        buys=(0,) * seats,
        last_buyer=None,
        window=None,
        drew=None,
        took_upcard=False,
        went_out=None,
    )
    event = ev.Dealt(
        deal=deal,
        dealer=dealer,
        first=first,
        contracts=contracts,
        hands=hands,
        upcard=upcards[0] if upcards else None,
        stock=len(order) - state.drawn,
    )
    events: list[ev.Event] = [event]
    return _begin_turn(state, first, events), tuple(events)


def _next_contracts(state: GameState) -> tuple[int, ...]:
    """The round of each seat in the deal to come (0-6, 3-5).

    Lockstep: one after the other, the last one again in a playoff. Per player: the
    next one for whoever has made its own.
    """
    if state.rules.progress == "per_player":
        return contracts_made(state)
    return (min(state.deal + 1, len(state.rules.rounds) - 1),) * state.seats


def _next_dealer(state: GameState) -> int:
    """The seat after the last dealer, which went first (0-9); or who went out."""
    if state.rules.deal.rotation == "winner" and state.went_out is not None:
        return state.went_out
    return (state.dealer + 1) % state.seats


def _next_seat(state: GameState, seat: int) -> int:
    """The next seat in turn order that plays in this deal (3-29)."""
    contracts, rounds, seats = state.contracts, len(state.rules.rounds), state.seats
    following = seat
    for _ in contracts:
        following = (following + 1) % seats
        if contracts[following] < rounds:
            return following
    raise AssertionError("a deal for nobody")


def _deal_out(order: Hand, sizes: list[int], first: int) -> tuple[tuple[Hand, ...], int]:
    """Deal one card at a time from `first` on; return the hands and how many cards left."""
    seats = len(sizes)
    hands: list[list[Card]] = [[] for _ in sizes]
    dealt = 0
    for size in range(max(sizes)):
        for i in range(seats):
            seat = (first + i) % seats
            if size < sizes[seat]:
                hands[seat].append(order[dealt])
                dealt += 1
    return tuple(add_cards((), hand) for hand in hands), dealt


def apply(state: GameState, seat: int, action: Action) -> Result:
    """Apply what a seat says.

    Raises:
        IllegalActionError: with the code and sentence of `explain`, or
            StaleActionError for a second answer in one window.
    """
    _check_seat(state, seat)
    window = state.window
    if window is None or isinstance(action, Play) or seat not in window.order:
        # what a seat answers that is asked in a window needs no judging
        violation = explain(view(state, seat), action)
        if violation is not None:
            raise IllegalActionError(violation.text, violation.code)
    if isinstance(action, Play):
        return _play(state, seat, action, timed_out=False)
    return _answer(state, seat, _CLAIM if isinstance(action, Claim) else _PASS)


def close_window(state: GameState, winner: int | None) -> Result:
    """Go on from an open window of which all answers are known.

    The same as `apply` of each answer in the order of priority until the window is
    decided, in one step: for whoever plays all seats.

    Args:
        state: The state in which nobody has answered yet.
        winner: The first seat in the order that claims, None if all pass.
    """
    assert state.window is not None, "no window is open"
    assert winner is None or winner in state.window.order, f"seat {winner} is not asked"
    return _closed(state, winner, ())


def time_out(state: GameState, seat: int) -> Result:
    """Go on without a seat whose time ran out: it passes, or the default is played."""
    _check_seat(state, seat)
    if state.phase is _WINDOW:
        return _answer(state, seat, _SILENT)
    if state.phase is _PLAY and state.turn == seat:
        return _play(state, seat, default_play(view(state, seat)), timed_out=True)
    raise IllegalActionError(f"nothing is asked of seat {seat}", ErrorCode.NOT_YOUR_TURN)


def _check_seat(state: GameState, seat: int) -> None:
    if not 0 <= seat < state.seats:
        raise IllegalActionError(f"there is no seat {seat} at this table", ErrorCode.NOT_SEATED)


def _begin_turn(state: GameState, turn: int, events: list[ev.Event]) -> GameState:
    """Open the window of a turn, or draw at once where nobody may claim."""
    if state.turns == state.rules.game.max_turns:
        events.append(ev.Stalled())
        return _end_deal(state, None, events)
    order = window_order(state, turn)
    if state.piles:
        costs = [state.rules.buy_penalty(round_) for round_ in state.contracts]
        order = who_can_pay(state.piles, _spare_discards(state), turn, order, costs)
    state = replace(
        state,
        turn=turn,
        turns=state.turns + 1,
        phase=_WINDOW,
        window=open_window(order) if order else None,
        drew=None,
        took_upcard=False,
    )
    if not order:
        return _draw(state, None, events)
    events.append(ev.WindowOpened(turn, state.discards[-1], order))
    return state


def _spare_discards(state: GameState) -> int:
    """How many discards a rebuild of the stock would bring now."""
    return drawable(state) - state.stock_size


def _answer(state: GameState, seat: int, answer: Answer) -> Result:
    assert state.window is not None
    window = record_answer(state.window, seat, answer)
    decision = decide(window)
    if decision is None:
        # nobody sees an answer, so all that was worked out for the views stays
        return share_views(state, replace(state, window=window)), ()
    return _closed(state, decision.winner, decision.silent)


def _closed(state: GameState, winner: int | None, silent: tuple[int, ...]) -> Result:
    """The upcard goes to the winner of the window, and the seat in turn draws (0-46)."""
    events: list[ev.Event] = [ev.WindowClosed(winner, silent)]
    if winner == state.turn:
        return _take(state, events), tuple(events)
    if winner is not None:
        state = _buy(state, winner, events)
    return _draw(state, winner, events), tuple(events)


def _take(state: GameState, events: list[ev.Event]) -> GameState:
    """The seat in turn draws the upcard (0-46)."""
    seat, hands, card = state.turn, state.hands, state.discards[-1]
    events.append(ev.Took(seat, card))
    return replace(
        state,
        hands=set_at(hands, seat, add_card(hands[seat], card)),
        phase=_PLAY,
        discards=state.discards[:-1],
        is_upcard_live=False,
        last_buyer=None,
        window=None,
        drew=card,
        took_upcard=True,
    )


def _buy(state: GameState, seat: int, events: list[ev.Event]) -> GameState:
    """Card, then penalty: one change, so that no card is ever between hands (0-43)."""
    penalty = state.rules.buy_penalty(state.contracts[seat])
    state = _ensure_stock(state, penalty, events, seat)
    card = state.discards[-1]
    if state.piles:
        cards, order, piles = pay_own(state.order, state.piles, seat, penalty)
        state = replace(state, order=order, piles=piles)
        drawn = 0
    else:
        cards = state.order[state.drawn : state.drawn + penalty]
        drawn = state.drawn + penalty
    events.append(ev.Bought(seat, card, cards, penalty))
    return replace(
        state,
        hands=_given(state.hands, seat, (card, *cards)),
        drawn=drawn,
        discards=state.discards[:-1],
        is_upcard_live=False,
        buys=set_at(state.buys, seat, state.buys[seat] + 1),
        game_buys=set_at(state.game_buys, seat, state.game_buys[seat] + 1),
    )


def _draw(state: GameState, buyer: int | None, events: list[ev.Event]) -> GameState:
    """The seat in turn draws from the stock; without a card to draw the deal ends (0-54).

    The window is over then; `buyer` bought in it.
    """
    if state.piles:
        return _draw_own(state, buyer, events)
    if state.drawn == len(state.order):
        state = _ensure_stock(state, 1, events, state.turn)
    seat, hands, order, drawn = state.turn, state.hands, state.order, state.drawn
    if drawn == len(order):
        events.append(ev.StockRanOut(seat))
        return _end_deal(replace(state, last_buyer=buyer), None, events)
    card = order[drawn]
    events.append(ev.Drew(seat, card))
    return replace(
        state,
        hands=set_at(hands, seat, add_card(hands[seat], card)),
        phase=_PLAY,
        drawn=drawn + 1,
        last_buyer=buyer,
        window=None,
        drew=card,
        took_upcard=False,
    )


def _draw_own(state: GameState, buyer: int | None, events: list[ev.Event]) -> GameState:
    """The seat in turn draws from its own pile; an empty one ends the deal (0-54)."""
    seat = state.turn
    state = _ensure_stock(state, 1, events, seat)
    if not state.piles[seat]:
        events.append(ev.StockRanOut(seat))
        return _end_deal(replace(state, last_buyer=buyer), None, events)
    cards, order, piles = draw_own(state.order, state.piles, seat)
    events.append(ev.Drew(seat, cards[0]))
    return replace(
        state,
        hands=_given(state.hands, seat, cards),
        phase=_PLAY,
        order=order,
        piles=piles,
        last_buyer=buyer,
        window=None,
        drew=cards[0],
        took_upcard=False,
    )


def _ensure_stock(state: GameState, due: int, events: list[ev.Event], seat: int) -> GameState:
    """Rebuild the stock when cards that are due to a seat are not in it (0-49, 0-54).

    The discards below a live upcard, shuffled or turned over, go under what is left.
    """
    if state.piles:
        if state.piles[seat] >= due or not _spare_discards(state):
            return state
        return _rebuild(state, events, seat)
    left = state.stock_size
    if left >= due or drawable(state) <= left:
        return state
    return _rebuild(state, events, seat)


def _rebuild(state: GameState, events: list[ev.Event], seat: int) -> GameState:
    keep = 1 if state.is_upcard_live else 0
    pile = state.discards[: len(state.discards) - keep]
    label = f"deal/{state.deal}/reshuffle/{state.reshuffles}"
    # a pile that is turned over gives its lowest card first
    is_shuffled = state.rules.stock.empty == "reshuffle"
    cards = shuffle(pile, state.seed, label) if is_shuffled else pile
    order, piles = state.stock + cards, state.piles
    if piles:
        order, piles = put_under(state.order, piles, cards, seat)
    events.append(ev.Reshuffled(len(order)))
    return replace(
        state,
        order=order,
        drawn=0,
        piles=piles,
        discards=state.discards[len(pile) :],
        reshuffles=state.reshuffles + 1,
    )


def _play(state: GameState, seat: int, play: Play, *, timed_out: bool) -> Result:
    """One whole turn that `explain` has allowed."""
    events: list[ev.Event] = []
    for action in play.swaps:
        state = _swap(state, seat, action, events)
    if play.melds:
        state = _go_down(state, seat, play, events)
    for lay_off in play.lay_offs:
        state = _lay_off(state, seat, lay_off, events)
    if play.discard is not None:
        state = _discard(state, seat, play.discard, timed_out, events)
    is_floating = play.discard is None and state.rules.out.empty_hand == "float"
    if not state.hands[seat] and is_floating and not _took_all(state, seat, play):
        events.append(ev.Floated(seat, timed_out))
    elif not state.hands[seat]:
        events.append(ev.WentOut(seat))
        return _end_deal(state, seat, events), tuple(events)
    return _begin_turn(state, _next_seat(state, seat), events), tuple(events)


def _took_all(state: GameState, seat: int, play: Play) -> bool:
    """Whether the whole hand went down as the last round wants it (1-36)."""
    return bool(play.melds) and state.rules.takes_all_cards(state.contracts[seat])


def _swap(state: GameState, seat: int, action: Swap, events: list[ev.Event]) -> GameState:
    table, wild = table_after_swap(state.table, action)
    events.append(ev.Swapped(seat, action.meld, action.card, action.place, wild))
    hands = _given(_without(state.hands, seat, (action.card,)), seat, (wild,))
    return replace(state, hands=hands, table=table)


def _go_down(state: GameState, seat: int, play: Play, events: list[ev.Event]) -> GameState:
    table = with_melds(state.table, seat, play)
    events.append(ev.WentDown(seat, table[len(state.table) :]))
    went_down = state.went_down
    if went_down[seat] is None:
        went_down = set_at(went_down, seat, state.turns)
    laid = [card for meld in play.melds for card in meld.cards]
    hands = _without(state.hands, seat, laid)
    return replace(state, hands=hands, table=table, went_down=went_down)


def _lay_off(state: GameState, seat: int, lay_off: LayOff, events: list[ev.Event]) -> GameState:
    events.append(ev.LaidOff(seat, lay_off.meld, lay_off.card, lay_off.place))
    hands = _without(state.hands, seat, (lay_off.card,))
    return replace(state, hands=hands, table=with_lay_off(state.table, lay_off, state.rules))


def _discard(
    state: GameState, seat: int, card: Card, timed_out: bool, events: list[ev.Event]
) -> GameState:
    rest = list(state.hands[seat])
    # the hand's own copy: one that came off the wire would stay in memory as long as the pile
    card = rest.pop(rest.index(card))
    events.append(ev.Discarded(seat, card, timed_out))
    return replace(
        state,
        hands=set_at(state.hands, seat, tuple(rest)),
        discards=state.discards + (card,),  # noqa: RUF005  a long pile is copied once, not twice
        is_upcard_live=True,
        discarder=seat,
    )


def _end_deal(state: GameState, went_out: int | None, events: list[ev.Event]) -> GameState:
    """Score the deal (0-51), and the game after the last one (0-4)."""
    is_down = tuple(turn is not None for turn in state.went_down)
    points = deal_points(state.hands, is_down, state.rules)
    state = replace(
        state,
        phase=Phase.DEAL_OVER,
        window=None,
        drew=None,
        took_upcard=False,
        went_out=went_out,
        scores=(*state.scores, points),
    )
    totals = state.totals()
    events.append(ev.DealEnded(state.deal, went_out, state.hands, points, totals))
    if not is_game_over(state):
        return state
    best = winners(state)
    events.append(ev.GameEnded(totals, best, state.server_seed.hex()))
    return replace(state, phase=Phase.GAME_OVER, winners=best)


def _given(hands: Hands, seat: int, cards: Iterable[Card]) -> Hands:
    """The hands after a seat was given cards."""
    return set_at(hands, seat, add_cards(hands[seat], cards))


def _without(hands: Hands, seat: int, cards: Iterable[Card]) -> Hands:
    """The hands after a seat gave up cards."""
    rest = remove_cards(hands[seat], cards)
    assert rest is not None, f"seat {seat} does not hold {cards}"
    return set_at(hands, seat, rest)
