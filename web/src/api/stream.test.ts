// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CampaignStore } from "../store/campaign_store";
import { EventStream, type StreamState, retryDelay } from "./stream";

const trial = (id: number) =>
  `id: ${id}\nevent: trial\ndata: ${JSON.stringify({
    number: id - 1,
    at: "2026-11-15T11:00:00Z",
    candidate: {},
    outcome: "accepted",
    is_within_limits: true,
    reward: { mean: id / 100, standard_error: 0.01, count: 2 },
    best: id - 1,
  })}\n\n`;

type Answer = { status?: number; pieces: string[]; breaks?: boolean };

function respond({ status = 200, pieces, breaks }: Answer): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      if (breaks) controller.error(new TypeError("network"));
      else controller.close();
    },
  });
  return new Response(body, { status });
}

async function follow(answers: Answer[]) {
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", (_path: string, options: { headers: Record<string, string> }) => {
    asked.push(options.headers["Last-Event-ID"] ?? null);
    const answer = answers.shift();
    return answer ? Promise.resolve(respond(answer)) : new Promise(() => undefined);
  });
  const store = new CampaignStore();
  const states: StreamState[] = [];
  const stream = new EventStream({
    path: "/v1/campaigns/toy-1/events",
    lastId: () => store.last_id,
    take: (message) => store.take(message),
    onState: (state) => states.push(state),
  });
  await vi.advanceTimersByTimeAsync(20000);
  stream.close();
  return { asked, store, states };
}

describe("EventStream", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("goes on after the last event when the connection is lost", async () => {
    const { asked, store, states } = await follow([
      { pieces: [trial(1), trial(2).slice(0, 20)] },
      { pieces: [trial(2), trial(3), "event: end\ndata: {}\n\n"] },
    ]);
    expect(asked).toEqual([null, "1"]);
    expect(store.trials.map((one) => one.number)).toEqual([0, 1, 2]);
    expect(states.map((state) => state.kind)).toEqual([
      "connecting",
      "open",
      "lost",
      "open",
      "ended",
    ]);
  });

  it("takes nothing twice when the server repeats itself", async () => {
    const { store } = await follow([
      { pieces: [trial(1), trial(2)] },
      { pieces: [trial(1), trial(2), trial(3), "event: end\ndata: {}\n\n"] },
    ]);
    expect(store.trials.length).toBe(3);
    expect(store.last_id).toBe(3);
  });

  it("asks again from the last one when events are missing in between", async () => {
    const { asked, store } = await follow([
      { pieces: [trial(1), trial(3)] },
      { pieces: [trial(2), trial(3), "event: end\ndata: {}\n\n"] },
    ]);
    expect(asked).toEqual([null, "1"]);
    expect(store.last_id).toBe(3);
  });

  it("comes back when the server refuses for a while", async () => {
    const { states } = await follow([
      { status: 503, pieces: ['{"error":{"code":"unavailable","message":"Too many."}}'] },
      { pieces: ["event: end\ndata: {}\n\n"] },
    ]);
    expect(states.map((state) => state.kind)).toEqual(["connecting", "lost", "open", "ended"]);
  });

  it("does not come back when asking again is of no use", async () => {
    const { asked, states } = await follow([
      { status: 404, pieces: ['{"error":{"code":"not_found","message":"There is none."}}'] },
    ]);
    expect(asked.length).toBe(1);
    const last = states[states.length - 1];
    expect(last?.kind === "refused" && last.error.message).toBe("There is none.");
  });

  it("stays on a connection that breaks in the middle of a message", async () => {
    const { store } = await follow([
      { pieces: [trial(1)], breaks: false },
      { pieces: [], breaks: true },
      { pieces: [trial(2), "event: end\ndata: {}\n\n"] },
    ]);
    expect(store.last_id).toBe(2);
  });
});

describe("retryDelay", () => {
  it("doubles up to five seconds, and is spread over its upper half", () => {
    expect(retryDelay(0, () => 1)).toBe(250);
    expect(retryDelay(0, () => 0)).toBe(125);
    expect(retryDelay(3, () => 1)).toBe(2000);
    expect(retryDelay(30, () => 1)).toBe(5000);
  });
});
