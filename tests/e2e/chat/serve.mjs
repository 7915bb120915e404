// SPDX-License-Identifier: Apache-2.0
// serve.mjs SERVER FILE: starts a server of chat completions that is not ours on a free port, and
// writes its URL into the file.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const servers = {
  async aimock() {
    const { LLMock } = await import("@copilotkit/aimock");
    const mock = new LLMock({
      port: 0, chunkSize: 7, logLevel: "silent", auth: { apiKeys: ["sk-the-right-key"] },
    });
    const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };
    mock.onMessage("Count from one", { content: "one two three four five six seven", usage });
    mock.onMessage("Which number follows", { content: '{"number": 8}' });
    mock.onMessage("Use the tool", {
      toolCalls: [{ name: "look_up", arguments: '{"name": "vm.swappiness"}' }],
    });
    mock.onMessage("Umlauts", { content: "Ä — \u{1f389} — \u0000 — ende" });
    mock.onMessage("Think", { content: "42", reasoning: "six times seven" });
    mock.onMessage("Be busy", { error: { message: "slow down", type: "rate_limit" }, status: 429,
      retryAfter: 1 });
    mock.onMessage("Fail", { error: { message: "out of order", type: "server" }, status: 500 });
    mock.onMessage("Refuse", { error: { message: "too long", type: "invalid" }, status: 400 });
    mock.onMessage("Break off", { content: "this answer has no end at all" },
      { truncateAfterChunks: 2 });
    await mock.start();
    return mock.url;
  },
  async "mock-openai-api"() {
    const app = createRequire(import.meta.url)("mock-openai-api/dist/app.js").default;
    console.log = () => {};
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${server.address().port}`;
  },
};

const url = await servers[process.argv[2]]();
writeFileSync(process.argv[3], url);
