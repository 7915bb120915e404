// SPDX-License-Identifier: Apache-2.0
// Drives a server through every one of its tools, whatever client and transport are used.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const hone = process.env.HONE;
export const folder = process.env.FOLDER;
const tree = join(folder, "tree");
const store = join(folder, "hone.db");

mkdirSync(tree, { recursive: true });
writeFileSync(
  join(tree, "Kconfig"),
  'config SMP\n\tbool "Many processors"\n\nconfig NUMA\n\tbool "Memory nodes"\n\tdepends on SMP\n',
);

// The arguments of `hone` for standard input and output.
export const stdioArguments = ["mcp", "--read", tree, "--store", store];

// The real server over HTTP: its address, a token, and how it is ended.
export async function startHttp() {
  const child = spawn(
    hone,
    ["mcp", "--http=127.0.0.1:0", "--json", "--quiet", "--read", tree, "--store", store],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.on("exit", (code) => reject(new Error(`hone mcp ended with ${code}`)));
  });
  const facts = JSON.parse(line);
  const token = /^submit (\S+)$/m.exec(readFileSync(facts.token_file, "utf8"))[1];
  const stop = async () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { url: facts.url, token, stop };
}

const brokenSource = `
extern "C" void kernel(const float* x, const float* y, float* out, float a, long n) { nonsense }
`;

// `client` has list(), call(name, arguments, onprogress), read(uri), listResources().
export async function walk(client, { judges }) {
  const tools = await client.list();
  const names = tools.map((tool) => tool.name);
  const used = new Set();
  const call = async (name, args = {}, onprogress = undefined) => {
    used.add(name);
    const result = await client.call(name, args, onprogress);
    assert.equal(result.content[0].type, "text");
    return result;
  };

  const problems = (await call("list_problems", { backend: "cpp" })).structuredContent.problems;
  assert.ok(problems.some((problem) => problem.name === "saxpy"));
  const problem = (await call("get_problem", { name: "saxpy" })).structuredContent;
  assert.match(problem.signature, /kernel/);

  // A candidate that does not compile is a result, and says where.
  const broken = await call("judge_kernel", { problem: "saxpy", source: brokenSource, wait_s: 100 });
  assert.ok(!broken.isError);
  assert.equal(broken.structuredContent.state, "done");
  assert.equal(broken.structuredContent.result.outcome, "build_failed");
  assert.match(broken.content[0].text, /^\| .*nonsense/m);
  const record = await call("get_record", { handle: broken.structuredContent.handle });
  assert.match(record.content[0].text, /evaluation/);
  const link = broken.content.find((part) => part.type === "resource_link");
  assert.match((await client.read(link.uri)).contents[0].text, /build_failed/);
  assert.ok((await client.listResources()).length > 0);
  if (judges) {
    const source = `#include <cstdint>\n${problem.reference.replaceAll("scalar", "float")}`;
    const good = await call("judge_kernel", { problem: "saxpy", source, wait_s: 100 });
    assert.equal(good.structuredContent.result.outcome, "accepted", good.content[0].text);
    assert.match(good.content[0].text, /times as fast \(95 %/);
  }

  // A campaign by handle: first still running or done, then done.
  const begun = await call("start_campaign", { target: "toy", trials: 6, seed: 5, wait_s: 0 });
  const { handle } = begun.structuredContent;
  const seen = [];
  const done = await call("get_result", { handle, wait_s: 100 }, (note) => seen.push(note));
  assert.equal(done.structuredContent.state, "done", done.content[0].text);
  const { campaign, headline } = done.structuredContent.result;
  assert.match(campaign, /^toy-/);
  assert.ok(headline.length > 0);
  const stored = (await call("get_campaign", { campaign })).structuredContent;
  assert.equal(stored.headline, headline);
  const listed = (await call("list_campaigns")).structuredContent.campaigns;
  assert.ok(listed.some((one) => one.campaign === campaign));

  // What is stopped ends.
  const long = await call("start_campaign", { target: "toy", trials: 5000, wait_s: 0 });
  await call("stop_work", { handle: long.structuredContent.handle, now: true });
  const stopped = await call("get_result", {
    handle: long.structuredContent.handle,
    wait_s: 100,
  });
  assert.ok(["stopped", "done"].includes(stopped.structuredContent.state));

  // The host is not changed.
  const refused = await call("start_campaign", { target: "memory", wait_s: 100 });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /--allow-host/);

  const why = await call("kconfig_explain", { tree, symbols: ["NUMA=y", "SMP"] });
  assert.equal(why.structuredContent.answers.length, 2);
  const solved = await call("kconfig_solve", { tree, wishes: ["NUMA=y"] });
  assert.equal(solved.structuredContent.is_possible, true);
  assert.match(solved.content[0].text, /SMP/);
  const found = await call("kconfig_search", { tree, words: "memory" });
  assert.equal(found.structuredContent.symbols.length, 1);
  const elsewhere = await call("kconfig_explain", { tree: "/etc", symbols: ["A"] });
  assert.equal(elsewhere.isError, true);

  const page = await call("explain_parameter", { name: "vm.swappiness" });
  assert.equal(page.structuredContent.name, "vm.swappiness");
  const some = await call("list_parameters", { for: "memory", limit: 5 });
  assert.equal(some.structuredContent.parameters.length, 5);

  const known = await call("search_knowledge", { question: "when does the kernel swap" });
  assert.match(known.content[0].text, /swappiness/);
  const option = await call("explain_option", { name: "vm.swappiness" });
  assert.match(option.content[0].text, /vm\.swappiness/);
  assert.ok((await call("measured_effects")).content[0].text.length > 0);
  // Says what blocks it, or that the base was built from no tree.
  assert.ok((await call("what_blocks", { setting: "NUMA=y" })).content[0].text.length > 0);

  const misused = await call("get_problem", { nam: "x" });
  assert.equal(misused.isError, true);
  await assert.rejects(client.call("no_such_tool", {}), /Unknown tool|not found/i);
  assert.deepEqual([...names].sort(), [...used].sort(), "every tool was used");
  return { tools: names.length, progress: seen.length };
}
