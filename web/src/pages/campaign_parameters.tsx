// SPDX-License-Identifier: Apache-2.0
import type { Trial } from "../api/events";
import type { Parameter } from "../api/records";
import { Panel } from "../parts/basics";
import { usePaced } from "../parts/hooks";
import { IntervalTable } from "../plots/intervals";
import { isLogRatio } from "../plots/learning";
import { ParallelFigure } from "../plots/parallel";
import { ScatterFigure } from "../plots/scatter";
import { axisOf } from "../store/axes";
import type { CampaignStore } from "../store/campaign_store";
import { importance } from "../store/series";
import { countText, intervalOf, rewardText, shareText, valueText } from "../text/format";
import { dotsOf, judged } from "./campaign_plots";
import type { ViewProps } from "./view_props";

const kMaxParameters = 24; // With a plot of their own.
const kMaxTrials = 1000; // For the importance; evenly chosen among all.

export function ParallelPanel({ campaign, store }: ViewProps) {
  return (
    <Panel title="Parameters" wide>
      <ParallelFigure campaign={campaign} store={store} />
    </Panel>
  );
}

export function ParameterPanel(props: ViewProps) {
  return (
    <Panel
      title="Each parameter against the effect"
      wide
      hint="Each dot is a trial; the dashed line is the baseline's level. Other parameters vary too, so this shows company, not cause: the ablation tells what a change is worth."
    >
      <ParameterPlots {...props} />
    </Panel>
  );
}

function ParameterPlots({ campaign, store }: ViewProps) {
  const trials = judged(store);
  const shown = campaign.parameters.slice(0, kMaxParameters);
  return (
    <>
      <div class="small-plots">
        {shown.map((parameter) => (
          <ParameterPlot
            key={parameter.name}
            parameter={parameter}
            trials={trials}
            store={store}
            is_share={campaign.reward_is_share}
          />
        ))}
      </div>
      {campaign.parameters.length > shown.length && (
        <p class="hint">
          The first {shown.length} of {campaign.parameters.length} parameters. The exported JSON has
          all.
        </p>
      )}
    </>
  );
}

function ParameterPlot(props: {
  parameter: Parameter;
  trials: Trial[];
  store: CampaignStore;
  is_share: boolean;
}) {
  const { parameter, trials, store } = props;
  const seen =
    parameter.low === undefined ? trials.map((trial) => trial.candidate[parameter.name]) : [];
  const axis = axisOf(parameter, seen);
  const best = store.best === null ? undefined : store.trials[store.best];
  const unit = parameter.unit ? ` ${parameter.unit}` : "";
  return (
    <ScatterFigure
      level={3}
      title={parameter.name}
      height={170}
      caption={`Baseline ${valueText(parameter.baseline)}${unit}${best ? `, best ${valueText(best.candidate[parameter.name])}${unit}` : ""}.${parameter.is_log ? " The axis is logarithmic." : ""}`}
      dots={() =>
        dotsOf(
          store,
          trials,
          (trial) =>
            axis.place(trial.candidate[parameter.name]) +
            (axis.is_category ? spread(trial.number) : 0),
          (trial) => trial.reward?.mean ?? NaN,
          (trial) =>
            `${valueText(trial.candidate[parameter.name])}, ${rewardText(trial.reward?.mean, props.is_share)}`,
        )
      }
      x_label=""
      y_label=""
      x_text={axis.text}
      y_text={(value) => rewardText(value, props.is_share)}
      x_splits={axis.splits}
      x_range={[
        axis.low - 0.02 * (axis.high - axis.low),
        axis.high + 0.02 * (axis.high - axis.low),
      ]}
      must_y={[0]}
      version={store.version}
      empty={trials.length === 0 ? "No trial has an estimate yet." : null}
      table={() => ({
        head: ["Trial", "Value", "Reward"],
        rows: trials
          .slice(-200)
          .map((trial) => [
            trial.number,
            valueText(trial.candidate[parameter.name]),
            rewardText(trial.reward?.mean, props.is_share),
          ]),
        left_out: Math.max(0, trials.length - 200),
      })}
    />
  );
}

