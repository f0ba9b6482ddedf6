"""Checks a bot that speaks the wire, in any language: it comes to us and plays game after game.

The named steps are those of `compliance`, as far as they can be seen from outside, and
those that only the wire has: verdicts, a newer server, a line that is cut.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import msgspec
import trio
from msgspec.structs import replace

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.compliance import (
    OF_EACH_KIND,
    RULE_SETS,
    SEATS,
    SLOWEST_SECONDS,
    Step,
    format_action,
    kind_of,
    positions,
    read_problem,
    time_step,
)
from hollywood.protocol.errors import BotError
from hollywood.protocol.rules import RuleSet, load_rules, seed_from_text
from hollywood.server.config import Clocks, HouseBot, ServerConfig, TableConfig
from hollywood.server.listener import Server

from .wire_host import Host, listen
from .wire_sitting import (
    AgainSitting,
    CutSitting,
    KindSitting,
    NewerSitting,
    Sitting,
    VerdictSitting,
)

GAMES_OF_KINDS = 3
"""Games of a rule set in which kinds of decisions are looked for that its whole game had not."""
MOST_GAMES = len(RULE_SETS) * (1 + GAMES_OF_KINDS) + 4
WAIT_SECONDS = 60.0
"""How long a bot is waited for, for each game."""
START_UP_SECONDS = 10.0
"""Added to the first answer of a game: the bot may still be loading."""

_HOUSE = (HouseBot("greedy", GreedyBot), HouseBot("random", RandomBot))
_HOURS = 24 * 3600.0


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What the user of a check over the wire wants."""

    host: str = "127.0.0.1"
    port: int = 0
    """Where the bot comes to; 0: any free port."""
    start: str | None = None
    """What starts the bot's program for each game, with `{host}` and `{port}`; None:
    somebody else starts it."""
    wait: float = WAIT_SECONDS
    slowest: float = SLOWEST_SECONDS
    """The longest that one answer may take, in seconds."""


async def check_over_wire(
    wish: Wish,
    tell: Callable[[Step], object],
    report: Callable[[str], object] = lambda text: None,
    rule_sets: Sequence[RuleSet] = (),
) -> None:
    """Check the bot that comes, one step after the other.

    Args:
        wish: Where it comes to, and what is asked of it.
        tell: Is given each step when it is done. After a bot that does not come or
            does not join there is nothing more to check.
        report: Is given a sentence that says where the bot is awaited.
        rule_sets: The games it must be able to play, those of `RULE_SETS` if none are given.

    Raises:
        HollywoodError: we cannot listen there, or the bot's program cannot be started.
    """
    games = list(rule_sets) or [load_rules(name) for name in RULE_SETS]
    async with _hosting(wish, games[0]) as (server, host):
        report(
            f"Listening at {host.address}: let the bot join any table there. It "
            f"plays one game on each connection, and is awaited again for up to {MOST_GAMES} games."
        )
        await _Check(server, host, wish.slowest, tell).run(games)


@asynccontextmanager
async def _hosting(wish: Wish, rules: RuleSet) -> AsyncIterator[tuple[Server, Host]]:
    """Run a server of ours, and listen in front of it."""
    listeners = await listen(wish.host, wish.port)
    server = Server(ServerConfig(port=0, rules=rules))
    try:
        async with trio.open_nursery() as nursery:
            port = await nursery.start(server.run)
            yield server, Host(listeners, port, wish.wait, wish.start)
            nursery.cancel_scope.cancel()
    finally:
        for listener in listeners:
            await listener.aclose()


