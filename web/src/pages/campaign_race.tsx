// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Block } from "../api/events";
import type { Campaign } from "../api/types";
import { drawBand, withAlpha } from "../plots/draw";
import { isLogRatio } from "../plots/learning";
import { LinesFigure } from "../plots/lines";
import type { CampaignStore } from "../store/campaign_store";
import { countText, intervalOf, rangeText, rewardText, settingsText } from "../text/format";
import { PressureUnder } from "./campaign_pressure";
import type { ViewProps } from "./view_props";

interface Race {
  rewards: number[];
  changes: string;
  low: number | null;
  high: number | null;
  mean: number | null;
}

// The pairs of one trial, with mean and twice the standard error.
function raceOf(store: CampaignStore, trial: number): Race {
  const live = store.progress?.current;
  const blocks = store.blocks_of.get(trial) ?? [];
  const stored = blocks.flatMap((block) =>
    block.pairs.rewards.filter((reward): reward is number => reward !== null),
  );
  const is_live = live?.trial === trial && live.rewards.length > stored.length;
  const rewards = is_live ? live.rewards : stored;
  const estimate =
    (live?.trial === trial ? live.reward : null) ?? store.trials[trial]?.reward ?? null;
  const mean = estimate?.mean ?? null;
  const reach = estimate ? 2 * (estimate.standard_error ?? NaN) : NaN;
  return {
    rewards,
    changes: store.trials[trial]?.changes ?? (live?.trial === trial ? live.changes : ""),
    mean,
    low: mean === null || Number.isNaN(reach) ? null : mean - reach,
    high: mean === null || Number.isNaN(reach) ? null : mean + reach,
  };
}

// What is compared now without being a trial: the proof, or a change that is taken back.
function otherRace(store: CampaignStore): Race | null {
  const current = store.progress?.current;
  if (!current || current.trial !== null || current.rewards.length === 0) return null;
  const mean = current.reward?.mean ?? null;
  const reach = 2 * (current.reward?.standard_error ?? NaN);
  const has_interval = mean !== null && Number.isFinite(reach);
  return {
    rewards: current.rewards,
    changes: current.changes,
    mean,
    low: has_interval ? mean - reach : null,
    high: has_interval ? mean + reach : null,
  };
}

// The fresh comparisons of the winner. Others were measured too: candidates that lost, and the
// winner before changes were dropped.
export function proofBlocks(campaign: Campaign, store: CampaignStore): Block[] {
  const proof = (store.verdict ?? campaign.verdict)?.proof;
  if (!proof) return [];
  const winner = settingsText(proof.candidate.assignment);
  return store.proof_blocks.filter((block) => settingsText(block.candidate) === winner);
}

// The fresh pairs of the winner, with the proof's own interval.
function proofRace(campaign: Campaign, store: CampaignStore): Race | null {
  const verdict = store.verdict ?? campaign.verdict;
  const blocks = proofBlocks(campaign, store);
  if (!verdict?.proof || blocks.length === 0) return null;
  const interval = intervalOf(verdict.proof.reward, isLogRatio(campaign), campaign.confidence);
  return {
    rewards: blocks.flatMap((block) =>
      block.pairs.rewards.filter((reward): reward is number => reward !== null),
    ),
    changes: "the winner, on fresh runs",
    mean: interval.effect,
    low: interval.low,
    high: interval.high,
  };
}

export function RaceFigure(props: ViewProps) {
  const { campaign, store, is_live } = props;
  const [chosen, choose] = useState("");
  const proof = proofRace(campaign, store);
  const newest = (is_live ? store.progress?.current?.trial : null) ?? store.latest_trial;
  const shows_proof = proof !== null && (chosen === "proof" || (chosen === "" && !is_live));
  const trial = chosen === "" || chosen === "proof" ? newest : Number(chosen);
  const other = is_live && chosen === "" ? otherRace(store) : null;
  const race = shows_proof ? proof : (other ?? (trial === null ? null : raceOf(store, trial)));
  const is_share = campaign.reward_is_share;
  const blocks = shows_proof
    ? proofBlocks(campaign, store)
    : ((other || trial === null ? undefined : store.blocks_of.get(trial)) ?? []);
  const ranked = [...store.blocks_of.keys()].slice(-200).reverse();
  return (
    <>
      <label class="inline">
        Pairs of{" "}
        <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">
            {is_live ? "the current race" : proof ? "the proof" : "the last race"}
          </option>
          {proof && is_live && <option value="proof">the proof</option>}
          {ranked.map((number) => (
            <option key={number} value={String(number)}>
              trial {number}
              {number === store.best ? " (best)" : ""}
            </option>
          ))}
        </select>
      </label>
      <LinesFigure
        title={
          shows_proof
            ? "Paired samples of the proof"
            : other
              ? "Paired samples of the current comparison"
              : `Paired samples of trial ${trial ?? "–"}`
        }
        caption={raceCaption(race, is_share, shows_proof ? campaign.confidence : null)}
        x={race?.rewards.map((_, at) => at + 1) ?? []}
        lines={[
          { name: "pair", colour: "blue", y: race?.rewards ?? [], has_points: true, is_dots: true },
        ]}
        x_range={() => [0.5, (race?.rewards.length ?? 0) + 0.5]}
        x_label="pair"
        y_label="reward of the pair"
        x_text={(value) => (Number.isInteger(value) ? String(value) : "")}
        y_text={(value) => rewardText(value, is_share)}
        must_y={[0, race?.low ?? 0, race?.high ?? 0]}
        under={(u, colours) => {
          drawBand(u, 0, 0, "transparent", colours.faint);
          if (race?.low != null && race.high != null) {
            drawBand(u, race.low, race.high, withAlpha(colours.green, 0.2), colours.green);
          }
        }}
        version={store.version + chosen}
        empty={!race || race.rewards.length === 0 ? "No pair was measured yet." : null}
        table={() => ({
          head: ["Pair", "Reward"],
          rows: (race?.rewards ?? []).map((reward, at) => [at + 1, rewardText(reward, is_share)]),
        })}
      />
      <PressureUnder blocks={blocks} version={store.version} />
    </>
  );
}

function raceCaption(race: Race | null, is_share: boolean, confidence: number | null): string {
  if (!race || race.rewards.length === 0) return "";
  const interval =
    race.low === null || race.high === null
      ? ""
      : is_share
        ? rangeText(race.low, race.high)
        : `${rewardText(race.low, false)} to ${rewardText(race.high, false)}`;
  const sure =
    confidence === null ? "±2 standard errors" : `${Math.round(100 * confidence)} % interval`;
  return `${countText(race.rewards.length, "pair")}${race.changes ? ` (${race.changes})` : ""}. Estimate ${rewardText(race.mean, is_share)}, ${sure}: ${interval || "–"}.`;
}
