"""The results of an event as one document, computed from what was folded.

No clock reading is in it: the same journal gives the same bytes.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import msgspec

from .course import Course
from .event import DUELS, Format
from .statistics import (
    Estimate,
    Numbers,
    Verdict,
    holm,
    mean_rank,
    non_transitive,
    p_value,
    win_share,
)
from .strength import Strength, strengths
from .tally import LUCK, SCORE, DealSums

SCHEMA = 1
MOST_FIELDS = 200
"""Margins at each table are listed for so many tables at most."""
_PLACES = 4
_SIGNIFICANT = 0.05

Document = dict[str, Any]


def results_of(course: Course) -> Document:
    """Return the results; scores are points a game, and fewer are better."""
    setup, event, tally = course.setup, course.event, course.tally
    numbers = Numbers(tally)
    pairs = _pairs(course, numbers)
    slope, explained = numbers.luck_slope()
    document: Document = {
        "schema": SCHEMA,
        "event": {
            "name": event.name,
            "digest": setup.digest,
            "engine": setup.engine,
            "format": event.format,
            "rules": setup.rules.name,
            "rules_hash": setup.rules.hash,
            "seats": event.seats,
            "deals": event.deals,
            "seed": event.seed,
            "own_piles": event.own_piles,
            "rated": event.rated,
        },
        "is_over": course.is_over,
        "sets": tally.sets,
        "games": tally.games,
        "ranking": [event.bots[bot].name for bot in ranking(course, numbers)],
        "bots": _bots(course, numbers),
        "pairs": pairs,
        "circles": _circles(course, pairs),
        "fields": _fields(course, numbers),
        "duels": _duels(course),
        "rounds": _rounds(course),
        "parked": [
            {
                "bot": event.bots[parked.bot].name,
                "after_set": parked.index,
                "replaced": parked.replaced,
                "games": parked.games,
            }
            for parked in course.parked
        ],
        "luck": {
            "coefficient": event.luck_coefficient,
            "measured": slope,
            "explained": explained,
        },
        "widest": [
            {"set": index, "game": game, "spread": spread}
            for spread, index, game in tally.wild_sets
        ],
    }
    rounded: Document = _rounded(msgspec.to_builtins(document))
    return rounded


def encode_results(document: Document) -> bytes:
    """Return results as JSON for people and programs."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def ranking(course: Course, numbers: Numbers) -> list[int]:
    """Return the bots from the best to the worst.

    In a knockout who went farther is better; otherwise it is the margin. Parked
    bots come last.
    """
    bots = range(len(course.event.bots))
    far = dict.fromkeys(bots, 0)
    if course.event.format is Format.KNOCKOUT:
        for placed in course.placed:
            for bot in placed.advance:
                far[bot] = placed.round
    out = {parked.bot for parked in course.parked}
    return sorted(bots, key=lambda bot: (bot in out, -far[bot], -numbers.margin(bot).mean, bot))


def _bots(course: Course, numbers: Numbers) -> list[Document]:
    event, tally = course.event, course.tally
    measured = strengths(tally)
    out = {parked.bot for parked in course.parked}
    return [
        {
            "name": entry.name,
            "bot": entry.bot,
            "games": tally.failed[bot].games,
            "margin": _estimate(numbers.margin(bot)),
            "corrected": _corrected(course, numbers.margin, bot),
            "points": numbers.mean(bot, SCORE),
            "win_share": win_share(numbers, bot),
            "mean_rank": mean_rank(numbers, bot),
            "luck": numbers.mean(bot, LUCK),
            "strength": _strength(measured[bot]),
            "strikes": dict(sorted(tally.failed[bot].strikes.items())),
            "strike_examples": tally.failed[bot].examples,
            "replaced": tally.failed[bot].replaced,
            "is_parked": bot in out,
            "deals": [
                {"deal": number, **_deal(sums)}
                for number, sums in sorted(tally.by_deal[bot].items())
            ],
        }
        for bot, entry in enumerate(event.bots)
    ]


def _deal(sums: DealSums) -> Document:
    games = sums.games
    return {
        "games": games,
        "points": sums.points / games,
        "buys": sums.buys / games,
        "down_share": sums.downs / games,
        "down_turn": sums.down_turns / sums.downs if sums.downs else None,
        "out_share": sums.outs / games,
    }


def _pairs(course: Course, numbers: Numbers) -> list[Document]:
    """Every two bots that met, with p-values adjusted for their number."""
    event = course.event
    bots = range(len(event.bots))
    met = [
        (one, other)
        for one in bots
        for other in bots
        if one < other and numbers.pair_weights(one, other)
    ]
    found = [numbers.pair(one, other) for one, other in met]
    adjusted = holm([p_value(estimate) for estimate in found])
    return [
        {
            "one": event.bots[one].name,
            "other": event.bots[other].name,
            "margin": _estimate(estimate),
            "corrected": _corrected(course, numbers.pair, one, other),
            "p": p_value(estimate),
            "p_holm": p,
            "is_different": p < _SIGNIFICANT,
        }
        for (one, other), estimate, p in zip(met, found, adjusted, strict=True)
    ]


