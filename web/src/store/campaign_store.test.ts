// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { Block, Trial } from "../api/events";
import { CampaignStore } from "./campaign_store";

function trial(number: number, mean: number | null, more: Partial<Trial> = {}): Trial {
  return {
    number,
    at: "2026-11-15T11:00:00Z",
    candidate: { threads: number },
    changes: "",
    outcome: "accepted",
    reason: "",
    race: "more",
    is_asked: true,
    is_finalist: false,
    is_within_limits: true,
    reward: mean === null ? null : { mean, standard_error: 0.01, count: 2 },
    objectives: {},
    stability: null,
    episode: null,
    best: number,
    ...more,
  };
}

function block(
  name: string,
  phase: Block["phase"],
  of: number | null,
  rewards: (number | null)[],
): Block {
  return {
    name,
    phase,
    trial: of,
    at: "2026-11-15T11:00:00Z",
    candidate: {},
    outcome: "accepted",
    reason: "",
    marks: [],
    pairs: { rewards, metrics: {} },
    seconds: 2,
    position: 0,
  };
}

function send(store: CampaignStore, id: number | null, event: string, data: unknown): boolean {
  return store.take({ id: id === null ? null : String(id), event, data: JSON.stringify(data) });
}

describe("CampaignStore", () => {
  it("knows the phase of a campaign that another process runs by its runs", () => {
    const store = new CampaignStore();
    expect(store.latest_phase).toBe("");
    send(store, 1, "block", block("gate", "gate", null, [0.01]));
    send(store, 2, "block", block("trial/0/0", "trial", 0, [0.01]));
    expect(store.latest_phase).toBe("trial");
  });

  it("keeps the pressure that was stored with the runs, and nothing where none was", () => {
    const store = new CampaignStore();
    const pressed = block("trial/0/0", "trial", 0, [0.01]);
    pressed.position = 24;
    pressed.pairs.pressure = { cpu: { candidate: [0.3], baseline: [0.1, null] } };
    send(store, 1, "block", block("gate", "gate", null, [0.01]));
    send(store, 2, "block", pressed);
    expect(store.block_pressure).toEqual([{ position: 24, cpu: 0.2, memory: null, io: null }]);
  });

  it("keeps the pairs of the search as points, and those of the gate apart", () => {
    const store = new CampaignStore();
    send(store, 1, "block", block("gate", "gate", null, [0.01, -0.01]));
    send(store, 2, "block", block("trial/0/0", "trial", 0, [0.02, null, 0.03]));
    send(store, 3, "block", block("finals/0", "finals", 0, [0.04]));
    expect([...store.samples.y.view()]).toEqual([0.02, 0.03, 0.04]);
    expect(store.gate_blocks.length).toBe(1);
    expect(store.blocks_of.get(0)?.length).toBe(2);
    expect(store.runs).toBe(12);
    expect(store.measured_s).toBe(6);
  });

  it("counts the trials of the search apart from those that the finals add", () => {
    const store = new CampaignStore();
    send(store, 1, "trial", trial(0, 0.1));
    send(store, 2, "trial", trial(0, 0.2));
    send(store, 3, "trial", trial(1, 0.1, { is_asked: false, is_finalist: true }));
    expect([store.asked, store.added]).toEqual([1, 1]);
  });

  it("folds an event that comes again only once", () => {
    const store = new CampaignStore();
    expect(send(store, 1, "block", block("trial/0/0", "trial", 0, [0.02]))).toBe(true);
    expect(send(store, 1, "block", block("trial/0/0", "trial", 0, [0.02]))).toBe(true);
    expect(store.samples.length).toBe(1);
  });

  it("says when events are missing, and folds none of what comes after", () => {
    const store = new CampaignStore();
    send(store, 1, "trial", trial(0, 0.1));
    expect(send(store, 3, "trial", trial(1, 0.2))).toBe(false);
    expect(store.trials.length).toBe(1);
    expect(store.last_id).toBe(1);
  });

  it("lets the last judgement of a trial count", () => {
    const store = new CampaignStore();
    send(store, 1, "trial", trial(0, 0.3));
    send(store, 2, "trial", trial(0, 0.1));
    expect(store.trial_mean.at(0)).toBe(0.1);
  });

  it("takes the best trial from the server, whatever the estimates", () => {
    const store = new CampaignStore();
    send(store, 1, "trial", trial(0, null, { outcome: "crashed", best: null }));
    expect(store.best).toBeNull();
    send(store, 2, "trial", trial(1, 0.1, { best: 1 }));
    send(store, 3, "trial", trial(2, 0.4, { best: 1 }));
    expect(store.best).toBe(1);
    send(store, 4, "trial", trial(1, -0.1, { best: 2 }));
    expect(store.best).toBe(2);
  });

  it("keeps the estimate of the best as it was when so many trials were known", () => {
    const store = new CampaignStore();
    send(store, 1, "trial", trial(0, 0.1, { best: 0 }));
    send(store, 2, "trial", trial(1, 0.4, { best: 0 }));
    send(store, 3, "trial", trial(2, 0.2, { best: 2 }));
    send(store, 4, "trial", trial(0, 0.3, { best: 0 }));
    expect([...store.best_mean.view()]).toEqual([0.1, 0.1, 0.3]);
  });

  it("leaves a hole where a trial was not heard of yet", () => {
    const store = new CampaignStore();
    send(store, 1, "trial", trial(2, 0.1));
    expect(store.trial_x.length).toBe(3);
    expect(store.trial_mean.at(0)).toBeNaN();
  });

  it("keeps marked and failed comparisons as notes", () => {
    const store = new CampaignStore();
    send(store, 1, "block", {
      ...block("trial/0/0", "trial", 0, []),
      outcome: "crashed",
      reason: "signal 11",
    });
    send(store, 2, "block", { ...block("trial/1/0", "trial", 1, [0]), marks: ["steal 7 %"] });
    send(store, 3, "block", block("trial/2/0", "trial", 2, [0]));
    expect(store.notes.map((note) => note.name)).toEqual(["trial/0/0", "trial/1/0"]);
  });

  it("does not repeat log lines that are sent again on connecting, but takes those of a new server", () => {
    const store = new CampaignStore();
    const line = (sequence: number, at: string) => ({ sequence, at, level: "info", text: "x" });
    send(store, null, "log", line(1, "2026-11-15T11:00:00Z"));
    send(store, null, "log", line(2, "2026-11-15T11:00:01Z"));
    send(store, null, "log", line(1, "2026-11-15T11:00:00Z"));
    expect(store.log.length).toBe(2);
    send(store, null, "log", line(1, "2026-11-15T11:05:00Z"));
    expect(store.log.length).toBe(3);
  });

  it("survives a message that is no JSON", () => {
    const store = new CampaignStore();
    expect(store.take({ id: "1", event: "block", data: "{" })).toBe(true);
    expect(store.last_id).toBe(1);
  });

  it("folds 100,000 events in time that grows with their number only", () => {
    const cost = (count: number) => {
      const store = new CampaignStore();
      const start = performance.now();
      for (let at = 0; at < count; ++at) {
        store.foldValue("block", block(`trial/${at}/0`, "trial", at, [0.01]));
        store.foldValue("trial", trial(at, Math.sin(at)));
      }
      return performance.now() - start;
    };
    cost(5000);
    const few = cost(5000);
    expect(cost(50000)).toBeLessThan(few * 100 + 100);
  });
});
