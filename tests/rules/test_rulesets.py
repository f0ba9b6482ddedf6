"""Rule sets: loading, and what a file with a mistake is told."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest
from msgspec.structs import replace

from builders import HOLLYWOOD, rules
from hollywood.protocol.errors import ErrorCode, RuleSetError
from hollywood.protocol.rules import RuleSet, load_rules, rule_set_names
from hollywood.protocol.rules.rulefiles import rules_from_toml
from hollywood.protocol.rules.ruleoptions import Round

TEXT = (resources.files("hollywood.protocol") / "rulesets" / "hollywood.toml").read_text("utf-8")


def refused(text: str) -> RuleSetError:
    """What the author of that file is told."""
    with pytest.raises(RuleSetError) as error:
        rules_from_toml(text, "mine", "mine.toml")
    assert error.value.message.startswith("mine.toml")
    assert "\n" not in error.value.message
    return error.value


def test_the_shipped_rule_sets_load() -> None:
    """Each by its name, with a title, and a hash of its own."""
    assert "hollywood" in rule_set_names()
    loaded = [load_rules(name) for name in rule_set_names()]
    assert [ruleset.name for ruleset in loaded] == rule_set_names()
    assert len({ruleset.hash for ruleset in loaded}) == len(loaded)
    assert all(ruleset.title for ruleset in loaded)


def test_a_file_loads(tmp_path: Path) -> None:
    """By its path; its name is that of the file."""
    path = tmp_path / "sunday.toml"
    path.write_text(TEXT, "utf-8")
    for given in (path, str(path)):
        assert load_rules(given) == replace(HOLLYWOOD, name="sunday")


@pytest.mark.parametrize("name", ["holywood", "", "no/such/file", "no/such/file.toml"])
def test_an_unknown_rule_set(name: str) -> None:
    """Its code, and what there is instead."""
    with pytest.raises(RuleSetError) as error:
        load_rules(name)
    assert error.value.code is ErrorCode.UNKNOWN_RULE_SET


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    """It is refused like a missing one."""
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RuleSetError) as error:
        load_rules(path)
    assert error.value.code is ErrorCode.UNKNOWN_RULE_SET


def test_a_file_that_is_not_toml() -> None:
    """The sentence tells the line."""
    error = refused("title = \n")
    assert error.code is ErrorCode.BAD_RULE_SET
    assert "line 1" in error.message


@pytest.mark.parametrize(
    ("old", "new", "known"),
    [
        ("[upcard]", "[upcrad]", "upcard"),
        ("limit_round =", "limit_rounds =", "buy.limit_round"),
        ("same_rank =", "samerank =", "set.same_rank"),
        ('contract = "2xS3"\n', 'contracts = "2xS3"\n', "rounds.contract"),
        ("joker =", "jokers =", "score.joker"),
    ],
)
def test_an_unknown_option_names_the_nearest(old: str, new: str, known: str) -> None:
    """At each level of the file."""
    assert TEXT.count(old) >= 1
    error = refused(TEXT.replace(old, new, 1))
    assert error.code is ErrorCode.BAD_RULE_SET
    assert f"did you mean {known}?" in error.message


def test_an_option_like_no_other_lists_them_all() -> None:
    """Where nothing is near."""
    assert "known: title, rounds" in refused(TEXT + "\n[xyzzy]\n").message


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("packs = 4", 'packs = "four"', "deck.packs"),
        ("packs = 4", "packs = 4.5", "deck.packs"),
        ("enabled = true", "enabled = 1", "buy.enabled"),
        ('empty_hand = "float"', 'empty_hand = "fly"', "out.empty_hand"),
        ('limit = "half"', 'limit = "most"', "wild.limit"),
        ("deal = 11", 'deal = "11"', "rounds[1].deal"),
        ("joker = 20", "joker = true", "score.joker"),
        ('"A2" = 20', '"A2" = "20"', "score.ranks"),
        ('title = "Hollywood rummy, ten rounds"', "title = 10", "title"),
        ("distinct_suits = false", "distinct_suits = 0", "set.distinct_suits"),
    ],
)
def test_a_value_of_the_wrong_type_names_its_key(old: str, new: str, key: str) -> None:
    """As it stands in the file."""
    assert TEXT.count(old) >= 1
    error = refused(TEXT.replace(old, new, 1))
    assert error.code is ErrorCode.BAD_RULE_SET
    assert key in error.message


@pytest.mark.parametrize("group", ["buy", "score", "rounds", "wild"])
def test_a_number_where_a_group_is_expected(group: str) -> None:
    """The group is named."""
    assert refused(f"{group} = 3\n").message.startswith(f"mine.toml: {group}")


def test_something_missing_is_named() -> None:
    """Title, rounds and score have no default."""
    assert "score" in refused('title = "x"\nrounds = []\n').message


def one_round(deal: int, contract: str) -> dict[str, object]:
    """Options that make a game of one deal."""
    return {"rounds": (Round(deal=deal, contract=contract),), "buy__limit_round": None}


CONTRADICTIONS: dict[str, dict[str, object]] = {
    "players.min = 5 and players.max = 4": {"players__min": 5, "players__max": 4},
    "players.min = 1": {"players__min": 1},
    "players.max = 13": {"players__max": 13},
    "deck.packs: there must be": {"deck__packs": 0},
    "deck.packs lists 2": {"deck__packs": (2, 3)},
    "deck.jokers_total lists 1": {"deck__jokers_total": (2,)},
    "deck.jokers: there cannot": {"deck__jokers": -1},
    "rounds: list": {"rounds": (), "buy__limit_round": None},
    'game.end = "after_rounds"': {"progress": "per_player", "game__max_deals": 40},
    'game.end = "first_finisher"': {"game__end": "first_finisher"},
    "game.winner": {"game__winner": "lowest_finisher"},
    "game.max_deals: give": {"progress": "per_player", "game__end": "first_finisher"},
    "game.max_deals = 3": {"game__max_deals": 3},
    "wild.ranks: 'X'": {"wild__ranks": ("2", "X")},
    "wild.ranks: '23'": {"wild__ranks": ("23",)},
    "wild.natural_twos": {"wild__natural_twos": "in_place", "wild__ranks": ("JK",)},
    "wild.limit = -1": {"wild__limit": -1},
    "wild.min_naturals = -1": {"wild__min_naturals": -1},
    "run.max = 2": {"run__max": 2},
    "run.max = 14": {"run__max": 14},
    "run.ace": {"run__ace": "low"},
    "run.wrap": {"run__wrap": True},
    "score.ranks: every rank": {"score__ranks": {"3456789": 5, "TJQK": 10}},
    "score.ranks: every rank of A23456789TJQK needs": {
        "score__ranks": {"A23456789TJQK": 5, "K": 10}
    },
    "score.ranks: every": {"score__ranks": {"A23456789TJQKX": 5}},
    "score: -1 points": {"score__joker": -1},
    "buy.penalty = -1": {"buy__penalty": -1},
    "buy.penalty lists 2": {"buy__penalty": (1, 2)},
    "buy.limit_round lists 2": {"buy__limit_round": (3, 3)},
    "buy.limit_round = -1": {"buy__limit_round": -1},
    "buy.limit_round = -2": {"buy__limit_round": (3,) * 9 + (-2,)},
    "buy.limit_game = -1": {"buy__limit_game": -1},
    'out.empty_hand = "out"': {"out__empty_hand": "out"},
    'out.discard = "forbidden" leaves': {"out__discard": "forbidden"},
    "layoff.mandatory = true needs": {"layoff__targets": "own"},
    "stock.max_reshuffles = -1": {"stock__max_reshuffles": -1},
    "down.mandatory": {"down__mandatory": True, "down__timing": "next_turn"},
    "rounds[1].contract: 'Q4'": one_round(9, "S3 + Q4"),
    "rounds[1].contract: R13": one_round(14, "R13"),
    "rounds[1].deal = 27": one_round(27, "S3"),
    "rounds[1].deal = 0": one_round(0, "S3"),
    "rounds[1].contract takes 6 cards": one_round(4, "2xS3") | {"buy__limit_round": 0},
}


@pytest.mark.parametrize("key", CONTRADICTIONS)
def test_a_contradiction_is_told_in_one_sentence(key: str) -> None:
    """It names the key and what to change."""
    with pytest.raises(RuleSetError) as error:
        rules(**CONTRADICTIONS[key])
    assert error.value.code is ErrorCode.BAD_RULE_SET
    assert key in error.value.message
    assert "\n" not in error.value.message


def test_a_contradiction_in_a_file_names_the_file() -> None:
    """Found when the file is loaded, not when the game is played."""
    error = refused(TEXT.replace("penalty = 1", "penalty = -1"))
    assert error.code is ErrorCode.BAD_RULE_SET
    assert "buy.penalty" in error.message


def test_the_longest_run_follows_from_the_ranks() -> None:
    """R12 is possible from three to ace, R13 needs a low ace or two."""
    own = one_round(13, "R13") | {"run__max": 13}
    assert rules(**own, run__low_rank="2").contracts[0][0].size == 13
    with pytest.raises(RuleSetError):
        rules(**own)


def other_values(ruleset: RuleSet) -> Iterator[RuleSet]:
    """The rule set with each option changed that has another value, one at a time."""
    for group in msgspec.structs.fields(ruleset):
        inner = getattr(ruleset, group.name)
        if not isinstance(inner, msgspec.Struct):
            continue
        hints = get_type_hints(type(inner))
        for option in msgspec.structs.fields(inner):
            for value in _others(hints[option.name], getattr(inner, option.name)):
                changed = replace(inner, **{option.name: value})
                with contextlib.suppress(RuleSetError):  # it needs another option, too
                    yield replace(ruleset, **{group.name: changed})


def _others(hint: object, value: object) -> list[object]:
    """Values that an option could have instead."""
    if get_origin(hint) is Literal:
        return [other for other in get_args(hint) if other != value]
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1]
        case dict():
            return [{**value, "A2": 99}] if value else [{"AS": 15}]
        case ("2", "JK"):
            return [("JK",)]
        case str() | None:
            return [7]
        case _:
            return [(4,) * 10]


def test_the_hash_changes_with_any_option() -> None:
    """Every option there is, and the name, title and deals."""
    changed = [*other_values(HOLLYWOOD)]
    assert len(changed) > 40
    longer = (replace(HOLLYWOOD.rounds[0], deal=12), *HOLLYWOOD.rounds[1:])
    changed.append(replace(HOLLYWOOD, title="x"))
    changed.append(replace(HOLLYWOOD, name="x"))
    changed.append(replace(HOLLYWOOD, rounds=longer))
    hashes = {ruleset.hash for ruleset in changed}
    assert len(hashes | {HOLLYWOOD.hash}) == len(changed) + 1


def test_the_hash_is_that_of_the_options() -> None:
    """Loading again, and through a file with other blanks and comments."""
    assert load_rules("hollywood").hash == HOLLYWOOD.hash
    without = "\n".join(line.split("#")[0] for line in TEXT.splitlines())
    assert rules_from_toml(without, "hollywood", "x").hash == HOLLYWOOD.hash
    assert len(HOLLYWOOD.hash) == 16
    assert set(HOLLYWOOD.hash) <= set("0123456789abcdef")


CUP = """\
extend = "dummy"
title = "Cup of the house"
"""


def refused_file(tmp_path: Path, text: str) -> str:
    """What the author of a file on the disk is told: one sentence that begins with its place."""
    path = tmp_path / "house.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(RuleSetError) as error:
        load_rules(path)
    assert error.value.code is ErrorCode.BAD_RULE_SET
    message = error.value.message
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


TEN_BROKEN = {
    "a contract larger than any hand": (
        '[[rounds]]\ndeal = 7\ncontract = "3xS4"\n',
        ("rounds[1].contract takes 12 cards", "8", "deal more, or allow more buys"),
    ),
    "an unknown rank": (
        '[wild]\nranks = ["2", "B"]\n',
        ("wild.ranks", "'B' is no rank", "write A23456789TJQK or JK"),
    ),
    "two winners": (
        '[game]\nwinner = ["lowest", "lowest_finisher"]\n',
        ("game.winner", "array", 'write "lowest" or "lowest_finisher"'),
    ),
    "negative buys": (
        "[buy]\nenabled = true\nlimit_round = -1\n",
        ("buy.limit_round = -1", "give 0 or more"),
    ),
    "not TOML": ("[buy\nenabled = true\n", ("is not TOML", "line 3")),
    "a wrong type": (
        '[deck]\npacks = "two"\n',
        ("deck.packs", "'two'", 'a whole number or "per_two" or a list'),
    ),
    "an unknown key": (
        "[layoff]\nmandatry = true\n",
        ("unknown option layoff.mandatry", "did you mean layoff.mandatory?"),
    ),
    "an unknown group": ("[lay_off]\nmandatory = true\n", ("did you mean layoff?",)),
    "too many cards for the deck": (
        "[players]\nmax = 9\n",
        ("rounds[1].deal = 13", "9 players", "108 cards", "change deck.packs or players.max"),
    ),
    "no way out": (
        '[out]\nempty_hand = "out"\n',
        ('out.empty_hand = "out"', '"optional"'),
    ),
    "another game's end": (
        '[game]\nend = "after_rounds"\n',
        ('game.end = "after_rounds"', 'progress = "lockstep"', "first_finisher"),
    ),
    "a list of the wrong length": (
        "[deck]\njokers_total = [4, 4]\n",
        ("deck.jokers_total lists 2", "give one for each of 2 to 4 players"),
    ),
}


@pytest.mark.parametrize("name", TEN_BROKEN)
def test_a_broken_file_is_told_what_where_and_how(tmp_path: Path, name: str) -> None:
    """One sentence with the file, the key and the remedy."""
    text, parts = TEN_BROKEN[name]
    message = refused_file(tmp_path, CUP + text)
    for part in parts:
        assert part in message


def test_the_file_they_break_is_well_by_itself(tmp_path: Path) -> None:
    """And differs from what it extends by its title only."""
    path = tmp_path / "house.toml"
    path.write_text(CUP, "utf-8")
    own = replace(load_rules("dummy"), name="house", title="Cup of the house")
    assert load_rules(path) == own


def test_files_that_extend_each_other(tmp_path: Path) -> None:
    """The circle is named, whoever begins."""
    (tmp_path / "one.toml").write_text('extend = "two.toml"\n', "utf-8")
    (tmp_path / "two.toml").write_text('extend = "one.toml"\n', "utf-8")
    for name in ("one.toml", "two.toml"):
        with pytest.raises(RuleSetError) as error:
            load_rules(tmp_path / name)
        assert "extend itself" in error.value.message
        assert "one.toml" in error.value.message
        assert "two.toml" in error.value.message
    (tmp_path / "self.toml").write_text('extend = "self.toml"\n', "utf-8")
    with pytest.raises(RuleSetError, match="take one `extend` out"):
        load_rules(tmp_path / "self.toml")


def test_extending_what_is_not_there(tmp_path: Path) -> None:
    """The nearest name is offered; something else than a name is refused."""
    path = tmp_path / "house.toml"
    path.write_text('extend = "dumy"\n', "utf-8")
    with pytest.raises(RuleSetError, match="did you mean dummy") as error:
        load_rules(path)
    assert error.value.code is ErrorCode.UNKNOWN_RULE_SET
    assert "extend: name one" in refused_file(tmp_path, 'extend = ["dummy"]\n')


def test_a_file_extends_another_beside_it(tmp_path: Path) -> None:
    """Found next to the file that names it; groups are merged, lists and points replaced."""
    (tmp_path / "base.toml").write_text(
        'extend = "hollywood"\n[buy]\npenalty = 2\n[score]\njoker = 30\n', "utf-8"
    )
    (tmp_path / "own.toml").write_text(
        'extend = "base.toml"\n[buy]\ndiscarder = true\n[wild]\nranks = ["JK"]\n', "utf-8"
    )
    own = load_rules(tmp_path / "own.toml")
    assert own.name == "own"
    assert (own.buy.penalty, own.buy.discarder, own.score.joker) == (2, True, 30)
    assert own.wild.ranks == ("JK",)
    assert own.rounds == HOLLYWOOD.rounds


def test_a_fault_of_the_base_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    """And an unknown key of the base names the base."""
    (tmp_path / "base.toml").write_text('extend = "dummy"\n[byu]\n', "utf-8")
    (tmp_path / "own.toml").write_text('extend = "base.toml"\n', "utf-8")
    with pytest.raises(RuleSetError, match=r"base\.toml: unknown option byu"):
        load_rules(tmp_path / "own.toml")


def test_a_file_may_not_be_huge(tmp_path: Path) -> None:
    """Refused before it is parsed."""
    path = tmp_path / "huge.toml"
    path.write_text("#" * 70_000, "utf-8")
    with pytest.raises(RuleSetError, match="64 KiB"):
        load_rules(path)
