"""Checks a bot before it meets others: named steps, and for each fault the view that shows it.

The bot plays whole games of three rule sets beside bots of ours, and is asked about
positions of every kind of decision, whether its own games come by them or not. What
goes wrong is written to a file that `replay` asks about again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from hollywood.protocol.errors import BotError, ErrorCode
from hollywood.protocol.rules import (
    Action,
    Event,
    Phase,
    Play,
    PlayerView,
    RuleSet,
    apply,
    explain,
    load_rules,
    may_go_down,
    next_deal,
    next_lay_offs,
    redact,
    seat_seed,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules.laydowns import distance

from .api import Bot, BotFaultError, FaultKind, decide, observes
from .builtin.greedy import GreedyBot
from .builtin.random import RandomBot
from .loading import load_bot
from .local import play_game
from .seated import Strike, default_action

RULE_SETS = ("hollywood", "dummy", "hollywood_seven")
SEATS = 3
SLOWEST_SECONDS = 10.0
"""What a server gives a bot for an answer, and no more."""
MEMORY_MIB = 512

OF_EACH_KIND = 3
"""Positions asked about, and faults after which a game is given up."""
_CHANCE = bytes(range(32))


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One decision that went wrong: enough to ask for it again."""

    kind: FaultKind
    text: str
    view: PlayerView
    seed: str
    """The bot's chance, 64 hex digits."""
    number: int
    """The seat's decisions before it."""
    events: tuple[Event, ...] = ()
    """What the seat had been told of by then."""


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one step of the check came to."""

    name: str
    is_passed: bool
    text: str
    problem: Problem | None = None


def check_bot(
    spec: str, slowest: float = SLOWEST_SECONDS, rule_sets: Sequence[RuleSet] = ()
) -> Iterator[Step]:
    """Check the bot of that spec, one step after the other.

    Args:
        spec: A bot as `loading` takes it.
        slowest: The longest that one answer may take, in seconds.
        rule_sets: The games it must be able to play, those of `RULE_SETS` if none are given.

    Yields:
        Each step when it is done. After a bot that does not load or start there
        is nothing more to check.
    """
    try:
        bot = load_bot(spec)
    except BotError as error:
        yield Step("start-up", False, str(error))
        return
    began = time.monotonic()
    first = _start_up(bot)
    if first is not None:
        yield Step("start-up", False, first.text, first)
        return
    yield Step("start-up", True, f"first answer after {time.monotonic() - began:.2f} s")
    checker = _Checker(bot)
    games = list(rule_sets) or [load_rules(name) for name in RULE_SETS]
    for rules in games:
        yield checker.play_games(rules)
        yield checker.ask_all_kinds(rules)
    yield time_step(checker.times, slowest)
    yield _determinism(spec, bot, games[0])
    yield _no_leaks(bot, games[-1])
    yield _memory(spec, games[len(games) // 2])


def _start_up(bot: type[Bot]) -> Problem | None:
    state, events = start(load_rules("hollywood"), SEATS, seed_from_text("start-up"))
    seat = state.turn
    asked = _Asked(bot, seat_seed(state.seed, seat))
    asked.tell(events, seat)
    asked.ask(view(state, seat))
    asked.close()
    return asked.problems[0] if asked.problems else None


class _Asked:
    """One bot on one seat: its answers, how long they took, and what was wrong with them."""

    def __init__(self, bot: type[Bot], seed: bytes) -> None:
        self.problems: list[Problem] = []
        self.times: list[float] = []
        self._class = bot
        self._seed = seed
        self._bot: Bot | None = None
        self._number = 0
        self._events: list[Event] = []

    def tell(self, events: tuple[Event, ...], seat: int) -> None:
        """Let the bot observe what its seat may see."""
        if not observes(self._class):
            return
        for event in events:
            seen = redact(event, seat)
            self._events.append(seen)
            try:
                self._the_bot().observe(seen)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - any fault of the bot's
                self._fault(FaultKind.EXCEPTION, f"observe raised {error!r}", None)

    def remember(self, problem: Problem) -> None:
        """Go on where a problem arose."""
        self._number = problem.number
        for event in problem.events:
            self._the_bot().observe(event)

    def ask(self, seen: PlayerView) -> Action:
        """Return the bot's answer, the default where it has none that is legal."""
        began = time.monotonic()
        try:
            action = decide(self._the_bot(), seen, self._number)
        except BotFaultError as error:
            self._fault(error.kind, str(error), seen)
            action = default_action(seen)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any fault of the bot's
            self._fault(FaultKind.EXCEPTION, f"it could not start: {error!r}", seen)
            action = default_action(seen)
        self.times.append(time.monotonic() - began)
        violation = explain(seen, action)
        if violation is not None:
            text = f"{format_action(action)} is not allowed: {violation.text} [{violation.code}]"
            self._fault(FaultKind.ILLEGAL, text, seen)
            action = default_action(seen)
        self._number += 1
        return action

    def close(self) -> None:
        """Let the bot go."""
        if self._bot is not None:
            self._bot.close()

    def _the_bot(self) -> Bot:
        if self._bot is None:
            self._bot = self._class(self._seed)
        return self._bot

    def _fault(self, kind: FaultKind, text: str, seen: PlayerView | None) -> None:
        if seen is None:
            seen = view(start(load_rules("hollywood"), SEATS, self._seed)[0], 0)
        self.problems.append(
            Problem(kind, text, seen, self._seed.hex(), self._number, tuple(self._events))
        )


