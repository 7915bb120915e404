// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { paths } from "../api/client";
import type { HistoryBucket, QueueCounts, TaskLine } from "../api/types";
import { Badge, BarTable, Loading, Panel, Stat, Trouble } from "../parts/basics";
import { useNow } from "../parts/hooks";
import { useSession } from "../parts/session";
import { useWatched } from "../parts/use_stream";
import { OutcomeBadge, kOutcomeOrder, outcomeColour, outcomeWord } from "../parts/words";
import { BarsFigure } from "../plots/bars";
import { LinesFigure, clockMarks } from "../plots/lines";
import { hrefs } from "../routes";
import { type ServiceState, foldService } from "../store/watched";
import { countText, durationText, numberText } from "../text/format";
import { ageText, clockText, millis, timeText, utcText } from "../text/time";
import { useTasksOf } from "./use_service";
import { WorkersPanel } from "./workers";

const kBucketS = 10;

export function ServicePage() {
  const session = useSession();
  const { value, error, reload } = useWatched(paths.service, foldService);
  const askToken = () =>
    void session
      .askToken("Reading needs a token here; any role will do.")
      .then(() => location.reload());
  return (
    <>
      <h1>Service</h1>
      {error && <Trouble error={error} retry={reload} askToken={askToken} />}
      {!error && !value && <Loading what="the service" />}
      {value && <ServiceBody state={value} />}
    </>
  );
}

function ServiceBody({ state }: { state: ServiceState }) {
  const [outcome, setOutcome] = useState("");
  const tasks = useTasksOf(outcome, state.tasks);
  return (
    <>
      <ServiceStatus state={state} />
      <div class="grid">
        <QueuePanel queue={state.queue} />
        <WorkersPanel workers={state.workers} tasks={state.tasks} />
        <HistoryPanels buckets={state.history} />
        <CheatsPanel tasks={state.tasks} />
        <TasksPanel tasks={tasks} outcome={outcome} setOutcome={setOutcome} />
      </div>
    </>
  );
}

function ageOf(time: string, now: number): number {
  return Math.max(0, (now - millis(time)) / 1000);
}

function sum(buckets: HistoryBucket[], of: (bucket: HistoryBucket) => number): number {
  return buckets.reduce((total, bucket) => total + of(bucket), 0);
}

function settledIn(bucket: HistoryBucket): number {
  return Object.values(bucket.settled).reduce((total, count) => total + count, 0);
}

function ServiceStatus({ state }: { state: ServiceState }) {
  const { queue, history } = state;
  const now = useNow(1000);
  const recent = history.slice(-6);
  const oldest = Math.max(0, ...queue.levels.map((level) => ageOf(level.oldest, now)));
  const last = [...history].reverse().find((bucket) => bucket.latency_s.p50 !== null);
  return (
    <section class="status" aria-label="Status">
      <dl>
        <Stat
          name="Waiting"
          detail={queue.waiting > 0 ? `oldest ${durationText(oldest)}` : undefined}
        >
          {queue.waiting.toLocaleString("en-US")}
        </Stat>
        <Stat name="Running">{queue.running.toLocaleString("en-US")}</Stat>
        <Stat name="Settled">{queue.settled.toLocaleString("en-US")}</Stat>
        <Stat name="Workers" tone={state.workers.length === 0 ? "bad" : "calm"}>
          {state.workers.length}
        </Stat>
        <Stat name="Throughput" detail="over the last minute">
          {numberText(
            Number((sum(recent, settledIn) / Math.max(1, recent.length * kBucketS)).toPrecision(2)),
          )}
          {"\u00a0/s"}
        </Stat>
        <Stat
          name="Latency, median"
          detail={last ? `p99 ${durationText(last.latency_s.p99)}` : undefined}
        >
          {durationText(last?.latency_s.p50)}
        </Stat>
      </dl>
    </section>
  );
}

function QueuePanel({ queue }: { queue: QueueCounts }) {
  const now = useNow(1000);
  return (
    <Panel title="Queue by priority">
      {queue.levels.length === 0 ? (
        <p class="empty">Nothing waits. Submit with POST /v1/tasks.</p>
      ) : (
        <BarTable
          head={["Priority", "Waiting", "Oldest"]}
          rows={queue.levels.map((level) => ({
            name: String(level.priority),
            cells: [
              level.waiting.toLocaleString("en-US"),
              durationText(Math.floor(ageOf(level.oldest, now))),
            ],
            value: level.waiting,
            label: `waiting at priority ${level.priority}`,
          }))}
        />
      )}
    </Panel>
  );
}

