"""Bringing a table back as the journal left it.

The entries are played again through the same table and referee, which tell nobody
since nobody is connected. A table whose events or rules are not what they were is
not reinterpreted: it is set aside, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.loading import load_bot
from hollywood.protocol.errors import BotError, ErrorCode, HollywoodError, RulesError, StoreError

from . import entries as e
from .config import HouseBot, TableConfig
from .shelf import Shelf
from .store import StoredGame
from .table import Table


def stored(config: TableConfig) -> e.StoredTable:
    """Return a table's settings as they are kept."""
    return e.StoredTable(
        name=config.name,
        rules=config.rules,
        seats=config.seats,
        house=tuple(bot.name for bot in config.house),
        bots=tuple(_spec(bot.bot) for bot in config.house),
        seed_is_given=config.seed is not None,
        clocks=config.clocks,
        hints=config.hints,
        watchers=config.watchers,
        watch_delay=config.watch_delay,
        is_owned=config.is_owned,
        timing=config.timing,
        own_piles=config.own_piles,
        password=config.password,
    )


def restore(
    game: StoredGame,
    clock: Callable[[], float],
    note: Callable[[e.Entry], None],
    last_alive: float,
    shelf: Shelf | None = None,
) -> Table:
    """Return the table as it was at the last commit, parked until somebody is back.

    Args:
        game: What the journal has of it.
        clock: The server's clock.
        note: Where the table notes what happens from now on.
        last_alive: When the server is known to have run last, in seconds since 1970:
            so far the clocks of open decisions had gone on.
        shelf: Where its past lies.

    Raises:
        StoreError: the rules of today do not lead where the game was.
    """
    replay = _Replay(game, clock, shelf)
    try:
        for group in game.entries:
            for entry in group:
                replay.take(entry)
    except (ValueError, AssertionError, IndexError, KeyError) as error:
        raise StoreError(
            f"table {game.table.name!r} (game {game.game}) cannot go on: "
            f"the journal does not fit the rules of this program ({error}); it is set aside"
        ) from error
    replay.table.go_on_from_journal(note, replay.spent(last_alive))
    return replay.table


class _Replay:
    def __init__(self, game: StoredGame, clock: Callable[[], float], shelf: Shelf | None) -> None:
        self.table = Table(_config(game), clock, seed=game.seed, shelf=shelf)
        self._referee = self.table.referee
        self._asked_at: dict[int, float] = {}

    def spent(self, last_alive: float) -> dict[int, float]:
        """Return how long each open decision's clock had run, by seat."""
        return {seat: max(0.0, last_alive - at) for seat, at in self._asked_at.items()}

    def take(self, entry: e.Entry) -> None:
        """Do what an entry says."""
        table, referee = self.table, self._referee
        match entry:
            case e.Sat(seat=n, name=name, kind=kind):
                seat = table.seats[n]
                seat.name, seat.kind, seat.address = name, kind, entry.address
                seat.token_hash, seat.shown_hash = entry.token, entry.shown
                seat.bot = None
            case e.Vacated(seat=n):
                table.seats[n].vacate()
                table.pass_on_ownership(table.seats[n])
            case e.Housed(seat=n, name=name):
                seat = table.seats[n]
                seat.house(name, seat.bot or referee.sit_down(seat, table.config.stand_in))
                table.pass_on_ownership(seat)
            case e.Banned(name=name, address=address):
                table.banned.add((name, address))
            case e.Muted(name=name, is_muted=is_muted):
                (table.audience.muted.add if is_muted else table.audience.muted.discard)(name)
            case e.Entropy(seat=n, hex=text):
                table.seats[n].entropy = text
            case e.Started():
                referee.start()
            case e.Dealt(events=count, digest=digest):
                self._check(count, digest)
                referee.deal()
            case e.Asked(seat=n, did=did, limit=limit, bank=bank, at=at):
                referee.asker.ask(table.seats[n], did, limit, bank)
                self._asked_at[n] = at
            case e.Ordered(seat=n, order=order):
                table.seats[n].order = order
            case e.Left(seat=n, seconds=seconds):
                table.seats[n].away = seconds
            case e.Abandoned():
                referee.is_abandoned = True
            case _:
                self._hear(entry)

    def _hear(self, entry: e.Answered | e.Played | e.TimedOut | e.Revealed | e.Judged) -> None:
        """Do what a seat has said."""
        seats, referee = self.table.seats, self._referee
        match entry:
            case e.Answered(seat=n, cid=cid, action=action, bank=bank):
                seats[n].bank = bank
                seats[n].accept(cid)
                referee.take(seats[n], action)
            case e.Played(seat=n, action=action):
                referee.take(seats[n], action)
            case e.TimedOut(seat=n):
                decision = seats[n].decision
                if decision is not None and decision.bank:
                    seats[n].bank = 0.0
                referee.take_silence(seats[n])
            case e.Revealed():
                referee.reveal()
            case e.Judged(seat=n, verdict=verdict, attempts=attempts):
                seats[n].verdicts.remember(verdict)
                decision = seats[n].decision
                if decision is not None and attempts is not None:
                    decision.attempts = attempts

    def _check(self, count: int, digest: str) -> None:
        events = len(self.table.audience.events)
        if events != count or self._referee.digest_of_news() != digest:
            raise RulesError(
                f"the events up to {count} are not what they were", ErrorCode.OTHER_RULES
            )


def _config(game: StoredGame) -> TableConfig:
    table = game.table
    return TableConfig(
        name=table.name,
        rules=table.rules,
        seats=table.seats,
        house=tuple(
            HouseBot(name, _bot(spec)) for name, spec in zip(table.house, table.bots, strict=True)
        ),
        seed=game.seed if table.seed_is_given else None,
        clocks=table.clocks,
        hints=table.hints,
        watchers=table.watchers,
        watch_delay=table.watch_delay,
        is_owned=table.is_owned,
        timing=table.timing,
        own_piles=table.own_piles,
        password=table.password,
    )


def _spec(bot: type[Bot]) -> str:
    """Return what `load_bot` finds a bot's class by."""
    return bot.spec or f"{bot.__module__}:{bot.__qualname__}"


def _bot(spec: str) -> type[Bot]:
    """Return a house bot's class; a safe one for a bot that is not there any more."""
    try:
        return load_bot(spec)
    except (BotError, HollywoodError):
        return GreedyBot
