// SPDX-License-Identifier: Apache-2.0
import type { Worker } from "../api/records";
import type { TaskLine } from "../api/types";
import { Badge, Panel } from "../parts/basics";
import { useNow } from "../parts/hooks";
import { hrefs } from "../routes";
import { ageText } from "../text/time";

// What the worker is at: its own word, or the running task that names it.
function taskOf(worker: Worker, tasks: TaskLine[]): string | null {
  if (worker.task) return worker.task;
  const running = tasks.find((task) => task.worker === worker.name && task.state !== "settled");
  return running?.id ?? null;
}

export function WorkersPanel({ workers, tasks }: { workers: Worker[]; tasks: TaskLine[] }) {
  const now = useNow(5000);
  return (
    <Panel title="Workers">
      {workers.length === 0 ? (
        <p class="empty">
          No worker is there, so nothing is evaluated. Start one: <code>hone worker</code>
        </p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Workers">
          <table>
            <thead>
              <tr>
                <th scope="col">Worker</th>
                <th scope="col">Runs</th>
                <th scope="col">Offers</th>
                <th scope="col">Seen</th>
              </tr>
            </thead>
            <tbody>
              {workers.map((worker) => (
                <WorkerRow
                  key={worker.name}
                  worker={worker}
                  task={taskOf(worker, tasks)}
                  now={now}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function WorkerRow({ worker, task, now }: { worker: Worker; task: string | null; now: number }) {
  const memory = worker.has?.memory_mib ? `, ${Math.round(worker.has.memory_mib / 1024)} GiB` : "";
  return (
    <tr>
      <th scope="row" title={`${worker.host}, Hone ${worker.version}`}>
        {worker.name}
      </th>
      <td>{task ? <a href={hrefs.task(task)}>{task}</a> : <Badge tone="calm">idle</Badge>}</td>
      <td class="changes">
        {(worker.has?.names ?? []).join(", ")}
        {memory}
      </td>
      <td>{ageText(worker.seen, now)}</td>
    </tr>
  );
}
