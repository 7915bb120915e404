// SPDX-License-Identifier: Apache-2.0
// A made-up evaluation service.
import { kHostile, random } from "./campaigns.mjs";

const iso = (ms) => new Date(ms).toISOString();
const kOutcomes = [
  "accepted",
  "accepted",
  "accepted",
  "accepted",
  "wrong",
  "build_failed",
  "crashed",
  "timed_out",
  "cheated",
];

const kSource = `// Adds a * x to y.
#include <cstddef>
extern "C" void saxpy(std::size_t n, float a, const float* x, float* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}
`;

const kReasons = {
  accepted: "",
  wrong: "Differs from the reference at 17: 3.25 instead of 3.5 (tolerance 1e-5).",
  build_failed: "The compiler refused it: expected ';' before '}' token.",
  crashed: "It ended with signal 11 (segmentation fault).",
  timed_out: "It ran longer than 60 s.",
  cheated: "It wrote to the buffer of the reference instead of computing.",
};

function line(k, now) {
  const rng = random(k + 1);
  const outcome = kOutcomes[Math.floor(rng.uniform() * kOutcomes.length)];
  const is_settled = k >= 6;
  const submitted = now - k * 7000 - 4000 * rng.uniform();
  return {
    id: `task-${1000 - k}`,
    domain: "compute",
    state: is_settled ? "settled" : k < 2 ? "running" : "waiting",
    outcome: is_settled ? outcome : null,
    reason: is_settled ? kReasons[outcome] : "",
    submitted: iso(submitted),
    finished: is_settled ? iso(submitted + 2500 + 3000 * rng.uniform()) : null,
    worker: is_settled || k < 2 ? `w${k % 2}` : "",
    speedup: is_settled && outcome === "accepted" ? 0.8 + 2.5 * rng.uniform() : null,
    sequence: is_settled ? 1000 - k : null,
    priority: k % 3 === 0 ? "1" : "0",
  };
}

export function tasks(now, outcome) {
  const all = Array.from({ length: 120 }, (_, k) => line(k, now));
  return { tasks: outcome ? all.filter((task) => task.outcome === outcome) : all, next: null };
}

export function queue(now) {
  return {
    waiting: 41,
    held: 2,
    running: 2,
    settled: 18231,
    levels: [
      { priority: 1, waiting: 5, oldest: iso(now - 3.2e3) },
      { priority: 0, waiting: 30, oldest: iso(now - 41.7e3) },
      { priority: -1, waiting: 6, oldest: iso(now - 312e3) },
    ],
    waiting_by_priority: [
      { priority: "1", waiting: 5, oldest_s: 3.2 },
      { priority: "0", waiting: 30, oldest_s: 41.7 },
      { priority: "-1", waiting: 6, oldest_s: 312 },
    ],
  };
}

export function workers(now) {
  return {
    workers: [0, 1, 2].map((k) => ({
      name: `w${k}`,
      host: "host-1",
      version: "0.1.0",
      has: { names: ["compute", "cpp", k === 0 ? "cuda" : "torch"], memory_mib: 24104 },
      since: iso(now - 3600e3),
      seen: iso(now - 1200),
      facts: { cpu: "Intel(R) Xeon(R) Processor" },
      task: k < 2 ? `task-${1000 - k}` : null,
    })),
  };
}

export function history(now) {
  const rng = random(5);
  const first = Math.floor(now / 10000) * 10000 - 3590e3;
  return {
    buckets: Array.from({ length: 360 }, (_, k) => {
      const busy = 6 + 4 * Math.sin(k / 30) + rng.uniform() * 4;
      const p50 = 2.5 + Math.sin(k / 40) + rng.uniform();
      return {
        at: iso(first + k * 10000),
        settled: {
          accepted: Math.round(busy),
          wrong: Math.round(rng.uniform() * 3),
          build_failed: Math.round(rng.uniform() * 2),
          crashed: rng.uniform() < 0.2 ? 1 : 0,
          cheated: rng.uniform() < 0.05 ? 1 : 0,
        },
        submitted: Math.round(busy + 3 * rng.uniform()),
        waiting: Math.round(30 + 20 * Math.sin(k / 50)),
        latency_s: { p50, p90: p50 * 2.1, p99: p50 * 3.5 },
      };
    }),
  };
}

