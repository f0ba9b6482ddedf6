"""Finding which bot is not deterministic: play a deal set again until it differs."""

from __future__ import annotations

from .event import Setup, bot_classes
from .lines import Unit
from .match import deal_seed, play, seating

_TRIES = 5


def find_culprit(setup: Setup, unit: Unit) -> str:
    """Return a sentence that names the bot whose answer differs first."""
    bots = bot_classes(setup)
    names = [setup.event.bots[bot].name for bot in unit.bots]
    for rotation in range(len(unit.bots)):
        seated = seating(unit.bots, rotation)
        first = None
        for _ in range(_TRIES):
            steps = _steps(setup, [bots[bot] for bot in seated], unit.deal)
            if first is None:
                first = steps
            elif steps != first:
                pairs = zip(first, steps, strict=False)
                differing = next((ours for ours, theirs in pairs if ours != theirs), first[-1])
                name = setup.event.bots[seated[differing[0]]].name
                return (
                    f"the bot {name} is not deterministic: in deal set {unit.index}, played "
                    "again with the same cards, it answered differently; take its chance from "
                    "self.rng, or say rated = false"
                )
    return (
        f"deal set {unit.index} came out differently when it was played twice, but not here: "
        f"one of {', '.join(sorted(set(names)))} depends on the machine it runs on"
    )


def _steps(setup: Setup, bots: list[type], deal: int) -> list[tuple[int, str]]:
    seed = deal_seed(setup, deal)
    names = [str(seat) for seat in range(len(bots))]
    played = play(setup.rules, bots, seed, own_piles=setup.event.own_piles, names=names)
    assert played.record is not None, "seats with names have a record"
    return [(step.seat, str(step.action)) for step in played.record.steps]
