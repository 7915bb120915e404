// SPDX-License-Identifier: Apache-2.0
// Made-up campaigns that look like real ones. The same seed gives the same events.

const kStart = Date.parse("2026-11-15T09:00:00Z");

export function random(seed) {
  let state = seed >>> 0 || 1;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const kParameters = [
  {
    name: "vm.swappiness",
    kind: "integer",
    low: 0,
    high: 100,
    baseline: 60,
    unit: "",
    description: "How readily memory of programs is swapped out.",
  },
  {
    name: "vm.dirty_ratio",
    kind: "integer",
    low: 5,
    high: 80,
    baseline: 20,
    unit: "%",
    description: "Share of memory that may be dirty before writers wait.",
  },
  {
    name: "net.core.somaxconn",
    kind: "integer",
    low: 128,
    high: 65536,
    is_log: true,
    baseline: 4096,
    description: "Longest queue of connections.",
  },
  {
    name: "net.ipv4.tcp_congestion_control",
    kind: "categorical",
    choices: ["cubic", "reno", "bbr"],
    baseline: "cubic",
    description: "How TCP finds its rate.",
  },
  {
    name: "kernel.sched_autogroup_enabled",
    kind: "categorical",
    choices: ["0", "1"],
    baseline: "1",
    description: "Groups tasks by session.",
  },
];

const iso = (ms) => new Date(ms).toISOString().replace("Z", "000Z");

function effectOf(candidate, scale) {
  const swap = -0.0012 * (candidate["vm.swappiness"] - 60);
  const dirty = -0.00006 * (candidate["vm.dirty_ratio"] - 42) ** 2 + 0.03;
  const conn = 0.02 * Math.log10(candidate["net.core.somaxconn"] / 4096);
  const tcp =
    { cubic: 0, reno: -0.03, bbr: 0.05 }[candidate["net.ipv4.tcp_congestion_control"]] ?? 0;
  return scale * (swap + dirty + conn + tcp);
}

function candidateOf({ uniform }, focus) {
  const pull = (value, goal) => value + (goal - value) * focus * (0.6 + 0.4 * uniform());
  return {
    "vm.swappiness": Math.round(pull(uniform() * 100, 5)),
    "vm.dirty_ratio": Math.round(pull(5 + uniform() * 75, 42)),
    "net.core.somaxconn": Math.round(10 ** pull(2.1 + uniform() * 2.7, 4.4)),
    "net.ipv4.tcp_congestion_control":
      uniform() < focus ? "bbr" : ["cubic", "reno", "bbr"][Math.floor(uniform() * 3)],
    "kernel.sched_autogroup_enabled": uniform() < 0.5 ? "0" : "1",
  };
}

function changesOf(candidate) {
  return kParameters
    .filter((parameter) => String(candidate[parameter.name]) !== String(parameter.baseline))
    .map((parameter) => `${parameter.name} ${parameter.baseline} -> ${candidate[parameter.name]}`)
    .join(", ");
}

function pressureOf(rewards, level, at) {
  const shares = (shift) =>
    rewards.map((_, k) => level * (1 + 0.4 * Math.sin(k * 3 + at / 9e4 + shift)));
  return { candidate: shares(0), baseline: shares(1) };
}

// More of it is worse.
const isCost = (metric) => metric.endsWith("_ms");

function blockOf(name, phase, trial, at, candidate, rewards, base, metric, more = {}) {
  const baseline = rewards.map((_, k) => base * (1 + 0.01 * Math.sin(k * 7 + at / 1e5)));
  return {
    name,
    phase,
    trial,
    at: iso(at),
    candidate,
    outcome: "accepted",
    reason: "",
    marks: [],
    pairs: {
      rewards,
      metrics: {
        [metric]: {
          baseline,
          candidate: baseline.map((value, k) => value * (1 + rewards[k])),
          unit: "1/s",
        },
      },
      pressure: {
        cpu: pressureOf(rewards, 0.21, at),
        memory: pressureOf(rewards, 0.02, at),
        io: pressureOf(rewards, 0.08, at),
      },
    },
    seconds: rewards.length * 2.4,
    position: 0,
    ...more,
  };
}

function estimate(rewards) {
  const mean = rewards.reduce((a, b) => a + b, 0) / rewards.length;
  const variance =
    rewards.reduce((a, b) => a + (b - mean) ** 2, 0) / Math.max(1, rewards.length - 1);
  return { mean, standard_error: Math.sqrt(variance / rewards.length), count: rewards.length };
}

const limitOf = (metric, holds) => ({
  limit: { metric, is_upper: true, bound: 1.2, is_relative: true },
  margin: test(holds ? 0.09 : 0.01, 0.03),
  holds,
});

const test = (effect, reach, count = 24) => ({
  count,
  effect,
  interval: [effect - reach, effect + reach],
  p_value: effect > reach ? 0.0004 : 0.31,
});

function countersOf(text) {
  const counter = (name, title, baseline, effect, meaning) => ({
    name,
    title,
    is_share: name.startsWith("pressure_"),
    baseline,
    candidate: name.startsWith("pressure_") ? baseline + effect : baseline * (1 + effect),
    change: test(effect, Math.abs(effect) / 5 + 0.01),
    adjusted_p: meaning ? 0.001 : 0.8,
    has_moved: Boolean(meaning),
    meaning,
  });
  return {
    changes: [
      counter(
        "context_switches",
        "context switches",
        48210,
        -0.31,
        "tasks were switched less often",
      ),
      counter(
        "pressure_cpu_some",
        "waiting for a processor",
        0.21,
        -0.04,
        "tasks of the machine waited less for a processor",
      ),
      counter("page_faults", "page faults", 1204, 0.004, ""),
    ],
    missing: text ?? "instructions, cycles, cache_misses: this machine has no hardware counters",
  };
}

// Everything about one made-up campaign: its object and its durable events in order.
export function makeCampaign({
  id,
  domain = "sysctl",
  workload = "nginx, wrk with 64 connections",
  engine = "bayes",
  seed = 1,
  trials = 60,
  pairs = 4,
  noise = 0.03,
  scale = 1,
  kind = "gain",
  state = "done",
  objectives = ["requests_per_second"],
  text = null,
  live = false,
  episodes = false,
  created = kStart,
  label = "",
  note = "",
}) {
  const rng = random(seed);
  const metric = objectives[0];
  const base = 84000;
  const baseline = Object.fromEntries(
    kParameters.map((parameter) => [parameter.name, parameter.baseline]),
  );
  const events = [];
  let at = created + 1000;
  let runs = 0;
  const push = (event, data) => {
    if (event === "block") {
      data.position = runs;
      runs += 2 * data.pairs.rewards.length;
    }
    events.push({ id: events.length + 1, event, data });
  };
  const gate_rewards = Array.from({ length: 12 }, () => noise * rng.normal());
  push("block", blockOf("gate", "gate", null, (at += 60000), baseline, gate_rewards, base, metric));
  let best = { mean: -1 };
  let best_candidate = baseline;
  let best_number = null;
  for (let number = 0; number < trials; ++number) {
    const candidate = candidateOf(rng, Math.min(0.9, number / Math.max(1, trials)));
    const truth = effectOf(candidate, scale);
    const fails = rng.uniform() < 0.04;
    at += 4000;
    const rewards = Array.from({ length: pairs }, () => truth + noise * rng.normal());
    const more = fails
      ? { outcome: "crashed", reason: text ?? "nginx ended with signal 11.", marks: ["steal 7 %"] }
      : { reason: "", marks: rng.uniform() < 0.08 ? ["steal 4 %"] : [] };
    push(
      "block",
      blockOf(
        `trial/${number}/0`,
        "trial",
        number,
        at,
        candidate,
        fails ? [] : rewards,
        base,
        metric,
        more,
      ),
    );
    const reward = fails ? null : estimate(rewards);
    if (reward && reward.mean > best.mean) {
      best = reward;
      best_candidate = candidate;
      best_number = number;
    }
    push("trial", {
      number,
      at: iso(at),
      candidate,
      changes: text ?? changesOf(candidate),
      outcome: fails ? "crashed" : "accepted",
      reason: fails ? more.reason : "",
      race: fails ? "" : reward.mean < -0.02 ? "hopeless" : "enough",
      is_asked: true,
      is_finalist: !fails && number > trials - 4,
      is_within_limits: true,
      reward,
      objectives: fails
        ? {}
        : Object.fromEntries(
            objectives.map((name, k) => [
              name,
              k === 0 ? reward.mean : -reward.mean * 0.6 + 0.05 * rng.normal(),
            ]),
          ),
      stability: fails ? null : 1 - Math.abs(0.02 + 0.01 * rng.normal()),
      episode: episodes ? Math.floor(number / 8) : null,
      best: best_number,
    });
  }
  const has_verdict = state === "done";
  const proof_rewards = Array.from(
    { length: 24 },
    () => effectOf(best_candidate, scale) + noise * rng.normal(),
  );
  const proof = {
    candidate: { assignment: best_candidate, source: "" },
    reward: test(0.112, 0.018),
    limits: kind === "gain" ? [limitOf(text ?? "latency_ms", true)] : [],
    failure: "",
    objectives: objectives.map((name, k) => ({
      metric: name,
      test: test(k === 0 ? 0.112 : -0.01, 0.02),
    })),
    adjusted_p: 0.0004,
    is_gain: kind === "gain",
  };
  const effects = [
    {
      name: "net.ipv4.tcp_congestion_control",
      from: "cubic",
      to: "bbr",
      effect: test(0.052, 0.013),
    },
    { name: "vm.swappiness", from: "60", to: "4", effect: test(0.047, 0.016) },
    { name: "vm.dirty_ratio", from: "20", to: "41", effect: test(0.011, 0.017) },
  ];
  const front =
    kind === "front"
      ? [0.11, 0.06, 0.02].map((value, k) => ({
          ...proof,
          is_gain: k < 2,
          limits: [limitOf("memory_mib", k < 2)],
          objectives: [
            { metric: objectives[0], test: test(value, 0.02) },
            { metric: objectives[1], test: test(-0.05 + 0.05 * k, 0.02) },
          ],
        }))
      : [];
  const verdict = has_verdict
    ? {
        kind,
        reason:
          kind === "no_gain"
            ? "Nothing beat the baseline on fresh runs."
            : "The winner beat the baseline on fresh runs.",
        proof: kind === "gain" ? proof : null,
        front,
        effects: kind === "gain" ? effects : [],
        dropped: kind === "gain" ? ["kernel.sched_autogroup_enabled"] : [],
        detectable: 0.012,
        notes: text ? [text] : [],
      }
    : null;
  const sentence =
    text ??
    (kind === "gain"
      ? "Gain: +11.9 % requests_per_second [95 %: +9.9 %, +13.9 %], proven on 24 fresh pairs."
      : kind === "front"
        ? "A trade-off of 3 proven points."
        : "No gain: nothing beat the baseline on fresh runs.");
  if (has_verdict) {
    push(
      "block",
      blockOf("proof/0", "proof", null, (at += 90000), best_candidate, proof_rewards, base, metric),
    );
    push("verdict", { sentence, verdict, ablation: verdict.effects });
  }
  const line = {
    id,
    label: text ?? label,
    domain,
    workload: text ?? workload,
    engine,
    state,
    created: iso(created),
    updated: iso(at),
    trials: live ? 0 : trials,
    most_trials: trials,
    objectives,
    verdict: verdict && {
      kind,
      sentence,
      gain: kind === "gain" ? { effect: 0.119, low: 0.099, high: 0.139, confidence: 0.95 } : null,
    },
    last_error: state === "stopped" ? "The workload could not be started: wrk: not found." : "",
  };
  const campaign = {
    line,
    note: text ?? note,
    spec: {
      domain,
      options: {},
      rule: {
        formula: "gain",
        objectives: objectives.map((name) => ({
          metric: name,
          direction: isCost(name) ? "lower_is_better" : "higher_is_better",
          weight: 1,
        })),
      },
      search: { proposer: engine, most_trials: trials },
    },
    objectives: objectives.map((name) => ({
      metric: name,
      unit: isCost(name) ? "ms" : "1/s",
      direction: isCost(name) ? "lower_is_better" : "higher_is_better",
      weight: 1,
    })),
    reward_is_share: true,
    confidence: 0.95,
    parameters: kParameters,
    machine: {
      cpu: "Intel(R) Xeon(R) Processor",
      kernel: "6.18.44",
      memory: "24104 MiB",
      "clock source": "tsc",
      governor: "performance",
      system: "Debian GNU/Linux 12 (bookworm)",
    },
    version: "0.1.0",
    is_live: live,
    is_read: true,
    verdict,
    gate: {
      autocorrelation: -0.08,
      detectable: 0.012,
      difference: test(0.004, 0.02, 12),
      drift: -0.002,
      drift_p: 0.71,
      marked_runs: 2,
      noise,
      outliers: 1,
      pairs: 12,
      planned_runs: 704,
      run_time_us: 2400000,
      variation: 0.021,
      warnings: text ? [text] : [],
    },
    ablation: verdict?.effects ?? [],
    aftermath: "",
    suspicions: text ? [text] : [],
    counters: kind === "gain" && has_verdict ? countersOf(text) : { changes: [], missing: "" },
    tried_in_vain: { "kernel.sched_autogroup_enabled": Math.round(trials / 2) },
    exports:
      kind !== "no_gain" && has_verdict
        ? ["json", "csv", "sysctl.d", "tmpfiles.d", "tuned", "script", "report"]
        : ["json", "csv", "report"],
  };
  return { campaign, events };
}

export const kHostile = `<img src=x onerror="window.injected=1"><script>window.injected=1</script>"'&lt;b&gt; \u202e javascript:alert(1)`;
