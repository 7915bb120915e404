// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, paths } from "../api/client";
import { EventStream, type StreamState } from "../api/stream";
import type { HistoryBucket, QueueCounts, SettledEvent, TaskLine, Worker } from "../api/types";

const kLeastMs = 1000; // Between two looks, however many tasks are settled.
const kMostMs = 5000; // What is submitted and taken makes no event: a look now and then.

export interface ServiceState {
  queue: QueueCounts;
  workers: Worker[];
  history: HistoryBucket[];
  tasks: TaskLine[];
}

export interface ServiceUse {
  state: ServiceState | null;
  connection: StreamState;
  error: ApiError | null;
  settled: SettledEvent[]; // Newest last; while the page was open.
  reload: () => void;
}

async function look(outcome: string, signal: AbortSignal): Promise<ServiceState> {
  const [queue, workers, history, tasks] = await Promise.all([
    get<QueueCounts>(paths.queue, signal),
    get<{ workers: Worker[] } | Worker[]>(paths.workers, signal),
    get<{ buckets: HistoryBucket[] }>(paths.history, signal),
    get<{ tasks: TaskLine[] }>(paths.tasks(100, null, outcome), signal),
  ]);
  return {
    queue,
    workers: Array.isArray(workers) ? workers : workers.workers,
    history: history.buckets,
    tasks: tasks.tasks,
  };
}

// The service as it is now: events say that something was settled, and then one look is taken.
export function useService(outcome: string): ServiceUse {
  const [state, setState] = useState<ServiceState | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [connection, setConnection] = useState<StreamState>({ kind: "connecting" });
  const settled = useRef<SettledEvent[]>([]).current;
  const last_id = useRef<number | null>(null);
  const nudge = useRef<() => void>(() => undefined);
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    let last = 0;
    let is_looking = false;
    const plan = (ms: number) => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void once(), ms);
    };
    const once = async () => {
      if (is_looking) return;
      is_looking = true;
      last = Date.now();
      try {
        if (document.visibilityState === "visible" || last === 0)
          setState(await look(outcome, stop.signal));
        setError(null);
      } catch (failed) {
        if (failed instanceof ApiError) setError(failed);
      }
      is_looking = false;
      if (!stop.signal.aborted) plan(kMostMs);
    };
    nudge.current = () => plan(Math.max(0, kLeastMs - (Date.now() - last)));
    void once();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [outcome]);
  useEffect(() => {
    const stream = new EventStream({
      path: paths.settled,
      lastId: () => last_id.current,
      take: (message) => {
        if (message.event !== "settled") return true;
        const id = message.id === null ? null : Number(message.id);
        if (id !== null && last_id.current !== null && id <= last_id.current) return true;
        if (id !== null) last_id.current = id;
        settled.push(JSON.parse(message.data) as SettledEvent);
        if (settled.length > 500) settled.splice(0, 100);
        nudge.current();
        return true;
      },
      onState: setConnection,
    });
    return () => stream.close();
  }, []);
  const reload = useCallback(() => nudge.current(), []);
  return { state, connection, error, settled, reload };
}
