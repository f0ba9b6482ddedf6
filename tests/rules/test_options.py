"""Options that none of the three texts uses: each does what it says.

Every test here fails if the engine ignores the option.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from builders import all_pass, asked, melds, play, position, refusal, rules, run, some
from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.rules import (
    Card,
    Claim,
    GameState,
    LayOff,
    MeldKind,
    Pass,
    Phase,
    RuleSet,
    Swap,
    next_deal,
    options,
    parse_contract,
    start,
    time_out,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.melds import (
    check_contract,
    check_meld,
    places_for,
    readings,
    runs_keep_apart,
)
from hollywood.protocol.rules.offers import PlayOptions

RUN_WITH_WILD = ((1, "5S: 5S 6S JK 8S"), (0, "K: KH KD KC"))
SETS = "9S 9H 9D KS KH KD"
SETS_DOWN = "9: 9S 9H 9D | K: KS KH KD"


def offered(state: GameState) -> PlayOptions:
    """What the seat in turn may do."""
    found = options(view(state, state.turn))
    assert isinstance(found, PlayOptions)
    return found


def fault(text: str, ruleset: RuleSet, contract: str = "") -> ErrorCode | None:
    """Why the meld, or the contract, is not one."""
    laid = melds(text)
    if contract:
        violation = check_contract(laid, parse_contract(contract), ruleset)
    else:
        violation = check_meld(laid[0], ruleset)
    return None if violation is None else violation.code


# wilds on the table


def test_run_down_gives_the_wild_to_who_lays_it_off_again() -> None:
    """`wild.take_back = run_down`: down since an earlier turn, the wild laid off at once."""
    state = position("7S 4H", "3C", table=RUN_WITH_WILD, wild__take_back="run_down")
    assert offered(state).swaps == (Swap(0, Card("7S"), 7),)
    again = play(swap="7S>0@7", off="JK>1", discard="4H")
    after, events = run(state, (0, again))
    assert some(events, ev.Swapped) == [ev.Swapped(0, 0, Card("7S"), 7, Card("JK"))]
    assert after.table[0].meld.cards == ("5S", "6S", "7S", "8S")
    assert after.table[1].meld.cards[-1] == "JK"
    kept = play(swap="7S>0@7", discard="4H")
    assert refusal(state, 0, kept) is ErrorCode.MUST_LAY_OFF


def test_run_down_is_not_for_others() -> None:
    """`run_down`: neither before going down nor in the turn of going down."""
    early = position("7S 4H 5H", "3C", table=RUN_WITH_WILD[:1], wild__take_back="run_down")
    assert offered(early).swaps == ()
    swap = play(swap="7S>0@7", discard="4H")
    assert refusal(early, 0, swap) is ErrorCode.DOES_NOT_FIT
    now = position(f"{SETS} 7S 4H", "3C", table=RUN_WITH_WILD[:1], wild__take_back="run_down")
    at_once = play(SETS_DOWN, swap="7S>0@7", off="JK>1", discard="4H")
    assert refusal(now, 0, at_once) is ErrorCode.DOES_NOT_FIT


def test_run_any_lets_anyone_keep_the_wild() -> None:
    """`wild.take_back = run_any`: down or not; the wild may go into the contract."""
    state = position("7S 9C 4H", "3C", table=RUN_WITH_WILD[:1], wild__take_back="run_any")
    assert offered(state).swaps == (Swap(0, Card("7S"), 7),)
    after, _ = run(state, (0, play(swap="7S>0@7", discard="4H")))
    assert after.hands[0] == ("9C", "JK")
    down = position(
        "9S 9H KS KH KD 7S 4H",
        "3C",
        table=RUN_WITH_WILD[:1],
        wild__take_back="run_any",
        discard__playable="allow",
    )
    with_it = play("9: 9S 9H JK | K: KS KH KD", swap="7S>0@7", discard="4H")
    assert refusal(down, 0, with_it) is None


@pytest.mark.parametrize(
    ("swap", "code"),
    [
        ("8S>0@8", ErrorCode.DOES_NOT_FIT),
        ("9S>0@7", ErrorCode.DOES_NOT_FIT),
        ("KS>1@0", ErrorCode.DOES_NOT_FIT),
        ("7S>5@7", ErrorCode.NO_SUCH_MELD),
        ("7S>0@9", ErrorCode.DOES_NOT_FIT),
    ],
)
def test_only_the_natural_of_a_wild_in_a_run_is_swapped(swap: str, code: ErrorCode) -> None:
    """`wild.take_back`: not from sets, not another card, not elsewhere."""
    table = ((1, "5S: 5S 6S JK 8S"), (1, "K: KH KD JK"))
    state = position("7S 8S 9S KS 4H", "3C", table=table, wild__take_back="run_any")
    assert refusal(state, 0, play(swap=swap, discard="4H")) is code


def test_a_swap_needs_the_card_in_hand() -> None:
    """`wild.take_back`: the natural comes from the hand."""
    state = position("9C 4H", "3C", table=RUN_WITH_WILD, wild__take_back="run_any")
    assert refusal(state, 0, play(swap="7S>0@7", discard="4H")) is ErrorCode.NOT_IN_HAND


def test_a_natural_moves_the_wild_to_an_end() -> None:
    """`wild.relocate = to_end`: to the top, or to the low end where the top is full."""
    moving: dict[str, Any] = {"wild__relocate": "to_end"}
    state = position("7S 4H", "3C", table=RUN_WITH_WILD, **moving)
    assert LayOff(0, Card("7S"), 7) in offered(state).lay_offs
    after, _ = run(state, (0, play(off="7S>0@7", discard="4H")))
    assert str(after.table[0].meld) == "run 5-9 of S: 5S 6S 7S 8S JK"
    full = ((1, "JS: JS JK KS AS"), (0, "K: KH KD KC"))
    state = position("QS 4H", "3C", table=full, **moving)
    after, _ = run(state, (0, play(off="QS>0@12", discard="4H")))
    assert str(after.table[0].meld) == "run T-A of S: JK JS QS KS AS"
    never = position("7S 4H", "3C", table=RUN_WITH_WILD)
    assert refusal(never, 0, play(off="7S>0@7", discard="4H")) is ErrorCode.DOES_NOT_FIT


def test_wilds_beside_each_other_may_be_forbidden() -> None:
    """`wild.adjacent = forbid`: in melds laid and in what is laid off; sets do not matter."""
    apart = rules(wild__adjacent="forbid")
    assert fault("5S: 5S JK JK 8S", apart) is ErrorCode.WILD_LIMIT
    assert fault("5S: 5S JK 7S JK", apart) is None
    assert fault("9: 9S 9H JK JK", apart) is None
    (run_,) = melds("5S: 5S 6S 7S JK")
    assert places_for(run_, Card("2C"), apart) == (4,)
    assert places_for(run_, Card("2C"), rules()) == (4, 9)
    assert places_for(run_, Card("9S"), apart) == (9,)


# runs and sets


def test_runs_may_go_over_the_ace() -> None:
    """`run.wrap`: K-A-2 and on, but no rank twice."""
    wrap = rules("dummy", run__wrap=True, wild__ranks=("JK",), wild__natural_twos="never")
    for text in ("KH: KH AH 2H 3H", "QH: QH KH AH 2H", "KH: KH JK 2H 3H"):
        assert fault(text, wrap) is None
        assert fault(text, rules("dummy", wild__ranks=("JK",), wild__natural_twos="never"))
    whole = "5H: 5H 6H 7H 8H 9H TH JH QH KH AH 2H 3H 4H"
    assert fault(whole, wrap) is None
    assert fault(f"{whole} 5H", wrap) is ErrorCode.BAD_MELD
    (run_,) = melds("JH: JH QH KH AH")
    assert places_for(run_, Card("2H"), wrap) == (15,)
    assert places_for(melds("AH: AH 2H 3H 4H")[0], Card("KH"), wrap) == (13,)
    found = readings((Card("KH"), Card("AH"), Card("2H")), MeldKind.RUN, wrap)
    assert [str(meld).partition(":")[0] for meld in found] == ["run K-2 of H"]


def test_distances_of_runs_on_the_circle() -> None:
    """`run.wrap` with `run.same_suit`: 10-K touches A-4, and J-A touches 2-5."""
    wrap = rules("dummy", run__wrap=True, run__same_suit="gap")
    assert not runs_keep_apart(10, 13, 1, 4, wrap)
    assert not runs_keep_apart(11, 14, 2, 5, wrap)
    assert runs_keep_apart(11, 14, 3, 6, wrap)
    touching = rules("dummy", run__wrap=True, run__same_suit="no_adjacent")
    assert not runs_keep_apart(10, 13, 1, 4, touching)
    assert runs_keep_apart(10, 13, 2, 5, touching)


def test_runs_may_be_of_any_suit() -> None:
    """`run.suit = any`: ranks in order, suits as they come."""
    mixed = rules(run__suit="any", run__same_suit="any")
    assert fault("5*: 5S 6H 7D 8C", mixed) is None
    assert fault("5*: 5S 6H 8D 9C", mixed) is ErrorCode.BAD_MELD
    assert fault("5S: 5S 6H 7D 8C", rules()) is ErrorCode.BAD_MELD
    (run_,) = melds("5*: 5S 6H 7D 8C")
    assert places_for(run_, Card("9S"), mixed) == (9,)
    assert places_for(run_, Card("TS"), mixed) == ()
    found = readings((Card("5S"), Card("6H"), Card("7D"), Card("8C")), MeldKind.RUN, mixed)
    assert [meld.low for meld in found] == [5]


def test_a_set_may_need_distinct_suits() -> None:
    """`set.distinct_suits`: when laid and when laid off; wilds have no suit there."""
    distinct = rules(set__distinct_suits=True)
    assert fault("9: 9S 9S 9H", distinct) is ErrorCode.BAD_MELD
    assert fault("9: 9S 9H 2S", distinct) is None
    (nines,) = melds("9: 9S 9H 9D")
    assert places_for(nines, Card("9S"), distinct) == ()
    assert places_for(nines, Card("9C"), distinct) == (0,)
    assert places_for(nines, Card("9S"), rules()) == (0,)


def test_more_melds_may_be_laid_by_who_is_down() -> None:
    """`meld.extra = allow`: three of a rank, runs of four; not beyond the contract at once."""
    more: dict[str, Any] = {"meld__extra": "allow"}
    state = position(
        "4S 4H 4D 5H 6H 7H 8H 3D", "3C", table=((0, "9: 9S 9H 9D"), (0, "K: KS KH KD")), **more
    )
    after, events = run(state, (0, play("4: 4S 4H 4D | 5H: 5H 6H 7H 8H", discard="3D")))
    assert [laid.number for laid in some(events, ev.WentDown)[0].melds] == [2, 3]
    assert after.went_down == state.went_down
    short = play("5H: 5H 6H 7H", discard="3D")
    assert refusal(state, 0, short) is ErrorCode.BAD_MELD
    assert refusal(state, 0, play("4: 4S 4H", discard="3D")) is ErrorCode.BAD_MELD
    early = position(f"{SETS} 4S 4H 4D 3D", "3C", **more)
    three = play(f"{SETS_DOWN} | 4: 4S 4H 4D", discard="3D")
    assert refusal(early, 0, three) is ErrorCode.WRONG_CONTRACT


# going down and out


def test_going_down_may_be_compulsory() -> None:
    """`down.mandatory`: whoever has the contract lays it; the default does so too."""
    state = position(f"{SETS} 4C 5C", "3C", down__mandatory=True)
    assert refusal(state, 0, play(discard="4C")) is ErrorCode.MUST_GO_DOWN
    assert refusal(state, 0, play(SETS_DOWN, discard="4C")) is None
    found = offered(state)
    assert found.discards == ()
    assert len(found.default.melds) == 2
    _, events = time_out(state, 0)
    assert some(events, ev.WentDown)
    without = position("9S 9H KS KH KD 4C 5C", "3C", down__mandatory=True)
    assert refusal(without, 0, play(discard="4C")) is None


LAST_LAID: dict[str, Any] = {
    "out__discard": "forbidden",
    "out__empty_hand": "out",
    "layoff__mandatory": False,
}


def test_the_last_card_may_not_be_discarded() -> None:
    """`out.discard = forbidden`: it is laid off, or two cards are kept."""
    table = ((1, "9: 9S 9H 9D"), (0, "K: KS KH KD"))
    state = position("9C KC", "3C 4D", table=table, **LAST_LAID)
    one_left = play(off="9C>0", discard="KC")
    assert refusal(state, 0, one_left) is ErrorCode.MUST_NOT_DISCARD
    _, events = run(state, (0, play(off="9C>0 KC>1")))
    assert some(events, ev.WentOut) == [ev.WentOut(0)]
    assert not some(events, ev.Discarded)
    stuck = position("9C 4H", "3C", table=table, **LAST_LAID)
    assert refusal(stuck, 0, play(off="9C>0", discard="4H")) is ErrorCode.MUST_NOT_DISCARD
    assert refusal(stuck, 0, play(discard="4H")) is None
    assert refusal(stuck, 0, play(off="9C>0")) is ErrorCode.MUST_DISCARD


# buying


def test_not_twice_running() -> None:
    """`buy.successive = not_twice_running`: who bought one card does not buy the next."""
    hands = ("4C 5C", "5D 6D", "6H 7H", "7S 8S")
    once: dict[str, Any] = {
        "upcard": "JD",
        "phase": Phase.WINDOW,
        "buy__successive": "not_twice_running",
    }
    state = position(*hands, **once)
    state, _ = run(state, (0, Pass()), (1, Pass()), (2, Claim()))
    state, _ = run(state, (0, play(discard="4C")))
    assert asked(state) == (1, 3)
    assert refusal(state, 2, Claim()) is ErrorCode.NOT_ELIGIBLE
    state, _ = all_pass(state)
    state, _ = run(state, (1, play(discard="5D")))
    assert asked(state) == (2, 3, 0)
    state, _ = all_pass(state)
    state, _ = run(state, (2, play(discard="6H")))
    assert asked(state) == (3, 0, 1)


@pytest.mark.parametrize(("deal", "cards"), [(0, 1), (1, 2), (2, 0)])
def test_the_price_may_differ_by_round(deal: int, cards: int) -> None:
    """`buy.penalty` as a list: one number for each round."""
    own: dict[str, Any] = {
        "rounds": rules().rounds[:3],
        "buy__limit_round": None,
        "buy__penalty": (1, 2, 0),
        "discard__playable": "allow",
    }
    state = position("4C", "5D", "6H", upcard="JD", phase=Phase.WINDOW, deal=deal, **own)
    _, events = run(state, (0, Pass()), (1, Claim()))
    (bought,) = some(events, ev.Bought)
    assert (bought.penalty_count, len(bought.penalty or ())) == (cards, cards)


@pytest.mark.parametrize(("deal", "buys", "may"), [(0, 1, False), (1, 1, True), (2, 0, False)])
def test_the_limit_may_differ_by_round(deal: int, buys: int, may: bool) -> None:
    """`buy.limit_round` as a list; 0 is none at all."""
    own: dict[str, Any] = {"rounds": rules().rounds[:3], "buy__limit_round": (1, 2, 0)}
    state = position(
        "4C", "5D", "6H", upcard="JD", phase=Phase.WINDOW, deal=deal, buys=(0, buys, 0), **own
    )
    assert (1 in asked(state)) is may


# cards


@pytest.mark.parametrize(("seats", "packs", "jokers"), [(2, 1, 0), (3, 2, 5), (4, 3, 6)])
def test_packs_and_jokers_by_the_number_of_players(seats: int, packs: int, jokers: int) -> None:
    """`deck.packs` and `deck.jokers_total` as lists: from the smallest table on."""
    ruleset = rules(players__max=4, deck__packs=(1, 2, 3), deck__jokers_total=(0, 5, 6))
    state, _ = start(ruleset, seats, bytes(32))
    held = [card for hand in state.hands for card in hand]
    counted = Counter([*held, *state.stock, *state.discards])
    assert counted[Card("JK")] == jokers
    assert {n for card, n in counted.items() if card != "JK"} == {packs}


def test_single_cards_may_have_their_own_points() -> None:
    """`score.cards`: a black ace 15, a red one 1."""
    ruleset = rules(score__cards={"AS": 15, "AC": 15, "AH": 1, "JK": 25})
    points = [ruleset.points[Card(card)] for card in ("AS", "AC", "AH", "AD", "JK", "2S")]
    assert points == [15, 15, 1, 20, 25, 20]
    state = position("3C", "AS AH", down=[0], score__cards={"AS": 15, "AH": 1})
    after, _ = run(state, (0, play(discard="3C")))
    assert after.scores[-1] == (0, 16)


def dry(**own: object) -> GameState:
    """Nobody wants the upcard, and no card is left to draw."""
    return position(
        "4C",
        "5D",
        upcard="JD",
        discards="3C 9H 7S QC",
        stock="",
        phase=Phase.WINDOW,
        **own,  # type: ignore[arg-type]
    )


def test_the_pile_may_be_turned_over_as_it_lies() -> None:
    """`stock.empty = flip`: the lowest discard is drawn first."""
    after, events = all_pass(dry(stock__empty="flip"))
    assert [type(event) for event in events] == [ev.WindowClosed, ev.Reshuffled, ev.Drew]
    assert some(events, ev.Drew)[0].card == "3C"
    assert after.stock == ("9H", "7S", "QC")
    assert after.discards == ("JD",)


def test_an_empty_stock_may_end_the_deal() -> None:
    """`stock.empty = end`: nothing is rebuilt, and nobody can buy."""
    state = dry(stock__empty="end")
    assert asked(state) == (0,)
    _, events = all_pass(state)
    assert some(events, ev.StockRanOut) == [ev.StockRanOut(0)]


# the game


def over(scores: Sequence[Sequence[int]], **own: object) -> GameState:
    """Seat 0 goes out in the tenth deal; seats 1 and 2 keep five points each."""
    state = position("3S", "4C", "5C", deal=9, down=[0], scores=scores, **own)  # type: ignore[arg-type]
    return run(state, (0, play(discard="3S")))[0]


TIED = ((30, 10, 5), (30, 0, 5), *((30, 5, 5),) * 7)
"""Equal before the last deal, with a deal without points for seat 1."""


@pytest.mark.parametrize(
    ("tie", "last", "winners"),
    [
        ("shared", "5C", (1, 2)),
        ("most_zero_rounds", "5C", (1,)),
        ("fewest_points_last_round", "5C", (1, 2)),
    ],
)
def test_what_decides_a_tie(tie: str, last: str, winners: tuple[int, ...]) -> None:
    """`game.tie`: what still ties after it is shared."""
    after = over(TIED, game__tie=tie)
    assert after.totals()[1] == after.totals()[2]
    assert (after.phase, after.winners) == (Phase.GAME_OVER, winners)


def test_the_last_round_may_decide_a_tie() -> None:
    """`game.tie = fewest_points_last_round`: 10 and 5 behind 45 and 50."""
    scores = ((90, 45, 50), *((0, 0, 0),) * 8)
    state = position(
        "3S", "KC", "5C", deal=9, down=[0], scores=scores, game__tie="fewest_points_last_round"
    )
    after, _ = run(state, (0, play(discard="3S")))
    assert (after.totals()[1:], after.winners) == ((55, 55), (2,))


def test_a_playoff_deals_the_last_round_again() -> None:
    """`game.tie = playoff`: until nobody ties for the fewest points."""
    after = over(TIED, game__tie="playoff")
    assert (after.phase, after.winners) == (Phase.DEAL_OVER, ())
    again, events = next_deal(after)
    assert some(events, ev.Dealt)[0].deal == 10
    assert again.contracts == (9, 9, 9)
    decided = replace(
        again, phase=Phase.PLAY, window=None, turn=1, hands=(("4C",), ("5C",), ("6C",))
    )
    decided = replace(decided, went_down=(None, 1, None), drew=Card("5C"), is_upcard_live=False)
    last, _ = run(decided, (1, play(discard="5C")))
    assert (last.phase, last.winners) == (Phase.GAME_OVER, (1,))
    clear = over(((30, 10, 9), *((30, 5, 5),) * 8), game__tie="playoff")
    assert (clear.phase, clear.winners) == (Phase.GAME_OVER, (2,))


def test_playoffs_do_not_go_on_for_ever() -> None:
    """`game.tie = playoff`: after as many deals more as there are rounds the tie is shared."""
    state = position(
        "3S",
        "4C",
        "5C",
        deal=19,
        contracts=(9, 9, 9),
        down=[0],
        scores=((30, 5, 5),) * 19,
        game__tie="playoff",
    )
    after, _ = run(state, (0, play(discard="3S")))
    assert (after.phase, after.winners) == (Phase.GAME_OVER, (1, 2))


@pytest.mark.parametrize(
    ("end", "contracts", "phase"),
    [
        ("first_finisher", (11, 3), Phase.GAME_OVER),
        ("all_finish", (11, 3), Phase.DEAL_OVER),
        ("all_finish", (11, 12), Phase.GAME_OVER),
    ],
)
def test_when_the_game_is_over(end: str, contracts: tuple[int, int], phase: Phase) -> None:
    """`game.end`: when somebody, or everybody, has made the last contract."""
    hands = ("4C", "5D" if contracts[1] < 12 else "")
    state = position(*hands, book="dummy", contracts=contracts, down=[0], game__end=end)
    after, _ = run(state, (0, play(discard="4C")))
    assert after.phase is phase


@pytest.mark.parametrize(("most", "phase"), [(20, Phase.GAME_OVER), (21, Phase.DEAL_OVER)])
def test_a_game_may_have_a_last_deal(most: int, phase: Phase) -> None:
    """`game.max_deals`: then most contracts made wins, then fewest points."""
    state = position(
        "4C",
        "5D KD",
        "6H",
        book="dummy",
        contracts=(2, 4, 4),
        down=[0],
        deal=19,
        scores=((0, 10, 90),),
        game__max_deals=most,
    )
    after, _ = run(state, (0, play(discard="4C")))
    assert after.phase is phase
    assert after.winners == ((1,) if phase is Phase.GAME_OVER else ())


def test_max_deals_ends_a_lockstep_game_too() -> None:
    """`game.max_deals`: a playoff stops there."""
    after = over(TIED, game__tie="playoff", game__max_deals=10)
    assert (after.phase, after.winners) == (Phase.GAME_OVER, (1, 2))


@pytest.mark.parametrize(("rotation", "dealer"), [("first_player", 1), ("winner", 2)])
def test_who_goes_out_may_deal_next(rotation: str, dealer: int) -> None:
    """`deal.rotation = winner`: seat 2 went out, seat 0 had dealt."""
    state = position("4C", "5D", "6H", turn=2, down=[2], deal__rotation=rotation)
    state = replace(state, dealer=0)
    state, _ = run(state, (2, play(discard="6H")))
    assert next_deal(state)[0].dealer == dealer


def test_nobody_went_out_so_the_deal_moves_on() -> None:
    """`deal.rotation = winner`: where the stock ran out the next seat deals."""
    state = replace(dry(deal__rotation="winner", stock__empty="end"), dealer=0)
    state, _ = all_pass(state)
    assert next_deal(state)[0].dealer == 1


def test_a_floater_did_not_win_the_deal() -> None:
    """`deal.rotation = winner`: a seat with an empty hand that could not draw is not out."""
    state = position("4C 5C", "", "6H", down=[1], stock="", reshuffles=1, deal__rotation="winner")
    state, events = run(replace(state, dealer=1), (0, play(discard="4C")))
    assert some(events, ev.StockRanOut) == [ev.StockRanOut(1)]
    assert next_deal(state)[0].dealer == 2


@pytest.mark.row("0-54")
@pytest.mark.parametrize(("turns", "ends"), [(19, False), (20, True)])
def test_a_deal_may_have_a_last_turn(turns: int, ends: bool) -> None:
    """0-54, `game.max_turns`: then it is scored as if the stock had run out."""
    state = position("4C 9D", "5D", turns=turns, game__max_turns=20)
    after, events = run(state, (0, play(discard="4C")))
    assert bool(some(events, ev.Stalled)) is ends
    assert (after.phase is Phase.DEAL_OVER) is ends
    if ends:
        assert some(events, ev.DealEnded)[0].went_out is None
        assert after.scores[-1] == (5, 5)
