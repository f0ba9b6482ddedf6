"""The rules of a table in people's words, made from the options of its rule set.

A pure function from `RuleSet` to text: each sentence follows from options, each
option that matters is told by a sentence, and no option is named. Longer than other
files here: there is a sentence for each value of each option, and nothing else.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from hollywood.protocol.rules import RuleSet
from hollywood.protocol.rules.cards import JOKER, PLACE_RANKS

from .rulewords import (
    RANK_ORDER,
    RANK_PLURALS,
    capital,
    card_name,
    contract_in_words,
    listing,
    number,
    plural,
    rank_name,
    rank_spans,
    span,
    spans,
)

WIDTH = 78
"""The longest line of a sheet."""

Section = Callable[[RuleSet], Iterator[str]]


def rule_sheet(rules: RuleSet) -> str:
    """Write the rules so that a table of people could play from them.

    >>> from hollywood.protocol.rules import load_rules
    >>> print(rule_sheet(load_rules("dummy"))[:70])
    Dummy rummy, twelve meld sets
    =============================
    <BLANKLINE>
    2 to 4 players
    """
    lines = [*textwrap.wrap(rules.title, WIDTH)]
    lines += ["=" * min(WIDTH, len(lines[0])), "", _players(rules)]
    for title, items in sections(rules):
        lines += ["", title, "-" * len(title)]
        for item in items:
            lines += [item] if item.startswith("  ") else _bullet(item)
    return "\n".join(lines) + "\n"


def sections(rules: RuleSet) -> Iterator[tuple[str, list[str]]]:
    """Yield each heading with its sentences; lines of tables begin with two blanks."""
    return ((title, list(section(rules))) for title, section in _SECTIONS)


def summary(rules: RuleSet) -> str:
    """Say in one sentence what kind of game it is.

    >>> from hollywood.protocol.rules import load_rules
    >>> summary(load_rules("dummy"))
    '2 to 4 players, 12 contracts, hands of 13; twos and jokers wild; no buying.'
    """
    sizes = sorted({round_.deal for round_ in rules.rounds})
    hands = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    what = "contracts" if rules.progress == "per_player" else "deals"
    wild = listing(wild_names(rules)) or "nothing"
    buying = "a discard may be bought" if rules.buy.enabled else "no buying"
    return (
        f"{_players(rules)}, {len(rules.rounds)} {what}, hands of {hands}; {wild} wild; {buying}."
    )


# the sections


def _cards(rules: RuleSet) -> Iterator[str]:
    yield _deck(rules)
    way = "clockwise" if rules.turn.direction == "cw" else "counter-clockwise"
    yield (
        f"The turn goes round {way}. The player to the dealer's {rules.turn.first} goes first; "
        "the first dealer is drawn by lot."
    )
    if rules.deal.rotation == "winner":
        yield "Whoever goes out deals next; if nobody did, whoever went first does."
    else:
        yield "Whoever went first deals next."
    if rules.upcard.initial:
        yield "After the deal one card is turned up: it begins the discard pile."
    else:
        yield "No card is turned up: the first player can only draw from the stock."


def _contracts(rules: RuleSet) -> Iterator[str]:
    """The table of contracts, and who plays for which."""
    if rules.progress == "per_player":
        yield (
            "Each player has a contract of their own, from the first on. Whoever has gone down in "
            "a deal, whoever went out, plays for the next one in the next deal; the others try "
            "again."
        )
    else:
        yield "Everybody plays for the same contract, another one in each deal:"
    for i, (round_, contract) in enumerate(zip(rules.rounds, rules.contracts, strict=True), 1):
        words = textwrap.wrap(contract_in_words(contract), WIDTH - 18)
        yield f"  {i:2}  {round_.deal:2} cards  {words[0]}"
        yield from (f"                 {more}" for more in words[1:])
    if rules.meld.oversize == "allow":
        yield "A meld may have more cards than its contract asks for."
    else:
        yield "A meld has exactly as many cards as its contract asks for; it can grow later."


def _wilds(rules: RuleSet) -> Iterator[str]:
    names = wild_names(rules)
    if not names:
        yield "No card is wild."
    else:
        yield f"{capital(listing(names))} are wild: they stand for any card."
        yield from _wild_limits(rules)
    if JOKER not in rules.wilds and JOKER in rules.deck_cards:
        yield "Jokers are not wild: they fit no meld."


def _wild_limits(rules: RuleSet) -> Iterator[str]:
    if rules.has_natural_twos:
        run = "a run of its suit" if rules.run.suit == "same" else "a run"
        yield (
            f"A two is no wild card where it stands for itself: in its own place of {run}, or in a "
            "set of twos."
        )
    elif "2" in rules.wild.ranks:
        yield "A two is always wild, and never stands for itself."
    yield from _how_many_wilds(rules)
    if rules.wild.adjacent == "forbid":
        yield "In a run two wilds never lie side by side."
    else:
        yield "In a run wilds may lie side by side."
    yield "Whoever lays a wild says what it stands for."
    back = {
        "never": "Nobody takes a wild on the table back into the hand.",
        "run_down": (
            "Whoever has been down since an earlier turn may put the natural card in the place of "
            "a wild in a run on the table, and takes the wild; it must be laid off again in the "
            "same turn."
        ),
        "run_any": (
            "Whoever is in turn, down or not, may first put the natural card in the place of a "
            "wild in a run on the table, and takes the wild; it may be kept."
        ),
    }
    yield back[rules.wild.take_back]
    if rules.wild.relocate == "to_end":
        yield (
            "The natural card may be laid off on a wild in a run: the wild moves to the top end of "
            "the run, or to the low end where there is no room above."
        )
    else:
        yield "A wild does not move to another place of its meld."


def _how_many_wilds(rules: RuleSet) -> Iterator[str]:
    most = [rules.max_wilds(size) for size in range(2, 14)]
    if most == list(range(2, 14)):
        yield (
            "A meld may hold any number of wilds, laid at once or later; even wilds alone are a "
            "meld, if their player says of what."
        )
        return
    limit, least = rules.wild.limit, rules.wild.min_naturals
    if limit == "half":
        rule = "At most half of a meld may be wild"
    elif limit == "fewer":
        rule = "A meld has more natural cards than wilds"
    elif limit == "none":
        rule = "A meld may hold any number of wilds"
    else:
        rule = f"A meld holds at most {number(limit)} {plural(limit, 'wild')}"
    if least:
        rule += f", but at least {number(least)} natural {plural(least, 'card')}"
    examples = ", ".join(f"{max(0, rules.max_wilds(size))} of {size}" for size in (3, 4, 5, 6))
    yield f"{rule}: no more than {examples}."
    if rules.wild.limit_scope == "always":
        yield "That holds for a meld that grows, too."
    else:
        yield "That holds when a meld is laid; wilds laid off on it later are not counted."


def wild_names(rules: RuleSet) -> list[str]:
    """Return what cards are wild, in the plural."""
    return [RANK_PLURALS[rank] for rank in rules.wild.ranks]


def _melds(rules: RuleSet) -> Iterator[str]:
    yield "A set is cards of one rank."
    if rules.set.distinct_suits:
        yield "No suit comes twice among the natural cards of a set."
    else:
        yield "Suits do not matter in a set, and two equal cards may be in it."
    missing = [rank for rank in rules.wild.ranks if rank != "JK"]
    if rules.has_natural_twos:
        missing.remove("2")
    if missing:
        yield f"There are no sets of {listing([RANK_PLURALS[rank] for rank in missing], 'or')}."
    if rules.set.same_rank == "forbid":
        yield "Two sets of one contract differ in rank: six kings are one set, not two."
    else:
        yield "Two sets of one contract may be of the same rank."
    suit = "cards of one suit" if rules.run.suit == "same" else "cards of any suits"
    yield f"A run is {suit} in order of rank. {_run_ranks(rules)}"
    yield from _two_runs(rules)


def _run_ranks(rules: RuleSet) -> str:
    low, high = rules.low_place, rules.high_place
    if rules.run.wrap:
        ends = "It goes on over the ace, as in Q-K-A-2."
        places = 13
    else:
        lowest, highest = rank_name(PLACE_RANKS[low]), rank_name(PLACE_RANKS[high])
        places = high - low + 1
        ends = f"It lies between {lowest} and {highest}"
        if low == 1 and PLACE_RANKS[high] == "A":
            ends = "The ace is low, below the 2, or high, above the K, but not both in one run"
        ends += "; nothing goes over the ace, as in K-A-2."
    return f"{ends} No run has more than {min(rules.run.max, places, 13)} cards."


def _two_runs(rules: RuleSet) -> Iterator[str]:
    if rules.run.suit == "any":
        yield "Two runs of one contract need no distance between them."
        return
    yield {
        "any": "Two runs of one suit in one contract may follow each other or overlap.",
        "no_adjacent": (
            "Two runs of one suit in one contract may overlap or lie apart, but one may not go on "
            "where the other ends."
        ),
        "gap": "Between two runs of one suit in one contract at least one rank is missing.",
        "gap2": "Between two runs of one suit in one contract at least two ranks are missing.",
        "different": "Two runs of one contract are of different suits.",
    }[rules.run.same_suit]
    if rules.run.same_suit != "any":
        yield "That binds only the melds of one contract, when they are laid."


def _turn(rules: RuleSet) -> Iterator[str]:
    yield (
        "A turn begins with a draw: the top card of the stock, or the upcard, which is the top of "
        "the discard pile. What the upcard covers is dead: once covered, or left behind by a card "
        "taken from above it, a discard can no more be had."
    )
    if not rules.draw.down_may_take_discard:
        yield "Whoever is down draws from the stock only."
    else:
        yield "Whoever is down may take the upcard, too."
    yield "Then you may go down, and lay off cards if you are down."
    yield "The turn ends with a discard, face up." + (
        "" if rules.out.empty_hand == "illegal" else " Only an empty hand leaves none."
    )
    if rules.discard.return_upcard == "forbid":
        yield (
            "Whoever took the upcard does not discard it in the same turn, unless another such "
            "card was in hand, or it is the only card that may be discarded."
        )
    else:
        yield "Whoever took the upcard may discard it in the same turn."
    if rules.discard.playable == "forbid":
        yield (
            "Whoever is not down may not discard a card that fits a meld on the table; a wild fits "
            "wherever a meld can take one more. If every card in hand fits, any may be discarded."
        )
    else:
        yield "A card that fits a meld on the table may be discarded."


def _buying(rules: RuleSet) -> Iterator[str]:
    buy = rules.buy
    if not buy.enabled:
        yield "There is no buying: only the player in turn can get the upcard."
        return
    yield (
        "Before the player in turn draws, the others may ask for the upcard. If the player in turn "
        "takes it, it is the draw and costs nothing. Else the nearest in turn order who wants it "
        "buys it, whoever asked first."
    )
    penalties = [rules.buy_penalty(i) for i in range(len(rules.rounds))]
    price = _by_deal(rules, penalties, lambda n: f"{number(n)} {plural(n, 'card')}")
    if any(penalties):
        yield (
            f"A bought card brings a penalty from the stock, which others do not see: {price}. "
            "The buyer does not discard, and the player in turn draws from the stock."
        )
    else:
        yield (
            "A bought card costs nothing more. The buyer does not discard, and the player in turn "
            "draws from the stock."
        )
    if buy.down_players:
        yield "Players who are down may buy, unless their hand is empty."
    else:
        yield "Players who are down do not buy any more."
    if buy.discarder:
        yield "Whoever discarded the card may buy it back, last in line."
    else:
        yield "Whoever discarded the card may not buy it back."
    if rules.upcard.initial:
        may = "may be bought, too" if rules.upcard.buyable else "cannot be bought"
        yield f"The card turned up after the deal {may}."
    yield _limits(rules)
    if buy.successive == "not_twice_running":
        yield "Whoever has just bought a card may not buy the very next one on offer."
    yield "Nobody can buy when the stock could not give the penalty and the next draw."


def _limits(rules: RuleSet) -> str:
    deals = [rules.buy_limit(i) for i in range(len(rules.rounds))]
    game = rules.buy.limit_game
    whole = "" if game is None else f"{number(game)} {plural(game, 'buy')} in the whole game"
    numbers = [n for n in deals if n is not None]
    if not numbers:
        return f"Each player has {whole}." if whole else "There is no limit to buys."
    told = _by_deal(rules, numbers, lambda n: f"{number(n)} {plural(n, 'buy')}")
    left = f", and no more than {whole}" if whole else ""
    per = " a deal" if len(set(deals)) == 1 else ""
    return f"Each player has {told}{per}{left}. Unused ones are lost."


def _going_down(rules: RuleSet) -> Iterator[str]:
    yield "You go down by laying the whole contract at once, never a part of it."
    if rules.down.timing == "next_turn":
        last = " In the last deal the drawn card counts." if _takes_all(rules) else ""
        yield (
            "You can do so only if your hand had the contract before the draw of this turn." + last
        )
    else:
        yield "The card just drawn may be part of it."
    if rules.down.mandatory:
        yield "Whoever can go down must."
    else:
        yield "Nobody must go down."
    if rules.meld.extra == "allow":
        yield (
            "Whoever is down may lay further melds in later turns: sets of three or more, runs of "
            "four or more."
        )
    else:
        yield "Nobody lays melds beyond the contract."


def _laying_off(rules: RuleSet) -> Iterator[str]:
    when = {
        "same_turn": "from the turn of going down on",
        "next_turn": "from the turn after going down on",
    }[rules.layoff.first]
    whose = {"all": "any meld on the table", "own": "their own melds", "others": "others' melds"}
    yield (
        f"Players who are down may add cards to {whose[rules.layoff.targets]}, {when}. "
        "Nobody does so before going down."
    )
    yield "A set can take any number of cards; a run grows at both ends within its ranks."
    if rules.layoff.mandatory:
        keep = (
            " But one card is always kept for the discard."
            if rules.out.empty_hand == "illegal"
            else ""
        )
        yield (
            "Every card that fits must be laid off before the discard, in the order you like."
            + keep
        )
    else:
        yield "Nobody must lay off a card."


def _going_out(rules: RuleSet) -> Iterator[str]:
    if rules.out.discard == "forbidden":
        yield (
            "The deal ends when somebody lays the last card on the table. The last card in hand is "
            "never discarded."
        )
    elif rules.out.empty_hand == "out":
        yield "The deal ends as soon as a hand is empty, the last card laid or discarded."
    elif rules.out.empty_hand == "illegal":
        yield (
            "The deal ends when somebody discards the last card. So keep one: laying everything "
            "on the table is not allowed."
        )
    else:
        yield "The deal ends when somebody discards the last card."
        yield (
            "Whoever has laid everything and has nothing left to discard floats: the deal goes on, "
            "and in the own turns the floater draws from the stock and lays off or discards that "
            "card. If another player ends the deal, the floater scores nothing. An upcard that was "
            "there before is offered again."
        )
    if _takes_all(rules):
        which = "The last contract" if rules.progress == "per_player" else "The last deal"
        yield (
            f"{which} is different: whoever goes down lays the whole hand as the melds of the "
            "contract, without a discard or a lay-off, and ends the deal by that."
        )
    elif rules.progress == "lockstep":
        yield "The last deal is played as the others."
    yield from _stock(rules)


def _stock(rules: RuleSet) -> Iterator[str]:
    times = rules.stock.max_reshuffles
    if rules.stock.empty == "end" or times == 0:
        yield "When a card is due and the stock has none, the deal ends and everybody counts."
    else:
        yield _rebuilt(rules, times)
    yield f"In the same way a deal ends that has lasted {number(rules.game.max_turns)} turns."


def _rebuilt(rules: RuleSet, times: int | None) -> str:
    how = {
        "reshuffle": "are shuffled into a new one",
        "flip": "are turned over, unshuffled, as a new one",
    }[rules.stock.empty]
    often = {None: "as often as it takes", 1: "once in a deal", 2: "twice in a deal"}.get(
        times, f"{number(times or 0)} times in a deal"
    )
    return (
        f"When the stock cannot give what is due, the discards below the upcard {how}, {often}. "
        "When that is not possible, the deal ends and everybody counts."
    )


def _scoring(rules: RuleSet) -> Iterator[str]:
    yield "When the deal ends everybody counts the cards in hand:"
    yield from _values(rules)
    if rules.score.down_is_zero:
        yield "Whoever is down scores nothing, whatever is left in hand."
    else:
        yield "Whoever is down counts what is left, too. An empty hand scores nothing."


def _values(rules: RuleSet) -> Iterator[str]:
    by_rank = {rank: points for ranks, points in rules.score.ranks.items() for rank in ranks}
    rows: list[tuple[str, str]] = []
    faces = [rank for rank in "23456789" if by_rank[rank] == int(rank)]
    if len(faces) >= 3:
        rows.append((rank_spans(faces), "their number"))
    else:
        faces = []
    by_points: dict[int, list[str]] = {}
    for rank in RANK_ORDER:
        if rank not in faces:
            by_points.setdefault(by_rank[rank], []).append(rank)
    rows += [(rank_spans(ranks), str(points)) for points, ranks in sorted(by_points.items())]
    rows.append(("joker", str(rules.score.joker)))
    rows += [(card_name(card), str(points)) for card, points in rules.score.cards.items()]
    wide = max(len(name) for name, _ in rows)
    return (f"  {name:{wide}}  {points:>2}" for name, points in rows)


def _end(rules: RuleSet) -> Iterator[str]:
    last = len(rules.rounds)
    yield {
        "after_rounds": f"The game is over after {number(last)} {plural(last, 'deal')}.",
        "first_finisher": (
            "The game is over with the deal in which somebody goes down with the last contract."
        ),
        "all_finish": (
            "The game is over when everybody has gone down with the last contract. Whoever has "
            "done so is dealt no more cards, and scores nothing more."
        ),
    }[rules.game.end]
    if rules.game.max_deals is not None:
        yield f"It ends after {number(rules.game.max_deals)} deals in any case."
    if rules.game.winner == "lowest_finisher":
        yield (
            "The fewest points win, among those who have gone down with the last contract; if "
            "nobody has, among those who have come farthest."
        )
    else:
        yield "The fewest points win" + (
            ", whoever has come how far." if rules.progress == "per_player" else "."
        )
    yield {
        "shared": "Equal points share the win.",
        "fewest_points_last_round": (
            "Of equal totals the one with fewer points in the last deal wins; if these are equal, "
            "too, the win is shared."
        ),
        "most_zero_rounds": (
            "Of equal totals the one with more deals without a point wins; if these are equal, "
            "too, the win is shared."
        ),
        "playoff": (
            "On equal lowest totals the last deal is played again until they differ, at most "
            f"{number(last)} times; then the win is shared."
        ),
    }[rules.game.tie]


_SECTIONS: tuple[tuple[str, Section], ...] = (
    ("Cards and seats", _cards),
    ("Contracts", _contracts),
    ("Wild cards", _wilds),
    ("Sets and runs", _melds),
    ("The turn", _turn),
    ("Buying", _buying),
    ("Going down", _going_down),
    ("Laying off", _laying_off),
    ("Going out", _going_out),
    ("Scoring", _scoring),
    ("The end of the game", _end),
)


# words


def _deck(rules: RuleSet) -> str:
    """Tell the packs and jokers for each number of players."""
    counts = range(rules.players.min, rules.players.max + 1)
    decks = [Counter(card == JOKER for card in rules.deck_for(n)) for n in counts]
    named = [(deck[False] // 52, deck[True]) for deck in decks]
    if len(set(named)) == 1:
        packs, jokers = named[0]
        return f"{capital(_packs(packs, jokers))}: {52 * packs + jokers} cards."
    told = []
    for deck, same in groupby(zip(counts, named, strict=True), lambda entry: entry[1]):
        players = span([n for n, _ in same], "or")
        told.append(f"{_packs(*deck)} for {players} players")
    return f"{capital('; '.join(told))}."


def _packs(packs: int, jokers: int) -> str:
    """Write `two packs with four jokers`."""
    with_jokers = f"{number(jokers)} {plural(jokers, 'joker')}"
    return f"{number(packs)} {plural(packs, 'pack')} of 52 with {with_jokers}"


def _players(rules: RuleSet) -> str:
    least, most = rules.players.min, rules.players.max
    return f"{least} players" if least == most else f"{least} to {most} players"


def _takes_all(rules: RuleSet) -> bool:
    return rules.takes_all_cards(len(rules.rounds) - 1)


def _by_deal(rules: RuleSet, values: Sequence[int], tell: Callable[[int], str]) -> str:
    """Tell values that may differ between deals, each once."""
    if len(set(values)) == 1:
        return tell(values[0])
    what = "contracts" if rules.progress == "per_player" else "deals"
    told = []
    for value in dict.fromkeys(values):
        numbers = [i for i, other in enumerate(values, 1) if other == value]
        label = what if len(numbers) > 1 else what[:-1]
        told.append(f"{tell(value)} in {label} {listing(list(spans(numbers)))}")
    return ", ".join(told)


def _bullet(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="* ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
