"""`hollywood rules`: the rule sets there are, told to people and to programs."""

from __future__ import annotations

import textwrap

import click
import msgspec
from rich.console import Console
from rich.table import Table as RichTable

from hollywood.protocol.rules import RuleSet, load_rules, rule_set_names

from .options import Rules
from .rulesheet import WIDTH, rule_sheet, summary

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.group()
def rules() -> None:
    r"""Rule sets: list them, read one, check your own.

    \b
    Example:
      hollywood rules show hollywood
    """


@rules.command("list")
@json_option
def list_rules(as_json: bool) -> None:
    r"""List the rule sets that come along.

    \b
    Example:
      hollywood rules list
    """
    loaded = [load_rules(name) for name in rule_set_names()]
    if as_json:
        _print_json({"rule_sets": [_entry(rule_set) for rule_set in loaded]})
        return
    table = RichTable("name", "title", "players", "deals", box=None)
    for rule_set in loaded:
        least, most = rule_set.players.min, rule_set.players.max
        players = str(least) if least == most else f"{least} to {most}"
        table.add_row(rule_set.name, rule_set.title, players, str(len(rule_set.rounds)))
    Console().print(table)


def _entry(rule_set: RuleSet) -> dict[str, object]:
    return {
        "name": rule_set.name,
        "title": rule_set.title,
        "players": {"min": rule_set.players.min, "max": rule_set.players.max},
        "deals": len(rule_set.rounds),
        "hash": rule_set.hash,
    }


@rules.command("show")
@click.argument("rule_set", metavar="RULES", type=Rules())
@json_option
def show_rules(rule_set: RuleSet, as_json: bool) -> None:
    r"""Print the rules as a sheet to play from.

    RULES is a name from `rules list`, or a TOML file.

    \b
    Example:
      hollywood rules show liverpool
      hollywood rules show my_house.toml --json
    """
    if as_json:
        options = msgspec.to_builtins(rule_set)
        _print_json({"name": rule_set.name, "hash": rule_set.hash, **options})
    else:
        click.echo(rule_sheet(rule_set), nl=False)


@rules.command("check")
@click.argument("file")
def check_rules(file: str) -> None:
    r"""Read a rule file, and say what is wrong with it or what it plays.

    \b
    Example:
      hollywood rules check my_house.toml
    """
    rule_set = load_rules(file)
    click.echo(f"{file}: all right")
    click.echo(textwrap.fill(f"{rule_set.title}: {summary(rule_set)}", WIDTH))


def _print_json(document: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
