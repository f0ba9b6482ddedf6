"""How strong the players of a server are, reckoned anew from all results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from hollywood.protocol.errors import ErrorCode, HollywoodError

from .store import Result


class Rating(msgspec.Struct, frozen=True):
    """How strong somebody seems to be."""

    name: str
    games: int
    wins: int
    mean_points: float
    strength: float
    """Plackett-Luce skill less three deviations (openskill's ordinal)."""


def ratings_of(found: Sequence[Result]) -> list[Rating]:
    """Return how strong who is, the strongest first; abandoned games do not count.

    Raises:
        HollywoodError: the library for it is not installed (`missing_extra`).
    """
    try:
        from openskill.models import PlackettLuce, PlackettLuceRating  # an extra
    except ImportError:
        raise HollywoodError(
            "ratings need another package: pip install 'hollywood-rummy[ratings]'",
            ErrorCode.MISSING_EXTRA,
        ) from None
    model = PlackettLuce()
    skills: dict[str, PlackettLuceRating] = defaultdict(model.rating)
    games: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for result in sorted(found, key=lambda result: (result.ended_at, result.game)):
        if not result.is_finished or len(set(result.players)) < len(result.players):
            continue
        teams = [[skills[name]] for name in result.players]
        after = model.rate(teams, ranks=[float(score) for score in result.scores])
        for seat, name in enumerate(result.players):
            skills[name] = after[seat][0]
            games[name].append((result.scores[seat], seat in result.winners))
    rated = [
        Rating(
            name,
            len(played),
            sum(won for _, won in played),
            sum(points for points, _ in played) / len(played),
            skills[name].ordinal(),
        )
        for name, played in games.items()
    ]
    return sorted(rated, key=lambda rating: (-rating.strength, rating.name))
