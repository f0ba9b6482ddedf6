"""Plays Hollywood rummy over stdin and stdout, written from PROCESS.md alone.

    hollywood simulate --bots "process:python docs/bots/process_bot.py,greedy"

It asks for hints and does what they say. It needs nothing but Python.
"""

import json
import sys


def choose(decision: dict) -> dict:
    """Return what to answer: what the hints say, else the default."""
    hints = decision.get("hints", {})
    if decision["legal"]["t"] == "window":
        return {"t": "claim" if hints.get("claim") else "pass"}
    return hints.get("play", decision["legal"]["default"])


def say(message: dict) -> None:
    """Send one line."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    told = json.loads(line)
    if told["t"] == "start":
        say({"t": "ready", "v": 1, "hints": True})
    elif told["t"] == "decide":
        say({"t": "answer", "n": told["n"], "action": choose(told)})
    elif told["t"] == "end":
        break
