// SPDX-License-Identifier: Apache-2.0
// What the server answers, by the names of its schemas. Times are RFC 3339 in UTC; numbers are
// finite or null.
import type { Assignment, Counters, Effect, Evaluation, Gate, Parameter, Verdict } from "./records";
import type { Schemas } from "./schema";

// A schema with more told of what it leaves open. Each field must be one of the schema's, and stay
// within what that says.
type Closer<S, T extends { [K in keyof T]: K extends keyof S ? S[K] : never }> = Omit<S, keyof T> &
  T;

export type About = Schemas["About"];
export type Control = Schemas["Control"]["control"];

export type Training = Schemas["Training"];
export type TrainingState = Training["state"];

export type Campaigns = Schemas["Campaigns"];
export type CampaignLine = Schemas["CampaignLine"];
export type VerdictLine = NonNullable<CampaignLine["verdict"]>;
// A share: 0.05 is +5 %. Ends that the data do not bound are null.
export type Interval = NonNullable<VerdictLine["gain"]>;
export type Objective = Campaign["objectives"][number];

export type Campaign = Closer<
  Schemas["Campaign"],
  {
    spec: Record<string, unknown>;
    parameters: Parameter[];
    machine: Record<string, string>;
    verdict: Verdict | null;
    gate: Gate | null;
    ablation: Effect[];
    counters: Counters;
    tried_in_vain: Record<string, number>;
  }
>;

// What `hone export --as json` says of the runs of one block.
export type CampaignRuns = Closer<
  Schemas["CampaignRuns"],
  {
    runs: Closer<
      Schemas["CampaignRuns"]["runs"][number],
      { metrics: Record<string, number | null>; observations: Record<string, number | null> }
    >[];
  }
>;

export type TaskLines = Schemas["TaskLines"];
export type TaskLine = TaskLines["tasks"][number];

export type TaskView = Closer<
  Schemas["TaskView"],
  {
    candidate?: { source?: string; assignment?: Assignment };
    options?: Record<string, string>;
    evaluation?: Evaluation;
  }
>;

export type HistoryBucket = Closer<
  Schemas["ServiceHistory"]["buckets"][number],
  { settled: Record<string, number> }
>;

// The schema requires no field, but what watches the service gets them all.
export type QueueCounts = Closer<
  Required<Schemas["Queue"]>,
  { levels: { priority: number; waiting: number; oldest: string }[] } // Highest priority first.
>;
