// SPDX-License-Identifier: Apache-2.0
import uPlot from "uplot";
import type { Trial } from "../api/events";
import type { Campaign } from "../api/types";
import type { CampaignStore } from "../store/campaign_store";
import { decimate, smooth, smoothingReach } from "../store/series";
import { countText, estimateText, rewardText, shareText, numberText } from "../text/format";
import type { Ink } from "../theme";
import { clipped, drawBand, drawCloud, withAlpha } from "./draw";
import { type Table, Figure, axis } from "./figure";

const kMaxWhiskers = 150;
const kMaxRows = 500;

// The lowest and highest of a growing list; each value is looked at once.
class Extent {
  low = Infinity;
  high = -Infinity;
  private seen = 0;

  follow(values: Float64Array): void {
    if (values.length < this.seen) this.seen = 0;
    for (; this.seen < values.length; ++this.seen) {
      const value = values[this.seen] as number;
      if (value < this.low) this.low = value;
      if (value > this.high) this.high = value;
    }
  }
}

const extents = new WeakMap<CampaignStore, Extent>();

function yRange(store: CampaignStore, band: number): [number, number] {
  let extent = extents.get(store);
  if (!extent) extents.set(store, (extent = new Extent()));
  extent.follow(store.samples.y.view());
  const low = Math.min(extent.low, -band);
  const high = Math.max(extent.high, band);
  const room = (high - low) * 0.05 || 0.01;
  return [low - room, high + room];
}

// Where 95 % of the pairs of the baseline with itself lie, by the gate's own noise.
export function baselineBand(campaign: Campaign): number {
  const noise = campaign.gate?.noise ?? 0;
  return campaign.reward_is_share && campaign.spec && isLogRatio(campaign)
    ? Math.expm1(1.96 * noise)
    : 1.96 * noise;
}

// Whether the gate's and the verdict's numbers are log-ratios.
export function isLogRatio(campaign: Campaign): boolean {
  const rule = campaign.spec.rule as { formula?: string } | undefined;
  return (rule?.formula ?? "gain") === "gain";
}

function drawWhiskers(u: uPlot, store: CampaignStore, colours: Ink): void {
  const ratio = devicePixelRatio || 1;
  clipped(u, (context) => {
    for (const trial of store.trials) {
      if (!trial?.reward) continue;
      const x = u.valToPos(trial.number, "x", true);
      const reach = 2 * (trial.reward.standard_error ?? 0);
      context.strokeStyle = withAlpha(colours.blue, 0.6);
      context.lineWidth = ratio;
      context.beginPath();
      context.moveTo(x, u.valToPos(trial.reward.mean - reach, "y", true));
      context.lineTo(x, u.valToPos(trial.reward.mean + reach, "y", true));
      context.stroke();
      context.fillStyle = trial.is_finalist ? colours.orange : colours.blue;
      context.beginPath();
      const size = (trial.is_finalist ? 4.5 : 3) * ratio;
      context.arc(x, u.valToPos(trial.reward.mean, "y", true), size, 0, 7);
      context.fill();
    }
  });
}

// A cross at the foot for each trial that failed.
function drawFailed(u: uPlot, store: CampaignStore, colours: Ink): void {
  const ratio = devicePixelRatio || 1;
  const reach = 3.5 * ratio;
  const y = u.bbox.top + u.bbox.height - 2 * reach;
  clipped(u, (context) => {
    context.strokeStyle = colours.red;
    context.lineWidth = 1.5 * ratio;
    context.beginPath();
    for (const trial of store.trials) {
      if (!trial || trial.outcome === "accepted") continue;
      const x = u.valToPos(trial.number, "x", true);
      context.moveTo(x - reach, y - reach);
      context.lineTo(x + reach, y + reach);
      context.moveTo(x - reach, y + reach);
      context.lineTo(x + reach, y - reach);
    }
    context.stroke();
  });
}

// Smoothed and best so far share one x, so they are cut down together.
function dataOf(store: CampaignStore, columns: number): uPlot.AlignedData {
  const x = store.trial_x.view();
  const means = store.trial_mean.view();
  const reach = smoothingReach(x.length);
  const smoothed = x.length >= 6 ? smooth(means, reach) : new Float64Array(x.length).fill(NaN);
  const line = decimate(x, smoothed, columns);
  const bests = line.x.map((at) => finiteOrNull(store.best_mean.at(at)));
  return [line.x, line.y, bests];
}

