// SPDX-License-Identifier: Apache-2.0
// legacy.mjs stdio|http: the official SDK 1.x through every tool (2025-11-25).
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { hone, startHttp, stdioArguments, walk } from "./walk.mjs";

const isHttp = process.argv[2] === "http";
const server = isHttp ? await startHttp() : undefined;
const transport = isHttp
  ? new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { authorization: `Bearer ${server.token}` } },
    })
  : new StdioClientTransport({ command: hone, args: stdioArguments, stderr: "inherit" });

const client = new Client({ name: "hone-e2e", version: "1" }, { capabilities: {} });
const problems = [];
client.onerror = (problem) => problems.push(problem);
await client.connect(transport);
assert.equal(client.getServerVersion().name, "hone");
assert.match(client.getInstructions(), /judge_kernel/);
if (isHttp) assert.equal(transport.protocolVersion, "2025-11-25");
await client.ping();

const patient = { timeout: 120_000 };
const facts = await walk(
  {
    list: async () => (await client.listTools()).tools,
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, undefined, { ...patient, onprogress }),
    read: (uri) => client.readResource({ uri }),
    listResources: async () => (await client.listResources()).resources,
  },
  { judges: !isHttp },
);

// A call that its client gives up is cancelled, and the connection goes on.
const gaveUp = new AbortController();
const waiting = client.callTool(
  { name: "start_campaign", arguments: { target: "toy", trials: 100000, wait_s: 100 } },
  undefined,
  { ...patient, signal: gaveUp.signal, onprogress: () => gaveUp.abort("enough") },
);
await assert.rejects(waiting, /enough|abort/i);
await client.ping();

// Before it closes: the SDK then breaks off what is still open of the call above, and complains of it.
assert.deepEqual(problems, []);
await client.close();
if (server) assert.equal(await server.stop(), 0);
console.log(`SDK 1.x over ${isHttp ? "HTTP" : "stdio"}:`, facts);
