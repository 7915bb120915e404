// SPDX-License-Identifier: Apache-2.0
// The program under test, each time in a folder of its own.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "@playwright/test";
import { Server } from "./servers";

const hone = process.env["HONE"] ?? "";

// Every spec of the real program begins with this.
export function needHone(): void {
  test.skip(
    hone === "" || !existsSync(hone),
    "HONE names no program: HONE=build/dev/hone/cli/hone npm run e2e",
  );
}

const kAddress = /http:\/\/127\.0\.0\.1:\d+(?=\D)/;

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), "hone-e2e-"));
  readonly store = join(this.folder, "hone.db");
  private readonly servers: Server[] = [];

  // With a flag for the store; waits for its address.
  async serve(...words: string[]): Promise<Server> {
    const server = await Server.start(hone, [...words, "--store", this.store], kAddress);
    this.servers.push(server);
    return server;
  }

  tune(...words: string[]): Promise<Server> {
    return this.serve("tune", ...words, "--yes");
  }

  run(...words: string[]): { status: number; output: string } {
    const done = spawnSync(hone, [...words, "--store", this.store], { encoding: "utf8" });
    return { status: done.status ?? -1, output: done.stdout + done.stderr };
  }

  token(role: string): string {
    const lines = readFileSync(join(this.folder, "tokens"), "utf8").split("\n");
    const found = lines.map((line) => line.trim().split(/\s+/)).find(([name]) => name === role);
    if (!found?.[1]) throw new Error(`no token of the role ${role}`);
    return found[1];
  }

  write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o755 });
    return path;
  }

  async close(): Promise<void> {
    for (const server of this.servers) await server.stop("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// The pairs of the search that are stored, and its trials, as the server's own stream has them.
export async function storedCounts(
  base: string,
  id: string,
): Promise<{ pairs: number; trials: number }> {
  const text = await (await fetch(`${base}v1/campaigns/${id}/events`)).text();
  let pairs = 0;
  const trials = new Set<number>();
  for (const message of text.split("\n\n")) {
    const event = /^event: (.*)$/m.exec(message)?.[1];
    const data = /^data: (.*)$/m.exec(message)?.[1];
    if (!data) continue;
    const value = JSON.parse(data) as {
      phase?: string;
      number?: number;
      is_asked?: boolean;
      pairs?: { rewards: (number | null)[] };
    };
    if (event === "trial" && value.number !== undefined && value.is_asked) trials.add(value.number);
    if (event !== "block" || (value.phase !== "trial" && value.phase !== "finals")) continue;
    pairs += (value.pairs?.rewards ?? []).filter((reward) => reward !== null).length;
  }
  return { pairs, trials: trials.size };
}

// A campaign of 51,000 pairs, made once: it takes a minute or more.
export function storeWithPoints(): string {
  const folder = join("..", "build", "dashboard", "points");
  if (existsSync(join(folder, "made"))) return join(folder, "hone.db");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const campaign = join(folder, "campaign.json");
  writeFileSync(
    campaign,
    JSON.stringify({
      domain: "toy",
      options: { noise: "0.03" },
      race: { first_pairs: 100, more_pairs: 2, most_pairs: 100 },
      search: { most_trials: 510, proposer: "random" },
    }),
  );
  const store = join(folder, "hone.db");
  const done = spawnSync(hone, ["tune", campaign, "--store", store, "--quiet", "--json"], {
    encoding: "utf8",
  });
  if ((done.status ?? 9) > 1) throw new Error(done.stderr);
  writeFileSync(join(folder, "made"), "");
  return store;
}
