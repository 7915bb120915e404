// SPDX-License-Identifier: Apache-2.0
// What the server's schemas call just an object: the records of docs/formats/records.md, what
// `hone show --json` says, workers. So it is written by hand.

export type Value = number | string | boolean | number[];
export type Assignment = Record<string, Value>;

export interface Parameter {
  name: string;
  kind: string;
  low?: number;
  high?: number;
  is_log?: boolean;
  choices?: string[];
  unit?: string;
  baseline: Value;
  description?: string;
}

// As `hone show --json` has it: under the formula "gain" these are log-ratios.
export interface PairedTest {
  count: number;
  effect: number | null;
  interval: [number | null, number | null];
  p_value: number | null;
}

export interface Effect {
  name: string;
  from: string;
  to: string;
  effect: PairedTest;
}

// Whether a limit was shown to hold, and what was to spare as a share of its bound.
export interface LimitCheck {
  limit: { metric: string; is_upper: boolean; bound: number; is_relative: boolean };
  margin: PairedTest;
  holds: boolean;
}

export interface Proof {
  candidate: { assignment: Assignment; source: string };
  reward: PairedTest;
  objectives: { metric: string; test: PairedTest }[];
  limits: LimitCheck[];
  failure: string;
  adjusted_p: number | null;
  is_gain: boolean;
}

export interface Verdict {
  kind: "gain" | "no_gain" | "front" | "not_enough" | "suspicious" | "does_not_run";
  reason: string;
  proof: Proof | null;
  front: Proof[];
  effects: Effect[];
  dropped: string[];
  detectable: number | null;
  notes: string[];
  suspicions?: string[]; // Of a store by an older build there is neither.
  output?: { what: string; text: string }[];
}

// What a counter says of the winner against the baseline; it decides nothing.
export interface Counter {
  name: string;
  title: string;
  is_share: boolean; // Then `change` is a difference, else relative to the baseline.
  baseline: number;
  candidate: number;
  change: PairedTest;
  adjusted_p: number;
  has_moved: boolean;
  meaning: string; // Empty if it did not move.
}

export interface Counters {
  changes: Counter[];
  missing: string; // What could not be counted, and why.
}

export interface Gate {
  pairs: number;
  noise: number | null;
  variation: number | null;
  drift: number | null;
  drift_p: number | null;
  autocorrelation: number | null;
  outliers: number;
  marked_runs: number;
  difference: PairedTest;
  detectable: number | null;
  run_time_us: number;
  planned_runs: number;
  warnings: string[];
}

export interface Estimate {
  mean: number;
  standard_error: number | null; // Null where one pair tells nothing of it.
  count: number;
}

export interface Worker {
  name: string;
  host: string;
  version: string;
  has: { names: string[]; memory_mib: number };
  since: string;
  seen: string;
  facts: Record<string, string>;
  task?: string | null;
}

// A number that may be written as a text where it is not finite.
export type Loose = number | string | null;

export interface Sample {
  arm: "candidate" | "baseline";
  metrics: Record<string, { value: Loose; spread?: Loose; count?: number }>;
  marks?: string[];
  started_us?: number;
  duration_us?: number;
}

export interface Evaluation {
  outcome: string;
  reason: string;
  evidence: { what: string; text: string }[];
  metrics: { name: string; unit: string; value: Loose; spread: Loose; count: number }[];
  samples: Sample[];
  phases?: { name: string; ms: number }[];
  provenance: {
    facts?: Record<string, string>;
    started_us?: number;
    finished_us?: number;
    version?: string;
    worker?: string;
  };
}
