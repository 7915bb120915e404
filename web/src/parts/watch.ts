// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/client";
import type { StreamMessage } from "../api/sse";
import { EventStream, type StreamState } from "../api/stream";
import { useSession } from "./session";

export interface Watched<T> {
  value: T | null; // None before the first event.
  error: ApiError | null;
  reload: () => void;
}

// What a stream of the server tells, each event folded into what was told before. The whole page
// says when the connection is lost; after that the server tells everything again.
export function useWatched<T>(
  path: string,
  fold: (old: T | null, message: StreamMessage) => T | null,
): Watched<T> {
  const session = useSession();
  const [value, setValue] = useState<T | null>(null);
  const [connection, setConnection] = useState<StreamState>({ kind: "connecting" });
  const [round, setRound] = useState(0);
  const latest = useRef<T | null>(null);
  useEffect(() => {
    const stream = new EventStream({
      path,
      lastId: () => null,
      take: (message) => {
        latest.current = fold(latest.current, message);
        setValue(latest.current);
        return true;
      },
      onState: setConnection,
    });
    return () => stream.close();
  }, [path, round]);
  useEffect(() => session.setConnection(connection), [connection]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  return { value, error: connection.kind === "refused" ? connection.error : null, reload };
}
