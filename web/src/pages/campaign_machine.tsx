// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Block, LogLine } from "../api/events";
import { Badge, Facts, Panel } from "../parts/basics";
import { OutcomeBadge } from "../parts/words";
import { isLogRatio } from "../plots/learning";
import { type LineSeries, LinesFigure } from "../plots/lines";
import { median } from "../store/judgement";
import {
  countText,
  durationText,
  intervalOf,
  intervalText,
  numberText,
  pText,
  shareOf,
  shareText,
  signedShareText,
} from "../text/format";
import { clockText, utcText } from "../text/time";
import { PressureUnder } from "./campaign_pressure";
import type { ViewProps } from "./view_props";

export function GatePanel({ campaign, store }: ViewProps) {
  const { gate } = campaign;
  const is_log = isLogRatio(campaign);
  return (
    <Panel
      title="A/A gate: noise and drift"
      hint="The baseline against itself, before anything is tried."
    >
      <GateRuns
        blocks={store.gate_blocks}
        metric={campaign.objectives[0]?.metric ?? ""}
        drift={gate?.drift ?? null}
        version={store.version}
      />
      <PressureUnder blocks={store.gate_blocks} version={store.version} />
      {gate && (
        <Facts
          of={[
            ["Noise of a pair", shareText(shareOf(gate.noise, is_log))],
            ["Variation of a run", shareText(gate.variation)],
            [
              `Drift over ${2 * gate.pairs} runs`,
              `${signedShareText(gate.drift)}, ${pText(gate.drift_p)}`,
            ],
            ["A against A", intervalText(intervalOf(gate.difference, is_log, campaign.confidence))],
            ["Correlation of neighbours", numberText(gate.autocorrelation)],
            ["Smallest gain it can see", shareText(shareOf(gate.detectable, is_log))],
            ["Outliers, kept", countText(gate.outliers, "run")],
            ["While the machine was busy, kept", countText(gate.marked_runs, "run")],
            ["Time of a run", durationText(gate.run_time_us / 1e6)],
          ]}
        />
      )}
      {gate?.warnings.map((text) => (
        <p key={text} class="warn">
          {text}
        </p>
      ))}
    </Panel>
  );
}

function GateRuns({
  blocks,
  metric,
  drift,
  version,
}: {
  blocks: Block[];
  metric: string;
  drift: number | null; // Over all runs, as a share.
  version: number;
}) {
  const values: (number | null)[] = [];
  let unit = "";
  for (const block of blocks) {
    const pairs = block.pairs.metrics[metric];
    if (!pairs) continue;
    unit = pairs.unit;
    pairs.baseline.forEach((value, at) => values.push(value, pairs.candidate[at] ?? null));
  }
  const level = median(values.filter((value): value is number => value !== null));
  const drifted = values.map(
    (_, at) => level * (1 + (drift ?? 0) * (at / Math.max(1, values.length - 1) - 0.5)),
  );
  const lines: LineSeries[] = [
    { name: metric, colour: "blue", y: values, has_points: values.length <= 80 },
  ];
  if (drift !== null) lines.push({ name: "drift", colour: "orange", y: drifted, is_dashed: true });
  return (
    <LinesFigure
      title={`${metric || "Metric"} of the gate's runs`}
      caption={`${countText(values.length, "run")} of the same baseline, pair by pair. A level line is what one hopes for.`}
      x={values.map((_, at) => at + 1)}
      lines={lines}
      x_label="run"
      y_label={unit ? `${metric} in ${unit}` : metric}
      y_text={numberText}
      height={180}
      version={version}
      empty={values.length === 0 ? "The gate has not run yet." : null}
      table={() => ({
        head: ["Run", unit ? `${metric} (${unit})` : metric],
        rows: values.map((value, at) => [at + 1, numberText(value)]),
      })}
    />
  );
}

