"""The game as a PettingZoo environment, for learning: `hollywood[rl]`.

    from hollywood.bots.rl import env
    game = env(rules="hollywood", seats=4)
    game.reset(seed=1)
    for agent in game.agent_iter():
        observation, reward, termination, truncation, info = game.last()
        mask = observation["action_mask"]
        action = None if termination else game.action_space(agent).sample(mask)
        game.step(action)

A turn is several actions of one agent: go down, lay off card by card, discard.
What a claim window's seats answer is told to nobody before the window is decided.
The reward is minus the points of each deal.
"""

from __future__ import annotations

import secrets
from typing import Any

from hollywood.protocol.rules import (
    CARDS,
    Card,
    Claim,
    GameState,
    LayOff,
    MeldKind,
    Pass,
    Phase,
    Play,
    PlayerView,
    RuleSet,
    apply,
    best_laydown,
    distance,
    explain,
    game_seed,
    load_rules,
    may_go_down,
    next_deal,
    next_discards,
    next_lay_offs,
    position_after,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules.cards import ORDER
from hollywood.protocol.rules.claims import Answer

try:
    import numpy as np
    from gymnasium import spaces
    from pettingzoo import AECEnv  # type: ignore[import-untyped]
except ImportError as error:  # pragma: no cover - the extra is installed where this is tested
    raise ImportError("learning needs PettingZoo: pip install 'hollywood-rummy[rl]'") from error

PASS, CLAIM, GO_DOWN, END_TURN = range(4)
LAY_OFF = 4
"""Plus the card's place in `CARDS`: on the first meld and place where it fits."""
DISCARD = LAY_OFF + len(CARDS)
"""Plus the card's place in `CARDS`."""
ACTIONS = DISCARD + len(CARDS)

_MOST_SEATS = 8
_MOST_SPEC = 14
"""Sizes of melds that an observation tells apart."""


def env(rules: str | RuleSet = "hollywood", seats: int = 4) -> HollywoodEnv:
    """Return the environment.

    Args:
        rules: A rule set, or the name or file of one.
        seats: How many agents play.

    Raises:
        RulesError: no such rule set, or not for that many.
    """
    return HollywoodEnv(load_rules(rules) if isinstance(rules, str) else rules, seats)


class HollywoodEnv(AECEnv):  # type: ignore[misc]
    """One game after the other, each to its last deal."""

    metadata = {  # noqa: RUF012 - as PettingZoo wants it
        "name": "hollywood_v0",
        "is_parallelizable": False,
        "render_modes": ["ansi"],
    }

    def __init__(self, rules: RuleSet, seats: int) -> None:
        super().__init__()
        self.rules = rules
        self.seats = seats
        self.render_mode = "ansi"
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        start(rules, seats, bytes(32))  # say now if they are not for that many
        self._seed = secrets.token_bytes(32)
        self._games = 0
        self._space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, np.inf, (observation_size(),), np.float32),
                "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
            }
        )
        self._actions = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """What an agent sees: numbers, and which actions are legal."""
        return self._space

    def action_space(self, agent: str) -> spaces.Discrete:
        """What an agent may do: one of `ACTIONS`."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game: that of the seed, or the next one after it."""
        if seed is not None:
            self._seed, self._games = seed_from_text(str(seed)), 0
        self._state, _ = start(self.rules, self.seats, game_seed(self._seed, self._games))
        self._games += 1
        self._play = Play()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    @property
    def state_of_game(self) -> GameState:
        """The whole game, hidden cards included."""
        return self._state

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees; its mask is empty if nothing is asked of it."""
        seen = view(self._state, self.possible_agents.index(agent))
        is_asked = agent == self.agent_selection and not self.terminations[agent]
        mask = np.zeros(ACTIONS, np.int8)
        if is_asked:
            mask[list(legal_actions(seen, self._play))] = 1
        return {
            "observation": encode_view(seen, self._play if is_asked else Play()),
            "action_mask": mask,
        }

    def step(self, action: int | None) -> None:
        """Do what the selected agent has chosen.

        Raises:
            ValueError: the action is not in the agent's mask.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        seat = self.possible_agents.index(agent)
        seen = view(self._state, seat)
        if action is None or action not in legal_actions(seen, self._play):
            raise ValueError(f"{agent} may not do {action} now: look at the action mask")
        self._act(seen, seat, int(action))
        self._select()
        self._accumulate_rewards()

    def render(self) -> str:
        """Return the table as the agent to move sees it."""
        seen = view(self._state, self.possible_agents.index(self.agent_selection))
        melds = "; ".join(f"{laid.number} {laid.meld}" for laid in seen.table)
        return (
            f"deal {seen.deal} contract {' + '.join(map(str, seen.contract))} "
            f"{self.agent_selection}: {' '.join(seen.hand)} upcard {seen.upcard} table {melds}"
        )

    def close(self) -> None:
        """Nothing is kept open."""

    def _act(self, seen: PlayerView, seat: int, action: int) -> None:
        if action in (PASS, CLAIM):
            self._apply(seat, Claim() if action == CLAIM else Pass())
        elif action == GO_DOWN:
            laydown = best_laydown(seen.hand, seen.contract, seen.rules, seen.round)
            assert laydown is not None, "masked"
            self._play = Play(laydown.melds)
            if seen.takes_all_cards:
                self._apply(seat, self._play)
        elif action == END_TURN:
            self._apply(seat, self._play)
        elif action < DISCARD:
            lay_off = _first_fit(seen, self._play, CARDS[action - LAY_OFF])
            assert lay_off is not None, "masked"
            self._play = Play(self._play.melds, (*self._play.lay_offs, lay_off))
        else:
            play = self._play
            self._apply(seat, Play(play.melds, play.lay_offs, CARDS[action - DISCARD]))

    def _apply(self, seat: int, action: Play | Claim | Pass) -> None:
        deals = len(self._state.scores)
        self._state, _ = apply(self._state, seat, action)
        self._play = Play()
        if len(self._state.scores) > deals:
            for agent, points in zip(self.possible_agents, self._state.scores[-1], strict=True):
                self.rewards[agent] = -float(points)
        while self._state.phase is Phase.DEAL_OVER:
            self._state, _ = next_deal(self._state)

    def _select(self) -> None:
        state = self._state
        if state.phase is Phase.GAME_OVER:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            return
        window = state.window
        seat = state.turn if window is None else window.order[window.answers.index(Answer.OPEN)]
        self.agent_selection = self.possible_agents[seat]


