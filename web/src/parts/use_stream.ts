// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import type { StreamMessage } from "../api/sse";
import { EventStream, type StreamState } from "../api/stream";
import type { Subscribers } from "../store/subscribers";
import { usePacedRender } from "./hooks";

export interface StreamedStore extends Subscribers {
  last_id: number | null;
  take(message: StreamMessage): boolean;
}

// Feeds a store from a stream of the server, as long as the page is there, and goes on where it was
// after a lost connection. With no path nothing is followed. `after` is called with each message.
export function useStream(
  path: string | null,
  store: StreamedStore,
  after: () => void = () => undefined,
): StreamState {
  const [connection, setConnection] = useState<StreamState>({ kind: "connecting" });
  const render = usePacedRender(() => store.notify());
  useEffect(() => {
    if (path === null) return;
    const stream = new EventStream({
      path,
      lastId: () => store.last_id,
      take: (message) => {
        const is_taken = store.take(message);
        after();
        render();
        return is_taken;
      },
      onState: (state) => {
        setConnection(state);
        render();
      },
    });
    return () => stream.close();
  }, [path]);
  return connection;
}
