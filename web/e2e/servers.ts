// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

// A process of ours that serves the page.
export class Server {
  private constructor(
    readonly process: ChildProcess,
    readonly base: string,
    private readonly said: string[],
  ) {}

  // Started, and its address read from what it prints.
  static async start(
    command: string,
    args: string[],
    pattern: RegExp,
    env: NodeJS.ProcessEnv = {},
  ): Promise<Server> {
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    const said: string[] = [];
    const base = await new Promise<string>((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        said.push(chunk.toString());
        const found = pattern.exec(said.join(""));
        if (found) resolve(`${found[0].replace(/\/$/, "")}/`);
      };
      child.stdout.on("data", listen);
      child.stderr.on("data", listen);
      child.on("error", reject);
      child.on("exit", (code) =>
        reject(new Error(`${command} ended with ${code}: ${said.join("")}`)),
      );
      setTimeout(
        () => reject(new Error(`${command} said no address: ${said.join("")}`)),
        30000,
      ).unref();
    });
    return new Server(child, base, said);
  }

  get output(): string {
    return this.said.join("");
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, "exit");
    this.process.kill(signal);
    await gone;
  }
}

export function startMock(args: string[] = []): Promise<Server> {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  return Server.start(
    process.execPath,
    ["mock/server.mjs", ...port, ...args],
    /http:\/\/[0-9.:]+\//,
  );
}
