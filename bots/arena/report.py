"""The report of an event: one HTML file that needs nothing else, no script either."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from .pictures import by_deal, margins, strength
from .results import Document, crosstable

_STYLE = """
:root { --ink: #22303c; --quiet: #5b6b78; --line: #dfe5ea; --soft: #f5f7f9; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; color: var(--ink);
  background: #fff; max-width: 78rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; border-top: 1px solid var(--line);
  padding-top: 1.25rem; }
p { margin: .4rem 0; max-width: 46rem; }
.quiet { color: var(--quiet); }
.lead { font-size: 1.1rem; margin: 1rem 0; }
.warn { background: #fff4e5; border-left: 4px solid #d98200; padding: .5rem .8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .75rem 0; font-variant-numeric: tabular-nums;
  font-size: .93rem; }
th, td { padding: .32rem .65rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th { font-weight: 600; color: var(--quiet); }
th.name, td.name { text-align: left; color: var(--ink); }
td small { color: var(--quiet); }
tr.out td { color: var(--quiet); text-decoration: line-through; }
td.text { text-align: left; white-space: normal; min-width: 16rem; }
td.cell { text-align: center; line-height: 1.25; }
svg { max-width: 100%; height: auto; display: block; margin: .5rem 0; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--quiet); }
"""
_MOST_FIELDS = 60


def page_of(
    document: Document, times: Document | None = None, records: Sequence[Document] = ()
) -> str:
    """Return the page.

    Args:
        document: The results.
        times: What the clock said, if it is known.
        records: Games that can be replayed: `set`, `game`, `why`, `href`.
    """
    parts = [
        _head(document),
        _ranking(document),
        _duels(document),
        _crosstable(document),
        _fields(document),
        _rounds(document),
        _play(document),
        _luck(document),
        _strikes(document),
        _times(times),
        _records(records),
        _notes(document),
    ]
    name = escape(document["event"]["name"])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def _head(document: Document) -> str:
    event = document["event"]
    best = document["ranking"][0]
    by_name = {bot["name"]: bot for bot in document["bots"]}
    margin = by_name[best]["margin"]
    piles = "each seat drawing from its own pile" if event["own_piles"] else "one stock for all"
    lines = [
        f"<h1>{escape(event['name'])}</h1>",
        f'<p class="quiet">{escape(event["format"].replace("_", " "))} at {event["seats"]} seats, '
        f"rules {escape(event['rules'])}; {document['sets']:,} deal sets, "
        f"{document['games']:,} games, every deal played in all rotations of the seats, "
        f"{piles}.</p>",
        f'<p class="lead"><strong>{escape(best)}</strong> came first: {_signed(margin["mean"])} '
        f"points a game against the others at its tables{_interval_words(margin)}.</p>",
    ]
    if not document["is_over"]:
        lines.append('<p class="warn">The event is not over: these are the results so far.</p>')
    lines += [
        f'<p class="warn">{escape(parked["bot"])} was taken out after deal set '
        f"{parked['after_set']}: a stand-in had to finish {parked['replaced']} of its "
        f"{parked['games']} games.</p>"
        for parked in document["parked"]
    ]
    return "\n".join(lines)


def _ranking(document: Document) -> str:
    by_name = {bot["name"]: bot for bot in document["bots"]}
    has_luck = any(bot["corrected"] for bot in document["bots"])
    head = ["", "bot", "margin", "95 % interval"]
    head += ["without luck"] if has_luck else []
    head += ["points a game", "games won", "mean rank", "strength", "games"]
    rows = []
    for place, name in enumerate(document["ranking"], 1):
        bot = by_name[name]
        margin, power = bot["margin"], bot["strength"]
        row = [str(place), _name(name), _signed(margin["mean"]), _interval(margin)]
        if has_luck:
            row.append(_with_half(bot["corrected"]) if bot["corrected"] else "")
        row += [
            f"{bot['points']:.1f}",
            f"{bot['win_share']:.0%}",
            f"{bot['mean_rank']:.2f}",
            f"{_signed(power['value'], 2)} <small>{_signed(power['low'], 2)} to "
            f"{_signed(power['high'], 2)}</small>",
            f"{bot['games']:,}",
        ]
        rows.append(row)
    text = (
        "<p>Points are penalties: fewer are better. The <em>margin</em> is the mean of the other "
        "seats' points less the bot's own, a game; its interval is over deals, each of which is "
        "one observation however many games were played with its cards.</p>"
    )
    return "\n".join(
        [
            "<h2>Ranking</h2>",
            text,
            margins(document),
            _table(head, rows, names=(1,)),
            f"<details><summary>Strengths as a picture</summary>{strength(document)}</details>",
        ]
    )


def _duels(document: Document) -> str:
    if not document["duels"]:
        return ""
    rows = []
    for duel in document["duels"]:
        test = duel["gsprt"]
        rows.append(
            [
                _name(duel["challenger"]),
                _name(duel["reference"]),
                _with_half(duel["margin"]),
                f"{duel['margin']['deals']:,}",
                escape(test["call"]) + ("" if duel["is_decided"] else " (not what stopped it)"),
                f"{test['llr']:.2f} <small>({test['lower']:.2f} to {test['upper']:.2f})</small>",
            ]
        )
    head = ["challenger", "against copies of", "margin", "deal sets", "test", "evidence"]
    text = (
        "<p>The margin is what was measured. The test is another thing: it weighs two guesses of "
        "the margin against each other and stops as soon as one is clearly the better guess, so "
        "what it has measured by then lies on average a little too far out.</p>"
    )
    return "\n".join(["<h2>Duels</h2>", text, _table(head, rows, names=(0, 1))])


def _crosstable(document: Document) -> str:
    cells = {(cell["one"], cell["other"]): cell for cell in crosstable(document)}
    if not cells:
        return ""
    names = document["ranking"]
    widest = max(abs(cell["margin"]["mean"]) for cell in cells.values()) or 1.0
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = [f'<tr><th class="name">bot</th>{head}</tr>']
    for one in names:
        row = "".join(_cell(cells.get((one, other)), widest, one == other) for other in names)
        lines.append(f'<tr><td class="name">{escape(one)}</td>{row}</tr>')
    text = (
        "<p>By how many points a game the bot of the row beats that of the column where both sat "
        "at a table. <strong>Bold</strong>: different after Holm's correction for "
        f"{len(document['pairs'])} pairs (5 %).</p>"
    )
    parts = [
        "<h2>Who beats whom</h2>",
        text,
        f'<div class="wide"><table>{"".join(lines)}</table></div>',
    ]
    if document["circles"]:
        circles = "; ".join(
            " beats ".join([*map(escape, c), escape(c[0])]) for c in document["circles"]
        )
        parts.append(f'<p class="warn">No order fits all: {circles}.</p>')
    else:
        parts.append('<p class="quiet">No three bots beat each other in a circle.</p>')
    return "\n".join(parts)


def _cell(cell: Document | None, widest: float, is_self: bool) -> str:
    if is_self:
        return '<td class="cell" style="background:#eceff2"></td>'
    if cell is None:
        return '<td class="cell"><small>did not meet</small></td>'
    mean = cell["margin"]["mean"]
    share = min(1.0, abs(mean) / widest) * 0.45
    colour = f"rgba(58,157,93,{share:.2f})" if mean > 0 else f"rgba(209,73,91,{share:.2f})"
    text = _with_half(cell["margin"]).replace(" <small>", "<br><small>")
    text = f"<strong>{text}</strong>" if cell["is_different"] else text
    return f'<td class="cell" style="background:{colour}">{text}</td>'


def _fields(document: Document) -> str:
    fields = document["fields"]
    if not fields or len({tuple(field["table"]) for field in fields}) == 1:
        return ""
    rows = [
        [
            _name(field["bot"]),
            escape(", ".join(field["table"])),
            _with_half(field["margin"]),
            f"{field['margin']['deals']:,}",
        ]
        for field in fields[:_MOST_FIELDS]
    ]
    left = len(fields) - len(rows)
    more = f'<p class="quiet">{left} more are in results.json.</p>' if left else ""
    return "\n".join(
        [
            "<h2>Margins by field</h2>",
            "<p>How good a bot is depends on who else is at the table.</p><details><summary>"
            f"{len(fields)} margins</summary>",
            _table(["bot", "table", "margin", "deal sets"], rows, names=(0, 1)),
            more,
            "</details>",
        ]
    )


def _rounds(document: Document) -> str:
    rounds = [found for found in document["rounds"] if not found["is_null_check"]]
    if len(rounds) < 2:
        return ""
    rows = []
    for found in rounds:
        placed = {tuple(sorted(p["order"])): p for p in found["placed"]}
        for table in found["tables"]:
            result = placed.get(tuple(sorted(table)))
            gone = ("on go " + ", ".join(result["advance"])) if result else ""
            rows.append([str(found["number"]), escape(", ".join(table)), escape(gone)])
    return "\n".join(["<h2>Rounds</h2>", _table(["round", "table", ""], rows, names=(1, 2))])


def _play(document: Document) -> str:
    parts = [
        "<h2>How they play</h2>",
        "<p>Means over all games of the event, for each deal of a game.</p>",
        by_deal(document, "points", "points"),
        by_deal(document, "down_turn", "own turn of going down"),
        by_deal(document, "buys", "cards bought"),
    ]
    rows = []
    for name in document["ranking"]:
        bot = next(bot for bot in document["bots"] if bot["name"] == name)
        deals = bot["deals"]
        if not deals:
            continue
        games = sum(deal["games"] for deal in deals)

        def mean(key: str, deals: list[Document] = deals, games: int = games) -> float:
            return float(sum((deal[key] or 0.0) * deal["games"] for deal in deals) / games)

        downs = sum(deal["down_share"] * deal["games"] for deal in deals)
        turns = sum((deal["down_turn"] or 0) * deal["down_share"] * deal["games"] for deal in deals)
        rows.append(
            [
                _name(name),
                f"{mean('points'):.1f}",
                f"{mean('down_share'):.0%}",
                f"{turns / downs:.1f}" if downs else "never",
                f"{mean('out_share'):.0%}",
                f"{mean('buys'):.2f}",
            ]
        )
    head = ["bot", "points a deal", "goes down", "in its turn", "goes out", "buys a deal"]
    return "\n".join([*parts, _table(head, rows, names=(0,))])


def _luck(document: Document) -> str:
    luck = document["luck"]
    if not luck["measured"]:
        return ""
    rows = [
        [_name(bot["name"]), _signed(bot["luck"], 2)]
        for name in document["ranking"]
        for bot in document["bots"]
        if bot["name"] == name
    ]
    used = luck["coefficient"]
    text = (
        f"<p>A useful card drawn beyond what was to be expected was worth "
        f"{luck['measured']:.1f} points here and explains {luck['explained']:.0%} of what is left "
        "between the seats of a deal set. "
    )
    text += (
        f"The margins without luck use {used:g} points, which was set before the event.</p>"
        if used is not None
        else f"To have margins without luck in the next event, say "
        f"<code>luck_coefficient = {luck['measured']:.1f}</code> in its file.</p>"
    )
    return "\n".join(
        [
            "<h2>Luck of the draw</h2>",
            text,
            _table(["bot", "useful cards a game beyond expectation"], rows, names=(0,)),
        ]
    )


def _strikes(document: Document) -> str:
    kinds = sorted({kind for bot in document["bots"] for kind in bot["strikes"]})
    if not kinds:
        return '<h2>Strikes</h2>\n<p class="quiet">No bot failed a decision.</p>'
    rows = [
        [
            _name(bot["name"]),
            *[str(bot["strikes"].get(kind, 0)) for kind in kinds],
            f"{bot['replaced']} of {bot['games']}",
            f'<td class="text">{escape("; ".join(bot["strike_examples"][:2]))}</td>',
        ]
        for bot in document["bots"]
        if bot["strikes"]
    ]
    text = (
        "<p>Decisions that a bot failed: the default was played instead. After three in a game a "
        "stand-in finished it.</p>"
    )
    head = ["bot", *kinds, "games with a stand-in", "for example"]
    return "\n".join(["<h2>Strikes</h2>", text, _table(head, rows, names=(0, len(head) - 1))])


def _times(times: Document | None) -> str:
    if not times or not times["bots"]:
        return ""
    rows = [
        [
            _name(bot["name"]),
            f"{bot['decisions']:,}",
            f"{bot['mean_ms']:.2f}",
            f"{bot['longest_ms']:.0f}",
        ]
        for bot in times["bots"]
    ]
    hosts = ", ".join(f"{escape(host['host'])}: {host['games']:,.0f}" for host in times["hosts"])
    return "\n".join(
        [
            "<h2>Time used</h2>",
            _table(["bot", "decisions", "mean, ms", "longest, ms"], rows, names=(0,)),
            f'<p class="quiet">Games by machine: {hosts}. Times are not part of the results.</p>',
        ]
    )


def _records(records: Sequence[Document]) -> str:
    if not records:
        return ""
    rows = [
        [
            f"{record['set']}",
            f"{record['game']}",
            escape(record["why"]),
            f'<a href="{escape(record["href"])}">{escape(record["href"])}</a>',
        ]
        for record in records
    ]
    return "\n".join(
        [
            "<h2>Games to look at</h2>",
            "<p>Each can be watched with <code>hollywood replay FILE</code> and checked with "
            "<code>hollywood verify FILE</code>; <code>hollywood tournament record</code> writes any "
            "other.</p>",
            _table(["deal set", "game", "why", "record"], rows, names=(2, 3)),
        ]
    )


def _notes(document: Document) -> str:
    event = document["event"]
    checked = (
        "<p>Before the first game each bot played itself with the same cards on all seats: the "
        "margin was exactly 0, so chance in a bot or in the tables moves nothing.</p>"
        if event["rated"]
        else "<p>The event was not rated: bots need not be deterministic.</p>"
    )
    return (
        f"<h2>About this event</h2>\n{checked}\n"
        f'<p class="quiet">Event {event["digest"]}, rules {escape(event["rules"])} '
        f"{event['rules_hash']}, seed {escape(event['seed'])}, version {escape(event['engine'])}. "
        "The numbers are in results.json, ranking.csv and crosstable.csv; all of them follow from "
        "journal.jsonl.</p>"
    )


def _table(head: Iterable[str], rows: Iterable[Sequence[Any]], names: Sequence[int]) -> str:
    def kind(at: int) -> str:
        return ' class="name"' if at in names else ""

    top = "".join(f"<th{kind(at)}>{escape(text)}</th>" for at, text in enumerate(head))
    lines = [f"<tr>{top}</tr>"]
    for row in rows:
        cells = [
            text if str(text).startswith("<td") else f"<td{kind(at)}>{text}</td>"
            for at, text in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def _name(name: str) -> str:
    return escape(name)


def _signed(value: float, places: int = 1) -> str:
    text = f"{value:+.{places}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def _interval(found: Document) -> str:
    if found["low"] is None:
        return ""
    return f"{_signed(found['low'])} to {_signed(found['high'])}"


def _interval_words(found: Document) -> str:
    return "" if found["low"] is None else f" (95 % interval {_interval(found)})"


def _with_half(found: Document) -> str:
    if found["low"] is None:
        return _signed(found["mean"])
    half = found["high"] - found["mean"]
    return f"{_signed(found['mean'])} <small>±{half:.1f}</small>"
