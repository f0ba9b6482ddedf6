"""The rules of a table while one plays: in short in the help, all of them with R or `rules all`."""

from __future__ import annotations

import pytest

from builders import position
from hollywood.client.desk import Reading
from hollywood.client.rulesheet import sections
from hollywood.client.rulespage import in_short, rules_sentences, rules_texts
from hollywood.client.text import Look
from hollywood.protocol.rules import Phase, load_rules, rule_set_names
from hollywood.protocol.wire import messages as msg

from .scenes import in_lobby, joined
from .table import Client


def words(texts: list[str]) -> str:
    return " ".join(" ".join(texts).split())


@pytest.mark.parametrize("name", rule_set_names())
def test_every_rule_is_told_at_every_width(name: str) -> None:
    rules = load_rules(name)
    for cols in (38, 78, 198):
        texts = [text for text, _ in rules_texts(rules, cols)]
        assert max(map(len, texts)) <= cols
        told = words(texts).replace("- ", "")
        for _, items in sections(rules):
            assert words(list(items)).replace("- ", "") in told
    spoken = words(list(rules_sentences(rules)))
    for _, items in sections(rules):
        assert all(item in spoken for item in items if not item.startswith("  "))


def test_rows_of_tables_are_said_as_sentences() -> None:
    told = list(rules_sentences(load_rules("hollywood")))
    assert "4, 11 cards, three sets of three and a run of four." in told
    assert "10 to K, 10." in told


def test_the_short_form_follows_the_options() -> None:
    assert "Twos and jokers are wild" in words(list(in_short(load_rules("hollywood"))))
    dummy = words(list(in_short(load_rules("dummy"))))
    assert "of those who have made the last contract" in dummy


def test_r_opens_and_closes_the_rules_and_a_claim_can_be_answered_meanwhile() -> None:
    client = Client(
        position("7H 7D 7S KS KH", "3C", "4C", phase=Phase.WINDOW, upcard="7C", discarder=2)
    )
    client.press("R")
    assert client.desk.reading is Reading.RULES
    text = "\n".join(client.lines(80, 24))
    assert "Cards and seats" in text
    assert "TAKE? [7♣]" in text
    client.press("R")
    assert client.desk.reading is None
    client.press("R", "n")
    assert client.sent(msg.AnswerDecision)


def test_they_can_be_read_while_players_are_waited_for() -> None:
    screens = in_lobby()
    screens.receive(joined(), 0.0)
    screens.press("R", 0.0)
    drawn = "\n".join("".join(text for _, text in line) for line in screens.frame(80, 24, 0.0))
    assert "Cards and seats" in drawn


def test_the_help_begins_with_the_aim() -> None:
    client = Client(position("7H 7D 7S KS KH", "3C", "4C"))
    client.press("?")
    lines = client.lines(80, 24, Look())
    assert lines[2].startswith(" Each round asks for melds")
    assert "R shows all rules" in "\n".join(lines)
