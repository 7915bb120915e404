// SPDX-License-Identifier: Apache-2.0
// What the server's streams tell. No schema has it, so it is written by hand.
import type { Assignment, Effect, Estimate, Verdict, Worker } from "./records";
import type { Control, HistoryBucket, QueueCounts, TaskLine } from "./types";

export interface Update {
  at_s: number | null; // None if an earlier process made it.
  values: (number | null)[];
}

export type Phase = "gate" | "trial" | "finals" | "proof" | "ablation";

export interface MetricPairs {
  candidate: (number | null)[];
  baseline: (number | null)[];
  unit: string;
}

// Of both runs of each pair: the share of its time in which a task of the machine waited.
export interface PressurePairs {
  candidate: (number | null)[];
  baseline: (number | null)[];
}

export type Resource = "cpu" | "memory" | "io";

export interface Block {
  name: string;
  phase: Phase;
  trial: number | null;
  at: string;
  candidate: Assignment;
  outcome: string;
  reason: string;
  marks: string[];
  pairs: {
    rewards: (number | null)[];
    metrics: Record<string, MetricPairs>;
    pressure?: Partial<Record<Resource, PressurePairs>>; // Of what was recorded.
  };
  seconds: number | null;
  position: number;
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
  best: number | null; // The best trial so far, with this one, by the rule of the search.
}

export interface VerdictEvent {
  sentence: string;
  verdict: Verdict;
  ablation: Effect[];
}

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
