"""Flip every option of every rule set of the three texts; some test must fail each time.

    python tests/rules/flip_every_option.py [--jobs 2] [--rules dummy] [--option wild.limit]

For each option and each other value in `VALUES`, the rule set is changed in memory as it
is loaded, and the tests run whose `row` marks name the rows that the comment in the TOML
file cites for the option; where it cites none, all tests with rows of that text. A flip
is caught when one of them fails for another reason than a rule set that it built and
that contradicts itself. Prints the flips that are not caught; exits 1 if there are any
beside those in `CANNOT`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import sys
from collections.abc import Generator, Iterator
from importlib import resources
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from hollywood.protocol.errors import RuleSetError
from hollywood.protocol.rules import RuleSet, load_rules, rulefiles
from hollywood.protocol.rules.ruleoptions import Options

HERE = Path(__file__).parent
TEXTS = {"hollywood": "0", "hollywood_seven": "1", "dummy": "3"}
"""The rule sets and the number of their text."""

YES_NO = (True, False)

VALUES: dict[str, tuple[object, ...]] = {
    "progress": ("lockstep", "per_player"),
    "final_round": ("normal", "all_cards_no_discard"),
    "rounds.deal": ("one more", "one less"),
    "rounds.contract": ("in another order", "one larger"),
    "players.min": (2, 3),
    "players.max": (3, 4, 7, 8),
    "deck.packs": (2, 3, 4, 5, "per_two"),
    "deck.jokers": (2, 1),
    "deck.jokers_total": (None, 4, 6),
    "game.end": ("after_rounds", "first_finisher", "all_finish"),
    "game.max_deals": (None, 12, 40),
    "game.max_turns": (1000, 40),
    "game.winner": ("lowest", "lowest_finisher"),
    "game.tie": ("shared", "fewest_points_last_round", "most_zero_rounds", "playoff"),
    "turn.direction": ("cw", "ccw"),
    "turn.first": ("left", "right"),
    "deal.rotation": ("first_player", "winner"),
    "upcard.initial": YES_NO,
    "upcard.buyable": YES_NO,
    "draw.down_may_take_discard": YES_NO,
    "discard.covered": ("dead",),
    "discard.return_upcard": ("forbid", "allow"),
    "discard.playable": ("forbid", "allow"),
    "discard.playable_fallback": ("any_card",),
    "buy.enabled": YES_NO,
    "buy.down_players": YES_NO,
    "buy.discarder": YES_NO,
    "buy.limit_round": ("one more in the last", "one less in the last", 3, None),
    "buy.limit_game": (None, 10),
    "buy.penalty": (0, 1, 2),
    "buy.priority": ("seat",),
    "buy.window": ("before_draw",),
    "buy.successive": ("allow", "not_twice_running"),
    "wild.ranks": (["2", "JK"], ["JK"], ["2"], ["2", "A", "JK"]),
    "wild.natural_twos": ("never", "in_place"),
    "wild.limit": ("half", "fewer", "none", 1),
    "wild.min_naturals": (0, 3),
    "wild.limit_scope": ("always", "creation"),
    "wild.adjacent": ("allow", "forbid"),
    "wild.take_back": ("never", "run_down", "run_any"),
    "wild.relocate": ("never", "to_end"),
    "meld.oversize": ("allow", "exact"),
    "meld.extra": ("forbid", "allow"),
    "set.same_rank": ("forbid", "allow"),
    "set.distinct_suits": YES_NO,
    "run.suit": ("same", "any"),
    "run.same_suit": ("any", "no_adjacent", "gap", "gap2", "different"),
    "run.ace": ("high", "low", "both"),
    "run.low_rank": ("A", "2", "3"),
    "run.wrap": YES_NO,
    "run.max": (11, 12, 13),
    "down.timing": ("same_turn", "next_turn"),
    "down.mandatory": YES_NO,
    "layoff.first": ("same_turn", "next_turn"),
    "layoff.targets": ("all", "own", "others"),
    "layoff.mandatory": YES_NO,
    "out.discard": ("required", "optional", "forbidden"),
    "out.empty_hand": ("float", "out", "illegal"),
    "stock.empty": ("reshuffle", "flip", "end"),
    "stock.max_reshuffles": (0, 1, 2, None),
    "score.ranks": (
        {"3456789": 5, "TJQK": 10, "A2": 20},
        {"3456789": 5, "TJQK": 10, "A": 15, "2": 20},
        {"3456789TJQK": 5, "A": 15, "2": 20},
    ),
    "score.joker": (20, 50),
    "score.cards": ({}, {"AS": 1}, {"2D": 1}),
    "score.down_is_zero": YES_NO,
}
"""Every option with the values that are tried where a rule set has another one."""

COMPANIONS: dict[tuple[str, object], dict[str, object]] = {
    ("progress", "per_player"): {"game.end": "first_finisher", "game.max_deals": 40},
    ("progress", "lockstep"): {"game.end": "after_rounds", "game.winner": "lowest"},
    ("game.end", "first_finisher"): {"progress": "per_player", "game.max_deals": 40},
    ("game.end", "all_finish"): {"progress": "per_player", "game.max_deals": 40},
    ("game.end", "after_rounds"): {"progress": "lockstep", "game.winner": "lowest"},
    ("game.winner", "lowest_finisher"): {
        "progress": "per_player",
        "game.end": "first_finisher",
        "game.max_deals": 40,
    },
    ("deck.jokers_total", None): {"deck.jokers": 1},
    ("meld.oversize", "exact"): {"final_round": "normal"},
    ("final_round", "all_cards_no_discard"): {"meld.oversize": "allow"},
    ("run.ace", "low"): {"run.low_rank": "A"},
    ("run.wrap", True): {"run.ace": "both", "run.low_rank": "A"},
    ("run.suit", "any"): {"run.same_suit": "any"},
    ("down.mandatory", True): {"down.timing": "same_turn"},
    ("layoff.targets", "own"): {"layoff.mandatory": False},
    ("layoff.targets", "others"): {"layoff.mandatory": False},
    ("run.ace", "both"): {"run.low_rank": "A", "run.max": 13},
    ("out.discard", "optional"): {"out.empty_hand": "out"},
    ("out.discard", "required"): {"out.empty_hand": "float"},
    ("out.discard", "forbidden"): {"out.empty_hand": "out", "layoff.mandatory": False},
    ("out.empty_hand", "out"): {"out.discard": "optional"},
}
"""Options that must change with a flip, so that the rule set does not contradict itself."""

NO_BUYING = "nobody buys under this rule set, so how is never asked"
CANNOT: dict[tuple[str, str], str] = {
    ("dummy", "upcard.buyable"): NO_BUYING,
    ("dummy", "buy.down_players"): NO_BUYING,
    ("dummy", "buy.discarder"): NO_BUYING,
    ("dummy", "buy.limit_round"): NO_BUYING,
    ("dummy", "buy.limit_game"): NO_BUYING,
    ("dummy", "buy.penalty"): NO_BUYING,
    ("dummy", "buy.successive"): NO_BUYING,
    ("dummy", "deck.jokers"): "deck.jokers_total is given and counts instead",
    ("dummy", "wild.limit_scope"): "there is no limit that could bind lay-offs or not",
    ("hollywood", "game.max_deals"): "all ten deals fit; only playoffs would be cut short",
    ("hollywood_seven", "game.max_deals"): "all seven deals fit; only playoffs would be cut short",
    ("dummy", "game.max_deals = None"): "refused: the game could go on for ever",
    ("dummy", "game.tie = 'playoff'"): "refused: a playoff deals one round to all",
    ("hollywood", "buy.enabled"): "refused: rounds 4, 8 and 10 cannot be met without buying",
    ("hollywood", "run.max = 13"): "from three to ace there are twelve ranks",
}
"""Flips that cannot be noticed, whole options or single values, with the reason."""


class Flip(NamedTuple):
    """One option of one rule set with another value."""

    rules: str
    option: str
    value: object
    changes: dict[str, object]
    rows: frozenset[str]
    """Of which a test must be marked; of the form `0-*` where the file cites none."""

    def __str__(self) -> str:
        return f"{self.rules}: {self.option} = {self.value!r}"


def all_options() -> Iterator[str]:
    """Yield the name of each option there is, the lists of rounds as two."""
    for field in msgspec.structs.fields(RuleSet):
        if field.name == "rounds":
            yield from ("rounds.deal", "rounds.contract")
        elif isinstance(field.type, type) and issubclass(field.type, Options):
            for option in msgspec.structs.fields(field.type):
                yield f"{field.name}.{option.name}"
        elif field.name not in ("name", "title"):
            yield field.name


def cited(rules: str) -> dict[str, frozenset[str]]:
    """Return the rows that the comments of the file name, by option."""
    path = resources.files("hollywood.protocol") / "rulesets" / f"{rules}.toml"
    found: dict[str, set[str]] = {}
    group, of_group = "", set[str]()
    for line in path.read_text("utf-8").splitlines():
        code, _, comment = line.partition("#")
        rows = set(re.findall(r"\b(?:\d-\d+|T\d+)\b", comment))
        if header := re.match(r"\[+([\w.]+)\]+", code):
            group, of_group = header[1], rows
            found.setdefault(group, set()).update(rows)  # score.ranks is an option
        elif key := re.match(r"\w+(?= =)", code):
            option = f"{group}.{key[0]}" if group else key[0]
            found.setdefault(option, set()).update(rows or of_group)
    return {option: frozenset(rows) for option, rows in found.items()}


def flips(rules: str) -> Iterator[Flip]:
    """Yield every flip of a rule set that is worth trying."""
    rows = cited(rules)
    loaded = load_rules(rules)
    for option, values in VALUES.items():
        named = rows.get(option) or frozenset({f"{TEXTS[rules]}-*"})
        for value in values:
            changes = dict(changes_for(loaded, option, value))
            if changes:
                yield Flip(rules, option, value, changes, named)


def changes_for(loaded: RuleSet, option: str, value: object) -> dict[str, object]:
    """Return what to change, nothing if the rule set has that value."""
    rounds = [msgspec.to_builtins(round_) for round_ in loaded.rounds]
    match option, value:
        case "rounds.deal", _:
            step = 1 if value == "one more" else -1
            return {"rounds": [r | {"deal": r["deal"] + step} for r in rounds]}
        case "rounds.contract", "in another order":
            first, second, *others = rounds
            swapped = (
                first | {"contract": second["contract"]},
                second | {"contract": first["contract"]},
            )
            return {"rounds": [*swapped, *others]}
        case "rounds.contract", _:
            return {"rounds": [rounds[0] | {"contract": "S3 + S4"}, *rounds[1:]]}
        case "buy.limit_round", "one more in the last" | "one less in the last":
            limits = loaded.buy.limit_round
            if not isinstance(limits, tuple):
                return {}
            step = 1 if value == "one more in the last" else -1
            return {option: [*limits[:-1], (limits[-1] or 0) + step]}
    group, _, key = option.rpartition(".")
    now = getattr(getattr(loaded, group) if group else loaded, key)
    if _plain(now) == _plain(value):
        return {}
    changes: dict[str, object] = {option: value}
    if isinstance(value, list | dict):  # of those only wild ranks need something else
        needs = option == "wild.ranks" and "2" not in value
        return changes | ({"wild.natural_twos": "never"} if needs else {})
    return changes | COMPANIONS.get((option, value), {})


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def flip_as_loaded(flip: Flip) -> None:
    """From now on the rule set is loaded with the change, by whatever name it is reached."""
    merged = rulefiles._merged

    def changed(
        name_or_path: str, folder: Path, seen: tuple[str, ...]
    ) -> tuple[str, str, dict[str, Any]]:
        name, where, data = merged(name_or_path, folder, seen)
        if name_or_path != flip.rules:
            return name, where, data
        for option, value in flip.changes.items():
            group, _, key = option.rpartition(".")
            into = data.setdefault(group, {}) if group else data
            into[key] = value
        return name, where, data

    rulefiles._merged = changed


class Watch:
    """A pytest plugin: the tests of some rows, until one fails for a good reason."""

    def __init__(self, rows: frozenset[str]) -> None:
        self.rows = rows
        self.caught = ""
        self.ran = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests of the rows."""
        items[:] = [item for item in items if self.is_wanted(item)]
        self.ran = len(items)

    def is_wanted(self, item: pytest.Item) -> bool:
        """Whether one of its marks names one of the rows."""
        names = {name for mark in item.iter_markers("row") for name in mark.args}
        texts = {row[0] for row in self.rows if row.endswith("*")}
        return bool(names & self.rows) or any(name[0] in texts for name in names)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Stop at the first failure that is about what the rules do."""
        report = yield
        if report.failed and call.excinfo and not call.excinfo.errisinstance(RuleSetError):
            self.caught = item.nodeid
            item.session.shouldstop = "caught"
        return report


def attempt(flip: Flip) -> tuple[Flip, str, int]:
    """Flip and run the tests, in a process of its own; return the test that failed."""
    flip_as_loaded(flip)
    try:
        load_rules(flip.rules)
    except RuleSetError as error:
        return flip, f"NOT LEGAL: {error}", 0
    watch = Watch(flip.rows)
    files = [str(HERE / "test_scenarios.py"), *map(str, sorted(HERE.glob("test_rows_*.py")))]
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        code = pytest.main(["-q", "--no-header", "--tb=no", *files], plugins=[watch])
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        return flip, f"ERROR: {told.getvalue()[-800:]}", watch.ran
    if code == pytest.ExitCode.INTERRUPTED and not watch.caught:
        return flip, f"ERROR: {told.getvalue()[-800:]}", watch.ran
    return flip, watch.caught, watch.ran


def reason_for(flip: Flip) -> str | None:
    """Say why no test can notice the flip, None if one must."""
    single = CANNOT.get((flip.rules, f"{flip.option} = {flip.value!r}"))
    return single or CANNOT.get((flip.rules, flip.option))


def main() -> int:
    """Try every flip and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rules", action="append", choices=sorted(TEXTS))
    parser.add_argument("--option", action="append")
    parser.add_argument("--verbose", action="store_true", help="name the test that caught each")
    asked = parser.parse_args()
    todo = [
        flip
        for rules in asked.rules or TEXTS
        for flip in flips(rules)
        if not asked.option or flip.option in asked.option
    ]
    missed = []
    caught = expected = 0
    with get_context("fork").Pool(asked.jobs, maxtasksperchild=1) as pool:
        for flip, by, ran in pool.imap(attempt, todo, chunksize=1):
            if by and not by.startswith(("NOT LEGAL", "ERROR")):
                caught += 1
                if asked.verbose:
                    print(f"caught      {flip}  by {by}", flush=True)
            elif reason_for(flip):
                expected += 1
            else:
                missed.append(flip)
                rows = ", ".join(sorted(flip.rows))
                print(f"NOT CAUGHT  {flip}  ({ran} tests of {rows}) {by}", flush=True)
    for flip in todo:
        if reason := reason_for(flip):
            print(f"cannot be   {flip}: {reason}")
    print(f"{len(todo)} flips: {caught} caught, {len(missed)} not, {expected} cannot be")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