class _Checker:
    """Everything that is asked of one bot."""

    def __init__(self, bot: type[Bot]) -> None:
        self._bot = bot
        self.times: list[float] = []
        """What each answer took, in seconds."""

    def play_games(self, rules: RuleSet) -> Step:
        """Play one game on each seat beside greedy and random."""
        problems: list[Problem] = []
        decisions = 0
        for seat in range(SEATS):
            asked = _Asked(self._bot, seat_seed(_CHANCE, seat))
            for _ in _play(rules, seed_from_text(f"check/{seat}"), seat, asked):
                if len(asked.problems) >= OF_EACH_KIND:
                    break
            asked.close()
            self._note(asked)
            problems += asked.problems
            decisions += len(asked.times)
            if problems:
                break
        return _step(f"{rules.name}: games", problems, f"{decisions} decisions, all legal")

    def ask_all_kinds(self, rules: RuleSet) -> Step:
        """Ask about positions of every kind of decision, out of their games."""
        problems: list[Problem] = []
        found = positions(rules)
        for kind, views in found.items():
            for seen in views:
                asked = _Asked(self._bot, _CHANCE)
                asked.ask(seen)
                asked.close()
                self._note(asked)
                problems += [
                    msgspec.structs.replace(p, text=f"{kind}: {p.text}") for p in asked.problems
                ]
            if problems:
                break
        return _step(f"{rules.name}: every kind of decision", problems, "; ".join(found))

    def _note(self, asked: _Asked) -> None:
        self.times += asked.times


def time_step(times: Sequence[float], slowest: float) -> Step:
    """Say how long answers took, in seconds; passed if none took longer than the slowest may."""
    ordered = sorted(times)
    text = f"median {_seconds(ordered[len(ordered) // 2])}, longest {_seconds(ordered[-1])}"
    if ordered[-1] <= slowest:
        return Step("time", True, text)
    return Step("time", False, f"{text}: no answer may take more than {slowest:g} s")


def positions(rules: RuleSet) -> dict[str, list[PlayerView]]:
    """Return positions of every kind of decision that these rules have, a few of each."""
    found: dict[str, list[PlayerView]] = {}
    for game in range(4):
        asked = _Asked(GreedyBot, _CHANCE)
        for seen in _play(rules, seed_from_text(f"positions/{game}"), game % SEATS, asked):
            views = found.setdefault(kind_of(seen), [])
            if len(views) < OF_EACH_KIND:
                views.append(seen)
    return dict(sorted(found.items()))


def kind_of(seen: PlayerView) -> str:
    """Name the kind of decision that the view's seat is asked for."""
    if seen.phase is Phase.WINDOW:
        who = "down" if seen.is_down else "not down"
        return f"{'take' if seen.is_my_turn else 'buy'}, {who}"
    if seen.is_floating or (seen.is_down and len(seen.hand) == 1):
        return "play, the last card"
    if seen.is_down:
        fits = bool(next_lay_offs(seen, Play()))
        return "play, down, with cards to lay off" if fits else "play, down"
    is_last = " in one go" if seen.takes_all_cards else ""
    if distance(seen.hand, seen.contract, seen.rules, seen.round) == 0:
        return f"play, contract complete{is_last}" if may_go_down(seen) else "play, too soon"
    return f"play, not down{is_last}"


