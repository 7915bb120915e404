// SPDX-License-Identifier: Apache-2.0
// States and outcomes, each with its word, sign and colour.
import type { CampaignLine } from "../api/types";
import type { Colour } from "../theme";
import { Badge, type Tone } from "./basics";

const kOutcomes: Record<string, { tone: Tone; word: string; colour: Colour }> = {
  accepted: { tone: "good", word: "accepted", colour: "green" },
  wrong: { tone: "bad", word: "wrong", colour: "orange" },
  crashed: { tone: "bad", word: "crashed", colour: "red" },
  build_failed: { tone: "bad", word: "build failed", colour: "purple" },
  timed_out: { tone: "bad", word: "timed out", colour: "amber" },
  rejected: { tone: "warn", word: "rejected", colour: "grey" },
  cheated: { tone: "bad", word: "cheated", colour: "ink" },
  dropped: { tone: "warn", word: "dropped", colour: "faint" },
  cancelled: { tone: "warn", word: "cancelled", colour: "faint" },
  expired: { tone: "warn", word: "expired", colour: "faint" },
  abandoned: { tone: "warn", word: "abandoned", colour: "faint" },
};

export const kOutcomeOrder = Object.keys(kOutcomes);

export function outcomeColour(outcome: string): Colour {
  return kOutcomes[outcome]?.colour ?? "sky";
}

export function outcomeWord(outcome: string): string {
  return kOutcomes[outcome]?.word ?? outcome;
}

export function OutcomeBadge({ outcome }: { outcome: string }) {
  return <Badge tone={kOutcomes[outcome]?.tone ?? "calm"}>{outcomeWord(outcome)}</Badge>;
}

type VerdictKind = NonNullable<CampaignLine["verdict"]>["kind"];

// What a verdict is called, and how it looks. The order is that of lists.
export const kVerdicts: Record<VerdictKind, { tone: Tone; word: string; sign: string }> = {
  gain: { tone: "good", word: "gain", sign: "✓" },
  front: { tone: "good", word: "trade-off", sign: "✓" },
  no_gain: { tone: "calm", word: "no gain", sign: "○" },
  not_enough: { tone: "warn", word: "not enough tried", sign: "…" },
  suspicious: { tone: "bad", word: "suspicious", sign: "?" },
  does_not_run: { tone: "bad", word: "does not run", sign: "✗" },
};

export function StateBadge({ line }: { line: CampaignLine }) {
  if (line.state === "running") return <Badge tone="busy">running</Badge>;
  if (line.state === "stopped") return <Badge tone="warn">stopped</Badge>;
  if (!line.verdict) return <Badge tone="calm">done</Badge>;
  const { tone, word } = kVerdicts[line.verdict.kind];
  return <Badge tone={tone}>{word}</Badge>;
}

// What a person calls the campaign, if anything.
export function Label({ line }: { line: CampaignLine }) {
  return line.label ? <bdi class="label">{line.label}</bdi> : null;
}

// Domain, workload and engine. The workload comes from outside, and may not turn our words around.
export function LineWords({ line }: { line: CampaignLine }) {
  return (
    <>
      {line.domain}
      {line.workload && line.workload !== line.domain && (
        <>
          {" · "}
          <bdi>{line.workload}</bdi>
        </>
      )}
      {` · ${line.engine}`}
    </>
  );
}
