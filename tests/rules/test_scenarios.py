"""Scenario tables: positions, what is said in them, and what comes of it.

Each `scenarios/*.toml` names a rule set and lists scenarios. A scenario has

- `name`, and `row`: the rows and situations that it holds;
- `options`: flips of the rule set, as in `"wild.limit" = "half"`;
- `given`: the position, in the words of `builders.position`, with `hands`;
- `do`: what is said, one text each: `"1 claim"`, `"0 pass"`, `"all pass"`,
  `"0 silent"`, `"next deal"`, or a turn of any of its parts in this order:
  `"0 swap 7S>0@7; down 9: 9S 9H 9D | K: KS KH KD; off 9C>2; discard 4C"`;
- `refused`, the code with which the last of them is refused; or `events`, all that
  the last one brought: the tag of each, or a table of the tag `t` and some fields;
- `state`: facts about the position afterwards, see `FACTS`;
- `check`: melds, each with `"legal"` or its code; with `contract` they are judged
  as that contract;
- `read`: `"run QS KS"`: every reading of those cards, of which there may be several;
- `flip`: a list of other outcomes, each under some more `options`.

The text `"null"` stands for an option's None.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from builders import all_pass, asked, melds, play, position, refusal, rules
from hollywood.protocol.errors import AmbiguousActionError, ErrorCode
from hollywood.protocol.rules import (
    Action,
    Claim,
    Event,
    GameState,
    MeldKind,
    Pass,
    Phase,
    RuleSet,
    apply,
    next_deal,
    parse_contract,
    parse_hand,
    time_out,
    view,
)
from hollywood.protocol.rules.melds import check_contract, check_meld, read_meld, readings

Options = dict[str, Any]
FOLDER = Path(__file__).parent / "scenarios"


class Outcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is expected."""

    options: Options = {}
    refused: ErrorCode | None = None
    events: list[str | dict[str, Any]] | None = None
    state: dict[str, Any] = {}
    check: dict[str, str] = {}
    read: dict[str, list[str]] = {}


class Scenario(Outcome, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of a table."""

    name: str
    row: list[str]
    rules: str = ""
    """The rule set, if it is not that of the table."""
    given: dict[str, Any] = {}
    contract: str = ""
    do: list[str] = []
    flip: list[Outcome] = []


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file."""

    rules: str
    scenario: list[Scenario]


def load(path: Path) -> Table:
    """Read one file."""
    return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Table)


TABLES = {path.stem: load(path) for path in sorted(FOLDER.glob("*.toml"))}


def outcomes(scenario: Scenario) -> Iterator[tuple[str, Outcome]]:
    """What is expected of the rules as they are, then under each flip."""
    yield scenario.name, scenario
    for flip in scenario.flip:
        flipped = " ".join(f"{key}={value}" for key, value in flip.options.items())
        yield f"{scenario.name} [{flipped}]", flip


CASES = [
    pytest.param(
        scenario.rules or table.rules,
        scenario,
        outcome,
        id=f"{stem}: {name}",
        marks=pytest.mark.row(*scenario.row),
    )
    for stem, table in TABLES.items()
    for scenario in table.scenario
    for name, outcome in outcomes(scenario)
]


def keywords(*options: Options) -> Options:
    """Options as `builders.rules` wants them."""
    return {
        key.replace(".", "__"): None if value == "null" else _frozen(value)
        for group in options
        for key, value in group.items()
    }


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def given(book: str, scenario: Scenario, flip: Options) -> GameState:
    """Build the position."""
    facts = dict(scenario.given)
    hands = facts.pop("hands")
    facts["phase"] = Phase(facts.get("phase", "play"))
    if "table" in facts:
        facts["table"] = [(int(text[0]), text[2:]) for text in facts["table"]]
    if facts.get("discarder") == "nobody":
        facts["discarder"] = None
    return position(*hands, book=book, **facts, **keywords(scenario.options, flip))


def said(text: str) -> tuple[int, Action]:
    """Read what a seat says."""
    seat, _, words = text.partition(" ")
    if words in ("claim", "pass"):
        return int(seat), Claim() if words == "claim" else Pass()
    parts = dict(part.strip().split(" ", 1) for part in words.split(";"))
    return int(seat), play(**parts)


def step(state: GameState, text: str) -> tuple[GameState, tuple[Event, ...]]:
    """Do one thing."""
    if text == "all pass":
        return all_pass(state)
    if text == "next deal":
        return next_deal(state)
    if text.endswith(" silent"):
        return time_out(state, int(text.split()[0]))
    return apply(state, *said(text))


def _plain(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))


def described(event: Event, expected: str | dict[str, Any]) -> str | dict[str, Any]:
    """The event, as far as the expectation tells of one."""
    tag = event.__struct_config__.tag
    assert isinstance(tag, str)
    if isinstance(expected, str):
        return tag
    others = [key for key in expected if key != "t"]
    return {"t": tag} | {key: _plain(getattr(event, key, "no such field")) for key in others}


