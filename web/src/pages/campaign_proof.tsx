// SPDX-License-Identifier: Apache-2.0
import type { Campaign } from "../api/types";
import { Panel } from "../parts/basics";
import { BarsFigure } from "../plots/bars";
import { drawColumn, withAlpha } from "../plots/draw";
import { isLogRatio } from "../plots/learning";
import { LinesFigure } from "../plots/lines";
import type { CampaignStore } from "../store/campaign_store";
import { histogram } from "../store/series";
import { countText, intervalOf, intervalText, numberText, rewardText } from "../text/format";
import { PressureUnder } from "./campaign_pressure";
import { proofBlocks } from "./campaign_race";
import type { ViewProps } from "./view_props";

const kMaxBins = 40;

// The fresh runs of the winner: what both runs of each pair measured, and how the gains lie.
export function ProofPanel({ campaign, store }: ViewProps) {
  if (proofBlocks(campaign, store).length === 0) return null;
  return (
    <Panel title="The proof's runs" wide>
      <ProofPairs campaign={campaign} store={store} />
      <PressureUnder blocks={proofBlocks(campaign, store)} version={store.version} />
      <ProofRewards campaign={campaign} store={store} />
    </Panel>
  );
}

interface ProofProps {
  campaign: Campaign;
  store: CampaignStore;
}

function ProofPairs({ campaign, store }: ProofProps) {
  const objective = campaign.objectives[0];
  const metric = objective?.metric ?? "";
  const baseline: (number | null)[] = [];
  const candidate: (number | null)[] = [];
  for (const block of proofBlocks(campaign, store)) {
    baseline.push(...(block.pairs.metrics[metric]?.baseline ?? []));
    candidate.push(...(block.pairs.metrics[metric]?.candidate ?? []));
  }
  if (candidate.length === 0) return null; // A long campaign leaves single runs out.
  const is_lower = objective?.direction === "lower_is_better";
  const better = candidate.filter((value, at) => {
    const other = baseline[at];
    if (value === null || other == null) return false;
    return is_lower ? value < other : value > other;
  }).length;
  return (
    <LinesFigure
      title={`${metric} in both runs of every pair`}
      caption={`The candidate came out better in ${better} of ${countText(candidate.length, "pair")}.`}
      x={candidate.map((_, at) => at + 1)}
      lines={[
        { name: "baseline", colour: "orange", y: baseline, has_points: true, is_dots: true },
        { name: "candidate", colour: "blue", y: candidate, has_points: true, is_dots: true },
      ]}
      x_range={() => [0.5, candidate.length + 0.5]}
      x_label="pair, in the order of the runs"
      y_label={objective?.unit ? `${metric} in ${objective.unit}` : metric}
      x_text={(value) => (Number.isInteger(value) ? String(value) : "")}
      y_text={numberText}
      version={store.version}
      table={() => ({
        head: ["Pair", "Baseline", "Candidate"],
        rows: candidate.map((value, at) => [
          at + 1,
          numberText(baseline[at] ?? null),
          numberText(value),
        ]),
      })}
    />
  );
}

function ProofRewards({ campaign, store }: ProofProps) {
  const proof = (store.verdict ?? campaign.verdict)?.proof;
  const rewards = proofBlocks(campaign, store)
    .flatMap((block) => block.pairs.rewards)
    .filter((reward): reward is number => reward !== null);
  if (!proof || rewards.length === 0) return null;
  const is_share = campaign.reward_is_share;
  const interval = intervalOf(proof.reward, isLogRatio(campaign), campaign.confidence);
  const bins = histogram(
    [rewards],
    Math.min(kMaxBins, Math.max(1, Math.ceil(2 * Math.sqrt(rewards.length)))),
  );
  return (
    <BarsFigure
      title="How the gain lies over the pairs"
      caption={`${countText(rewards.length, "pair")}. The band is the interval, its line the centre: ${intervalText(interval)}.`}
      edges={bins.map((bin) => [bin.from, bin.to])}
      groups={[{ name: "pairs", colour: "sky", values: bins.map((bin) => bin.counts[0] ?? 0) }]}
      layout="stacked"
      x_label="gain in one pair"
      y_label="pairs"
      x_marks={(values) => values.map((value) => rewardText(value, is_share))}
      y_text={(value) => (Number.isInteger(value) ? String(value) : "")}
      bar_text={(at) => {
        const bin = bins[at];
        if (!bin) return "";
        const range = `${rewardText(bin.from, is_share)} to ${rewardText(bin.to, is_share)}`;
        return `${range}: ${countText(bin.counts[0] ?? 0, "pair")}`;
      }}
      must_x={[0, interval.low ?? 0, interval.high ?? 0]}
      under={(u, colours) => {
        drawColumn(u, 0, 0, "transparent", colours.faint);
        if (interval.low === null || interval.high === null || interval.effect === null) return;
        drawColumn(u, interval.low, interval.high, withAlpha(colours.green, 0.2), "transparent");
        drawColumn(u, interval.effect, interval.effect, "transparent", colours.green);
      }}
      height={180}
      version={store.version}
      table={() => ({
        head: ["From", "To", "Pairs"],
        rows: bins.map((bin) => [
          rewardText(bin.from, is_share),
          rewardText(bin.to, is_share),
          bin.counts[0] ?? 0,
        ]),
      })}
    />
  );
}
