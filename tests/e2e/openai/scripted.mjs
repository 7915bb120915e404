// SPDX-License-Identifier: Apache-2.0
// scripted.mjs: what no small model says by itself: calls of tools in both forms, and engines that die
// or speak nonsense.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { startServer } from "./server.mjs";

const program = join(process.env.FOLDER, "scripted-engine");
const script = fileURLToPath(new URL("./scripted_engine.mjs", import.meta.url));
writeFileSync(program, `#!/bin/sh\nexec node '${script}' "$@"\n`, { mode: 0o755 });
const weather = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

async function withEngine(text, end, work) {
  const server = await startServer({ HONE_LLM_PROGRAM: program, SCRIPT_TEXT: text, SCRIPT_END: end });
  const client = new OpenAI({ baseURL: server.url, apiKey: server.token, maxRetries: 0 });
  const settings = { model: server.model, messages: [{ role: "user", content: "weather?" }] };
  await work(client, settings);
  assert.equal(await server.stop(), 0);
}

const qwen =
  'Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bern"}}\n</tool_call>\n' +
  '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Genf"}}\n</tool_call>';
await withEngine(qwen, "stop", async (client, settings) => {
  const whole = await client.chat.completions.create({ ...settings, tools: [weather] });
  assert.equal(whole.choices[0].finish_reason, "tool_calls");
  assert.equal(whole.choices[0].message.content, "Let me look.\n");
  const calls = whole.choices[0].message.tool_calls;
  assert.deepEqual(calls.map((call) => JSON.parse(call.function.arguments).city), ["Bern", "Genf"]);
  assert.equal(new Set(calls.map((call) => call.id)).size, 2);

  const stream = client.chat.completions.stream({ ...settings, tools: [weather] });
  const final = await stream.finalChatCompletion();
  assert.equal(final.choices[0].message.tool_calls.length, 2);
  assert.equal(final.choices[0].message.content, "Let me look.\n");

  // The answer of a tool goes back; without tools the same words are text.
  await client.chat.completions.create({
    ...settings,
    tools: [weather],
    messages: [
      ...settings.messages,
      whole.choices[0].message,
      { role: "tool", tool_call_id: calls[0].id, content: "rain" },
    ],
  });
  const text = await client.chat.completions.create(settings);
  assert.equal(text.choices[0].message.content, qwen);
});

await withEngine('{"name": "get_weather", "parameters": {"city": "Bern"}}', "stop", async (client, settings) => {
  const whole = await client.chat.completions.create({ ...settings, tools: [weather] });
  assert.equal(whole.choices[0].message.content, null);
  assert.equal(whole.choices[0].message.tool_calls[0].function.arguments, '{"city":"Bern"}');
});

// Half a character is never sent.
await withEngine("a€😀b", "stop", async (client, settings) => {
  const stream = await client.chat.completions.create({ ...settings, stream: true });
  const pieces = [];
  for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta?.content ?? "");
  assert.equal(pieces.join(""), "a€😀b");
  assert.ok(pieces.includes("€") && pieces.includes("😀"));
});

for (const end of ["die", "nonsense"]) {
  await withEngine("hello", end, async (client, settings) => {
    await assert.rejects(client.chat.completions.create(settings), /engine is gone/);
    await assert.rejects(client.chat.completions.create({ ...settings, stream: true }), OpenAI.InternalServerError);
  });
}
await assert.rejects(startServer({ HONE_LLM_PROGRAM: program, SCRIPT_END: "silent" }), /before the model was ready/);
console.log("tools in both forms, whole characters, engines that end badly");