// Moves dots of one category apart, the same way every time.
function spread(number: number): number {
  return (((number * 0.618034) % 1) - 0.5) * 0.5;
}

interface Weight {
  name: string;
  share: number;
}

function weightsOf({ campaign, store }: ViewProps): Weight[] {
  const all = judged(store);
  const step = Math.ceil(all.length / kMaxTrials);
  const trials = step > 1 ? all.filter((_, at) => at % step === 0) : all;
  const effects = trials.map((trial) => trial.reward?.mean ?? NaN);
  return campaign.parameters
    .map((parameter) => {
      const axis = axisOf(parameter);
      const values = trials.map((trial) => axis.place(trial.candidate[parameter.name]));
      return { name: parameter.name, share: importance(values, effects, axis.is_category) };
    })
    .sort((a, b) =>
      (Number.isNaN(a.share) ? -1 : a.share) < (Number.isNaN(b.share) ? -1 : b.share) ? 1 : -1,
    );
}

// A hint for those who watch a search. What the verdict's ablation measured on fresh runs may tell
// otherwise, so that it is not shown beside it.
export function ImportancePanel(props: ViewProps) {
  return (props.store.verdict ?? props.campaign.verdict) ? null : <Importance {...props} />;
}

function Importance(props: ViewProps) {
  const weights = usePaced(props.store.version, () => weightsOf(props));
  const known = weights.filter((weight) => !Number.isNaN(weight.share));
  const max = Math.max(0.01, ...known.map((weight) => weight.share));
  return (
    <Panel
      title="Importance"
      hint="How much of the variation between trials goes along with each parameter: a hint from the search, noise included, until the ablation measures it."
    >
      {known.length === 0 ? (
        <p class="empty">At least eight trials with an estimate are needed.</p>
      ) : (
        <table class="bars">
          <thead class="unseen">
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col">Share</th>
              <th scope="col">Bar</th>
            </tr>
          </thead>
          <tbody>
            {known.slice(0, kMaxParameters).map((weight) => (
              <tr key={weight.name}>
                <th scope="row">{weight.name}</th>
                <td class="number">{shareText(weight.share)}</td>
                <td class="bar-cell">
                  <meter min={0} max={max} value={weight.share} aria-label={weight.name} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

export function AblationPanel({ campaign, store, is_live }: ViewProps) {
  const effects = store.ablation ?? campaign.ablation ?? [];
  const dropped = (store.verdict ?? campaign.verdict)?.dropped ?? [];
  const in_vain = Object.entries(campaign.tried_in_vain ?? {});
  return (
    <Panel
      title="Ablation"
      hint="What each change of the winner is worth: the loss when it alone is put back, on fresh runs."
    >
      {effects.length === 0 ? (
        <p class="empty">
          {is_live
            ? "Measured after the proof."
            : "Nothing was taken apart: there is no proven winner, or its ablation was not asked for."}
        </p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Ablation">
          <IntervalTable
            head="Change"
            detail_head="From → to"
            effect_head={`Worth (${Math.round(100 * campaign.confidence)} %)`}
            rows={effects.map((effect) => ({
              name: effect.name,
              detail: `${effect.from || "–"} → ${effect.to}`,
              interval: intervalOf(effect.effect, isLogRatio(campaign), campaign.confidence),
            }))}
          />
        </div>
      )}
      {dropped.length > 0 && (
        <p class="hint">
          Dropped, because that costs nothing that can be seen: {dropped.join(", ")}.
        </p>
      )}
      {in_vain.length > 0 && (
        <p class="hint">
          Tried and left as they are:{" "}
          {in_vain.map(([name, tried]) => `${name} (${countText(tried, "candidate")})`).join(", ")}.
        </p>
      )}
    </Panel>
  );
}