class _Check:
    """All games of one bot, and the steps they come to."""

    def __init__(
        self, server: Server, host: Host, slowest: float, tell: Callable[[Step], object]
    ) -> None:
        self._server = server
        self._host = host
        self._slowest = slowest
        self._tell = tell
        self._sittings: list[Sitting] = []

    async def run(self, games: list[RuleSet]) -> None:
        """Go through all steps, or until the bot does not come any more."""
        first = self._sit()
        await self._play(first, games[0], "check/0")
        if not first.answers:
            self._tell(_step("start-up", [first], "it joined, and was asked for nothing"))
            return
        self._tell(Step("start-up", True, _introduce(first)))
        async with aclosing(self._steps(games, first)) as steps:
            async for step in steps:
                self._tell(step)
                if not self._sittings[-1].has_come:
                    return

    async def _steps(self, games: list[RuleSet], first: Sitting) -> AsyncGenerator[Step, None]:
        for number, rules in enumerate(games):
            whole = first
            if number:
                whole = self._sit()
                await self._play(whole, rules, f"check/{number}")
            yield _step(
                f"{rules.name}: games", [whole], f"{len(whole.answers)} decisions, all legal"
            )
            yield await self._ask_all_kinds(rules, whole)
        yield time_step([t for each in self._sittings for t in each.times], self._slowest)
        yield await self._same_again(first, games[0])
        seven = load_rules("hollywood_seven")
        short = replace(seven, rounds=(seven.rounds[0], seven.rounds[-1]))
        yield await self._verdicts(short)
        yield await self._newer(short)
        yield await self._come_back(short)
        yield self._pings()
        yield self._ends()

    def _name(self) -> str:
        return f"game {len(self._sittings) + 1}"

    def _sit(self) -> Sitting:
        return Sitting(self._name(), trio.current_time)

    async def _play(self, sitting: Sitting, rules: RuleSet, seed: str) -> None:
        """Play a game of these rules, with the bot on the first seat."""
        clocks = Clocks(
            window=self._slowest,
            turn=self._slowest,
            start_up=START_UP_SECONDS,
            lag=0,
            pause=0,
            grace=_HOURS,
            away=_HOURS,
        )
        self._sittings.append(sitting)
        self._server.lobby.new_table(
            TableConfig(
                name=sitting.table,
                rules=rules,
                seats=SEATS,
                house=_HOUSE,
                seed=seed_from_text(seed),
                clocks=clocks,
            )
        )
        await self._host.play(sitting)

    async def _ask_all_kinds(self, rules: RuleSet, whole: Sitting) -> Step:
        """Ask about every kind of decision that the bot's own game has not brought."""
        found = positions(rules)
        wanted = {kind: OF_EACH_KIND for kind in found if kind not in whole.kinds}
        played: list[Sitting] = []
        while wanted and len(played) < GAMES_OF_KINDS:
            sitting = KindSitting(self._name(), trio.current_time, wanted)
            played.append(sitting)
            await self._play(sitting, rules, f"positions/{len(played)}")
            if sitting.faults:
                break
            wanted = {kind: OF_EACH_KIND for kind in wanted if kind not in sitting.kinds}
        text = "; ".join(kind for kind in found if kind not in wanted)
        if wanted:
            text += f" (not come by: {'; '.join(wanted)})"
        return _step(f"{rules.name}: every kind of decision", played, text)

    async def _same_again(self, first: Sitting, rules: RuleSet) -> Step:
        """The first game once more. A bot that speaks the wire is free to play otherwise."""
        again = self._sit()
        await self._play(again, rules, "check/0")
        pairs = enumerate(zip(first.answers, again.answers, strict=False))
        other = next((number for number, (a, b) in pairs if a != b), None)
        text = "the same seed gives the same answers"
        if other is not None:
            text = (
                f"the same seed gave another answer at decision {other}, as it may: take chance "
                "from `joined.rng` only if games are to be played again"
            )
        return _step("determinism", [again], text)

    async def _verdicts(self, rules: RuleSet) -> Step:
        sitting = VerdictSitting(self._name(), trio.current_time)
        await self._play(sitting, rules, "verdicts")
        after = "answered again" if sitting.has_answered_again else "left it to the default"
        return _step("late and rejected", [sitting], f"it plays on; after the rejection it {after}")

    async def _newer(self, rules: RuleSet) -> Step:
        sitting = NewerSitting(self._name(), trio.current_time)
        await self._play(sitting, rules, "newer")
        text = "it plays on among fields, events and messages that it does not know"
        return _step("a newer server", [sitting], text)

    async def _come_back(self, rules: RuleSet) -> Step:
        sitting = CutSitting(self._name(), trio.current_time)
        await self._play(sitting, rules, "coming back")
        text = "it took its seat back after its line was cut, and played on"
        if not self._host.has_come_back:
            text = "it does not come back after its line was cut: a house bot would play on"
        return _step("coming back", [sitting], text)

    def _pings(self) -> Step:
        silent = sum(not sitting.has_ponged for sitting in self._sittings if sitting.is_over)
        if silent:
            text = f"in {silent} games it left a ping unanswered: send a `pong` with the same n"
            return Step("pings", False, text)
        return Step("pings", True, "every ping was answered")

    def _ends(self) -> Step:
        open_still = sum(sitting.was_left_open for sitting in self._sittings)
        if open_still:
            text = f"{open_still} connections were left open after the game: close them"
            return Step("connections", False, text)
        return Step("connections", True, "each was closed after its game")


def _introduce(sitting: Sitting) -> str:
    hello = sitting.hello
    assert hello is not None, "who has joined has said hello"
    caps = ", ".join(hello.caps) or "nothing"
    return (
        f"{hello.name!r} came as a {hello.role.value} with protocol {hello.v[0]} to {hello.v[1]}, "
        f"asking for {caps}; first answer after {sitting.times[0]:.2f} s"
    )


def _step(name: str, sittings: list[Sitting], text: str) -> Step:
    faults = [fault for sitting in sittings for fault in sitting.faults]
    if not faults:
        return Step(name, True, text)
    return Step(name, False, faults[0].text, faults[0].problem)


# asking again


async def replay_over_wire(
    path: Path, wish: Wish, report: Callable[[str], object] = lambda text: None
) -> Step:
    """Ask the bot that comes again for a decision that it failed.

    Raises:
        BotError: the file is none that a check over the wire wrote.
        HollywoodError: we cannot listen there, or the bot's program cannot be started.
    """
    problem = read_problem(path)
    if not problem.events:
        raise BotError(
            f"{path} does not say what happened before: give a file that `bots check --listen` wrote"
        )
    async with _hosting(wish, problem.view.rules) as (_, host):
        report(f"Listening at {host.address}: let the bot join any table there.")
        sitting = AgainSitting("again", trio.current_time, problem, wish.slowest)
        await host.play(sitting)
    kind = kind_of(problem.view)
    if sitting.faults or not sitting.answers:
        silent = Step(kind, False, f"no answer within {wish.slowest:g} s")
        return _step(kind, [sitting], "") if sitting.faults else silent
    return Step(kind, True, format_action(sitting.answers[0][1]))
