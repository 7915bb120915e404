// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Campaign, Interval, Trial, Verdict } from "../api/types";
import { BarsFigure } from "../plots/bars";
import { drawBand, withAlpha } from "../plots/draw";
import { isLogRatio } from "../plots/learning";
import { LinesFigure } from "../plots/lines";
import { type Dots, ScatterFigure, makeDots } from "../plots/scatter";
import { type CampaignStore, counts } from "../store/campaign_store";
import { paretoFront } from "../store/series";
import {
  countText,
  intervalOf,
  intervalText,
  rangeText,
  rewardText,
  shareText,
  signedShareText,
} from "../text/format";
import { settingsText } from "./campaign_best";
import type { ViewProps } from "./campaign_view";

const kMostRows = 500;

const judged_of = new WeakMap<CampaignStore, { version: number; list: Trial[] }>();

// The trials that count, by number; found once for each state of the store.
export function judged(store: CampaignStore): Trial[] {
  const known = judged_of.get(store);
  if (known?.version === store.version) return known.list;
  const list = store.trials.filter((trial): trial is Trial => Boolean(trial) && counts(trial));
  judged_of.set(store, { version: store.version, list });
  return list;
}

// One dot for each trial, the best ringed.
export function dotsOf(
  store: CampaignStore,
  trials: Trial[],
  x: (trial: Trial) => number,
  y: (trial: Trial) => number,
  text: (trial: Trial) => string,
): Dots {
  const last = Math.max(1, store.trials.length - 1);
  const dots = makeDots(trials.length, (at) => {
    const trial = trials[at];
    return trial ? `trial ${trial.number}: ${text(trial)}` : "";
  });
  trials.forEach((trial, at) => {
    dots.x[at] = x(trial);
    dots.y[at] = y(trial);
    dots.age[at] = trial.number / last;
    if (trial.number === store.best) dots.ringed.push(at);
  });
  return dots;
}

export function StabilityFigure({ campaign, store }: ViewProps) {
  const metric = campaign.objectives[0]?.metric ?? "reward";
  const trials = judged(store).filter((trial) => trial.stability !== null);
  const performance = (trial: Trial) => trial.objectives[metric] ?? trial.reward?.mean ?? NaN;
  const steadiest = trials.reduce<Trial | null>(
    (best, trial) => ((trial.stability ?? 0) > (best?.stability ?? -1) ? trial : best),
    null,
  );
  return (
    <ScatterFigure
      title={`${metric} against stability`}
      caption={
        `Each dot is a trial; later ones are bluer, the best is ringed. Stability is 1 minus the variation between the runs of a candidate.` +
        (steadiest ? ` The steadiest is trial ${steadiest.number}: ${shareText(steadiest.stability)}.` : "")
      }
      dots={() =>
        dotsOf(
          store,
          trials,
          (trial) => trial.stability ?? NaN,
          performance,
          (trial) => `${metric} ${signedShareText(performance(trial))}, stability ${shareText(trial.stability)}`,
        )
      }
      x_label="stability"
      y_label={`effect on ${metric}`}
      x_text={shareText}
      y_text={signedShareText}
      must_y={[0]}
      version={store.version}
      empty={trials.length === 0 ? "No trial has enough runs yet to tell its stability." : null}
      table={() => ({
        head: ["Trial", metric, "Stability"],
        rows: trials
          .slice(-kMostRows)
          .map((trial) => [trial.number, signedShareText(performance(trial)), shareText(trial.stability)]),
        left_out: Math.max(0, trials.length - kMostRows),
      })}
    />
  );
}

interface Proven {
  x: Interval;
  y: Interval;
}

// The points of the trade-off that were measured on fresh runs.
function provenPoints(verdict: Verdict | null, first: string, second: string, confidence: number): Proven[] {
  return (verdict?.front ?? []).flatMap((proof) => {
    const of = (metric: string) => proof.objectives.find((gain) => gain.metric === metric)?.test;
    const x = of(first);
    const y = of(second);
    if (!x || !y) return [];
    return [{ x: intervalOf(x, true, confidence), y: intervalOf(y, true, confidence) }];
  });
}

function frontDots(store: CampaignStore, points: { trial: Trial; x: number; y: number }[], proven: Proven[]): Dots {
  const last = Math.max(1, store.trials.length - 1);
  const dots = makeDots(points.length + proven.length, (at) => {
    const point = points[at];
    if (point) return `trial ${point.trial.number}: ${signedShareText(point.x)}, ${signedShareText(point.y)}`;
    const proof = proven[at - points.length];
    return proof ? `proven: ${intervalText(proof.x)}, ${intervalText(proof.y)}` : "";
  });
  points.forEach(({ trial, x, y }, at) => {
    dots.x[at] = x;
    dots.y[at] = y;
    dots.age[at] = trial.number / last;
  });
  proven.forEach(({ x, y }, which) => {
    const at = points.length + which;
    dots.x[at] = x.effect;
    dots.y[at] = y.effect;
    dots.age[at] = 1;
    dots.ringed.push(at);
    dots.errors.set(at, { x: [x.low ?? x.effect, x.high ?? x.effect], y: [y.low ?? y.effect, y.high ?? y.effect] });
  });
  return dots;
}

