// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { ServiceEvent } from "../api/events";
import type { CampaignLine, TaskLine } from "../api/types";
import { foldCampaigns, foldService, mergedTasks, type ServiceState } from "./watched";

const message = (event: string, data: unknown) => ({ id: null, event, data: JSON.stringify(data) });

const task = (id: string, more: Partial<TaskLine> = {}) =>
  ({
    id,
    state: "settled",
    outcome: "accepted",
    submitted: "2026-11-15T11:00:00Z",
    sequence: 1,
    ...more,
  }) as TaskLine;
const queue = {
  waiting: 0,
  held: 0,
  running: 0,
  settled: 1,
  levels: [],
  waiting_by_priority: [],
};
const bucket = (at: string, submitted = 0) => ({
  at,
  settled: {},
  submitted,
  latency_s: { p50: null, p90: null, p99: null },
  waiting: 0,
});

function fold(...events: Partial<ServiceEvent>[]): ServiceState | null {
  return events.reduce<ServiceState | null>(
    (state, event) => foldService(state, message("service", { is_whole: false, ...event })),
    null,
  );
}

describe("foldService", () => {
  const whole = {
    is_whole: true,
    queue,
    workers: [{ name: "b" }, { name: "a" }] as never,
    buckets: [bucket("2026-11-15T11:00:00Z")],
    tasks: [task("one"), task("two", { sequence: null, outcome: null, state: "waiting" })],
  };

  it("puts what waits or runs before what is settled, and the newest first", () => {
    const state = fold(whole, { tasks: [task("three", { sequence: 3 })] });
    expect(state?.tasks.map((one) => one.id)).toEqual(["two", "three", "one"]);
    expect(state?.workers.map((one) => one.name)).toEqual(["a", "b"]);
  });

  it("replaces what changed, drops what is gone, and keeps the rest", () => {
    const state = fold(whole, {
      tasks: [task("two", { sequence: 2 })],
      gone_tasks: ["one"],
      gone_workers: ["a"],
      buckets: [bucket("2026-11-15T11:00:00Z", 4), bucket("2026-11-15T11:00:10Z")],
    });
    expect(state?.tasks.map((one) => [one.id, one.state])).toEqual([["two", "settled"]]);
    expect(state?.workers.map((one) => one.name)).toEqual(["b"]);
    expect(state?.history.map((one) => one.submitted)).toEqual([4, 0]);
    expect(state?.queue).toEqual(queue);
  });

  it("begins anew with a whole one, as after a lost connection", () => {
    const state = fold(whole, { ...whole, workers: [], tasks: [task("four")] });
    expect(state?.tasks.map((one) => one.id)).toEqual(["four"]);
    expect(state?.workers).toEqual([]);
  });

  it("keeps an hour", () => {
    const buckets = Array.from({ length: 400 }, (_, k) =>
      bucket(new Date(1.8e12 + k * 1e4).toISOString(), k),
    );
    const state = fold({ ...whole, buckets });
    expect(state?.history).toHaveLength(360);
    expect(state?.history[359]?.submitted).toBe(399);
  });

  it("does not take a difference to what was never seen, nor other events", () => {
    expect(fold({ tasks: [task("one")] })).toBeNull();
    expect(foldService(null, message("news", {}))).toBeNull();
  });
});

describe("mergedTasks", () => {
  it("has each task once, as it was told last", () => {
    const merged = mergedTasks(
      [task("a", { sequence: 1 }), task("b", { sequence: 2, reason: "old" })],
      [task("b", { sequence: 5, reason: "new" })],
    );
    expect(merged.map((one) => [one.id, one.reason])).toEqual([
      ["b", "new"],
      ["a", undefined],
    ]);
  });
});

describe("foldCampaigns", () => {
  const line = (id: string, created: string, trials = 0) =>
    ({ id, created, trials }) as CampaignLine;
  const first = foldCampaigns(
    null,
    message("campaigns", { campaigns: [line("b", "2026-11-02Z"), line("a", "2026-11-01Z")] }),
  );

  it("replaces a line in its place and puts a new campaign first", () => {
    const changed = foldCampaigns(first, message("campaign", line("a", "2026-11-01Z", 7)));
    expect(changed?.map((one) => [one.id, one.trials])).toEqual([
      ["b", 0],
      ["a", 7],
    ]);
    const longer = foldCampaigns(changed, message("campaign", line("c", "2026-11-03Z")));
    expect(longer?.map((one) => one.id)).toEqual(["c", "b", "a"]);
  });

  it("leaves out what is gone", () => {
    expect(foldCampaigns(first, message("gone", { id: "b" }))?.map((one) => one.id)).toEqual(["a"]);
  });

  it("keeps what it has after other events", () => {
    expect(foldCampaigns(first, message("news", {}))).toBe(first);
  });
});
