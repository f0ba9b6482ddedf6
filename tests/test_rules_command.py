"""`hollywood rules`, and the sheet of rules that it prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from builders import rules
from hollywood.client.rulesheet import WIDTH, rule_sheet, sections, summary
from hollywood.protocol.errors import RuleSetError
from hollywood.protocol.rules import RuleSet, load_rules, rule_set_names
from hollywood.protocol.rules.rulefiles import rules_from_toml
from test_cli import hollywood

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
HOUSE = re.search(r"<!-- house -->\n```toml\n(.*?)```", README, flags=re.S)

NAMES = rule_set_names()


# the command


def test_list_names_every_rule_set() -> None:
    result = hollywood("rules", "list")
    assert result.returncode == 0, result.stderr
    for name in NAMES:
        assert re.search(rf"^ {name} .*\d to \d +\d+ *$", result.stdout, flags=re.M), name


def test_list_as_json() -> None:
    result = hollywood("rules", "list", "--json")
    assert result.returncode == 0, result.stderr
    entries = json.loads(result.stdout)["rule_sets"]
    assert [entry["name"] for entry in entries] == NAMES
    dummy = next(entry for entry in entries if entry["name"] == "dummy")
    assert dummy == {
        "name": "dummy",
        "title": "Dummy rummy, twelve meld sets",
        "players": {"min": 2, "max": 4},
        "deals": 12,
        "hash": load_rules("dummy").hash,
    }


def test_show_prints_the_sheet() -> None:
    result = hollywood("rules", "show", "liverpool")
    assert result.returncode == 0, result.stderr
    assert result.stdout == rule_sheet(load_rules("liverpool"))


def test_show_prints_every_option_as_json() -> None:
    result = hollywood("rules", "show", "kalooki_ja", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    loaded = load_rules("kalooki_ja")
    assert document["hash"] == loaded.hash
    assert document["score"]["cards"] == {"AD": 1, "AH": 1}
    assert set(document) == {*loaded.__struct_fields__, "hash"}


def test_show_takes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "sunday.toml"
    path.write_text('extend = "dummy"\ntitle = "Sunday"\n', "utf-8")
    result = hollywood("rules", "show", str(path))
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("Sunday\n======\n")


def test_check_says_all_right_and_what_is_played(tmp_path: Path) -> None:
    path = tmp_path / "sunday.toml"
    path.write_text('extend = "dummy"\ntitle = "Sunday"\n', "utf-8")
    result = hollywood("rules", "check", str(path))
    assert result.returncode == 0, result.stderr
    first, *rest = result.stdout.splitlines()
    assert first == f"{path}: all right"
    assert " ".join(rest) == f"Sunday: {summary(load_rules(path))}"


WRONG = {
    "not TOML": ("this is no TOML", "is not TOML"),
    "unknown option": ('extend = "dummy"\n[buy]\nlimit = 3\n', "unknown option buy.limit"),
    "wrong type": ('extend = "dummy"\n[wild]\nranks = "2"\n', "wild.ranks"),
    "contradiction": ('extend = "dummy"\n[players]\nmin = 5\n', "players.min = 5"),
    "unknown base": ('extend = "dumy"\n', "did you mean dummy?"),
}


@pytest.mark.parametrize("name", WRONG)
def test_check_says_what_is_wrong_in_one_sentence(name: str, tmp_path: Path) -> None:
    text, told = WRONG[name]
    path = tmp_path / "bad.toml"
    path.write_text(text, "utf-8")
    result = hollywood("rules", "check", str(path))
    assert result.returncode == 1
    assert result.stdout == ""
    assert told in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_check_of_a_file_that_is_not_there() -> None:
    result = hollywood("rules", "check", "no/such.toml")
    assert result.returncode == 1
    assert "[unknown_rule_set]" in result.stderr


@pytest.mark.parametrize("args", [("show",), ("check",), ("show", "hollywod"), ("shwo", "dummy")])
def test_wrong_use(args: tuple[str, ...]) -> None:
    result = hollywood("rules", *args)
    assert result.returncode == 2
    assert result.stdout == ""


@pytest.mark.parametrize("command", [(), ("list",), ("show",), ("check",)])
def test_help_has_an_example(command: tuple[str, ...]) -> None:
    result = hollywood("rules", *command, "--help")
    assert result.returncode == 0
    assert "Example:" in result.stdout


# a house's own rules


def test_the_house_file_of_the_readme_loads_and_is_played(tmp_path: Path) -> None:
    assert HOUSE is not None
    path = tmp_path / "my_house.toml"
    path.write_text(HOUSE[1], "utf-8")
    house, base = load_rules(path), load_rules("hollywood")
    assert house.hash != base.hash
    assert house.deck == base.deck
    args = ("--bots", "random,random,random", "--games", "1", "--json")
    result = hollywood("simulate", "--rules", str(path), *args)
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert (document["rules"], document["rules_hash"]) == ("my_house", house.hash)
    deals = document["games"][0]["deals"]
    assert [deal["contracts"][0] for deal in deals] == [r.contract for r in house.rounds]


# the sheet


@pytest.mark.parametrize("name", NAMES)
def test_a_sheet_is_readable(name: str) -> None:
    """No line is too long, no sentence open, and no option is named."""
    sheet = rule_sheet(load_rules(name))
    lines = sheet.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert not re.search(r"[a-z]_[a-z]|[a-z]\.[a-z]|None|True|False|\{|\}|  \.", sheet)
    for _, items in sections(load_rules(name)):
        for item in items:
            if not item.startswith("  "):
                assert item[0].isupper(), item
                assert item[-1] in ".:", item


def test_a_sheet_tells_each_contract_and_value() -> None:
    sheet = rule_sheet(load_rules("hollywood"))
    assert " 4  11 cards  three sets of three and a run of four\n" in sheet
    assert "10  11 cards  three runs of five\n" in sheet
    assert "  3 to 9    5\n  10 to K  10\n  2, A     20\n  joker    20\n" in sheet
    assert "three buys in deals 1 to 9, four buys in deal 10" in sheet.replace("\n ", "")


TOLD: dict[str, tuple[str, ...]] = {
    "contract_rummy": (
        "Two packs of 52 with four jokers for 3 or 4 players",
        "may put the natural card in the place of a wild",
        "2 to 9 their number",
        "may not buy the very next one on offer",
        "The last deal is different",
    ),
    "dummy": (
        "Each player has a contract of their own",
        "Whoever is down draws from the stock only",
        "There is no buying",
        "laying everything on the table is not allowed",
        "even wilds alone are a meld",
        "among those who have gone down with the last contract",
    ),
    "hollywood_seven": (
        "only if your hand had the contract before the draw",
        "In the last deal the drawn card counts",
        "no more than 1 of 3, 1 of 4, 2 of 5, 2 of 6",
        "may buy it back, last in line",
    ),
    "hollywood_seven_chips": ("ten buys in the whole game",),
    "continental": ("as in Q-K-A-2", "two wilds never lie side by side"),
    "jo": ("No card is turned up", "three packs of 52 with four jokers for 5 players"),
    "kalooki_ja": ("A of hearts 1", "moves to the top end", "are of different suits"),
    "frustration": ("A run is cards of any suits", "a pair and a set of six"),
    "may_i_pagat": ("one card in deals 1 to 6, two cards in deal 7",),
    "shanghai7": ("The last card in hand is never discarded", "A meld holds at most one wild"),
    "progressive15": ("two buys in deals 12 and 13", "a run of five and a pair"),
}


@pytest.mark.parametrize("name", TOLD)
def test_a_sheet_tells_what_is_special(name: str) -> None:
    sheet = " ".join(rule_sheet(load_rules(name)).split())
    for words in TOLD[name]:
        assert words in sheet, words


FLIPS: tuple[dict[str, object], ...] = (
    {"players__min": 3},
    {"players__max": 7},
    {"deck__packs": 5},
    {"deck__packs": "per_two"},
    {"deck__jokers": 1},
    {"deck__jokers_total": 5},
    {"turn__direction": "cw"},
    {"turn__first": "left"},
    {"deal__rotation": "winner"},
    {"upcard__initial": False},
    {"upcard__buyable": False},
    {"draw__down_may_take_discard": False},
    {"discard__return_upcard": "allow"},
    {"discard__playable": "allow"},
    {"buy__enabled": False, "rounds": load_rules("hollywood").rounds[:3], "buy__limit_round": None},
    {"buy__down_players": False},
    {"buy__discarder": True},
    {"buy__limit_round": None},
    {"buy__limit_round": 5},
    {"buy__limit_game": 12},
    {"buy__limit_game": 12, "buy__limit_round": None},
    {"buy__penalty": 2},
    {"buy__penalty": 0},
    {"buy__penalty": (1, 2) * 5},
    {"buy__successive": "not_twice_running"},
    {"wild__ranks": ("JK",)},
    {"wild__ranks": ("2",)},
    {"wild__ranks": ("2", "A", "JK")},
    {"wild__ranks": ()},
    {"wild__natural_twos": "in_place"},
    {"wild__limit": "fewer"},
    {"wild__limit": "none"},
    {"wild__limit": 2},
    {"wild__min_naturals": 2},
    {"wild__limit_scope": "creation"},
    {"wild__adjacent": "forbid"},
    {"wild__take_back": "run_down"},
    {"wild__take_back": "run_any"},
    {"wild__relocate": "to_end"},
    {"meld__oversize": "exact"},
    {"meld__extra": "allow"},
    {"set__same_rank": "allow"},
    {"set__distinct_suits": True},
    {"run__suit": "any", "run__same_suit": "any"},
    {"run__same_suit": "any"},
    {"run__same_suit": "no_adjacent"},
    {"run__same_suit": "gap2"},
    {"run__same_suit": "different"},
    {"run__ace": "both", "run__low_rank": "A"},
    {"run__ace": "low", "run__low_rank": "A"},
    {"run__low_rank": "2"},
    {"run__ace": "both", "run__low_rank": "A", "run__wrap": True},
    {"run__max": 11},
    {"down__timing": "next_turn"},
    {"down__mandatory": True},
    {"layoff__first": "next_turn"},
    {"layoff__targets": "own", "layoff__mandatory": False},
    {"layoff__targets": "others", "layoff__mandatory": False},
    {"layoff__mandatory": False},
    {"out__discard": "optional", "out__empty_hand": "out"},
    {"out__discard": "forbidden", "out__empty_hand": "out", "layoff__mandatory": False},
    {"out__empty_hand": "illegal"},
    {"final_round": "all_cards_no_discard"},
    {"stock__empty": "flip"},
    {"stock__empty": "end"},
    {"stock__max_reshuffles": None},
    {"stock__max_reshuffles": 3},
    {"score__joker": 30},
    {"score__ranks": {"3456789": 5, "TJQK": 10, "A": 15, "2": 20}},
    {"score__cards": {"QS": 40}},
    {"score__down_is_zero": True},
    {"game__tie": "fewest_points_last_round"},
    {"game__tie": "most_zero_rounds"},
    {"game__tie": "playoff"},
    {"game__max_deals": 30},
    {"game__max_turns": 200},
    {"progress": "per_player", "game__end": "first_finisher", "game__max_deals": 40},
    {"progress": "per_player", "game__end": "all_finish", "game__max_deals": 40},
    {
        "progress": "per_player",
        "game__end": "all_finish",
        "game__max_deals": 40,
        "game__winner": "lowest_finisher",
    },
)


def test_each_option_changes_the_sheet() -> None:
    """So that none is forgotten: no two of these tables have one sheet."""
    sheets: dict[str, dict[str, object]] = {rule_sheet(rules()): {}}
    for flip in FLIPS:
        sheet = rule_sheet(rules(**flip))
        assert sheet not in sheets, (flip, sheets.get(sheet))
        sheets[sheet] = flip


def test_every_option_is_flipped() -> None:
    """Those with one value only aside."""
    fixed = {"discard.covered", "discard.playable_fallback", "buy.priority", "buy.window"}
    flipped = {key.replace("__", ".") for flip in FLIPS for key in flip}
    assert option_names(rules()) - fixed - {"name", "title"} <= flipped


def option_names(rule_set: RuleSet) -> set[str]:
    """Every option, as RULES.md writes it."""
    names = set()
    for group in rule_set.__struct_fields__:
        inner = getattr(rule_set, group)
        fields = getattr(inner, "__struct_fields__", None)
        names |= {f"{group}.{field}" for field in fields} if fields else {group}
    return names


# what the files must not say


def test_a_last_round_with_exact_melds_that_nobody_can_lay() -> None:
    """Thirteen cards never fit a contract of twelve, if its melds cannot grow."""
    text = 'extend = "contract_rummy"\n[meld]\noversize = "exact"\n'
    with pytest.raises(RuleSetError, match=r"meld\.oversize"):
        rules_from_toml(text, "mine", "mine.toml")
