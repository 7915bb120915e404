// SPDX-License-Identifier: Apache-2.0
import { useEffect, useId, useRef } from "preact/hooks";
import type { Trial } from "../api/events";
import type { Campaign } from "../api/types";
import { axisOf, compact } from "../store/axes";
import { type CampaignStore, counts } from "../store/campaign_store";
import { usePaced } from "../parts/hooks";
import { drawSoon, forget } from "../store/frames";
import { countText, rewardText, valueText } from "../text/format";
import { type Ink, ink, onTheme } from "../theme";
import { blend, withAlpha } from "./draw";
import { Keys, TableBelow, kFont } from "./figure";

const kMaxLines = 600; // The best half and the newest half of them.
const kTop = 34;
const kBottom = 22;
const kMinAxis = 92;

interface Rail {
  name: string;
  low: number;
  high: number;
  place: (trial: Trial) => number;
  text: (place: number) => string;
}

function railsOf(campaign: Campaign, trials: Trial[]): Rail[] {
  const rails = campaign.parameters.map((parameter): Rail => {
    const axis = axisOf(
      parameter,
      trials.map((trial) => trial.candidate[parameter.name]),
    );
    const ends = axis.is_category ? { low: axis.low + 0.5, high: axis.high - 0.5 } : {};
    return { ...axis, ...ends, place: (trial) => axis.place(trial.candidate[parameter.name]) };
  });
  const means = trials.map((trial) => trial.reward?.mean ?? 0);
  rails.push({
    name: "reward",
    low: Math.min(0, ...means),
    high: Math.max(0, ...means),
    place: (trial) => trial.reward?.mean ?? NaN,
    text: (place) =>
      campaign.reward_is_share ? rewardText(place, true) : compact(Number(place.toPrecision(3))),
  });
  return rails;
}

export function chosenTrials(store: CampaignStore): Trial[] {
  const all = store.trials.filter((trial): trial is Trial => Boolean(trial) && counts(trial));
  if (all.length <= kMaxLines) return all;
  const best = [...all]
    .sort((a, b) => (b.reward?.mean ?? 0) - (a.reward?.mean ?? 0))
    .slice(0, kMaxLines / 2);
  return [...new Set([...all.slice(-kMaxLines / 2), ...best])];
}

function drawRails(
  context: CanvasRenderingContext2D,
  rails: Rail[],
  x: number[],
  height: number,
  colours: Ink,
): void {
  context.font = kFont;
  rails.forEach((rail, at) => {
    const px = x[at] as number;
    context.strokeStyle = colours.faint;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(px, kTop);
    context.lineTo(px, height - kBottom);
    context.stroke();
    context.textAlign = at === 0 ? "left" : at === rails.length - 1 ? "right" : "center";
    context.fillStyle = colours.ink;
    context.fillText(shortName(rail.name), px, 12);
    context.fillStyle = colours.faint;
    context.fillText(rail.text(rail.high), px, 27);
    context.fillText(rail.text(rail.low), px, height - 7);
  });
}

// The part behind the last dot of a long name.
function shortName(name: string): string {
  if (name.length <= 16) return name;
  const last = name.split(".").pop() ?? name;
  return last.length <= 16 ? last : `${last.slice(0, 15)}…`;
}

function drawTrial(
  context: CanvasRenderingContext2D,
  trial: Trial,
  rails: Rail[],
  x: number[],
  height: number,
): void {
  context.beginPath();
  let is_first = true;
  rails.forEach((rail, at) => {
    const place = rail.place(trial);
    if (!Number.isFinite(place)) return;
    const share = Math.min(1, Math.max(0, (place - rail.low) / (rail.high - rail.low || 1)));
    const py = height - kBottom - share * (height - kTop - kBottom);
    if (is_first) context.moveTo(x[at] as number, py);
    else context.lineTo(x[at] as number, py);
    is_first = false;
  });
  context.stroke();
}

function draw(
  canvas: HTMLCanvasElement,
  campaign: Campaign,
  store: CampaignStore,
  trials: Trial[],
): void {
  const rails = railsOf(campaign, trials);
  const width = Math.max(canvas.parentElement?.clientWidth ?? 0, rails.length * kMinAxis);
  const height = 260;
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  const colours = ink();
  const x = rails.map((_, at) => 12 + (at * (width - 24)) / Math.max(1, rails.length - 1));
  const reward = rails[rails.length - 1] as Rail;
  const sorted = [...trials].sort((a, b) => reward.place(a) - reward.place(b));
  sorted.forEach((trial, at) => {
    const rank = sorted.length > 1 ? at / (sorted.length - 1) : 1;
    const is_best = trial.number === store.best;
    context.strokeStyle = is_best
      ? colours.orange
      : withAlpha(blend(colours.grey, colours.blue, rank), 0.2 + 0.6 * rank ** 2);
    context.lineWidth = is_best ? 2.5 : 1;
    drawTrial(context, trial, rails, x, height);
  });
  drawRails(context, rails, x, height, colours);
}

export function ParallelFigure({ store, campaign }: { store: CampaignStore; campaign: Campaign }) {
  const id = useId();
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = usePaced(store.version, () => chosenTrials(store));
  useEffect(() => {
    const owner = canvas.current;
    if (!owner) return;
    const request = () => drawSoon(owner, () => draw(owner, campaign, store, shown));
    request();
    const off = onTheme(request);
    const resize = new ResizeObserver(request);
    if (owner.parentElement) resize.observe(owner.parentElement);
    return () => {
      off();
      resize.disconnect();
      forget(owner);
    };
  }, [shown, campaign, store]);
  return (
    <figure class="figure">
      <div class="figure-head">
        <h3 id={`${id}t`}>Parameter values over trials</h3>
        <Keys
          keys={[
            { mark: "line", colour: "orange", text: "best so far" },
            { mark: "line", colour: "blue", text: "high reward" },
            { mark: "line", colour: "grey", text: "low reward" },
          ]}
        />
      </div>
      {shown.length === 0 ? (
        <p class="empty">No trial has an estimate yet.</p>
      ) : (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-labelledby={`${id}t`}>
            <canvas
              ref={canvas}
              role="img"
              aria-labelledby={`${id}t`}
              aria-describedby={`${id}c`}
            />
          </div>
          <figcaption id={`${id}c`}>
            One line for each of {countText(shown.length, "trial")}
            {shown.length < store.trials.length ? " (the best and the newest)" : ""}, from its
            values to its reward; each axis runs over the range of its parameter.
          </figcaption>
          <TableBelow title="Parameter values over trials" make={() => tableOf(shown, campaign)} />
        </>
      )}
    </figure>
  );
}

function tableOf(trials: Trial[], campaign: Campaign) {
  return {
    head: ["Trial", ...campaign.parameters.map((parameter) => parameter.name), "Reward"],
    rows: trials.map((trial) => [
      trial.number,
      ...campaign.parameters.map((parameter) => valueText(trial.candidate[parameter.name])),
      rewardText(trial.reward?.mean, campaign.reward_is_share),
    ]),
  };
}