def _play(rules: RuleSet, seed: bytes, seat: int, asked: _Asked) -> Iterator[PlayerView]:
    """Play a game with one seat asked, greedy and random on the others; yield its views."""
    others: dict[int, Bot] = {
        s: (GreedyBot if s % 2 else RandomBot)(seat_seed(seed, s))
        for s in range(SEATS)
        if s != seat
    }
    numbers = [0] * SEATS
    state, events = start(rules, SEATS, seed)
    asked.tell(events, seat)
    while state.phase is not Phase.GAME_OVER:
        if state.phase is Phase.DEAL_OVER:
            state, events = next_deal(state)
            asked.tell(events, seat)
            continue
        order = (state.turn,) if state.window is None else state.window.order
        answers: list[tuple[int, Action]] = []
        for s in order:
            seen = view(state, s)
            if s == seat:
                answers.append((s, asked.ask(seen)))
                yield seen
            else:
                answers.append((s, decide(others[s], seen, numbers[s])))
                numbers[s] += 1
        is_window = state.window is not None
        for s, action in answers:
            if not is_window or state.window is not None:
                state, events = apply(state, s, action)
                asked.tell(events, seat)


def _determinism(spec: str, bot: type[Bot], rules: RuleSet) -> Step:
    """The same game in another process, where sets are in another order and memory is empty."""
    apart = load_bot(spec if _is_apart(spec) else f"child:{spec}")
    scores = []
    for one in (bot, apart):
        result = play_game(rules, (one, GreedyBot, RandomBot), seed_from_text("same"))
        if any(result.strikes):
            return Step("determinism", False, f"it failed: {_first_strike(result.strikes)}")
        scores.append((result.scores, result.decisions))
    if scores[0] == scores[1]:
        return Step("determinism", True, "the same seed gives the same game in another process")
    return Step(
        "determinism",
        False,
        "the same seed gave two different games in two processes: take chance from self.rng "
        "only, and do not rely on the order of sets or on the clock",
    )


def _no_leaks(bot: type[Bot], rules: RuleSet) -> Step:
    """A game is the same before and after another one in the same process."""

    def play(text: str) -> object:
        bots = (GreedyBot, bot, RandomBot)
        result = play_game(rules, bots, seed_from_text(text))
        return result.scores, result.decisions

    before = play("one")
    play("two")
    if play("one") == before:
        return Step("no state between games", True, "a game is the same after another one")
    return Step(
        "no state between games",
        False,
        "a game went otherwise after another one: keep what you remember on self",
    )


def _memory(spec: str, rules: RuleSet) -> Step:
    apart = spec if _is_apart(spec) else f"child:memory={MEMORY_MIB}:{spec}"
    bots = (load_bot(apart), GreedyBot, RandomBot)
    result = play_game(rules, bots, seed_from_text("memory"))
    if any(result.strikes):
        return Step("memory", False, _first_strike(result.strikes))
    return Step("memory", True, f"a whole game within {MEMORY_MIB} MiB")


def _is_apart(spec: str) -> bool:
    return spec.startswith(("process:", "child:"))


def _first_strike(strikes: tuple[tuple[Strike, ...], ...]) -> str:
    first = next(strike for seat in strikes for strike in seat)
    return f"decision {first.decision}: {first.kind}: {first.text}"


def _step(name: str, problems: list[Problem], text: str) -> Step:
    if not problems:
        return Step(name, True, text)
    first = problems[0]
    return Step(name, False, f"{first.kind}: {first.text}", first)


def format_action(action: Action) -> str:
    """Return an action as a bot writer reads it: its JSON."""
    return msgspec.json.encode(action).decode()


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def write_problem(path: Path, spec: str, problem: Problem) -> None:
    """Write a problem to a file that `replay` reads.

    Raises:
        BotError: the file cannot be written.
    """
    data = {"spec": spec, **msgspec.to_builtins(problem)}
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(data), indent=1))
    except OSError as error:
        raise BotError(f"cannot write to {path}: {error.strerror}") from None


def read_problem(path: Path) -> Problem:
    """Read a problem that `write_problem` has written.

    Raises:
        BotError: the file holds none.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Problem)
    except (OSError, msgspec.MsgspecError) as error:
        raise BotError(
            f"{path} holds no decision: give a file that `bots check` wrote ({error})",
            ErrorCode.BAD_MESSAGE,
        ) from None


def replay(path: Path, spec: str) -> Step:
    """Ask a bot again for a decision that it failed.

    Raises:
        BotError: the file is none that a check wrote, or the bot does not load.
    """
    problem = read_problem(path)
    asked = _Asked(load_bot(spec), bytes.fromhex(problem.seed))
    asked.remember(problem)
    action = asked.ask(problem.view)
    asked.close()
    kind = kind_of(problem.view)
    if asked.problems:
        return Step(kind, False, f"{asked.problems[0].kind}: {asked.problems[0].text}")
    return Step(kind, True, format_action(action))
