// SPDX-License-Identifier: Apache-2.0
import { useId, useState } from "preact/hooks";
import { ApiError, download, paths } from "../api/client";
import type { Assignment, Effect, Verdict } from "../api/records";
import type { Campaign } from "../api/types";
import { CopyButton, Panel, saveBlob } from "../parts/basics";
import { isLogRatio } from "../plots/learning";
import type { CampaignStore } from "../store/campaign_store";
import { intervalOf, rangeText, settingsText, signedShareText, valueText } from "../text/format";
import type { ViewProps } from "./view_props";

export const kWhole = ["json", "csv", "report"]; // Files of the whole campaign; others install.

interface Best {
  assignment: Assignment;
  where: string;
}

// Of a trade-off there is none: each of its points is one.
export function bestOf(campaign: Campaign, store: CampaignStore): Best | null {
  const verdict = store.verdict ?? campaign.verdict;
  if (verdict && verdict.front.length > 0) return null;
  if (verdict?.proof?.is_gain) {
    return {
      assignment: verdict.proof.candidate.assignment,
      where:
        verdict.kind === "suspicious"
          ? "Proven on fresh runs, but suspicious: its numbers may not be measured."
          : "Proven on fresh runs.",
    };
  }
  const best = store.best === null ? undefined : store.trials[store.best];
  if (!best) return null;
  return {
    assignment: best.candidate,
    where: `Of trial ${best.number}: an estimate of the search, not proven.`,
  };
}

// Settings to paste. Doubt goes along with them, as in the files to download.
export function copiedText(assignment: Assignment, verdict: Verdict | null | undefined): string {
  if (verdict?.kind !== "suspicious") return settingsText(assignment);
  const doubts = verdict.suspicions?.join("; ") || "its numbers may not be measured";
  return `# Suspicious: ${doubts.replace(/\s+/g, " ")}\n${settingsText(assignment)}`;
}

export function BestPanel({ campaign, store }: ViewProps) {
  const best = bestOf(campaign, store);
  const verdict = store.verdict ?? campaign.verdict;
  const is_front = (verdict?.front.length ?? 0) > 0;
  const effects = store.ablation ?? campaign.ablation ?? [];
  return (
    <Panel
      title="Best configuration"
      hint={best?.where}
      actions={
        best && <CopyButton text={() => copiedText(best.assignment, verdict)} label="Copy" />
      }
    >
      {best ? (
        <BestTable best={best} campaign={campaign} effects={effects} />
      ) : (
        <p class="empty">
          {is_front
            ? "A trade-off has no single best: its points stand beside its plot."
            : "Nothing beat the baseline yet. The best candidate so far will stand here."}
        </p>
      )}
      <Exports
        campaign={campaign}
        forms={
          is_front ? campaign.exports.filter((form) => kWhole.includes(form)) : campaign.exports
        }
      />
    </Panel>
  );
}

function BestTable(props: { best: Best; campaign: Campaign; effects: Effect[] }) {
  const { best, campaign } = props;
  const baselines = new Map(campaign.parameters.map((parameter) => [parameter.name, parameter]));
  const names = Object.keys(best.assignment).sort();
  const effects = new Map(props.effects.map((effect) => [effect.name, effect]));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Best configuration">
      <table>
        <thead>
          <tr>
            <th scope="col">Parameter</th>
            <th scope="col">Baseline</th>
            <th scope="col">Best</th>
            <th scope="col">Worth</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const parameter = baselines.get(name);
            const was = parameter ? valueText(parameter.baseline) : "–";
            const now = valueText(best.assignment[name]);
            const effect = effects.get(name);
            const unit = parameter?.unit ? `\u00a0${parameter.unit}` : "";
            return (
              <tr key={name} class={was === now ? "is-same" : "is-changed"}>
                <th scope="row" title={parameter?.description}>
                  {name}
                </th>
                <td class="number">
                  {was}
                  {unit}
                </td>
                <td class="number">
                  {now}
                  {unit}
                </td>
                <td class="number">
                  {effect ? worthText(effect, campaign) : was === now ? "unchanged" : "–"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function worthText(effect: Effect, campaign: Campaign): string {
  const interval = intervalOf(effect.effect, isLogRatio(campaign), campaign.confidence);
  return `${signedShareText(interval.effect)} (${rangeText(interval.low, interval.high)})`;
}

// Files of the campaign; `pick` is the point of a trade-off that they are of.
export function Exports(props: { campaign: Campaign; forms: string[]; pick?: number }) {
  const { campaign, forms, pick } = props;
  const id = useId();
  const [said, say] = useState("");
  if (forms.length === 0) return null;
  const save = async (form: string) => {
    say("");
    try {
      const { name, body } = await download(
        paths.exported(campaign.line.id, form, pick),
        `${campaign.line.id}.${form}`,
      );
      saveBlob(name, body);
    } catch (error) {
      say(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <div class="exports">
      <p class="hint" id={id}>
        {pick === undefined ? "Download as" : `Download point ${pick} as`}
      </p>
      <div class="row" role="group" aria-labelledby={id}>
        {forms.map((form) => (
          <button type="button" key={form} onClick={() => void save(form)}>
            {form}
          </button>
        ))}
      </div>
      <p role="status" class="warn">
        {said}
      </p>
    </div>
  );
}
