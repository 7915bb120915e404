// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { paths } from "../api/client";
import type { CampaignRuns } from "../api/types";
import { Loading, Panel, Verbatim } from "../parts/basics";
import { useFetched } from "../parts/hooks";
import { OutcomeBadge } from "../parts/words";
import type { CampaignStore } from "../store/campaign_store";
import { durationText, numberText } from "../text/format";
import type { ViewProps } from "./view_props";

const kMaxListed = 300;

// The comparisons that can be opened, those of the proof first, then the newest.
export function blockNames(store: CampaignStore): string[] {
  const of_trials = [...store.blocks_of.values()].flat().map((block) => block.name);
  const failed = store.notes.filter((note) => note.outcome !== "accepted").map((note) => note.name);
  const names = [
    ...store.proof_blocks.map((block) => block.name),
    ...store.gate_blocks.map((block) => block.name),
    ...[...failed, ...of_trials].reverse(),
  ];
  return [...new Set(names)].slice(0, kMaxListed);
}

// What each run measured and printed, asked for when someone wants to see it.
export function RunsPanel({ campaign, store }: ViewProps) {
  const [chosen, choose] = useState("");
  return (
    <Panel
      title="Runs and their output"
      wide
      actions={
        <label class="inline">
          Comparison{" "}
          <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">choose one</option>
            {blockNames(store).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {chosen === "" ? (
        <p class="empty">Choose a comparison to see its runs, and what each of them printed.</p>
      ) : (
        <Runs id={campaign.line.id} name={chosen} />
      )}
    </Panel>
  );
}

function Runs({ id, name }: { id: string; name: string }) {
  const { value, error } = useFetched<CampaignRuns>(paths.runs(id, name));
  if (error) return <p class="warn">{error.message}</p>;
  if (!value) return <Loading what={name} />;
  return (
    <>
      <p>
        <OutcomeBadge outcome={value.outcome} /> {value.reason}
      </p>
      {value.runs.map((run, at) => (
        <details key={`${name}${at}`}>
          <summary>
            Run {at + 1}, {run.arm}: {metricsText(run)}, {durationText(run.seconds)}
            {run.marks.length > 0 ? ` (${run.marks.join(", ")})` : ""}
          </summary>
          {run.output === "" ? (
            <p class="empty">What it printed was not kept.</p>
          ) : (
            <Verbatim text={run.output} label={`Output of run ${at + 1}`} />
          )}
        </details>
      ))}
      {value.evidence.map((piece, at) => (
        <details key={`e${at}`}>
          <summary>{piece.what}</summary>
          <Verbatim text={piece.text} label={piece.what} />
        </details>
      ))}
    </>
  );
}

function metricsText(run: CampaignRuns["runs"][number]): string {
  return Object.entries(run.metrics)
    .map(([metric, value]) => `${metric} ${numberText(value)}`)
    .join(", ");
}
