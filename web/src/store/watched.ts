// SPDX-License-Identifier: Apache-2.0
// What the server keeps up to date, put together from its events.
import type { StreamMessage } from "../api/sse";
import type { ServiceEvent } from "../api/events";
import type { Worker } from "../api/records";
import type { CampaignLine, Campaigns, HistoryBucket, QueueCounts, TaskLine } from "../api/types";

export interface ServiceState {
  queue: QueueCounts;
  workers: Worker[]; // By name.
  history: HistoryBucket[]; // Oldest first, the last hour.
  tasks: TaskLine[]; // Those that wait or run, then the settled ones; newest first.
}

const kMaxBuckets = 360;

// The old ones, with the new ones in their place, without those that are gone.
function patched<T>(
  old: T[],
  now: T[] | undefined,
  gone: string[] | undefined,
  key: (one: T) => string,
) {
  if (!now?.length && !gone?.length) return old;
  const all = new Map(old.map((one) => [key(one), one]));
  for (const one of now ?? []) all.set(key(one), one);
  for (const name of gone ?? []) all.delete(name);
  return [...all.values()];
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function laterFirst(a: TaskLine, b: TaskLine): number {
  if (a.sequence !== null && b.sequence !== null) return b.sequence - a.sequence;
  if (a.sequence === null && b.sequence === null) return byText(b.submitted, a.submitted);
  return a.sequence === null ? -1 : 1;
}

// One after the other; the same task once, as it was told last.
export function mergedTasks(...lists: TaskLine[][]): TaskLine[] {
  return [...new Map(lists.flat().map((task) => [task.id, task])).values()].sort(laterFirst);
}

export function foldService(old: ServiceState | null, message: StreamMessage): ServiceState | null {
  if (message.event !== "service") return old;
  const event = JSON.parse(message.data) as ServiceEvent;
  const base = event.is_whole ? null : old;
  const queue = event.queue ?? base?.queue;
  if (!queue) return old; // A difference to something that was never seen.
  return {
    queue,
    workers: patched(
      base?.workers ?? [],
      event.workers,
      event.gone_workers,
      (worker) => worker.name,
    ).sort((a, b) => byText(a.name, b.name)),
    history: patched(base?.history ?? [], event.buckets, [], (bucket) => bucket.at)
      .sort((a, b) => byText(a.at, b.at))
      .slice(-kMaxBuckets),
    tasks: patched(base?.tasks ?? [], event.tasks, event.gone_tasks, (task) => task.id).sort(
      laterFirst,
    ),
  };
}

// Newest first.
export function foldCampaigns(
  old: CampaignLine[] | null,
  message: StreamMessage,
): CampaignLine[] | null {
  switch (message.event) {
    case "campaigns":
      return (JSON.parse(message.data) as Campaigns).campaigns;
    case "campaign": {
      const line = JSON.parse(message.data) as CampaignLine;
      return patched(old ?? [], [line], [], (one) => one.id).sort((a, b) =>
        byText(b.created, a.created),
      );
    }
    case "gone": {
      const { id } = JSON.parse(message.data) as { id: string };
      return patched(old ?? [], [], [id], (one) => one.id);
    }
    default:
      return old;
  }
}