def legal_actions(seen: PlayerView, play: Play) -> tuple[int, ...]:
    """Return the actions that may follow what the turn has so far, in order."""
    if seen.phase is Phase.WINDOW:
        return PASS, CLAIM
    found: list[int] = []
    if not play.melds and not play.lay_offs and may_go_down(seen):
        laydown = best_laydown(seen.hand, seen.contract, seen.rules, seen.round)
        # nobody is led where the rules leave no way on
        if laydown is not None and _can_end(seen, Play(laydown.melds)):
            found.append(GO_DOWN)
    if explain(seen, play) is None:
        found.append(END_TURN)
    for card in dict.fromkeys(lay_off.card for lay_off in next_lay_offs(seen, play)):
        lay_off = _first_fit(seen, play, card)
        if lay_off is not None and _can_end(seen, Play(play.melds, (*play.lay_offs, lay_off))):
            found.append(LAY_OFF + ORDER[card])
    found += [DISCARD + ORDER[card] for card in _legal_discards(seen, play)]
    return tuple(sorted(found))


def _legal_discards(seen: PlayerView, play: Play) -> list[Card]:
    return [
        card
        for card in next_discards(seen, play)
        if explain(seen, Play(play.melds, play.lay_offs, card)) is None
    ]


def _can_end(seen: PlayerView, play: Play) -> bool:
    """Whether the turn can be ended from there, by whatever more lay-offs."""
    if explain(seen, play) is None or _legal_discards(seen, play):
        return True
    return any(
        _can_end(seen, Play(play.melds, (*play.lay_offs, lay_off)))
        for lay_off in next_lay_offs(seen, play)
    )


def _first_fit(seen: PlayerView, play: Play, card: Card) -> LayOff | None:
    fits = [lay_off for lay_off in next_lay_offs(seen, play) if lay_off.card == card]
    return min(fits, key=lambda found: (found.meld, found.place), default=None)


_COUNTS = 6
"""Vectors with one number for each card."""
_PER_SEAT = 4
_PLAIN = 8


def observation_size() -> int:
    """Return how many numbers an observation has, the same for all rule sets and seats."""
    return _COUNTS * len(CARDS) + _PER_SEAT * _MOST_SEATS + 2 * (_MOST_SPEC + 1) + _PLAIN


def encode_view(seen: PlayerView, play: Play) -> np.typing.NDArray[np.float32]:
    """Return a view as numbers, none below 0; seats in turn order from the agent's own.

    For each card: in hand, the upcard, in the discard pile, on the table, unseen, may be
    laid off now. For each of eight seats: cards, whether it is down, buys, whether it is
    in turn. The contract: sets by size, runs by size. Then phase, own turn, distance
    (53 if nothing helps), stock, buys left, deal, turns and reshuffles.
    """
    table, hand = (
        position_after(seen, play) if play.melds or play.lay_offs else (seen.table, seen.hand)
    )
    counts = np.zeros((_COUNTS, len(CARDS)), np.float32)
    laid = [card for meld in table for card in meld.meld.cards]
    upcard = () if seen.upcard is None else (seen.upcard,)
    for row, cards in enumerate((hand, upcard, seen.discards, laid)):
        for card in cards:
            counts[row, ORDER[card]] += 1
    for card, left in seen.unseen().items():
        counts[4, ORDER[card]] = left
    if seen.phase is Phase.PLAY and seen.is_my_turn:
        for lay_off in next_lay_offs(seen, play):
            counts[5, ORDER[lay_off.card]] = 1
    seats = np.zeros((_PER_SEAT, _MOST_SEATS), np.float32)
    for place in range(seen.seats):
        seat = (seen.me + place) % seen.seats
        is_down = seen.went_down[seat] is not None
        seats[:, place] = (seen.hand_sizes[seat], is_down, seen.buys[seat], seat == seen.turn)
    contract = np.zeros((2, _MOST_SPEC + 1), np.float32)
    plays_on = seen.is_playing(seen.me)
    for spec in seen.contract if plays_on else ():
        contract[int(spec.kind is MeldKind.RUN), min(spec.size, _MOST_SPEC)] += 1
    away: int | None = 0
    if plays_on and not seen.is_down and not play.melds:
        away = distance(seen.hand, seen.contract, seen.rules, seen.round)
    buys_left = seen.buys_left if plays_on else 0
    plain = (
        seen.phase is Phase.PLAY,
        seen.is_my_turn,
        len(CARDS) if away is None else away,
        seen.stock,
        len(CARDS) if buys_left is None else buys_left,
        seen.deal,
        seen.turns,
        seen.reshuffles,
    )
    return np.concatenate(
        [counts.ravel(), seats.ravel(), contract.ravel(), np.array(plain, np.float32)]
    ).astype(np.float32)
