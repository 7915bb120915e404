// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/client";
import type { StreamMessage } from "../api/sse";
import { EventStream, type StreamState, type StreamUse } from "../api/stream";
import type { Subscribers } from "../store/subscribers";
import { usePacedRender } from "./hooks";
import { useShownConnection } from "./session";

export interface Streamed {
  connection: StreamState;
  reload: () => void;
}

export interface StreamedStore extends Subscribers {
  last_id: number | null;
  take(message: StreamMessage): boolean;
}

export interface Watched<T> {
  value: T | null; // None before the first event.
  error: ApiError | null;
  reload: () => void;
}

// Reads a stream of the server as long as the page is there, and comes back after a lost
// connection. With no path nothing is read.
function useEvents(path: string | null, reader: Pick<StreamUse, "lastId" | "take">): Streamed {
  const [connection, setConnection] = useState<StreamState>({ kind: "connecting" });
  const [round, setRound] = useState(0);
  const latest = useRef(reader);
  latest.current = reader;
  useEffect(() => {
    if (path === null) return;
    const stream = new EventStream({
      path,
      lastId: () => latest.current.lastId(),
      take: (message) => latest.current.take(message),
      onState: setConnection,
    });
    return () => stream.close();
  }, [path, round]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  return { connection, reload };
}

// Feeds a store, which says where to go on after a lost connection. `after` is called with each
// message.
export function useStream(
  path: string | null,
  store: StreamedStore,
  after: () => void = () => undefined,
): Streamed {
  const render = usePacedRender(() => store.notify());
  const streamed = useEvents(path, {
    lastId: () => store.last_id,
    take: (message) => {
      const is_taken = store.take(message);
      after();
      render();
      return is_taken;
    },
  });
  useEffect(render, [render, streamed.connection]);
  return streamed;
}

// Each event folded into what was told before, and shown at once. The whole page says when the
// connection is lost; after that the server tells everything again.
export function useWatched<T>(
  path: string,
  fold: (old: T | null, message: StreamMessage) => T | null,
): Watched<T> {
  const [value, setValue] = useState<T | null>(null);
  const { connection, reload } = useEvents(path, {
    lastId: () => null,
    take: (message) => {
      setValue((old) => fold(old, message));
      return true;
    },
  });
  useShownConnection(connection);
  return { value, error: connection.kind === "refused" ? connection.error : null, reload };
}
