// SPDX-License-Identifier: Apache-2.0
import { ApiError, errorOf } from "./client";
import { SseParser, type StreamMessage } from "./sse";
import { authorization } from "./token";

export type StreamState =
  | { kind: "connecting" }
  | { kind: "open" }
  | { kind: "lost"; retry_ms: number; reason: string }
  | { kind: "refused"; error: ApiError }
  | { kind: "ended" };

export interface StreamUse {
  path: string;
  // The newest id that is safely folded in, or none: where to go on after a lost connection.
  lastId(): number | null;
  // False: this message leaves a gap, and the stream must be asked again from lastId().
  take(message: StreamMessage): boolean;
  onState(state: StreamState): void;
}

const kFirstDelayMs = 250;
const kMaxDelayMs = 5000;
const kSliceMs = 8; // Work between two breaths, so that a long history never holds a frame.
const kSilenceMs = 40000; // The server says something every 15 s.

// Doubles up to five seconds; the jitter keeps many pages from coming back at the same instant.
export function retryDelay(attempt: number, random: () => number): number {
  const full = Math.min(kMaxDelayMs, kFirstDelayMs * 2 ** attempt);
  return Math.round(full * (0.5 + 0.5 * random()));
}

const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

// Reads a stream until it ends or close() is called, and comes back after every loss.
export class EventStream {
  private readonly closing = new AbortController();
  private attempt = 0;
  private has_ended = false;

  constructor(private readonly use: StreamUse) {
    void this.run();
  }

  close(): void {
    this.closing.abort();
  }

  private async run(): Promise<void> {
    this.use.onState({ kind: "connecting" });
    while (!this.closing.signal.aborted) {
      const reason = await this.readOnce();
      if (this.closing.signal.aborted || reason === null) return;
      if (this.has_ended) return this.use.onState({ kind: "ended" });
      const retry_ms = retryDelay(this.attempt++, Math.random);
      this.use.onState({ kind: "lost", retry_ms, reason });
      await this.sleep(retry_ms);
    }
  }

  // Null: for good; else why the connection is gone.
  private async readOnce(): Promise<string | null> {
    const line = new AbortController();
    const stop = () => line.abort();
    this.closing.signal.addEventListener("abort", stop);
    try {
      const last = this.use.lastId();
      const response = await fetch(this.use.path, {
        headers: {
          Accept: "text/event-stream",
          ...authorization(),
          ...(last === null ? {} : { "Last-Event-ID": String(last) }),
        },
        cache: "no-store",
        credentials: "omit",
        signal: line.signal,
      });
      if (!response.ok) return await this.refuse(response);
      this.use.onState({ kind: "open" });
      await this.readBody(response, line);
      return "The server closed the connection.";
    } catch {
      return "The server cannot be reached.";
    } finally {
      this.closing.signal.removeEventListener("abort", stop);
      line.abort();
    }
  }

  // What asking again cannot mend ends the stream; the rest is tried again.
  private async refuse(response: Response): Promise<string | null> {
    const error = await errorOf(response);
    if (response.status >= 500 || response.status === 429) return error.message;
    this.use.onState({ kind: "refused", error });
    return null;
  }

  private async readBody(response: Response, line: AbortController): Promise<void> {
    const reader = response.body?.getReader();
    if (!reader) return;
    const parser = new SseParser();
    const decoder = new TextDecoder();
    let slice_start = performance.now();
    for (;;) {
      const watch = setTimeout(() => line.abort(), kSilenceMs);
      const piece = await reader.read().finally(() => clearTimeout(watch));
      if (piece.done) return;
      this.attempt = 0;
      for (const message of parser.push(decoder.decode(piece.value, { stream: true }))) {
        if (message.event === "end") this.has_ended = true;
        if (!this.use.take(message)) return;
        if (performance.now() - slice_start > kSliceMs) {
          await breath();
          slice_start = performance.now();
        }
      }
      if (this.has_ended) return;
    }
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      this.closing.signal.addEventListener("abort", stop, { once: true });
      globalThis.addEventListener?.("online", stop, { once: true });
    });
  }
}
