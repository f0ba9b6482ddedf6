"""The composer on the screen: piles, lay-offs, the discard, and what is missing."""

from __future__ import annotations

from .desk import Desk
from .narrate import describe_meld, meld_letter
from .text import Line, Look, fit, pack, paint, spot, wrap


def composer_pane(desk: Desk, cols: int, rows: int, look: Look) -> list[Line]:
    """The draft in at most so many rows; the title goes first where room is short."""
    composer = desk.composer
    if composer.view.is_down:
        head = "── Lay off: space selects, l and a letter lays off, x marks the discard "
    else:
        head = "── Go down: space selects, a number puts on that pile, x marks the discard "
    title = fit([("class:title", head + "─" * max(0, cols - len(head)))], cols)
    lines = _swap_lines(desk, cols, look)
    lines += [_pile_line(desk, i, cols, look) for i in range(len(composer.contract))]
    lines += _lay_off_lines(desk, cols, look)
    lines.append(_discard_line(desk, cols, look))
    if len(lines) > rows:
        return _compact(desk, cols, look)[:rows]
    return [title, *lines] if len(lines) < rows else lines


def _compact(desk: Desk, cols: int, look: Look) -> list[Line]:
    """The draft in as few lines as it can be: piles beside each other."""
    composer = desk.composer
    draft = composer.draft
    chunks: list[Line] = [
        [("class:key", "l"), *paint(f" {swap.card} {meld_letter(swap.meld)}*", look)]
        for swap in desk.swaps
    ]
    for i, (spec, state) in enumerate(zip(composer.contract, composer.pile_states(), strict=True)):
        said = "ok" if state.is_legal else f"{state.missing} more" if state.missing else "no"
        cards = " ".join(draft.piles[i]) or "-"
        target = f"key:{i + 1}"
        chunk: Line = [("class:key", f"{i + 1}"), ("", f" {spec} "), *paint(cards, look)]
        chunk.append(
            ("class:good" if state.is_legal else "class:dim", f" {said if cards != '-' else ''}")
        )
        chunks.append(
            [(spot(style, target), text) for style, text in chunk if text.strip() or text == " "]
        )
    chunks += [
        [("class:key", "l"), *paint(f" {lay.card} {composer.letter(lay.target)}", look)]
        for lay in draft.lay_offs
    ]
    chunks.append([("class:key", "x"), *paint(f" {composer.discard() or '-'}", look)])
    return [fit([("", " "), *line], cols) for line in pack(chunks, cols - 1)]


def _pile_line(desk: Desk, pile: int, cols: int, look: Look) -> Line:
    composer = desk.composer
    spec, state = composer.contract[pile], composer.pile_states()[pile]
    cards, chosen = composer.draft.piles[pile], composer.draft.chosen[pile]
    width, name = (10, f"{spec.kind} of {spec.size}") if cols >= 60 else (3, str(spec))
    is_chosen = chosen is not None and len(state.readings) > 1
    said = f"OK: {describe_meld(chosen)}" if is_chosen and chosen is not None else state.text
    line = [
        ("class:key", f" {pile + 1}"),
        ("", f" {name:<{width}} "),
        *paint(f"{' '.join(cards)}  " if cards else "", look),
        *paint(said, look, "class:good" if state.is_legal else "class:dim"),
    ]
    return fit([(spot(style, f"key:{pile + 1}"), text) for style, text in line], cols)


def _swap_lines(desk: Desk, cols: int, look: Look) -> list[Line]:
    return [
        fit(
            [
                ("class:key", " l"),
                *paint(f" {swap.card} on {meld_letter(swap.meld)} for its wild", look),
            ],
            cols,
        )
        for swap in desk.swaps
    ]


def _lay_off_lines(desk: Desk, cols: int, look: Look) -> list[Line]:
    composer = desk.composer
    lay_offs = composer.draft.lay_offs
    if not lay_offs:
        return []
    planned = ", ".join(f"{lay.card} on {composer.letter(lay.target)}" for lay in lay_offs)
    return [
        fit([("class:key", "  " if i else " l"), *paint(f" {line}", look)], cols)
        for i, line in enumerate(wrap(f"lay off {planned}", cols - 5))
    ]


def _discard_line(desk: Desk, cols: int, look: Look) -> Line:
    composer = desk.composer
    discard = composer.discard()
    # a single card left over is the discard without having been marked
    is_marked = composer.draft.discard is not None
    stay = len(composer.free_cards()) - (discard is not None and not is_marked)
    if stay == 0 and (composer.view.is_down or composer.draft.has_melds):
        said = "  no card stays: you float" if discard is None else "  no card stays: you go out"
    else:
        said = f"  {stay} {'card stays' if stay == 1 else 'cards stay'} in hand"
    return fit(
        [
            (spot("class:key", "key:x"), " x"),
            *paint(f" discard {discard or 'not marked yet'}", look),
            ("class:dim", said),
        ],
        cols,
    )
