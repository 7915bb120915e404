// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import { ApiError, get, paths } from "../api/client";
import type { Evaluation } from "../api/records";
import type { TaskView } from "../api/types";
import {
  Badge,
  BarTable,
  CopyButton,
  Empty,
  Facts,
  Loading,
  Panel,
  Stat,
  Time,
  Trouble,
  Verbatim,
} from "../parts/basics";
import { useSession } from "../parts/session";
import { OutcomeBadge } from "../parts/words";
import { BarsFigure } from "../plots/bars";
import { evidenceObject, finite, median, speedupOf, timingsOf } from "../store/judgement";
import { histogram } from "../store/series";
import { countText, durationText, numberText, valueText } from "../text/format";
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
          now =
            waited.state === "settled"
              ? await get<TaskView>(paths.task(id), stop.signal)
              : { ...now, ...waited };
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
        {task &&
          (task.outcome ? (
            <OutcomeBadge outcome={task.outcome} />
          ) : (
            <Badge tone="busy">{task.state}</Badge>
          ))}
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
          <Stat name="State">
            {task.dropped?.why ?? task.outcome?.replace("_", " ") ?? task.state}
          </Stat>
          {task.ahead !== null && <Stat name="Ahead of it">{task.ahead}</Stat>}
          <Stat name="Took">{durationText(took)}</Stat>
          <Stat name="Worker">
            <span class="stat-text">
              {task.worker ?? task.evaluation?.provenance.worker ?? "–"}
            </span>
          </Stat>
          <Stat name="Attempts">{task.attempts}</Stat>
          <Stat name="Priority">{task.priority}</Stat>
          <SpeedupStat evaluation={task.evaluation} />
        </dl>
      </section>
      {reason && (
        <section
          class={`verdict is-${task.outcome === "accepted" ? "gain" : "no_gain"}`}
          aria-label="Reason"
        >
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

function SpeedupStat({ evaluation }: { evaluation: Evaluation | undefined }) {
  const speedup = speedupOf(evaluation);
  if (!speedup) return null;
  const { low, high } = speedup;
  const detail =
    low !== null && high !== null ? `${numberText(low)} to ${numberText(high)}` : undefined;
  return (
    <Stat name="Speed-up" tone={speedup.is_gain ? "good" : "calm"} detail={detail}>
      {numberText(Number(speedup.value.toPrecision(3)))} ×
    </Stat>
  );
}

function TimingPanel({ evaluation }: { evaluation: Evaluation | undefined }) {
  const { what, unit, candidate, reference } = timingsOf(evaluation);
  const count = candidate.length + reference.length;
  const bins = histogram(
    [candidate, reference],
    Math.max(5, Math.min(kBins, Math.ceil(2 * Math.sqrt(count)))),
  );
  const text = (value: number) => `${numberText(value)}${unit ? `\u00a0${unit}` : ""}`;
  return (
    <Panel title="Timing">
      <BarsFigure
        title="Times of the candidate and the reference"
        caption={`${countText(candidate.length, "sample")} of the candidate (median ${text(median(candidate))}), ${reference.length} of the reference (median ${text(median(reference))}).`}
        edges={bins.map((bin) => [bin.from, bin.to])}
        groups={[
          { name: "candidate", colour: "blue", values: bins.map((bin) => bin.counts[0] ?? 0) },
          { name: "reference", colour: "orange", values: bins.map((bin) => bin.counts[1] ?? 0) },
        ]}
        layout="beside"
        x_label={unit ? `${what} in ${unit}` : what}
        y_label="samples"
        x_marks={(values) => values.map(numberText)}
        y_text={(value) => (Number.isInteger(value) ? String(value) : "")}
        bar_text={(at) => {
          const bin = bins[at];
          return bin
            ? `${text(bin.from)} to ${text(bin.to)}: candidate ${bin.counts[0]}, reference ${bin.counts[1]}`
            : "";
        }}
        version={count}
        empty={count === 0 ? "No samples: it was not timed, or not yet." : null}
        table={() => ({
          head: ["From", "To", "Candidate", "Reference"],
          rows: bins.map((bin) => [text(bin.from), text(bin.to), bin.counts[0], bin.counts[1]]),
        })}
      />
    </Panel>
  );
}

// Steps whose own name could be misread.
const kSteps: Record<string, string> = { cheating: "check for cheats" };

function TimelinePanel({ task }: { task: TaskView }) {
  const known = [
    { what: "submitted", at: task.pushed_at },
    { what: "taken", at: task.taken_at },
    { what: "settled", at: task.settled_at },
  ].filter((step): step is { what: string; at: string } => Boolean(step.at));
  const steps = task.timeline && task.timeline.length > 0 ? task.timeline : known;
  const start = millis(steps[0]?.at);
  const phases = task.evaluation?.phases ?? [];
  return (
    <Panel title="Timeline">
      <ol class="timeline">
        {steps.map((step, at) => (
          <li key={at}>
            <strong>{kSteps[step.what] ?? step.what}</strong> <Time at={step.at} />{" "}
            <span class="faint">+{durationText((millis(step.at) - start) / 1000)}</span>
          </li>
        ))}
      </ol>
      {phases.length > 0 && (
        <BarTable
          head={["Phase", "Time"]}
          rows={phases.map(({ name, ms }) => ({
            name: kSteps[name] ?? name,
            cells: [durationText(ms / 1000)],
            value: ms,
            label: `time of ${name}`,
          }))}
        />
      )}
    </Panel>
  );
}

function SourcePanel({ task }: { task: TaskView }) {
  const source = task.candidate?.source ?? "";
  const values = Object.entries(task.candidate?.assignment ?? {});
  const options = Object.entries(task.options ?? {});
  return (
    <Panel
      title="Candidate"
      wide
      actions={source && <CopyButton text={() => source} label="Copy the source" />}
    >
      {options.length > 0 && (
        <p class="hint">
          Options: {options.map(([name, value]) => `${name} = ${value}`).join(", ")}
        </p>
      )}
      {source && <Verbatim text={source} label="Source" />}
      {values.length > 0 && <Facts of={values.map(([name, value]) => [name, valueText(value)])} />}
      {!source && values.length === 0 && <p class="empty">The candidate is the baseline itself.</p>}
    </Panel>
  );
}

// Shown as a plot and as a table already.
const kShownElsewhere = new Set(["times", "phases"]);

function EvidencePanel({ evaluation }: { evaluation: Evaluation | undefined }) {
  const evidence = (evaluation?.evidence ?? []).filter((piece) => !kShownElsewhere.has(piece.what));
  return (
    <Panel title="Evidence" wide hint="What the compiler, the check and the run said.">
      {evidence.length === 0 ? (
        <p class="empty">There is none.</p>
      ) : (
        evidence.map((piece, at) => (
          <EvidencePiece key={at} piece={piece} evaluation={evaluation} />
        ))
      )}
    </Panel>
  );
}

function EvidencePiece(props: {
  piece: { what: string; text: string };
  evaluation: Evaluation | undefined;
}) {
  const { piece } = props;
  const facts = piece.text.startsWith("{") ? evidenceObject(props.evaluation, piece.what) : null;
  return (
    <div class="evidence">
      <h3>{piece.what}</h3>
      {facts ? (
        <Facts
          is_wide
          of={Object.entries(facts).map(([name, value]) => [
            name.replace(/_/g, " "),
            factText(value),
          ])}
        />
      ) : (
        <Verbatim text={piece.text} label={piece.what} />
      )}
    </div>
  );
}

function factText(value: unknown): string {
  if (typeof value === "number") return numberText(value);
  return typeof value === "string" ? value : JSON.stringify(value);
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
                    {numberText(finite(metric.value))} {metric.unit === "1" ? "" : metric.unit}
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
