// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import { ApiError, get, paths } from "../api/client";
import type { Evaluation, Loose, Sample, TaskView } from "../api/types";
import { Badge, CopyButton, Empty, Facts, Loading, Panel, Stat, Time, Trouble, Verbatim } from "../parts/basics";
import { useSession } from "../parts/session";
import { OutcomeBadge } from "../parts/words";
import { BarsFigure } from "../plots/bars";
import { histogram } from "../store/series";
import { durationText, numberText, valueText } from "../text/format";
import { millis } from "../text/time";

const kBins = 40;

// The task, and again when it is settled: the server answers when there is something to say.
function useTask(id: string) {
  const [task, setTask] = useState<TaskView | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const follow = async () => {
      try {
        let now = await get<TaskView>(paths.task(id), stop.signal);
        setTask(now);
        setError(null);
        while (now.state !== "settled") {
          const waited = await get<TaskView>(paths.wait(id), stop.signal);
          // The wait may answer without the parts that only the task's own address tells.
          now = waited.state === "settled" ? await get<TaskView>(paths.task(id), stop.signal) : { ...now, ...waited };
          setTask(now);
        }
      } catch (failed) {
        if (failed instanceof ApiError) setError(failed);
      }
    };
    void follow();
    return () => stop.abort();
  }, [id, round]);
  return { task, error, reload: () => setRound((old) => old + 1) };
}

export function TaskPage({ id }: { id: string }) {
  const session = useSession();
  const { task, error, reload } = useTask(id);
  const askToken = () => void session.askToken("Reading needs a token here.").then(reload);
  return (
    <>
      <div class="title">
        <h1>Task {id}</h1>
        {task && (task.outcome ? <OutcomeBadge outcome={task.outcome} /> : <Badge tone="busy">{task.state}</Badge>)}
        {task && <p class="faint">{task.domain}</p>}
      </div>
      {error && <Trouble error={error} retry={reload} askToken={askToken} />}
      {!error && !task && <Loading what="the task" />}
      {task && <TaskBody task={task} />}
    </>
  );
}

function TaskBody({ task }: { task: TaskView }) {
  const reason = task.evaluation?.reason || task.dropped?.reason || task.why_waiting || "";
  const took = task.settled_at ? (millis(task.settled_at) - millis(task.pushed_at)) / 1000 : null;
  return (
    <>
      <section class="status" aria-label="Status">
        <dl>
          <Stat name="State">{task.dropped?.why ?? task.outcome?.replace("_", " ") ?? task.state}</Stat>
          {task.ahead !== null && <Stat name="Ahead of it">{task.ahead}</Stat>}
          <Stat name="Took">{durationText(took)}</Stat>
          <Stat name="Worker">
            <span class="stat-text">{task.worker ?? task.evaluation?.provenance.worker ?? "–"}</span>
          </Stat>
          <Stat name="Attempts">{task.attempts}</Stat>
          <Stat name="Priority">{task.priority}</Stat>
          <Speedup evaluation={task.evaluation} />
        </dl>
      </section>
      {reason && (
        <section class={`verdict is-${task.outcome === "accepted" ? "gain" : "no_gain"}`} aria-label="Reason">
          <p class="verdict-sentence">{reason}</p>
        </section>
      )}
      <div class="grid">
        <TimingPanel evaluation={task.evaluation} />
        <TimelinePanel task={task} />
        <SourcePanel task={task} />
        <EvidencePanel evaluation={task.evaluation} />
        <MetricsPanel evaluation={task.evaluation} />
        <ProvenancePanel task={task} />
      </div>
    </>
  );
}

function finite(value: Loose | undefined): number {
  return typeof value === "number" ? value : NaN;
}

function Speedup({ evaluation }: { evaluation: Evaluation | undefined }) {
  const metric = evaluation?.metrics.find((one) => one.name === "speedup");
  if (!metric || Number.isNaN(finite(metric.value))) return null;
  const spread = finite(metric.spread);
  return (
    <Stat name="Speed-up" tone="good" detail={Number.isFinite(spread) && spread > 0 ? `spread ${numberText(spread)}` : undefined}>
      {numberText(finite(metric.value))} ×
    </Stat>
  );
}

// The metric that both arms have, times first.
export function timedMetric(samples: Sample[]): string | null {
  const names = new Set(samples.flatMap((sample) => Object.keys(sample.metrics)));
  const preferred = ["time_us", "time_ms", "time_ns", "time_s", "time", "seconds", "duration"];
  return preferred.find((name) => names.has(name)) ?? [...names].find((name) => /time|_[mun]?s$/.test(name)) ?? [...names][0] ?? null;
}

