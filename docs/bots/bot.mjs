// Plays one game of Hollywood rummy, written from protocol/PROTOCOL.md alone:
//
//     npm install
//     node bot.mjs HOST PORT TABLE NAME
//
// It asks for hints and does what they say. When the game is over it prints one line
// of JSON; it exits 0 if no answer was rejected, else 1.

import net from "node:net";
import { decode, encode } from "@msgpack/msgpack";

const [host = "127.0.0.1", port = "7878", table = "den", name = "js"] = process.argv.slice(2);
const socket = net.createConnection(Number(port), host);

let received = Buffer.alloc(0);
let cid = 0;
let seat = null;
let result = null;
const verdicts = {};
const defaults = {};

function send(message) {
  const body = encode(message);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  socket.write(Buffer.concat([head, body]));
}

function answer({ did, legal, hints = {} }) {
  let action = legal.default;
  if (legal.t === "window" && hints.claim) action = { t: "claim" };
  if (legal.t === "play" && hints.play) action = hints.play;
  defaults[did] = legal.default;
  send({ t: "answer", cid: ++cid, did, action });
}

function hear(message) {
  switch (message.t) {
    case "welcome":
      return send({ t: "join", cid: ++cid, table });
    case "joined":
      seat = message.seat;
      return;
    case "events":
      for (const event of message.events) if (event.t === "game_ended") result = event;
      if (result) socket.end();
      return;
    case "decide":
      return answer(message);
    case "verdict":
      verdicts[message.status] = (verdicts[message.status] ?? 0) + 1;
      if (message.status === "rejected") {
        console.error(message.code, message.text);
        send({ t: "answer", cid: ++cid, did: message.did, action: defaults[message.did] });
      }
      return;
    case "ping":
      return send({ t: "pong", n: message.n });
    case "reject":
    case "error":
      console.error(message.code, message.text);
      if (message.t === "reject" || message.fatal || seat === null) process.exit(1);
  }
}

socket.on("connect", () =>
  send({ t: "hello", magic: "hrp", v: [1, 1], role: "bot", name, caps: ["+hints"] }),
);
socket.on("data", (data) => {
  received = Buffer.concat([received, data]);
  while (received.length >= 4) {
    const end = 4 + received.readUInt32BE(0);
    if (received.length < end) break;
    const frame = received.subarray(4, end);
    received = received.subarray(end);
    hear(decode(frame));
  }
});
socket.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
socket.on("close", () => {
  if (result) {
    const { totals, winners } = result;
    console.log(JSON.stringify({ seat, totals, winners, verdicts }));
  }
  process.exit(result && !verdicts.rejected ? 0 : 1);
});