export function JournalPanel({ store, is_live }: ViewProps) {
  const { journal } = store;
  return (
    <Panel
      title="Journal"
      hint="What is changed on this machine now, and its originals, which are on disk before anything is changed."
    >
      {!journal ? (
        <p class="empty">
          {is_live ? "Not heard of yet." : "Nothing is changed by a campaign that does not run."}
        </p>
      ) : (
        <>
          <p>
            <Badge tone={journal.is_clean ? "good" : "busy"}>{journal.sentence}</Badge>
          </p>
          {journal.entries.length > 0 && (
            <div class="scroll" tabIndex={0} role="region" aria-label="Changed parameters">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Parameter</th>
                    <th scope="col">Original</th>
                    <th scope="col">Now</th>
                  </tr>
                </thead>
                <tbody>
                  {journal.entries.map((entry) => (
                    <tr key={entry.name}>
                      <th scope="row">{entry.name}</th>
                      <td class="number">{entry.original}</td>
                      <td class="number">{entry.now}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </>
      )}
    </Panel>
  );
}

const kMaxLines = 300;

export function LogPanel({ store }: ViewProps) {
  const [level, setLevel] = useState("all");
  const lines = store.log
    .filter((line) => level === "all" || line.level !== "info")
    .slice(-kMaxLines);
  return (
    <Panel
      title="Log and tripwires"
      actions={
        <label class="inline">
          Show{" "}
          <select value={level} onChange={(event) => setLevel(event.currentTarget.value)}>
            <option value="all">everything</option>
            <option value="warning">warnings and errors</option>
          </select>
        </label>
      }
    >
      <Tripwires store={store} />
      {lines.length === 0 ? (
        <p class="empty">No lines. The log is kept while the campaign runs.</p>
      ) : (
        <ol class="log" tabIndex={0} aria-label="Log, newest first">
          {lines.reverse().map((line) => (
            <LogEntry key={`${line.sequence}${line.at}`} line={line} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function LogEntry({ line }: { line: LogLine }) {
  return (
    <li class={`is-${line.level}`}>
      <time dateTime={line.at} title={utcText(line.at)}>
        {clockText(line.at)}
      </time>{" "}
      {line.level !== "info" && <strong>{line.level}: </strong>}
      {line.text}
    </li>
  );
}

function Tripwires({ store }: { store: ViewProps["store"] }) {
  const failed = store.notes.filter((note) => note.outcome !== "accepted").slice(-50);
  const marks = new Map<string, number>();
  for (const note of store.notes) {
    for (const mark of note.marks) marks.set(mark, (marks.get(mark) ?? 0) + 1);
  }
  const common = [...marks.entries()].sort((a, b) => b[1] - a[1]).slice(0, 8);
  if (failed.length === 0 && common.length === 0)
    return <p class="hint">No tripwire was touched.</p>;
  return (
    <>
      {common.length > 0 && (
        <p class="hint">
          Marks:{" "}
          {common.map(([mark, times]) => `${mark} (${countText(times, "comparison")})`).join(", ")}.
        </p>
      )}
      {failed.length > 0 && (
        <ul class="tripwires" aria-label="Comparisons that were not accepted">
          {failed.reverse().map((note) => (
            <li key={note.name}>
              <code>{note.name}</code> <OutcomeBadge outcome={note.outcome} /> {note.reason}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function MachinePanel({ campaign }: ViewProps) {
  const facts = Object.entries(campaign.machine);
  return (
    <Panel title="Machine and settings" wide>
      <details>
        <summary>
          {campaign.machine["cpu"] ?? "Machine"}, Hone {campaign.version}
        </summary>
        <Facts of={facts} is_wide />
      </details>
      <details>
        <summary>Settings of the campaign</summary>
        <pre class="verbatim" tabIndex={0} role="region" aria-label="Settings of the campaign">
          {JSON.stringify(campaign.spec, null, 2)}
        </pre>
      </details>
    </Panel>
  );
}
