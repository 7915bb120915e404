// SPDX-License-Identifier: Apache-2.0
// Starts `hone llm serve` on a new small model, with the engine that $HONE_LLM_PROGRAM names.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const hone = process.env.HONE;
const folder = process.env.FOLDER;
export const model = join(folder, "tiny");

// A model that has learnt nothing, and a tokenizer from a text.
export function makeModel() {
  if (existsSync(join(model, "config.json"))) return;
  const corpus = join(folder, "corpus.txt");
  const line = "The quick brown fox jumps over the lazy dog; {\"name\": \"get_weather\"} <tool_call>\n";
  writeFileSync(corpus, line.repeat(200));
  const made = spawnSync(
    hone,
    ["llm", "make", model, "--corpus", corpus, "--vocab", "400", "--hidden", "64", "--layers", "2"],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  if (made.status !== 0) throw new Error(`hone llm make ended with ${made.status}`);
}

export async function startServer(environment = {}, flags = []) {
  makeModel();
  const child = spawn(
    hone,
    ["llm", "serve", model, "--port", "0", "--json", "--quiet", "--length", "512", "--rows", "8",
      "--store", join(folder, "hone.db"), ...flags],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...environment } },
  );
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.on("exit", (code) => reject(new Error(`hone llm serve ended with ${code}`)));
  });
  const facts = JSON.parse(line);
  if (!facts.url) throw new Error(`hone llm serve: ${line}`);
  const token = /^submit (\S+)$/m.exec(readFileSync(facts.token_file, "utf8"))[1];
  const stop = async () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { url: facts.url, token, model: facts.model, stop };
}
