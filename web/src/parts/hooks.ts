// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get } from "../api/client";

export interface Fetched<T> {
  value: T | null;
  error: ApiError | null;
  reload: () => void;
}

// Asks once, and again when `path` changes or reload() is called. The old value stays until the
// new one is there.
export function useFetched<T>(path: string | null): Fetched<T> {
  const [value, setValue] = useState<{ path: string; value: T } | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    get<T>(path, stop.signal).then(
      (got) => {
        setValue({ path, value: got });
        setError(null);
      },
      (failed: unknown) => {
        if (failed instanceof ApiError) setError(failed);
      },
    );
    return () => stop.abort();
  }, [path, round]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  return { value: value && value.path === path ? value.value : null, error, reload };
}

// The time now, every `ms`; for ages and elapsed times.
export function useNow(ms: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return now;
}

const kMinMs = 120;

// Renders after changes, in an animation frame, and leaves most of the time to others: the next
// rendering waits three times as long as the last one took.
// `before` is called with each.
export function usePacedRender(before: () => void): () => void {
  const [, render] = useState(0);
  const latest = useRef(before);
  latest.current = before;
  const state = useRef({ is_planned: false, next: 0, timer: 0, frame: 0 });
  useEffect(
    () => () => {
      clearTimeout(state.current.timer);
      cancelAnimationFrame(state.current.frame);
    },
    [],
  );
  return useCallback(() => {
    const pace = state.current;
    if (pace.is_planned) return;
    pace.is_planned = true;
    const wait = Math.max(0, pace.next - performance.now());
    pace.timer = window.setTimeout(() => {
      pace.frame = requestAnimationFrame(() => {
        pace.is_planned = false;
        const start = performance.now();
        latest.current();
        render((old) => old + 1);
        requestAnimationFrame((after) => {
          pace.next = after + Math.max(kMinMs, 3 * (after - start - 16));
        });
      });
    }, wait);
  }, []);
}

// A value that is costly to work out: at most a twentieth of the time goes into it. While it is
// behind, the old one stands, and a later rendering brings it up to date.
export function usePaced<T>(key: unknown, compute: () => T): T {
  const kept = useRef<{ key: unknown; value: T; next: number } | null>(null);
  const [, render] = useState(0);
  const now = performance.now();
  const is_behind = kept.current !== null && kept.current.key !== key;
  if (kept.current === null || (is_behind && now >= kept.current.next)) {
    const value = compute();
    const cost = performance.now() - now;
    kept.current = { key, value, next: now + Math.max(100, 20 * cost) };
  }
  const wait = kept.current.key === key ? -1 : kept.current.next - now;
  useEffect(() => {
    if (wait < 0) return;
    const timer = setTimeout(() => render((old) => old + 1), wait);
    return () => clearTimeout(timer);
  }, [key, wait]);
  return kept.current.value;
}