FACTS: dict[str, Callable[[GameState], object]] = {
    "phase": lambda s: s.phase,
    "turn": lambda s: s.turn,
    "asked": asked,
    "upcard": lambda s: s.upcard or "",
    "discards": lambda s: " ".join(s.discards),
    "hands": lambda s: [" ".join(hand) for hand in s.hands],
    "sizes": lambda s: [len(hand) for hand in s.hands],
    "stock": lambda s: len(s.stock),
    "table": lambda s: [str(target.meld) for target in s.table],
    "owners": lambda s: [target.seat for target in s.table],
    "down": lambda s: [i for i, turn in enumerate(s.went_down) if turn is not None],
    "floating": lambda s: [i for i in range(s.seats) if view(s, i).is_floating],
    "buys": lambda s: s.buys,
    "game_buys": lambda s: s.game_buys,
    "buys_left": lambda s: [view(s, seat).buys_left for seat in range(s.seats)],
    "contracts": lambda s: s.contracts,
    "dealer": lambda s: s.dealer,
    "points": lambda s: s.scores[-1],
    "totals": GameState.totals,
    "winners": lambda s: s.winners,
}


def judge(text: str, contract: str, ruleset: RuleSet) -> str:
    """Say what is wrong with melds."""
    laid = melds(text)
    if contract:
        violation = check_contract(laid, parse_contract(contract), ruleset)
    else:
        (one,) = laid
        violation = check_meld(one, ruleset)
    return "legal" if violation is None else violation.code


def read(text: str, ruleset: RuleSet) -> list[str]:
    """Every reading of some cards, without the cards."""
    kind, _, words = text.partition(" ")
    cards = parse_hand(words)
    found = readings(cards, MeldKind(kind), ruleset)
    if len(found) > 1:
        with pytest.raises(AmbiguousActionError) as ambiguous:
            read_meld(cards, MeldKind(kind), ruleset)
        assert ambiguous.value.readings == found
    elif found:
        assert read_meld(cards, MeldKind(kind), ruleset) == found[0]
    return [str(meld).partition(":")[0] for meld in found]


def expect_melds(ruleset: RuleSet, scenario: Scenario, outcome: Outcome) -> None:
    """Judge and read melds that lie on no table."""
    checked = {text: judge(text, scenario.contract, ruleset) for text in outcome.check}
    assert checked == outcome.check
    assert {text: read(text, ruleset) for text in outcome.read} == outcome.read


def expect_course(state: GameState, scenario: Scenario, outcome: Outcome) -> None:
    """Do what the scenario says and see what comes of it."""
    happened: tuple[Event, ...] = ()
    steps = scenario.do[:-1] if outcome.refused else scenario.do
    for text in steps:
        state, happened = step(state, text)
    if outcome.refused:
        assert refusal(state, *said(scenario.do[-1])) == outcome.refused
    if outcome.events is not None:
        seen = [
            described(event, expected)
            for event, expected in zip(happened, outcome.events, strict=False)
        ]
        assert seen == outcome.events, [type(event).__name__ for event in happened]
        assert len(happened) == len(outcome.events), [type(e).__name__ for e in happened]
    assert {key: _plain(FACTS[key](state)) for key in outcome.state} == outcome.state


@pytest.mark.parametrize(("book", "scenario", "outcome"), CASES)
def test_scenario(book: str, scenario: Scenario, outcome: Outcome) -> None:
    """What the table says comes true."""
    flip = {} if outcome is scenario else outcome.options
    if "hands" in scenario.given:
        expect_course(given(book, scenario, flip), scenario, outcome)
    expect_melds(rules(book, **keywords(scenario.options, flip)), scenario, outcome)


@pytest.mark.parametrize("stem", TABLES)
def test_each_scenario_expects_something(stem: str) -> None:
    """An empty expectation would hold whatever the rules are; names are told apart."""
    table = TABLES[stem]
    for scenario in table.scenario:
        for name, outcome in outcomes(scenario):
            expected = (outcome.refused, outcome.state, outcome.check, outcome.read)
            assert any(expected) or outcome.events is not None, f"{stem}: {name}"
    names = [scenario.name for scenario in table.scenario]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("stem", TABLES)
def test_each_flip_turns_the_outcome(stem: str) -> None:
    """A flip that expects the same as the rules as they are would show nothing."""
    for scenario in TABLES[stem].scenario:
        plain = _expected(scenario)
        for flip in scenario.flip:
            assert flip.options, f"{stem}: {scenario.name}"
            assert _expected(flip) != plain, f"{stem}: {scenario.name}"


def _expected(outcome: Outcome) -> tuple[object, ...]:
    return outcome.refused, outcome.events, outcome.state, outcome.check, outcome.read
