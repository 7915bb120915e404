// SPDX-License-Identifier: Apache-2.0
// Stands for hone-llm: says $SCRIPT_TEXT, byte by byte, whatever it is asked. $SCRIPT_END is how it
// ends: "stop", "die" after some tokens, "nonsense" instead of a message, "silent" at the start.
import { readFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";

const folder = process.argv[3];
const tokenizer = JSON.parse(readFileSync(join(folder, "tokenizer.json"), "utf8"));
const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
const stop = [config.eos_token_id].flat()[0];

// The letters that stand for bytes in a byte-level vocabulary.
const letters = new Map();
let extra = 256;
for (let byte = 0; byte < 256; ++byte) {
  const isPlain = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  letters.set(byte, String.fromCodePoint(isPlain ? byte : extra++));
}
const idOf = (byte) => tokenizer.model.vocab[letters.get(byte)];

const socket = new net.Socket({ fd: 3, readable: true, writable: true });
const send = (message) => {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  socket.write(Buffer.concat([head, body]));
};
const say = (id, sample, ids, finish) =>
  send({
    is: "tokens", id, sample, ids, logprobs: ids.map(() => -0.5), sampled_logprobs: ids.map(() => 0),
    ...(finish ? { finish } : {}),
  });

function answer(message) {
  const ids = [...Buffer.from(process.env.SCRIPT_TEXT ?? "hello")].map(idOf);
  for (let sample = 0; sample < message.samples; ++sample) {
    ids.forEach((id) => say(message.id, sample, [id]));
    if (process.env.SCRIPT_END === "die") return setTimeout(() => process.exit(9), 50);
    if (process.env.SCRIPT_END === "nonsense") return send({ is: "tokens", id: "x" });
    say(message.id, sample, [stop], "stop");
  }
}

if (process.env.SCRIPT_END === "silent") process.exit(4);
send({ is: "ready", vocab_size: config.vocab_size, rows: 8, max_length: 512, placed: "nowhere",
  identity: "a script" });
let buffer = Buffer.alloc(0);
socket.on("data", (data) => {
  buffer = Buffer.concat([buffer, data]);
  while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32LE(0)) {
    const size = buffer.readUInt32LE(0);
    const message = JSON.parse(buffer.subarray(4, 4 + size).toString());
    buffer = buffer.subarray(4 + size);
    if (message.do === "submit") answer(message);
  }
});
socket.on("end", () => process.exit(0));
socket.on("error", () => process.exit(0));