def _circles(course: Course, pairs: list[Document]) -> list[list[str]]:
    names = [entry.name for entry in course.event.bots]
    beats = set()
    for pair in pairs:
        if pair["is_different"]:
            one, other = names.index(pair["one"]), names.index(pair["other"])
            beats.add((one, other) if pair["margin"]["mean"] > 0 else (other, one))
    return [[names[bot] for bot in circle] for circle in non_transitive(beats, len(names))]


def _fields(course: Course, numbers: Numbers) -> list[Document]:
    """The margin of each bot at each table: who is good depends on who else is there."""
    names = [entry.name for entry in course.event.bots]
    if len(numbers.tables) > MOST_FIELDS:
        return []
    return [
        {
            "table": [names[bot] for bot in table],
            "bot": names[bot],
            "margin": _estimate(numbers.at_table(bot, number)),
        }
        for number, table in enumerate(numbers.tables)
        for bot in sorted(set(table))
    ]


def _duels(course: Course) -> list[Document]:
    if course.event.format not in DUELS or not course.duels:
        return []
    names = [entry.name for entry in course.event.bots]
    return [
        {
            "challenger": names[table[0]],
            "reference": names[table[1]],
            "margin": _estimate(course.duels[number].estimate()),
            "gsprt": _verdict(course.verdict(number)),
            "is_decided": number in course.stopped,
        }
        for number, table in enumerate(course.round.tables)
    ]


def _rounds(course: Course) -> list[Document]:
    names = [entry.name for entry in course.event.bots]
    placed = {placed.round: [] for placed in course.placed}  # type: dict[int, list[Document]]
    for found in course.placed:
        placed[found.round].append(
            {
                "order": [names[bot] for bot in found.order],
                "advance": [names[bot] for bot in found.advance],
            }
        )
    return [
        {
            "number": round_.number,
            "is_null_check": round_.number == 0,
            "tables": [[names[bot] for bot in table] for table in round_.tables],
            "deals": round_.deals,
            "placed": placed.get(round_.number, []),
        }
        for round_ in course.rounds
    ]


def _corrected(course: Course, measure: Any, *bots: int) -> Document | None:  # noqa: ANN401
    coefficient = course.event.luck_coefficient
    if coefficient is None or not course.event.luck:
        return None
    return _estimate(measure(*bots, coefficient))


def _estimate(found: Estimate) -> Document:
    return {
        "mean": found.mean,
        "low": found.low,
        "high": found.high,
        "sd": found.sd,
        "deals": found.count,
    }


def _strength(found: Strength) -> Document:
    return {"value": found.value, "low": found.low, "high": found.high, "first": found.first}


def _verdict(found: Verdict) -> Document:
    return {
        "call": found.call,
        "llr": found.llr,
        "lower": found.lower,
        "upper": found.upper,
        "sets": found.sets,
    }


def _rounded(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, float):
        # what differs beyond that is the order in which a processor adds
        return round(value, _PLACES) + 0.0
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return value


def ranking_csv(document: Document) -> str:
    """Return the ranking as CSV."""
    rows: list[list[object]] = [
        [
            "place", "bot", "margin", "low", "high", "corrected", "points", "win_share",
            "mean_rank", "strength", "strength_low", "strength_high", "games", "strikes",
        ]
    ]  # fmt: skip
    by_name = {bot["name"]: bot for bot in document["bots"]}
    for place, name in enumerate(document["ranking"], 1):
        bot = by_name[name]
        margin, strength = bot["margin"], bot["strength"]
        corrected = bot["corrected"]["mean"] if bot["corrected"] else None
        rows.append(
            [
                place, name, margin["mean"], margin["low"], margin["high"], corrected,
                bot["points"], bot["win_share"], bot["mean_rank"], strength["value"],
                strength["low"], strength["high"], bot["games"], sum(bot["strikes"].values()),
            ]
        )  # fmt: skip
    return _csv(rows)


def crosstable_csv(document: Document) -> str:
    """Return who beats whom by how much as CSV, each pair from both sides."""
    rows: list[list[object]] = [["bot", "against", "margin", "low", "high", "deals", "p_holm"]]
    for cell in crosstable(document):
        margin = cell["margin"]
        rows.append(
            [
                cell["one"], cell["other"], margin["mean"], margin["low"], margin["high"],
                margin["deals"], cell["p_holm"],
            ]
        )  # fmt: skip
    return _csv(rows)


def crosstable(document: Document) -> list[Document]:
    """Return each pair from both sides."""
    cells = []
    for pair in document["pairs"]:
        margin = pair["margin"]
        low, high = margin["low"], margin["high"]
        turned = {
            **margin,
            "mean": -margin["mean"] + 0.0,
            "low": None if high is None else -high + 0.0,
            "high": None if low is None else -low + 0.0,
        }
        cells += [pair, {**pair, "one": pair["other"], "other": pair["one"], "margin": turned}]
    return cells


def _csv(rows: list[list[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
