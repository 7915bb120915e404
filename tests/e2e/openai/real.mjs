// SPDX-License-Identifier: Apache-2.0
// real.mjs: the official client through every endpoint of `hone llm serve`, with the real engine; 64
// clients at once, one that stops reading, one that leaves.
import assert from "node:assert/strict";
import net from "node:net";
import OpenAI from "openai";
import { startServer } from "./server.mjs";

const server = await startServer();
const client = new OpenAI({ baseURL: server.url, apiKey: server.token, maxRetries: 0 });
const model = server.model;
const hello = [{ role: "user", content: "The quick brown fox" }];

const models = await client.models.list();
assert.deepEqual(models.data.map((one) => one.id), [model]);
assert.equal((await client.models.retrieve(model)).object, "model");

// The same seed gives the same text, whether it is streamed or not.
const settings = { model, messages: hello, max_tokens: 24, seed: 7, temperature: 0.9 };
const whole = await client.chat.completions.create({ ...settings, return_token_ids: true });
assert.equal(whole.object, "chat.completion");
assert.equal(whole.choices[0].message.role, "assistant");
assert.ok(["stop", "length"].includes(whole.choices[0].finish_reason));
assert.equal(whole.usage.completion_tokens, whole.choices[0].token_ids.length);
assert.equal(whole.usage.prompt_tokens, whole.prompt_token_ids.length);
assert.equal(whole.usage.total_tokens, whole.usage.prompt_tokens + whole.usage.completion_tokens);

const stream = await client.chat.completions.create({
  ...settings,
  stream: true,
  stream_options: { include_usage: true },
});
let text = "";
let last;
for await (const chunk of stream) {
  text += chunk.choices[0]?.delta?.content ?? "";
  last = chunk;
}
assert.equal(text, whole.choices[0].message.content);
assert.deepEqual(last.choices, []);
assert.equal(last.usage.completion_tokens, whole.usage.completion_tokens);

// Log-probabilities: the token itself is among the most probable or below them.
const scored = await client.chat.completions.create({
  ...settings, logprobs: true, top_logprobs: 3, max_tokens: 5,
});
const content = scored.choices[0].logprobs.content;
assert.equal(content.length, scored.usage.completion_tokens);
for (const token of content) {
  assert.ok(token.logprob <= 0 && token.top_logprobs.length === 3);
  assert.ok(token.top_logprobs[0].logprob >= token.logprob - 1e-6);
}

// Several choices differ; greedy ones do not.
const several = await client.chat.completions.create({ ...settings, n: 4 });
assert.equal(several.choices.length, 4);
assert.ok(new Set(several.choices.map((choice) => choice.message.content)).size > 1);
const greedy = await client.chat.completions.create({ ...settings, n: 3, temperature: 0 });
assert.equal(new Set(greedy.choices.map((choice) => choice.message.content)).size, 1);

// Plain text, a list of prompts, ids as prompt, a stop word.
const plain = await client.completions.create({
  model, prompt: ["The quick", "The lazy dog"], max_tokens: 6, seed: 1, logprobs: 2,
});
assert.deepEqual(plain.choices.map((choice) => choice.index), [0, 1]);
assert.equal(plain.choices[0].logprobs.tokens.length <= 6, true);
const byIds = await client.completions.create({
  model, prompt: [10, 11, 12], max_tokens: 30, seed: 1, return_token_ids: true,
});
assert.deepEqual(byIds.choices[0].prompt_token_ids, [10, 11, 12]);
const full = byIds.choices[0].text;
if (full.length > 4) {
  const word = full.slice(2, 4);
  const cut = await client.completions.create({
    model, prompt: [10, 11, 12], max_tokens: 30, seed: 1, stop: word,
  });
  assert.equal(cut.choices[0].text, full.slice(0, full.indexOf(word)));
  assert.equal(cut.choices[0].finish_reason, "stop");
}

// Errors are those that the client knows.
const refused = (options, kind) =>
  assert.rejects(client.chat.completions.create({ ...settings, ...options }), kind);
await refused({ model: "another" }, OpenAI.NotFoundError);
await refused({ temperature: -1 }, OpenAI.BadRequestError);
await refused({ messages: [] }, OpenAI.BadRequestError);
await refused({ messages: [{ role: "user", content: "fox ".repeat(2000) }] }, OpenAI.BadRequestError);
await refused({ response_format: { type: "json_object" } }, OpenAI.BadRequestError);
const stranger = new OpenAI({ baseURL: server.url, apiKey: "wrong", maxRetries: 0 });
await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);

// One that never reads, and one that leaves in the middle, hold nobody back.
const request = (body) =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.token}\r\n` +
  `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const endless = JSON.stringify({ ...settings, stream: true, max_tokens: 450, ignore_eos: true });
const port = Number(new URL(server.url).port);
const deaf = net.connect(port, "127.0.0.1");
deaf.pause();
deaf.write(request(endless));
const leaver = await client.chat.completions.create({
  ...settings, stream: true, max_tokens: 450, ignore_eos: true,
});
for await (const chunk of leaver) {
  assert.equal(chunk.object, "chat.completion.chunk");
  break; // Ends the connection.
}

// 64 at once share the batch, and each gets what it would get alone.
const alone = [];
for (let i = 0; i < 4; ++i) {
  const one = await client.chat.completions.create({ ...settings, seed: i });
  alone.push(one.choices[0].message.content);
}
const many = await Promise.all(
  Array.from({ length: 64 }, (_, i) => client.chat.completions.create({ ...settings, seed: i % 4 })),
);
many.forEach((one, i) => assert.equal(one.choices[0].message.content, alone[i % 4]));

const metrics = await fetch(new URL("/metrics", server.url), {
  headers: { authorization: `Bearer ${server.token}` },
});
assert.match(await metrics.text(), /hone_llm_up 1/);
deaf.destroy();
assert.equal(await server.stop(), 0);
console.log("the official client through every endpoint; 64 at once");
