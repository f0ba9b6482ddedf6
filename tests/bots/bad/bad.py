"""Child processes that misbehave, one way each: python bad.py WAY."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

WAY = sys.argv[1]
SLEEPER = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]


def say(message: object) -> None:
    print(json.dumps(message), flush=True)


def answer(told: dict[str, Any]) -> None:
    say({"t": "answer", "n": told["n"], "action": told["legal"]["default"]})


def misbehave(told: dict[str, Any]) -> None:
    """Do the one thing that this bot does wrong."""
    match WAY:
        case "illegal":
            say({"t": "answer", "n": told["n"], "action": {"t": "play", "discard": "ZZ"}})
        case "raising":
            raise KeyError("lost")
        case "error":
            say({"t": "error", "n": told["n"], "text": "no idea"})
        case "slow":
            time.sleep(0.6)
            answer(told)
        case "hanging":
            time.sleep(600)
        case "eating":
            food = []
            while True:
                food.append(bytearray(os.urandom(1 << 20)))
        case "forking":
            for _ in range(40):
                subprocess.Popen(SLEEPER)
            time.sleep(600)
        case "detaching":
            subprocess.Popen(SLEEPER, start_new_session=True, stdout=subprocess.DEVNULL)
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(600)
                os._exit(0)
            sys.exit(3)
        case "rubbish":
            print("thinking...", flush=True)
        case "endless":
            while True:
                sys.stdout.write("x" * 65536)
        case "closing":
            os.close(0)
            time.sleep(600)
        case "mute":
            os.close(1)
            time.sleep(600)
        case "ahead":
            say({"t": "answer", "n": told["n"] + 5, "action": {"t": "pass"}})


for line in sys.stdin:
    told = json.loads(line)
    if told["t"] == "start":
        if WAY == "early":
            sys.exit(7)
        say({"t": "ready"})
    elif told["t"] == "decide":
        misbehave(told)
