"""Every rule set played by keys alone: whatever its options, each screen can be drawn."""

from __future__ import annotations

import random

import pytest

from hollywood.client.hints import look_at
from hollywood.protocol.rules import load_rules, rule_set_names
from hollywood.protocol.wire import messages as msg

from .table import Client

STEPS = 45
SIZES = ((40, 10), (80, 24), (120, 40))


def draw(client: Client) -> None:
    if client.desk.shows_hints:
        client.desk.glance = look_at(client.view)
    for size in SIZES:
        assert {len(line) for line in client.lines(*size)} == {size[0]}


def step(client: Client, rng: random.Random) -> None:
    """Do one thing that a player would do next."""
    model = client.model
    client.now += 1
    if model.open_window is not None:
        wants = rng.random() < 0.4
        client.press(("p" if model.open_window.is_free else "b") if wants else "n")
    elif model.is_our_play:
        client.press("a")
        draw(client)
        client.press("enter")
        if model.is_our_play:
            client.press("g", "g") if client.desk.is_composing else client.press("x")
            draw(client)
            client.press("x")
        if model.is_our_play:
            client.press("escape", "escape")
            discard(client)
    elif model.result is not None and not model.is_game_over:
        client.press("enter")


def discard(client: Client) -> None:
    """Find a card that may go, as somebody would who tries one after the other."""
    for card in list(client.desk.hand.keys):
        client.desk.hand.point(card)
        client.press("x", "x")
        if not client.model.is_our_play:
            return


@pytest.mark.parametrize("name", rule_set_names())
def test_a_game_of_every_rule_set_can_be_played_by_keys(name: str) -> None:
    rules = load_rules(name)
    client = Client(seats=max(3, rules.players.min), rules=rules, seed=name)
    client.desk.prefs.hints = True
    rng = random.Random(name)
    for _ in range(STEPS):
        draw(client)
        step(client, rng)
        if client.model.is_game_over:
            break
    verdicts = client.sent(msg.AnswerDecision)
    assert len(verdicts) >= STEPS // 3
    assert "refused" not in client.model.notice
