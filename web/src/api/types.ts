// SPDX-License-Identifier: Apache-2.0
// What the server says, word for word. Times are RFC 3339 in UTC; numbers are finite or null.

export interface About {
  version: string;
  role: "nobody" | "submit" | "work" | "admin";
  reads_need_token: boolean;
  controls_need_token: boolean;
  has_campaigns: boolean;
  has_service: boolean;
  has_training: boolean;
  now: string;
}

export type TrainingState =
  | "training"
  | "stopping"
  | "evaluating"
  | "done"
  | "stopped"
  | "failed";

export interface Training {
  algorithm: string;
  environment: string;
  seed: number;
  steps: number; // With which it began.
  total_steps: number;
  settings: Record<string, string>;
  columns: string[]; // What the values of an update are.
  began: string; // Or when it was last saved.
  is_live: boolean;
  state: TrainingState;
  folder: string;
  score: { mean: number; deviation: number; episodes: number } | null;
  message: string;
}

export interface Update {
  at_s: number | null; // None if an earlier process made it.
  values: (number | null)[];
}

// A share: 0.05 is +5 %. Ends that the data do not bound are null.
export interface Interval {
  effect: number;
  low: number | null;
  high: number | null;
  confidence: number;
}

export type CampaignState = "running" | "stopped" | "done";

export interface VerdictLine {
  kind: "gain" | "no_gain" | "front";
  sentence: string;
  gain: Interval | null;
}

export interface CampaignLine {
  id: string;
  domain: string;
  workload: string;
  engine: string;
  state: CampaignState;
  created: string;
  updated: string;
  trials: number;
  most_trials: number;
  objectives: string[];
  verdict: VerdictLine | null;
  last_error: string;
}

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

export interface Objective {
  metric: string;
  unit: string;
  direction: "higher_is_better" | "lower_is_better";
  weight: number;
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

export interface Proof {
  candidate: { assignment: Assignment; source: string };
  reward: PairedTest;
  objectives: { metric: string; test: PairedTest }[];
  limits: unknown[];
  failure: string;
  adjusted_p: number | null;
  is_gain: boolean;
}

export interface Verdict {
  kind: "gain" | "no_gain" | "front";
  reason: string;
  proof: Proof | null;
  front: Proof[];
  effects: Effect[];
  dropped: string[];
  detectable: number | null;
  notes: string[];
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

export interface Campaign {
  line: CampaignLine;
  spec: Record<string, unknown>;
  objectives: Objective[];
  reward_is_share: boolean;
  confidence: number;
  parameters: Parameter[];
  machine: Record<string, string>;
  version: string;
  is_live: boolean;
  is_read: boolean; // False: of a long history, some is still to be read.
  verdict: Verdict | null;
  gate: Gate | null;
  ablation: Effect[];
  aftermath: string;
  suspicions: string[];
  tried_in_vain: Record<string, number>;
  exports: string[];
}

export type Phase = "gate" | "trial" | "finals" | "proof" | "ablation";

export interface MetricPairs {
  candidate: (number | null)[];
  baseline: (number | null)[];
  unit: string;
}

export interface Block {
  name: string;
  phase: Phase;
  trial: number | null;
  at: string;
  candidate: Assignment;
  outcome: string;
  reason: string;
  marks: string[];
  pairs: { rewards: (number | null)[]; metrics: Record<string, MetricPairs> };
  seconds: number | null;
  position: number;
}

export interface Estimate {
  mean: number;
  standard_error: number | null; // Null where one pair tells nothing of it.
  count: number;
}

export interface Trial {
  number: number;
  at: string;
  candidate: Assignment;
  changes: string;
  outcome: string;
  reason: string;
  race: string;
  is_asked: boolean; // By the search; else the finals added it.
  is_finalist: boolean;
  is_within_limits: boolean;
  reward: Estimate | null;
  objectives: Record<string, number | null>;
  stability: number | null;
  episode: number | null;
}

export interface VerdictEvent {
  sentence: string;
  verdict: Verdict;
  ablation: Effect[];
}

export type Control = "running" | "pausing" | "paused" | "stopping" | "done";

export interface Progress {
  phase: string;
  done: number;
  planned: number;
  trials: number;
  runs: number;
  measured_s: number;
  remaining_s: number | null;
  elapsed_s: number;
  best: { changes: string; reward: Estimate } | null;
  current: {
    trial: number | null;
    changes: string;
    rewards: number[];
    reward: Estimate | null;
  } | null;
  message: string;
  control: Control;
}

export interface JournalState {
  is_clean: boolean;
  changed: number;
  sentence: string;
  entries: { name: string; original: string; now: string }[];
}

export interface Pressure {
  at: string;
  cpu: number | null;
  memory: number | null;
  io: number | null;
  load: number;
}

export interface LogLine {
  at: string;
  level: "info" | "warning" | "error";
  text: string;
  sequence: number;
}

export interface QueueCounts {
  waiting: number;
  held?: number;
  running?: number;
  settled: number;
  levels: { priority: number; waiting: number; oldest: string }[]; // Highest priority first.
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

export interface TaskLine {
  id: string;
  domain: string;
  state: "waiting" | "running" | "held" | "settled";
  outcome: string | null;
  reason: string;
  submitted: string;
  finished: string | null;
  worker: string;
  speedup: number | null;
  sequence: number | null;
  priority: string | number;
}

export interface HistoryBucket {
  at: string;
  settled: Record<string, number>;
  submitted: number;
  latency_s: { p50: number | null; p90: number | null; p99: number | null };
  waiting: number;
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

export interface TaskView {
  id: string;
  domain: string;
  state: "waiting" | "running" | "held" | "settled";
  priority: string | number;
  outcome: string | null;
  worker: string | null;
  attempts: number;
  ahead: number | null;
  why_waiting?: string;
  pushed_at: string;
  taken_at: string | null;
  settled_at: string | null;
  candidate?: { source?: string; assignment?: Assignment };
  options?: Record<string, string>;
  evaluation?: Evaluation;
  dropped?: { why: string; reason: string };
  timeline?: { what: string; at: string }[];
}

// What changed of the service; or all of it.
export interface ServiceEvent {
  is_whole: boolean;
  queue?: QueueCounts;
  workers?: Worker[];
  buckets?: HistoryBucket[];
  tasks?: TaskLine[];
  gone_workers?: string[];
  gone_tasks?: string[];
}
