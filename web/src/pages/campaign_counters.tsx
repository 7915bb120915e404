// SPDX-License-Identifier: Apache-2.0
import type { Counter } from "../api/records";
import { Panel } from "../parts/basics";
import { kMinus, numberText, shareText, signedNumberText, signedShareText } from "../text/format";
import type { ViewProps } from "./view_props";

// "−31.0 %" of a count, "−4.0 points" of a share, "+12" where the baseline had none.
export function changeText(counter: Counter, change: number | null): string {
  if (change === null) return "unbounded";
  if (!counter.is_share)
    return counter.baseline === 0 ? signedNumberText(change) : signedShareText(change);
  const points = (100 * change).toFixed(1);
  return `${change > 0 ? "+" : ""}${points.replace("-", kMinus)} points`;
}

export function CounterPanel({ campaign }: ViewProps) {
  const { changes, missing } = campaign.counters;
  if (changes.length === 0) return null;
  const level = (counter: Counter, value: number) =>
    counter.is_share ? shareText(value) : numberText(value);
  return (
    <Panel
      title="What moved with it"
      hint="Counted in the runs of the proof: what benchmark and service did, and how much the machine waited. Those that moved come first. They tell how, and decide nothing."
    >
      <div class="scroll" tabIndex={0} role="region" aria-label="What moved with it">
        <table>
          <thead>
            <tr>
              <th scope="col">In a run</th>
              <th scope="col">Baseline</th>
              <th scope="col">Winner</th>
              <th scope="col">Change ({Math.round(100 * campaign.confidence)} %)</th>
              <th scope="col">Which means</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((counter) => (
              <tr key={counter.name} class={counter.has_moved ? "is-changed" : "is-same"}>
                <th scope="row">{counter.title}</th>
                <td class="number">{level(counter, counter.baseline)}</td>
                <td class="number">{level(counter, counter.candidate)}</td>
                <td class="number">
                  {changeText(counter, counter.change.effect)} (
                  {changeText(counter, counter.change.interval[0])} to{" "}
                  {changeText(counter, counter.change.interval[1])})
                </td>
                <td>{counter.meaning || "not shown to change"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {missing && <p class="hint">Not counted: {missing}.</p>}
    </Panel>
  );
}
