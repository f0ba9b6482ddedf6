"""`hollywood laydown`: what a hand can do, for people and as JSON."""

from __future__ import annotations

import click
import msgspec

from hollywood.protocol.errors import NotationError
from hollywood.protocol.rules import (
    Card,
    Contract,
    Hand,
    Laydown,
    RuleSet,
    best_laydown,
    format_contract,
    format_hand,
    parse_contract,
    parse_hand,
)
from hollywood.protocol.rules.laydowns import Outlook, outlook

from .narrate import describe_contract, describe_meld
from .options import Rules


class Answer(msgspec.Struct, frozen=True):
    """Everything there is to say about a hand and a contract."""

    rules: str
    contract: str
    hand: Hand
    distance: int | None
    """Fewest cards missing; null: no cards added could help."""
    useful: Hand
    laydown: Laydown | None
    after_discards: dict[Card, int | None]
    """For each card the distance without it."""


def answer(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None) -> Answer:
    """Ask the search everything.

    Raises:
        NotationError: the hand has more copies of a card than there are.
    """
    look: Outlook = outlook(hand, contract, rules, deal)
    return Answer(
        rules=rules.name,
        contract=format_contract(contract),
        hand=hand,
        distance=look.distance,
        useful=look.useful,
        laydown=best_laydown(hand, contract, rules, deal),
        after_discards=look.after_discards,
    )


def describe(said: Answer, contract: Contract) -> list[str]:
    """Put the answer into words."""
    need = describe_contract(contract)
    lines = [f"{len(said.hand)} cards for {need}: {format_hand(said.hand)}"]
    if said.laydown is not None:
        lines.append("This hand can go down:")
        lines += [f"  {describe_meld(m)}: {format_hand(m.cards)}" for m in said.laydown.melds]
        left = format_hand(said.laydown.cards_left) or "nothing"
        lines.append(f"It leaves {left} ({said.laydown.points_left} points).")
    elif said.distance is None:
        lines.append("No cards added could make that contract.")
    else:
        cards = "1 card is" if said.distance == 1 else f"{said.distance} cards are"
        lines.append(f"{cards} missing. Useful: {format_hand(said.useful) or 'none alone'}.")
    free = [card for card, left in said.after_discards.items() if left == said.distance]
    if free:
        lines.append(f"Can be spared: {format_hand(free)}.")
    return lines


@click.command()
@click.option(
    "--rules", type=Rules(), default="hollywood", show_default=True, help="Rule set or TOML file."
)
@click.option("--contract", "text", help='As in "2xS3 + R4".')
@click.option("--round", "number", type=click.IntRange(min=1), help="The contract of that round.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.argument("cards", nargs=-1, required=True)
def laydown(
    rules: RuleSet, text: str | None, number: int | None, as_json: bool, cards: tuple[str, ...]
) -> None:
    r"""Say what a hand can do: laydown, cards missing, useful cards.

    CARDS are codes: rank A23456789TJQK and suit CDHS, or JK.

    \b
    Example:
      hollywood laydown --contract "2xS3 + R4" "KS KH KD 9C 9D 3S 4S 6S JK 2D"
    """
    if (text is None) == (number is None):
        raise click.UsageError('say what to lay: --contract "2xS3 + R4", or --round 2')
    if number is not None and number > len(rules.rounds):
        raise click.UsageError(f"{rules.title}: give --round 1 to {len(rules.rounds)}")
    try:
        hand = parse_hand(" ".join(cards))
        deal = None if number is None else number - 1
        contract = rules.contracts[deal] if deal is not None else parse_contract(text or "")
        said = answer(hand, contract, rules, deal)
    except NotationError as error:
        raise click.UsageError(f"{error} [{error.code}]") from None
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(said), indent=1).decode())
    else:
        click.echo("\n".join(describe(said, contract)))
