// SPDX-License-Identifier: Apache-2.0
import { CopyButton, Panel } from "../parts/basics";
import { Limits } from "../parts/limits";
import { intervalText } from "../text/format";
import { Exports, copiedText, kWhole } from "./campaign_best";
import { FrontFigure, changeIn } from "./campaign_plots";
import type { ViewProps } from "./view_props";

export function FrontPanel(props: ViewProps) {
  if (props.campaign.objectives.length < 2) return null;
  const front = (props.store.verdict ?? props.campaign.verdict)?.front ?? [];
  return (
    <Panel title="Trade-off">
      <FrontFigure {...props} />
      {front.map((_, at) => (
        <FrontPoint key={at} {...props} at={at} />
      ))}
    </Panel>
  );
}

// One point that was proven, and what it takes to have it.
function FrontPoint({ campaign, store, at }: ViewProps & { at: number }) {
  const verdict = store.verdict ?? campaign.verdict;
  const proof = verdict?.front[at];
  if (!proof) return null;
  const changes = campaign.objectives.map((objective) => {
    const change = changeIn(proof, objective, campaign.confidence);
    return `${objective.metric} ${change ? intervalText(change) : "–"}`;
  });
  const within = proof.limits.every((check) => check.holds) ? "" : " within the limits";
  return (
    <div class="front-point">
      <h3>
        Point {at + 1}
        {proof.is_gain ? "" : `: not shown to beat the baseline${within}`}
      </h3>
      <p>{changes.join("; ")}</p>
      <Limits checks={proof.limits} confidence={campaign.confidence} />
      <CopyButton
        text={() => copiedText(proof.candidate.assignment, verdict)}
        label={`Copy point ${at + 1}`}
      />
      <Exports
        campaign={campaign}
        forms={campaign.exports.filter((form) => !kWhole.includes(form))}
        pick={at + 1}
      />
    </div>
  );
}