export function FrontFigure({ campaign, store }: ViewProps) {
  const [first, second] = campaign.objectives;
  if (!first || !second) return null;
  const trials = judged(store);
  const points = trials.map((trial) => ({
    trial,
    x: trial.objectives[first.metric] ?? NaN,
    y: trial.objectives[second.metric] ?? NaN,
  }));
  const front = paretoFront(points);
  const verdict = store.verdict ?? campaign.verdict;
  const proven = provenPoints(verdict, first.metric, second.metric, campaign.confidence);
  return (
    <ScatterFigure
      title={`Pareto front: ${first.metric} and ${second.metric}`}
      caption={`${countText(front.length, "candidate")} of ${trials.length} that no other beats in both, joined by the line. More is better on both axes.${proven.length > 0 ? ` Ringed: ${proven.length} proven on fresh runs, with their intervals.` : ""}`}
      dots={() => frontDots(store, points, proven)}
      front={front}
      x_label={`effect on ${first.metric}`}
      y_label={`effect on ${second.metric}`}
      x_text={signedShareText}
      y_text={signedShareText}
      must_x={[0]}
      must_y={[0]}
      version={store.version}
      empty={trials.length === 0 ? "No trial has an estimate yet." : null}
      table={() => ({
        head: ["Trial", first.metric, second.metric, "Changes"],
        rows: front
          .slice(0, kMostRows)
          .map(({ trial, x, y }) => [trial.number, signedShareText(x), signedShareText(y), trial.changes]),
      })}
    />
  );
}

interface Episode {
  from: number;
  to: number;
  mean: number;
  trials: number;
}

// By the engine's own episodes, or by equal groups where the engine has none.
export function episodesOf(trials: Trial[], most: number): { has_own: boolean; size: number; list: Episode[] } {
  const has_own = trials.some((trial) => trial.episode !== null);
  const own_count = has_own ? trials.reduce((most, trial) => Math.max(most, trial.episode ?? 0), 0) + 1 : 0;
  const last = trials[trials.length - 1]?.number ?? 0;
  const size = has_own ? Math.ceil(own_count / most) : Math.max(5, Math.ceil((last + 1) / most));
  const sums = new Map<number, { sum: number; trials: number }>();
  for (const trial of trials) {
    const group = Math.floor((has_own ? (trial.episode ?? 0) : trial.number) / size);
    const entry = sums.get(group) ?? { sum: 0, trials: 0 };
    entry.sum += trial.reward?.mean ?? 0;
    ++entry.trials;
    sums.set(group, entry);
  }
  const list = [...sums.entries()]
    .sort((a, b) => a[0] - b[0])
    .map(([group, entry]) => ({
      from: group * size,
      to: (group + 1) * size,
      mean: entry.sum / entry.trials,
      trials: entry.trials,
    }));
  return { has_own, size, list };
}

export function EpisodesFigure({ campaign, store }: ViewProps) {
  const is_share = campaign.reward_is_share;
  const { has_own, size, list } = episodesOf(judged(store), 120);
  const unit = has_own ? "episode" : "trial";
  const title = has_own ? "Reward per episode" : `Reward per ${size} trials`;
  const first = list[0];
  const last = list[list.length - 1];
  return (
    <BarsFigure
      title={title}
      caption={
        (has_own ? "" : "This engine has no episodes, so neighbouring trials are taken together. ") +
        (first && last
          ? `Mean reward at first ${rewardText(first.mean, is_share)}, now ${rewardText(last.mean, is_share)}.`
          : "")
      }
      edges={list.map((episode) => [episode.from - 0.5, episode.to - 0.5])}
      groups={[{ name: "mean reward", colour: "blue", values: list.map((episode) => episode.mean) }]}
      layout="beside"
      x_label={unit}
      y_label="mean reward"
      x_marks={(values) => values.map(String)}
      y_text={(value) => rewardText(value, is_share)}
      bar_text={(at) => {
        const episode = list[at];
        return episode
          ? `${unit} ${episode.from}${size > 1 ? `–${episode.to - 1}` : ""}: ${rewardText(episode.mean, is_share)}`
          : "";
      }}
      version={store.version}
      empty={list.length === 0 ? "No trial has an estimate yet." : null}
      table={() => ({
        head: [unit, "Mean reward", "Trials"],
        rows: list.map((episode) => [
          size > 1 ? `${episode.from}–${episode.to - 1}` : episode.from,
          rewardText(episode.mean, is_share),
          episode.trials,
        ]),
      })}
    />
  );
}

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
  const estimate = (live?.trial === trial ? live.reward : null) ?? store.trials[trial]?.reward ?? null;
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

// The fresh pairs of the winner, with the proof's own interval.
function proofRace(campaign: Campaign, store: CampaignStore): Race | null {
  const verdict = store.verdict ?? campaign.verdict;
  if (!verdict?.proof) return null;
  const winner = settingsText(verdict.proof.candidate.assignment);
  // Others were measured too: candidates that lost, and the winner before changes were dropped.
  const blocks = store.proof_blocks.filter((block) => settingsText(block.candidate) === winner);
  if (blocks.length === 0) return null;
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
  const ranked = [...store.blocks_of.keys()].slice(-200).reverse();
  return (
    <>
      <label class="inline">
        Pairs of{" "}
        <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">{is_live ? "the current race" : proof ? "the proof" : "the last race"}</option>
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
        lines={[{ name: "pair", colour: "blue", y: race?.rewards ?? [], has_points: true, is_dots: true }]}
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
  const sure = confidence === null ? "±2 standard errors" : `${Math.round(100 * confidence)} % interval`;
  return `${countText(race.rewards.length, "pair")}${race.changes ? ` (${race.changes})` : ""}. Estimate ${rewardText(race.mean, is_share)}, ${sure}: ${interval || "–"}.`;
}

