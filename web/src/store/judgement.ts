// SPDX-License-Identifier: Apache-2.0
import type { Evaluation, Loose, Sample } from "../api/records";

// The times of both arms, in one unit.
export interface Timings {
  what: string;
  unit: string;
  candidate: number[];
  reference: number[];
}

// What is known of it; `is_gain` only where the whole interval is above 1.
export interface Speedup {
  value: number;
  is_gain: boolean;
  low: number | null;
  high: number | null;
}

export function finite(value: Loose | undefined): number {
  return typeof value === "number" ? value : NaN;
}

// Evidence that is a JSON object; null if there is none of this name, or it is something else.
export function evidenceObject(
  evaluation: Evaluation | undefined,
  what: string,
): Record<string, unknown> | null {
  const found = evaluation?.evidence.find((piece) => piece.what === what);
  if (!found) return null;
  try {
    const value: unknown = JSON.parse(found.text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function numbersIn(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((one): one is number => typeof one === "number") : [];
}

// What the judge timed call by call and counts, as domains with a reference keep it; else one value
// a run.
export function timingsOf(evaluation: Evaluation | undefined): Timings {
  const times = evidenceObject(evaluation, "times");
  const counted = Array.isArray(times?.counted) ? (times.counted as unknown[]) : [];
  const of = (arm: string) =>
    numbersIn((times?.[arm] as { times_ns?: unknown } | undefined)?.times_ns).filter(
      (_, i) => counted[i] !== false,
    );
  const candidate = of("candidate");
  const reference = of("reference");
  if (candidate.length + reference.length === 0) return timingsOfSamples(evaluation);
  const [scale, unit] = unitFor(Math.max(median(candidate) || 0, median(reference) || 0));
  return {
    what: "time of a call",
    unit,
    candidate: candidate.map((ns) => ns / scale),
    reference: reference.map((ns) => ns / scale),
  };
}

function unitFor(ns: number): [number, string] {
  if (ns >= 1e9) return [1e9, "s"];
  if (ns >= 1e6) return [1e6, "ms"];
  return ns >= 1e3 ? [1e3, "µs"] : [1, "ns"];
}

// The metric that is compared, times first.
export function timedMetric(samples: Sample[]): string | null {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample.metrics)))];
  return (
    names.find((name) => name === "time") ??
    names.find((name) => /time|_[mun]?s$/.test(name)) ??
    names[0] ??
    null
  );
}

function timingsOfSamples(evaluation: Evaluation | undefined): Timings {
  const samples = evaluation?.samples ?? [];
  const metric = timedMetric(samples);
  const of = (arm: string) =>
    samples
      .filter((sample) => sample.arm === arm)
      .map((sample) => finite(metric ? sample.metrics[metric]?.value : null))
      .filter(Number.isFinite);
  const unit = evaluation?.metrics.find((one) => one.name === metric)?.unit ?? "";
  return { what: metric ?? "time", unit, candidate: of("candidate"), reference: of("baseline") };
}

export function speedupOf(evaluation: Evaluation | undefined): Speedup | null {
  const value = finite(evaluation?.metrics.find((one) => one.name === "speedup")?.value);
  if (Number.isNaN(value)) return null;
  const [low, high] = numbersIn(evidenceObject(evaluation, "times")?.["speedup_interval"]);
  const is_gain = low === undefined ? false : low > 1;
  return { value, is_gain, low: low ?? null, high: high ?? null };
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return NaN;
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