function TimingPanel({ evaluation }: { evaluation: Evaluation | undefined }) {
  const samples = evaluation?.samples ?? [];
  const metric = timedMetric(samples);
  const of = (arm: string) =>
    samples
      .filter((sample) => sample.arm === arm)
      .map((sample) => finite(metric ? sample.metrics[metric]?.value : null))
      .filter(Number.isFinite);
  const candidate = of("candidate");
  const reference = of("baseline");
  const bins = histogram([candidate, reference], Math.max(5, Math.min(kBins, Math.ceil(Math.sqrt(samples.length) * 2))));
  const unit = evaluation?.metrics.find((one) => one.name === metric)?.unit ?? "";
  const text = (value: number) => `${numberText(value)}${unit ? `\u00a0${unit}` : ""}`;
  return (
    <Panel title="Timing">
      <BarsFigure
        title={`${metric ?? "Time"} of the candidate and the reference`}
        caption={`${candidate.length} samples of the candidate (median ${text(median(candidate))}), ${reference.length} of the reference (median ${text(median(reference))}).`}
        edges={bins.map((bin) => [bin.from, bin.to])}
        groups={[
          { name: "candidate", colour: "blue", values: bins.map((bin) => bin.counts[0] ?? 0) },
          { name: "reference", colour: "orange", values: bins.map((bin) => bin.counts[1] ?? 0) },
        ]}
        layout="beside"
        x_label={unit ? `${metric} in ${unit}` : (metric ?? "")}
        y_label="samples"
        x_marks={(values) => values.map(numberText)}
        y_text={(value) => (Number.isInteger(value) ? String(value) : "")}
        bar_text={(at) => {
          const bin = bins[at];
          return bin ? `${text(bin.from)} to ${text(bin.to)}: candidate ${bin.counts[0]}, reference ${bin.counts[1]}` : "";
        }}
        version={samples.length}
        empty={samples.length === 0 ? "No samples: it was not timed, or not yet." : null}
        table={() => ({
          head: ["From", "To", "Candidate", "Reference"],
          rows: bins.map((bin) => [text(bin.from), text(bin.to), bin.counts[0], bin.counts[1]]),
        })}
      />
    </Panel>
  );
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

function TimelinePanel({ task }: { task: TaskView }) {
  const known = [
    { what: "submitted", at: task.pushed_at },
    { what: "taken", at: task.taken_at },
    { what: "settled", at: task.settled_at },
  ].filter((step): step is { what: string; at: string } => Boolean(step.at));
  const steps = task.timeline && task.timeline.length > 0 ? task.timeline : known;
  const start = millis(steps[0]?.at);
  const phases = Object.entries(task.evaluation?.phases ?? {});
  return (
    <Panel title="Timeline">
      <ol class="timeline">
        {steps.map((step, at) => (
          <li key={at}>
            <strong>{step.what}</strong> <Time at={step.at} />{" "}
            <span class="faint">+{durationText((millis(step.at) - start) / 1000)}</span>
          </li>
        ))}
      </ol>
      {phases.length > 0 && (
        <Facts of={phases.map(([name, seconds]) => [name, durationText(seconds)])} />
      )}
    </Panel>
  );
}

function SourcePanel({ task }: { task: TaskView }) {
  const source = task.candidate?.source ?? "";
  const values = Object.entries(task.candidate?.assignment ?? {});
  const options = Object.entries(task.options ?? {});
  return (
    <Panel title="Candidate" wide actions={source && <CopyButton text={() => source} label="Copy the source" />}>
      {options.length > 0 && (
        <p class="hint">Options: {options.map(([name, value]) => `${name} = ${value}`).join(", ")}</p>
      )}
      {source && <Verbatim text={source} label="Source" />}
      {values.length > 0 && (
        <Facts of={values.map(([name, value]) => [name, valueText(value)])} />
      )}
      {!source && values.length === 0 && <p class="empty">The candidate is the baseline itself.</p>}
    </Panel>
  );
}

function EvidencePanel({ evaluation }: { evaluation: Evaluation | undefined }) {
  const evidence = evaluation?.evidence ?? [];
  return (
    <Panel title="Evidence" wide hint="What the compiler, the check and the run said.">
      {evidence.length === 0 ? (
        <p class="empty">There is none.</p>
      ) : (
        evidence.map((piece, at) => (
          <div key={at}>
            <h3>{piece.what}</h3>
            <Verbatim text={piece.text} label={piece.what} />
          </div>
        ))
      )}
    </Panel>
  );
}

function MetricsPanel({ evaluation }: { evaluation: Evaluation | undefined }) {
  const metrics = evaluation?.metrics ?? [];
  return (
    <Panel title="Metrics">
      {metrics.length === 0 ? (
        <Empty>Nothing was measured.</Empty>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Metrics">
          <table>
            <thead>
              <tr>
                <th scope="col">Metric</th>
                <th scope="col">Value</th>
                <th scope="col">Spread</th>
                <th scope="col">Count</th>
              </tr>
            </thead>
            <tbody>
              {metrics.map((metric) => (
                <tr key={metric.name}>
                  <th scope="row">{metric.name}</th>
                  <td class="number">
                    {numberText(finite(metric.value))} {metric.unit}
                  </td>
                  <td class="number">± {numberText(finite(metric.spread))}</td>
                  <td class="number">{metric.count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function ProvenancePanel({ task }: { task: TaskView }) {
  const facts = Object.entries(task.evaluation?.provenance.facts ?? {});
  return (
    <Panel title="Provenance">
      {facts.length === 0 ? (
        <p class="empty">Known once it was evaluated.</p>
      ) : (
        <Facts of={facts} />
      )}
    </Panel>
  );
}
