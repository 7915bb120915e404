// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import { paths } from "../api/client";
import type { TaskLine, TaskLines } from "../api/types";
import { useFetched } from "../parts/hooks";
import { mergedTasks } from "../store/watched";

const kMaxTasks = 100;

// The newest tasks that ended so, of all that the server has: asked for once, and then as `tasks`
// tells of more. With no outcome, `tasks` themselves.
export function useTasksOf(outcome: string, tasks: TaskLine[]): TaskLine[] {
  const path = outcome === "" ? null : paths.tasks(kMaxTasks, null, outcome);
  const { value } = useFetched<TaskLines>(path);
  const [kept, keep] = useState<TaskLine[]>([]);
  useEffect(() => keep([]), [outcome]);
  useEffect(() => {
    if (outcome === "") return;
    const found = tasks.filter((task) => task.outcome === outcome);
    keep((old) => mergedTasks(old, found).slice(0, kMaxTasks));
  }, [outcome, tasks]);
  if (outcome === "") return tasks;
  const known = kept.filter((task) => task.outcome === outcome);
  return mergedTasks(value?.tasks ?? [], known).slice(0, kMaxTasks);
}
