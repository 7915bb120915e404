// SPDX-License-Identifier: Apache-2.0
import type { Trial } from "../api/events";
import type { Proof, Verdict } from "../api/records";
import type { Interval, Objective } from "../api/types";
import { BarsFigure } from "../plots/bars";
import { type Dots, ScatterFigure, makeDots } from "../plots/scatter";
import { type CampaignStore, counts } from "../store/campaign_store";
import { paretoFront } from "../store/series";
import {
  countText,
  intervalOf,
  intervalText,
  metricChange,
  metricInterval,
  rewardText,
  shareText,
  signedShareText,
} from "../text/format";
import type { ViewProps } from "./view_props";

const kMaxRows = 500;

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
        (steadiest
          ? ` The steadiest is trial ${steadiest.number}: ${shareText(steadiest.stability)}.`
          : "")
      }
      dots={() =>
        dotsOf(
          store,
          trials,
          (trial) => trial.stability ?? NaN,
          performance,
          (trial) =>
            `${metric} ${signedShareText(performance(trial))}, stability ${shareText(trial.stability)}`,
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
          .slice(-kMaxRows)
          .map((trial) => [
            trial.number,
            signedShareText(performance(trial)),
            shareText(trial.stability),
          ]),
        left_out: Math.max(0, trials.length - kMaxRows),
      })}
    />
  );
}

interface Proven {
  x: Interval;
  y: Interval;
}

export function isLower(objective: Objective): boolean {
  return objective.direction === "lower_is_better";
}

// The change of an objective in a proof, with the sign of the terminal; null if it has none.
export function changeIn(proof: Proof, objective: Objective, confidence: number): Interval | null {
  const test = proof.objectives.find((gain) => gain.metric === objective.metric)?.test;
  return test ? metricInterval(intervalOf(test, true, confidence), isLower(objective)) : null;
}

// The points of the trade-off that were measured on fresh runs.
function provenPoints(
  verdict: Verdict | null,
  first: Objective,
  second: Objective,
  confidence: number,
): Proven[] {
  return (verdict?.front ?? []).flatMap((proof) => {
    const x = changeIn(proof, first, confidence);
    const y = changeIn(proof, second, confidence);
    return x && y ? [{ x, y }] : [];
  });
}

// Those that no other beats in both, whichever way each axis is better.
export function frontOf<T extends { x: number; y: number }>(
  points: T[],
  first: Objective,
  second: Objective,
): T[] {
  const gains = points.map((point) => ({
    point,
    x: isLower(first) ? -point.x : point.x,
    y: isLower(second) ? -point.y : point.y,
  }));
  return paretoFront(gains).map(({ point }) => point);
}

function betterText(objective: Objective): string {
  return `${isLower(objective) ? "lower" : "higher"} is better`;
}

function axisLabel(objective: Objective): string {
  return `change of ${objective.metric}, ${betterText(objective)}`;
}

function frontDots(
  store: CampaignStore,
  points: { trial: Trial; x: number; y: number }[],
  proven: Proven[],
): Dots {
  const last = Math.max(1, store.trials.length - 1);
  const dots = makeDots(points.length + proven.length, (at) => {
    const point = points[at];
    if (point)
      return `trial ${point.trial.number}: ${signedShareText(point.x)}, ${signedShareText(point.y)}`;
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
    const [middle_x, middle_y] = [x.effect ?? NaN, y.effect ?? NaN];
    dots.x[at] = middle_x;
    dots.y[at] = middle_y;
    dots.age[at] = 1;
    dots.ringed.push(at);
    dots.errors.set(at, {
      x: [x.low ?? middle_x, x.high ?? middle_x],
      y: [y.low ?? middle_y, y.high ?? middle_y],
    });
  });
  return dots;
}

export function FrontFigure({ campaign, store }: ViewProps) {
  const [first, second] = campaign.objectives;
  if (!first || !second) return null;
  const trials = judged(store);
  const change = (trial: Trial, objective: Objective) =>
    metricChange(trial.objectives[objective.metric] ?? NaN, isLower(objective));
  const points = trials.map((trial) => ({
    trial,
    x: change(trial, first),
    y: change(trial, second),
  }));
  const guessed = frontOf(points, first, second);
  const verdict = store.verdict ?? campaign.verdict;
  const proven = provenPoints(verdict, first, second, campaign.confidence);
  const middles = proven.map(({ x, y }) => ({ x: x.effect ?? NaN, y: y.effect ?? NaN }));
  const caption =
    proven.length > 0
      ? `The line joins ${countText(proven.length, "point")} proven on fresh runs, ringed, with their intervals. The dots are estimates of the search.`
      : `${countText(guessed.length, "candidate")} of ${trials.length} that no other beats in both, joined by the line: estimates of the search.`;
  return (
    <ScatterFigure
      title={`Pareto front: ${first.metric} and ${second.metric}`}
      caption={`${caption} For ${first.metric} ${betterText(first)}, for ${second.metric} ${betterText(second)}.`}
      dots={() => frontDots(store, points, proven)}
      front={proven.length > 0 ? frontOf(middles, first, second) : guessed}
      x_label={axisLabel(first)}
      y_label={axisLabel(second)}
      x_text={signedShareText}
      y_text={signedShareText}
      must_x={[0]}
      must_y={[0]}
      version={store.version}
      empty={trials.length === 0 ? "No trial has an estimate yet." : null}
      table={() => ({
        head: ["Trial", first.metric, second.metric, "Changes"],
        rows: guessed
          .slice(0, kMaxRows)
          .map(({ trial, x, y }) => [
            trial.number,
            signedShareText(x),
            signedShareText(y),
            trial.changes,
          ]),
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
export function episodesOf(
  trials: Trial[],
  max: number,
): { has_own: boolean; size: number; list: Episode[] } {
  const has_own = trials.some((trial) => trial.episode !== null);
  const own_count = has_own
    ? trials.reduce((last, trial) => Math.max(last, trial.episode ?? 0), 0) + 1
    : 0;
  const last = trials[trials.length - 1]?.number ?? 0;
  const size = has_own ? Math.ceil(own_count / max) : Math.max(5, Math.ceil((last + 1) / max));
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
        (has_own
          ? ""
          : "This engine has no episodes, so neighbouring trials are taken together. ") +
        (first && last
          ? `Mean reward at first ${rewardText(first.mean, is_share)}, now ${rewardText(last.mean, is_share)}.`
          : "")
      }
      edges={list.map((episode) => [episode.from - 0.5, episode.to - 0.5])}
      groups={[
        { name: "mean reward", colour: "blue", values: list.map((episode) => episode.mean) },
      ]}
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
