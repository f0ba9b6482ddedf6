"""The rules of a table to be read while playing: the aim in a few sentences, and the sheet."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import partial

from hollywood.protocol.rules import RuleSet

from .rulesheet import sections, wild_names
from .rulewords import capital, listing


def in_short(rules: RuleSet, where: str = '"need" at the top') -> Iterator[str]:
    """Say what a beginner has to know before the first card; `where` the contract is told.

    >>> from hollywood.protocol.rules import load_rules
    >>> list(in_short(load_rules("hollywood")))[1].partition(". ")[0]
    'A set is cards of one rank; a run is cards of one suit in order'
    """
    yield (
        f"Each round asks for melds, its contract ({where}). Lay all of them at once: "
        "that is going down. Then lay off single cards on melds of the table, and get rid of the "
        "rest."
    )
    suit = "one suit" if rules.run.suit == "same" else "any suits"
    wilds = listing(wild_names(rules))
    wild = f"{capital(wilds)} are wild: they stand for any card." if wilds else "No card is wild."
    yield f"A set is cards of one rank; a run is cards of {suit} in order. {wild}"
    who = "Whoever is not down counts" if rules.score.down_is_zero else "The others count"
    win = "the fewest points win"
    if rules.game.winner == "lowest_finisher":
        win += ", of those who have made the last contract"
    holds = "they hold" if who.endswith("count") else "is still in hand"
    yield f"A round ends when somebody has no cards left. {who} what {holds}; {win}."


def rules_texts(rules: RuleSet, cols: int) -> Iterator[tuple[str, bool]]:
    """Yield each line of the sheet for so many columns, and whether it is a heading."""
    yield from ((line, True) for line in textwrap.wrap(rules.title, cols))
    for title, items in sections(rules):
        yield "", False
        yield title, True
        for item in items:
            yield from ((line, False) for line in _item(item, cols))


# a run over the ace, K-A-2, stays in one piece
_wrap = partial(textwrap.wrap, break_on_hyphens=False)


def _item(text: str, cols: int) -> list[str]:
    if not text.startswith("  "):
        return _wrap(text, cols, initial_indent="- ", subsequent_indent="  ")
    if len(text) <= cols:
        return [text]
    return _wrap(text, cols, subsequent_indent=" " * 6)


def rules_sentences(rules: RuleSet) -> Iterator[str]:
    """Yield the sheet as sentences, each to be understood when it is read aloud."""
    yield f"{rules.title}."
    for title, items in sections(rules):
        row = ""
        yield f"{title}:"
        for item in items:
            if not item.startswith("  "):
                yield from _told(row)
                row = ""
                yield item
            elif row and item.startswith(" " * 17):
                row += f" {item.strip()}"
            else:
                yield from _told(row)
                row = item
        yield from _told(row)


def _told(row: str) -> Iterator[str]:
    """Say a row of a table: what stands apart in it has a comma between."""
    if row:
        yield f"{', '.join(part.strip() for part in row.split('  ') if part.strip())}."