function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function captionOf(store: CampaignStore, campaign: Campaign): string {
  const is_share = campaign.reward_is_share;
  const best = store.best === null ? undefined : store.trials[store.best];
  const found = best
    ? `Best estimate so far: ${estimateText(best.reward, is_share)} in trial ${best.number} (±2 standard errors; an estimate of the search, not a proof).`
    : "No candidate has an estimate yet.";
  const band = baselineBand(campaign);
  const gate =
    band > 0
      ? ` The band is where pairs of the baseline with itself fall: ±${is_share ? shareText(band) : numberText(band)}.`
      : "";
  const extra = store.added > 0 ? ` and ${store.added} of the finals` : "";
  return `${countText(store.samples.length, "pair")} of ${countText(store.asked, "trial")}${extra}. ${found}${gate}`;
}

function tableOf(store: CampaignStore, campaign: Campaign): Table {
  const newest = store.trials.slice(-kMaxRows).filter((trial): trial is Trial => Boolean(trial));
  return {
    head: ["Trial", "Reward", "Pairs", "Outcome", "Changes"],
    rows: newest.map((trial) => [
      trial.number,
      estimateText(trial.reward, campaign.reward_is_share),
      trial.reward?.count ?? 0,
      trial.outcome,
      trial.changes,
    ]),
    left_out: Math.max(0, store.trials.length - kMaxRows),
  };
}

export function LearningFigure({ store, campaign }: { store: CampaignStore; campaign: Campaign }) {
  const band = baselineBand(campaign);
  const is_share = campaign.reward_is_share;
  const has_finalists = store.trials.some((trial) => trial?.is_finalist);
  const has_failed = store.trials.some((trial) => trial && trial.outcome !== "accepted");
  return (
    <Figure
      title="Learning curve"
      height={300}
      caption={captionOf(store, campaign)}
      keys={[
        { mark: "dot", colour: "sky", text: "pairs" },
        { mark: "dot", colour: "blue", text: "trial ±2 se" },
        ...(has_finalists
          ? [{ mark: "dot" as const, colour: "orange" as const, text: "finalist ±2 se" }]
          : []),
        { mark: "line", colour: "green", text: "smoothed" },
        { mark: "dash", colour: "orange", text: "best so far" },
        { mark: "band", colour: "grey", text: "baseline" },
        ...(has_failed ? [{ mark: "cross" as const, colour: "red" as const, text: "failed" }] : []),
      ]}
      table={() => tableOf(store, campaign)}
      version={store.version}
      shape={campaign.line.id}
      empty={
        store.samples.length === 0 && store.trials.length === 0
          ? "Nothing was tried yet. First the baseline is measured against itself."
          : null
      }
      options={(colours) => ({
        axes: [
          axis(colours, {
            label: "trial",
            space: 60,
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000],
          }),
          axis(colours, {
            label: is_share ? "reward: gain over the baseline" : "reward",
            size: 62,
            values: (_u, values) => values.map((value) => rewardText(value, is_share)),
          }),
        ],
        series: [
          {},
          { stroke: colours.green, width: 2, spanGaps: true, points: { show: false } },
          {
            stroke: colours.orange,
            width: 2,
            dash: [6, 4],
            paths: uPlot.paths.stepped?.({ align: 1 }),
            spanGaps: true,
            points: { show: false },
          },
        ],
      })}
      data={(columns) => dataOf(store, columns)}
      x_range={() => [-0.5, Math.max(store.trials.length - 1, store.latest_trial ?? 0, 4) + 0.5]}
      y_range={() => yRange(store, band)}
      under={(u, colours) => {
        drawBand(u, -band, band, withAlpha(colours.grey, 0.18), colours.faint);
        drawCloud(
          u,
          store.samples.x.view(),
          store.samples.y.view(),
          withAlpha(colours.sky, store.samples.length > 3000 ? 0.55 : 0.8),
          store.samples.length > 3000 ? 2 : 3,
        );
        if (store.trials.length <= kMaxWhiskers) drawWhiskers(u, store, colours);
        drawFailed(u, store, colours);
      }}
      readout={(u, at) => {
        const trial = store.trials[u.data[0][at] as number];
        if (!trial) return "";
        return `trial ${trial.number}: ${estimateText(trial.reward, is_share)} \u00b7 ${trial.changes || trial.reason}`;
      }}
    />
  );
}
