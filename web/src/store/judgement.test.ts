// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { Evaluation } from "../api/records";
import { median, speedupOf, timingsOf } from "./judgement";

const kEvaluation: Evaluation = {
  outcome: "accepted",
  reason: "",
  evidence: [
    { what: "compiler", text: "{ not JSON" },
    {
      what: "times",
      text: JSON.stringify({
        candidate: { times_ns: [50000, 52000] },
        reference: { times_ns: [100000] },
        speedup_interval: [1.9, 2.1],
      }),
    },
    { what: "phases", text: '{"load":6.1,"failed_in":"timing"}' },
  ],
  metrics: [{ name: "speedup", unit: "1", value: 2, spread: 0.1, count: 1 }],
  samples: [],
  provenance: {},
};

describe("a judgement", () => {
  it("has the times of every call, in a unit that fits", () => {
    expect(timingsOf(kEvaluation)).toEqual({
      what: "time of a call",
      unit: "µs",
      candidate: [50, 52],
      reference: [100],
    });
  });

  it("leaves out the calls that the judge does not count", () => {
    const times = {
      candidate: { times_ns: [50000, 90000, 52000] },
      reference: { times_ns: [100000, 190000, 100000] },
      counted: [true, false, true],
    };
    const found = timingsOf({
      ...kEvaluation,
      evidence: [{ what: "times", text: JSON.stringify(times) }],
    });
    expect(found.candidate).toEqual([50, 52]);
    expect(found.reference).toEqual([100, 100]);
  });

  it("has one value a run where calls are not told", () => {
    const sample = (arm: "candidate" | "baseline", value: number | string) => ({
      arm,
      metrics: { time: { value } },
    });
    const found = timingsOf({
      ...kEvaluation,
      evidence: [],
      metrics: [{ name: "time", unit: "ms", value: 1, spread: 0, count: 1 }],
      samples: [sample("candidate", 1), sample("baseline", 2), sample("baseline", "NaN")],
    });
    expect(found).toEqual({ what: "time", unit: "ms", candidate: [1], reference: [2] });
  });

  it("has the speed-up with its interval, or none", () => {
    expect(speedupOf(kEvaluation)).toEqual({ value: 2, is_gain: true, low: 1.9, high: 2.1 });
    expect(speedupOf({ ...kEvaluation, metrics: [] })).toBeNull();
    expect(speedupOf(undefined)).toBeNull();
  });

  it("calls a speed-up a gain only where its whole interval is above 1", () => {
    const times = (...interval: number[]) => ({
      ...kEvaluation,
      evidence: [{ what: "times", text: JSON.stringify({ speedup_interval: interval }) }],
    });
    expect(speedupOf(times(1.01, 1.2))?.is_gain).toBe(true);
    expect(speedupOf(times(0.99, 1.2))?.is_gain).toBe(false);
    expect(speedupOf(times())?.is_gain).toBe(false);
  });

  it("has a median", () => {
    expect([median([3, 1, 2]), median([4, 1]), median([])]).toEqual([2, 2.5, NaN]);
  });
});