function HistoryPanels({ buckets }: { buckets: HistoryBucket[] }) {
  const version = `${buckets[buckets.length - 1]?.at ?? ""}${sum(buckets, settledIn)}|${buckets[buckets.length - 1]?.waiting ?? 0}`;
  const x = buckets.map((bucket) => millis(bucket.at) / 1000);
  return (
    <>
      <Panel title="Outcomes over time">
        <OutcomesFigure buckets={buckets} x={x} version={version} />
      </Panel>
      <Panel title="Latency">
        <LinesFigure
          title="From submission to verdict"
          caption={latencyCaption(buckets)}
          x={x}
          lines={[
            { name: "median", colour: "blue", y: buckets.map((bucket) => bucket.latency_s.p50) },
            {
              name: "p90",
              colour: "green",
              y: buckets.map((bucket) => bucket.latency_s.p90),
              is_dashed: true,
            },
            { name: "p99", colour: "orange", y: buckets.map((bucket) => bucket.latency_s.p99) },
          ]}
          is_time
          y_label="seconds"
          y_text={durationText}
          must_y={[0]}
          version={version}
          empty={buckets.length === 0 ? "Nothing was settled in the last hour." : null}
          table={() => ({
            head: ["Time", "Median", "p90", "p99"],
            rows: buckets
              .slice(-100)
              .map((bucket) => [
                clockText(bucket.at),
                durationText(bucket.latency_s.p50),
                durationText(bucket.latency_s.p90),
                durationText(bucket.latency_s.p99),
              ]),
            left_out: Math.max(0, buckets.length - 100),
          })}
        />
      </Panel>
      <Panel title="Throughput">
        <LinesFigure
          title="Submitted, settled and waiting"
          caption={`In the last hour ${countText(
            sum(buckets, (bucket) => bucket.submitted),
            "task was",
            "tasks were",
          )} submitted and ${sum(buckets, settledIn).toLocaleString("en-US")} settled; each point is ${kBucketS} seconds.`}
          x={x}
          lines={[
            { name: "submitted", colour: "blue", y: buckets.map((bucket) => bucket.submitted) },
            { name: "settled", colour: "green", y: buckets.map(settledIn), is_dashed: true },
            { name: "waiting", colour: "orange", y: buckets.map((bucket) => bucket.waiting) },
          ]}
          is_time
          y_label="tasks"
          y_text={numberText}
          must_y={[0]}
          version={version}
          empty={buckets.length === 0 ? "Nothing happened in the last hour." : null}
          table={() => ({
            head: ["Time", "Submitted", "Settled", "Waiting"],
            rows: buckets
              .slice(-100)
              .map((bucket) => [
                clockText(bucket.at),
                bucket.submitted,
                settledIn(bucket),
                bucket.waiting,
              ]),
            left_out: Math.max(0, buckets.length - 100),
          })}
        />
      </Panel>
    </>
  );
}

function latencyCaption(buckets: HistoryBucket[]): string {
  const last = [...buckets].reverse().find((bucket) => bucket.latency_s.p50 !== null);
  if (!last) return "Nothing was settled in the last hour.";
  const { p50, p90, p99 } = last.latency_s;
  return `At ${clockText(last.at)}: half within ${durationText(p50)}, nine of ten within ${durationText(p90)}, 99 of 100 within ${durationText(p99)}.`;
}