// The whole service, as the first event of its stream has it.
export function everything(now) {
  return {
    is_whole: true,
    queue: queue(now),
    ...workers(now),
    ...history(now),
    tasks: tasks(now, "").tasks,
  };
}

export function task(id, now) {
  const hostile = id === "hostile";
  const known = hostile
    ? { ...line(8, now), id }
    : tasks(now, "").tasks.find((one) => one.id === id);
  if (!known) return null;
  const rng = random(id.length * 31 + Number(id.slice(5) || 3));
  const outcome = hostile ? "cheated" : known.outcome;
  const submitted = Date.parse(known.submitted);
  const base = {
    id,
    domain: "compute",
    state: known.state === "running" ? "held" : known.state,
    priority: 0,
    needs: {},
    pushed_at: known.submitted,
    taken_at: known.state === "waiting" ? null : iso(submitted + 900),
    settled_at: known.finished,
    deadline_at: null,
    attempts: 1,
    worker: known.worker || null,
    ahead: known.state === "waiting" ? 12 : null,
    outcome,
    candidate: { source: hostile ? kHostile : kSource, assignment: {} },
    options: { problem: "saxpy", language: "cpp" },
    timeline: [{ what: "submitted", at: known.submitted }],
  };
  if (known.state !== "settled") return base;
  const sample = (arm, mean) => ({
    arm,
    metrics: {
      time_us: {
        value: mean * (1 + 0.04 * rng.normal()) + (rng.uniform() < 0.05 ? 12 : 0),
        spread: 0.4,
        count: 8,
      },
    },
    marks: [],
    started_us: submitted * 1000,
    duration_us: 40000,
  });
  const calls = (mean) =>
    Array.from(
      { length: 81 },
      () => mean * (1 + 0.03 * rng.normal()) + (rng.uniform() < 0.05 ? 12e3 : 0),
    );
  return {
    ...base,
    timeline: [
      ["submitted", 0],
      ["taken", 900],
      ["building", 950],
      ["load", 2100],
      ["reference", 2106],
      ["correctness", 2229],
      ["timing", 2240],
      ["settled", Date.parse(known.finished) - submitted],
    ].map(([what, ms]) => ({ what, at: iso(submitted + ms) })),
    evaluation: {
      task: id,
      outcome,
      reason: hostile ? kHostile : kReasons[outcome],
      evidence: [
        {
          what: "compiler output",
          text: hostile
            ? kHostile
            : "candidate.cc: In function 'void saxpy(std::size_t, float, const float*, float*)':\ncandidate.cc:4:3: note: loop vectorized using 32 byte vectors\n",
        },
        {
          what: "correctness",
          text: hostile
            ? kHostile
            : JSON.stringify({
                avg_difference: 1.8e-6,
                max_difference: 2.4e-4,
                passed: 5,
                tolerance: 4.9e-3,
                trials: 5,
              }),
        },
        ...(outcome === "accepted"
          ? [
              {
                what: "times",
                text: JSON.stringify({
                  candidate: { times_ns: calls(112e3) },
                  reference: { times_ns: calls(171e3) },
                  speedup_interval: [known.speedup * 0.98, known.speedup * 1.02],
                }),
              },
            ]
          : []),
        { what: "phases", text: "{}" },
      ],
      metrics: [
        { name: "speedup", unit: "", value: known.speedup ?? "NaN", spread: 0.02, count: 60 },
        { name: "time_us", unit: "µs", value: 112.4, spread: 3.1, count: 60 },
      ],
      samples:
        outcome === "accepted" || hostile
          ? Array.from({ length: 60 }, (_, k) =>
              sample(k % 2 ? "candidate" : "baseline", k % 2 ? 112 : 171),
            )
          : [],
      phases: [
        { name: "load", ms: 6.1 },
        { name: "reference", ms: 122.8 },
        { name: "correctness", ms: 11.3 },
        { name: "timing", ms: 210.4 },
      ],
      provenance: {
        worker: known.worker,
        version: "0.1.0",
        started_us: submitted * 1000,
        finished_us: submitted * 1000 + 3e6,
        facts: { cpu: "Intel(R) Xeon(R) Processor", kernel: "6.18.44", compiler: "g++ 12.2.0" },
      },
    },
  };
}
