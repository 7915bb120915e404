// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { Proof, Verdict } from "../api/records";
import type { Campaign } from "../api/types";
import { CampaignStore } from "../store/campaign_store";
import { kVerdicts } from "../parts/words";
import { bestOf, copiedText } from "./campaign_best";
import { provenOf } from "./campaign_status";

const kKinds = Object.keys(kVerdicts) as Verdict["kind"][];

function proofWith(more: Partial<Proof> = {}): Proof {
  return {
    candidate: { assignment: { threads: 8 }, source: "" },
    reward: { count: 12, effect: 0.05, interval: [0.02, 0.08], p_value: 0.001 },
    objectives: [],
    limits: [],
    failure: "",
    adjusted_p: 0.001,
    is_gain: true,
    ...more,
  };
}

function viewOf(kind: Verdict["kind"], more: Partial<Verdict> = {}) {
  const verdict = { kind, reason: "", proof: null, front: [], effects: [], ...more } as never;
  const campaign = { objectives: [], spec: {}, confidence: 0.95, verdict } as unknown as Campaign;
  return { campaign, store: new CampaignStore(), is_live: false };
}

const named = (view: ReturnType<typeof viewOf>) => {
  const proven = provenOf(view);
  return proven && [proven.name, proven.text.replace("\u00a0", " "), proven.tone];
};

describe("what is proven", () => {
  it("is said of no verdict that fresh runs did not make", () => {
    const said = Object.fromEntries(kKinds.map((kind) => [kind, named(viewOf(kind))]));
    expect(said["no_gain"]).toEqual(["Verdict", "no gain", "calm"]);
    expect([said["not_enough"], said["does_not_run"]]).toEqual([null, null]);
  });

  it("has the colour of the verdict, and its doubt", () => {
    const gain = viewOf("gain", { proof: proofWith() });
    const suspicious = viewOf("suspicious", { proof: proofWith() });
    expect(named(gain)).toEqual(["Proven on fresh runs", "+5.1 %", "good"]);
    expect(named(suspicious)).toEqual(["Proven on fresh runs, but suspicious", "+5.1 %", "bad"]);
    expect(bestOf(gain.campaign, gain.store)?.where).toBe("Proven on fresh runs.");
    expect(bestOf(suspicious.campaign, suspicious.store)?.where).toContain("but suspicious");
  });

  it("is only measured where it was not shown", () => {
    const proof = proofWith({ is_gain: false });
    for (const kind of ["no_gain", "not_enough"] as const) {
      const name = named(viewOf(kind, { proof }));
      expect(name).toEqual(["Measured on fresh runs", "+5.1 %", kVerdicts[kind].tone]);
    }
  });

  it("counts the points of a trade-off that are better", () => {
    const front = [proofWith(), proofWith({ is_gain: false })];
    expect(named(viewOf("front", { front }))).toEqual(["Proven on fresh runs", "1 point", "good"]);
    expect(named(viewOf("suspicious", { front }))).toEqual([
      "Proven on fresh runs, but suspicious",
      "1 point",
      "bad",
    ]);
    const unshown = viewOf("no_gain", { front: front.slice(1) });
    expect(named(unshown)).toEqual(["Measured on fresh runs", "0 points", "calm"]);
  });

  it("says of a winner that failed on fresh runs that it failed", () => {
    const proof = proofWith({ failure: "crashed", is_gain: false });
    proof.reward.count = 0;
    expect(provenOf(viewOf("no_gain", { proof }))?.detail).toBe("the winner failed its proof");
    expect(provenOf(viewOf("not_enough", { proof }))).toBeNull();
  });
});

describe("what is copied", () => {
  const { verdict } = viewOf("suspicious", {
    suspicions: ["the benchmark opened vm.x (in 24 of 24 runs)", "the service opened\nvm.y"],
  }).campaign;

  it("says that it is suspicious, and why, in a comment", () => {
    expect(copiedText({ threads: 8 }, verdict)).toBe(
      "# Suspicious: the benchmark opened vm.x (in 24 of 24 runs); the service opened vm.y\n" +
        "threads = 8\n",
    );
    expect(copiedText({ threads: 8 }, viewOf("suspicious").campaign.verdict)).toBe(
      "# Suspicious: its numbers may not be measured\nthreads = 8\n",
    );
  });

  it("is only the settings where nothing is doubted", () => {
    expect(copiedText({ threads: 8 }, viewOf("gain").campaign.verdict)).toBe("threads = 8\n");
    expect(copiedText({ threads: 8 }, null)).toBe("threads = 8\n");
  });
});
