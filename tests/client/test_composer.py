"""The composer: piles, wild placement, lay-offs in order, undo, what may be sent."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import lay_offs, position, rules
from hollywood.client.board import meld_short
from hollywood.client.composer import AskPlace, Composer, Spot, Target
from hollywood.client.piles import judge_pile
from hollywood.client.suggest import suggest
from hollywood.client.text import Look
from hollywood.protocol.rules import (
    Card,
    GameState,
    Phase,
    parse_contract,
    parse_hand,
    view,
)

from .table import Client

RUNS = "5H 6H 2C JK 9D TD JD QD 3C 4C 5C 6C KS AS"


def composer(state: GameState, seat: int = 0) -> Composer:
    made = Composer()
    made.sync(view(state, seat))
    return made


def keys(cards: str) -> list[tuple[Card, int]]:
    """First copies; a card named again is the next copy."""
    found: list[tuple[Card, int]] = []
    for word in cards.split():
        found.append((Card(word), sum(card == word for card, _ in found)))
    return found


def put(made: Composer, *piles: str) -> None:
    for i, cards in enumerate(piles):
        assert made.put(keys(cards), i) == ""


@pytest.mark.parametrize(
    ("spec", "cards", "text"),
    [
        ("S3", "", "empty"),
        ("S3", "7H", "2 more"),
        ("S3", "7H 7D", "1 more: any 7 or a wild"),
        ("S3", "7H 2C", "1 more: any 7"),
        ("S3", "2H 2C", "2 more: of 3 cards at most 1 may be wild (0-16)"),
        ("S3", "7H 2C JK", "1 more: any 7"),
        ("S3", "7H 7D 7S", "OK: sevens"),
        ("S3", "7H 7D 7S 7S 2C", "OK: sevens"),
        ("S3", "7H 8D", "no set: 7 and 8 differ (0-12)"),
        ("R4", "9D TD JD", "1 more: 8D QD or a wild"),
        ("R4", "9D JD QD", "1 more: TD or a wild"),
        ("R4", "3D 6D", "2 more"),
        ("R4", "3D 8D", "4 more: they are too far apart for 4 (0-18)"),
        ("R4", "JD QD KD AD", "OK: J-A of diamonds"),
        ("R4", "5H 6H 2C JK", "OK: 3-6, 4-7 or 5-8, you will be asked"),
        ("R4", "5H 8H 2C JK", "OK: 5-8 of hearts"),
        ("R4", "5H 6D", "no run: hearts and diamonds do not go together (0-18)"),
        ("R4", "5H 5H", "no run: 5H is there twice (0-18)"),
        ("R4", "3H 4H 5H 7H", "1 more: 6H or a wild"),
    ],
)
def test_a_pile_says_what_is_missing(spec: str, cards: str, text: str) -> None:
    (wanted,) = parse_contract(spec)
    assert judge_pile(parse_hand(cards), wanted, rules()).text == text


def test_an_exact_contract_takes_no_more_cards() -> None:
    (spec,) = parse_contract("S3")
    exact = rules(meld__oversize="exact")
    state = judge_pile(parse_hand("7H 7D 7S 7C"), spec, exact)
    assert (state.text, state.is_legal) == ("1 too many (0-14)", False)


def test_going_down_builds_the_whole_play() -> None:
    made = composer(position("7H 7D 7S KS KH 2C 5S", "3C"))
    put(made, "7H 7D 7S", "KS KH 2C")
    check = made.check()
    assert check.play is not None
    assert [str(meld) for meld in check.play.melds] == ["set of 7: 7D 7H 7S", "set of K: KH KS 2C"]
    assert check.play.discard == "5S"  # the only card left over
    assert made.discard() == "5S"


def test_an_incomplete_pile_is_named() -> None:
    made = composer(position("7H 7D 7S KS KH 2C 5S", "3C"))
    put(made, "7H 7D", "KS KH 2C")
    assert made.check().text == "pile 1 (set of 3): 1 more: any 7 or a wild"


def test_melds_that_do_not_go_together_are_explained_with_the_row() -> None:
    made = composer(position("7H 7D 7S 7C 7S 2C 5S", "3C"))
    put(made, "7H 7D 7S", "7C 2C")
    made.put([(Card("7S"), 1)], 1)
    check = made.check()
    assert check.play is None
    assert "differ in rank (0-13)" in check.text


def test_putting_cards_again_on_their_pile_takes_them_back() -> None:
    made = composer(position("7H 7D 7S 5S", "3C"))
    put(made, "7H 7D")
    put(made, "7H")
    assert made.draft.piles[0] == ("7D",)


def test_a_card_moves_from_pile_to_pile() -> None:
    made = composer(position("7H 7D 7S 5S", "3C"))
    put(made, "7H 7D", "7D 7S")
    assert made.draft.piles == (("7H",), ("7D", "7S"))
    assert made.spots()[Card("7D"), 0] == Spot("pile", 1)


def test_two_copies_have_two_places() -> None:
    made = composer(position("7H 7H 7S 5S", "3C"))
    put(made, "7H")
    made.put([(Card("7H"), 1)], 1)
    assert made.draft.piles == (("7H",), ("7H",))
    assert len(made.spots()) == 2


def test_there_are_as_many_piles_as_melds_in_the_contract() -> None:
    made = composer(position("7H 7D 7S 5S", "3C"))
    assert "no pile 3" in made.put(keys("7H"), 2)
    down = composer(position("7H 5S", "3C", table=[(0, "8: 8C 8D 8H")]))
    assert "you are down" in down.put(keys("7H"), 0)


def test_where_wilds_stand_is_asked_before_sending() -> None:
    made = composer(position(RUNS, "3C", deal=4))
    put(made, "5H 6H 2C JK", "9D TD JD QD", "3C 4C 5C 6C")
    made.set_discard((Card("AS"), 0))
    ask = made.check().ask
    assert ask is not None
    assert [meld.low for meld in ask.readings] == [3, 4, 5]
    made.choose_reading(ask.pile, ask.readings[2])
    play = made.check().play
    assert play is not None
    assert play.melds[0].low == 5
    assert play.melds[0].cards == ("5H", "6H", "2C", "JK")


def test_a_chosen_reading_is_forgotten_when_the_pile_changes() -> None:
    made = composer(position(RUNS, "3C", deal=4))
    put(made, "5H 6H 2C JK")
    made.choose_reading(0, judge_pile(made.draft.piles[0], made.contract[0], rules()).readings[0])
    put(made, "JK")
    put(made, "JK")
    assert made.draft.chosen[0] is None


TABLE = [(1, "5D: 5D 6D 7D 8D"), (0, "K: KD KH KC")]


def test_lay_offs_are_put_in_the_order_in_which_they_fit() -> None:
    made = composer(position("TD 9D KS 3S", "3C", table=TABLE))
    assert made.lay_off(keys("TD 9D"), Target(0)) == ""
    assert made.lay_off(keys("KS"), Target(1)) == ""
    play = made.check().play
    assert play is not None
    assert play.lay_offs == lay_offs("9D>0@9 TD>0@10 KS>1")
    assert play.discard == "3S"


def test_a_wild_with_two_open_ends_is_asked_about() -> None:
    made = composer(position("9D 2C 3S", "3C", table=TABLE))
    ask = made.lay_off(keys("2C 9D"), Target(0))
    assert isinstance(ask, AskPlace)
    assert (ask.card, ask.places) == ("2C", (4, 10))
    assert made.place(ask, 4) == ""
    assert [lay.place for lay in made.draft.lay_offs] == [9, 4]


def test_a_wild_with_one_open_end_is_not() -> None:
    made = composer(position("2C 3S", "3C", table=[(0, "JD: JD QD KD AD")]))
    assert made.lay_off(keys("2C"), Target(0)) == ""
    assert made.draft.lay_offs[0].place == 10


def test_what_does_not_fit_is_said() -> None:
    made = composer(position("9D 3S", "3C", table=TABLE))
    assert made.lay_off(keys("3S"), Target(0)) == ("3S does not fit the run 5-8 of diamonds (a)")
    assert made.draft.lay_offs == ()


def test_compulsory_lay_offs_are_named_with_their_row() -> None:
    made = composer(position("9D 3S 4S", "3C", table=TABLE))
    made.set_discard((Card("3S"), 0))
    check = made.check()
    assert check.play is None
    assert "9D fits the run 5-8 of D" in check.text
    assert "(0-31)" in check.text


def test_own_new_melds_take_lay_offs_too() -> None:
    made = composer(position("7H 7D 7S KS KH 2C KD 5S", "3C", table=[(1, "5: 5C 5D 5H")]))
    put(made, "7H 7D 7S", "KS KH 2C")
    assert made.letter(Target(1, is_pile=True)) == "c"
    assert made.target("c") == Target(1, is_pile=True)
    assert made.lay_off(keys("KD"), Target(1, is_pile=True)) == ""
    assert made.lay_off(keys("5S"), Target(0)) == ""
    play = made.check().play
    assert play is not None
    assert play.lay_offs == lay_offs("KD>2 5S>0")
    assert play.discard is None  # nothing is left: floating


def test_lay_offs_on_a_pile_that_is_no_meld_any_more_are_dropped() -> None:
    made = composer(position("7H 7D 7S KS KH 2C KD 5S", "3C"))
    put(made, "7H 7D 7S", "KS KH 2C")
    made.lay_off(keys("KD"), Target(1, is_pile=True))
    put(made, "7H", "KS")
    assert made.draft.lay_offs == ()


def test_undo_takes_back_step_by_step() -> None:
    made = composer(position("7H 7D 7S KS", "3C"))
    put(made, "7H 7D")
    made.set_discard((Card("KS"), 0))
    assert made.undo()
    assert made.draft.discard is None
    assert made.undo()
    assert made.draft.is_empty
    assert not made.undo()


def test_drafts_lose_only_what_left_the_hand() -> None:
    state = position("7H 7D 7S KS KH 5S", "3C")
    made = composer(state)
    put(made, "7H 7D", "KS KH")
    made.set_discard((Card("5S"), 0))
    made.sync(view(replace(state, hands=(parse_hand("7H 7S KS KH 9C"), *state.hands[1:])), 0))
    assert made.draft.piles == (("7H",), ("KS", "KH"))
    assert made.draft.discard is None


def test_lay_offs_follow_a_run_that_somebody_grew() -> None:
    state = position("TD 2C 3S", "3C", table=[(0, "5D: 5D 6D 7D 8D")])
    made = composer(state)
    ask = made.lay_off(keys("2C"), Target(0))
    assert isinstance(ask, AskPlace)
    made.place(ask, 9)
    made.lay_off(keys("TD"), Target(0))
    grown = position("TD 2C 3S", "3C", table=[(0, "5D: 5D 6D 7D 8D 9D")])
    made.sync(view(grown, 0))
    assert [(lay.card, lay.place) for lay in made.draft.lay_offs] == [("TD", 10)]


def test_a_new_deal_begins_with_an_empty_draft() -> None:
    made = composer(position("7H 7D 7S KS", "3C"))
    put(made, "7H 7D")
    made.sync(view(position("7H 7D 7S KS", "3C", deal=2), 0))
    assert made.draft.is_empty
    assert not made.undo()


def test_out_of_turn_it_is_a_plan() -> None:
    state = position("7H 7D 7S KS KH 2C 5S 9C", "3C", turn=1)
    made = composer(state)
    assert "nothing in it yet" in made.check().text
    put(made, "7H 7D 7S", "KS KH 2C")
    check = made.check()
    assert check.play is None
    assert "when it is your turn" in check.text


def test_without_a_discard_the_key_for_it_is_named() -> None:
    made = composer(position("7H 7D 7S KS", "3C"))
    assert "press x" in made.check().text


def test_a_suggestion_goes_down_lays_off_and_discards() -> None:
    state = position("7H 7D 7S KS KH 2C 5S 9C", "3C", table=[(1, "5: 5C 5D 5H")])
    made = composer(state)
    draft, comment = suggest(made.view)
    made.replace(draft)
    play = made.check().play
    assert play is not None
    assert len(play.melds) == 2
    assert play.lay_offs == lay_offs("5S>0")
    assert play.discard == "9C"
    assert comment == "advice: go down, lay off 5S, discard 9C; Enter plays it"


def test_a_suggestion_puts_melds_where_the_contract_has_them() -> None:
    state = position("7H 7D 7S KS KH KC 4D 5D 6D 7D 9C", "3C", deal=1)
    made = composer(state)
    made.replace(suggest(made.view)[0])
    assert all(pile.is_legal for pile in made.pile_states())
    assert made.check().play is not None


def test_a_hand_that_cannot_go_down_gets_advice_about_the_discard() -> None:
    state = position("7H 7D KS KH 2C 5S 9C", "3C", deal=2)
    draft, comment = suggest(view(state, 0))
    assert not draft.has_melds
    assert draft.discard in ("5S", "9C")
    assert comment.startswith("not yet: 3 cards short of 2 sets of 4")


def test_advice_about_an_upcard_says_whether_it_helps() -> None:
    hands = ("7H 7D KS KH 5S 9C 3D", "3C")
    helps = position(*hands, phase=Phase.WINDOW, upcard="7S", discarder=1)
    assert suggest(view(helps, 0))[1].startswith("7S helps")
    useless = position(*hands, phase=Phase.WINDOW, upcard="4C", discarder=1)
    assert suggest(view(useless, 0))[1].startswith("4C brings you no nearer")


def test_further_melds_are_piles_once_down_where_the_rules_allow_them() -> None:
    table = [(0, "9: 9C 9D 9H")]
    kind = rules(meld__extra="allow")
    state = replace(position("7H 7D 7S KS 3D", "3C", table=table, down=[0]), rules=kind)
    client = Client(state)
    client.press("g")
    assert "1 set of 3   empty" in client.text()
    client.select("7H 7D 7S")
    client.press("1")
    client.on("3D")
    client.press("x", "enter")
    sent = client.last_play()
    assert [meld.cards for meld in sent.melds] == [("7D", "7H", "7S")]
    assert sent.discard == "3D"


def test_further_melds_are_no_piles_where_the_rules_forbid_them() -> None:
    client = Client(position("7H 7D 7S KS 3D", "3C", table=[(0, "9: 9C 9D 9H")], down=[0]))
    client.press("g", " ", "1")
    assert client.desk.composer.contract == ()


ANY_SUIT = rules("frustration")


@pytest.mark.parametrize(
    ("cards", "text"),
    [
        ("5H 6D 7C 8S", "OK: 5-8"),
        ("5H 6D 7C", "1 more: any 4 any 8 or a wild"),
        ("5H 6D 6C", "no run: a card of the sixes is there twice (0-18)"),
        ("5H 6D", "2 more"),
    ],
)
def test_runs_of_any_suits_are_understood(cards: str, text: str) -> None:
    (spec,) = parse_contract("R4")
    assert judge_pile(parse_hand(cards), spec, ANY_SUIT).text == text


def test_a_run_of_any_suits_on_the_table_is_drawn() -> None:
    made = replace(position("3H 4H", "3C", table=[(0, "5*: 5H 6D JK 8S")]), rules=ANY_SUIT)
    client = Client(made)
    assert "a 5♥ 6♦ *7 8♠" in client.text(100, 24)
    short = "".join(text for _, text in meld_short(made.table[0].meld, 0, ANY_SUIT, Look()))
    assert short == "a 56*8"