function OutcomesFigure(props: { buckets: HistoryBucket[]; x: number[]; version: string }) {
  const totals = new Map<string, number>();
  for (const bucket of props.buckets) {
    for (const [outcome, count] of Object.entries(bucket.settled)) {
      totals.set(outcome, (totals.get(outcome) ?? 0) + count);
    }
  }
  const place = (outcome: string) => {
    const at = kOutcomeOrder.indexOf(outcome);
    return at < 0 ? kOutcomeOrder.length : at;
  };
  const names = [...totals.keys()].sort((a, b) => place(a) - place(b));
  return (
    <BarsFigure
      title="Verdicts each ten seconds"
      caption={`In the last hour: ${names.map((name) => `${(totals.get(name) ?? 0).toLocaleString("en-US")} ${outcomeWord(name)}`).join(", ") || "none"}.`}
      edges={props.x.map((at) => [at, at + kBucketS])}
      groups={names.map((name) => ({
        name: outcomeWord(name),
        colour: outcomeColour(name),
        values: props.buckets.map((bucket) => bucket.settled[name] ?? 0),
      }))}
      layout="stacked"
      y_label="tasks"
      x_marks={clockMarks}
      y_text={numberText}
      bar_text={(at) => {
        const bucket = props.buckets[at];
        if (!bucket) return "";
        const parts = names
          .filter((name) => bucket.settled[name])
          .map((name) => `${outcomeWord(name)} ${bucket.settled[name]}`);
        return `${clockText(bucket.at)}: ${parts.join(", ") || "none"}`;
      }}
      version={props.version}
      empty={names.length === 0 ? "Nothing was settled in the last hour." : null}
      table={() => ({
        head: ["Time", ...names.map(outcomeWord)],
        rows: props.buckets
          .slice(-100)
          .map((bucket) => [
            clockText(bucket.at),
            ...names.map((name) => bucket.settled[name] ?? 0),
          ]),
        left_out: Math.max(0, props.buckets.length - 100),
      })}
    />
  );
}

function CheatsPanel({ tasks }: { tasks: TaskLine[] }) {
  const cheats = tasks.filter((task) => task.outcome === "cheated");
  return (
    <Panel
      title="Cheats caught"
      hint="Candidates that tried to be judged without doing the work; the evidence is on the task's page."
    >
      {cheats.length === 0 ? (
        <p class="empty">None among the tasks below.</p>
      ) : (
        <ul class="tripwires">
          {cheats.slice(0, 20).map((task) => (
            <li key={task.id}>
              <a href={hrefs.task(task.id)}>{task.id}</a> <Badge tone="bad">cheated</Badge>{" "}
              {task.reason}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function TasksPanel(props: {
  tasks: TaskLine[];
  outcome: string;
  setOutcome: (outcome: string) => void;
}) {
  const now = useNow(5000);
  return (
    <Panel
      title="Tasks"
      wide
      actions={
        <label class="inline">
          Outcome{" "}
          <select
            value={props.outcome}
            onChange={(event) => props.setOutcome(event.currentTarget.value)}
          >
            <option value="">all</option>
            {kOutcomeOrder.slice(0, 7).map((outcome) => (
              <option key={outcome} value={outcome}>
                {outcomeWord(outcome)}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {props.tasks.length === 0 ? (
        <p class="empty">
          {props.outcome
            ? `No task is ${outcomeWord(props.outcome)}.`
            : "No tasks yet. Submit one with POST /v1/tasks (docs/api.md)."}
        </p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Tasks">
          <table>
            <thead>
              <tr>
                <th scope="col">Task</th>
                <th scope="col">State</th>
                <th scope="col">Domain</th>
                <th scope="col">Speed-up</th>
                <th scope="col">Worker</th>
                <th scope="col">Submitted</th>
                <th scope="col">Took</th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
            <tbody>
              {props.tasks.map((task) => (
                <TaskRow key={task.id} task={task} now={now} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function TaskRow({ task, now }: { task: TaskLine; now: number }) {
  const end = task.finished ? millis(task.finished) : now;
  return (
    <tr>
      <th scope="row">
        <a href={hrefs.task(task.id)}>{task.id}</a>
      </th>
      <td>
        {task.outcome ? (
          <OutcomeBadge outcome={task.outcome} />
        ) : (
          <Badge tone="busy">{task.state}</Badge>
        )}
      </td>
      <td>{task.domain}</td>
      <td class="number">{task.speedup === null ? "–" : `${numberText(task.speedup)}\u00a0×`}</td>
      <td class="number">{task.worker || "–"}</td>
      <td title={`${timeText(task.submitted)} (${utcText(task.submitted)})`}>
        {ageText(task.submitted, now)}
      </td>
      <td class="number">{durationText((end - millis(task.submitted)) / 1000)}</td>
      <td class="changes">{task.reason}</td>
    </tr>
  );
}
