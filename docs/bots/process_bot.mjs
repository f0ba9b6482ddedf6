// Plays Hollywood rummy over stdin and stdout, written from PROCESS.md alone.
//
//     hollywood simulate --bots "process:node docs/bots/process_bot.mjs,greedy"
//
// It asks for hints and does what they say. It needs nothing but Node.

import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function choose({ legal, hints = {} }) {
  if (legal.t === "window") return { t: hints.claim ? "claim" : "pass" };
  return hints.play ?? legal.default;
}

for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line);
  if (told.t === "start") say({ t: "ready", v: 1, hints: true });
  if (told.t === "decide") say({ t: "answer", n: told.n, action: choose(told) });
  if (told.t === "end") break;
}
