// SPDX-License-Identifier: Apache-2.0
import { authorization } from "./token";

// What the server refused, or that it could not be reached (status 0).
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  get needsToken(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  try {
    const error = (JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }).error;
    if (typeof error?.message === "string") {
      const code = typeof error.code === "string" ? error.code : "";
      return new ApiError(response.status, code, error.message);
    }
  } catch {
    // Not JSON: the status has to do.
  }
  return new ApiError(response.status, "", `The server answered ${response.status}.`);
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      ...options,
      headers: { ...authorization(), ...options.headers },
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "The server cannot be reached. Is hone still running?");
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

const early = new Map<string, Promise<Response>>();

// Asks already now for what the page will need first; the next get() of it takes the answer.
export function prefetch(path: string): void {
  const answer = ask(path, {});
  answer.catch(() => undefined);
  early.set(path, answer);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const known = early.get(path);
  if (known) {
    early.delete(path);
    return (await (await known).json()) as T;
  }
  const response = await ask(path, { signal: signal ?? null });
  return (await response.json()) as T;
}

export async function post<T>(path: string): Promise<T> {
  const response = await ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  return (await response.json()) as T;
}

export interface Download {
  name: string;
  body: Blob;
}

export async function download(path: string, fallback_name: string): Promise<Download> {
  const response = await ask(path, {});
  const named = /filename="?([^";]+)"?/.exec(response.headers.get("content-disposition") ?? "");
  return { name: named?.[1] ?? fallback_name, body: await response.blob() };
}

export const paths = {
  about: "/v1/about",
  campaign_list: "/v1/campaigns/events",
  campaign: (id: string) => `/v1/campaigns/${encodeURIComponent(id)}`,
  events: (id: string) => `/v1/campaigns/${encodeURIComponent(id)}/events`,
  control: (id: string, verb: string) => `/v1/campaigns/${encodeURIComponent(id)}/${verb}`,
  exported: (id: string, form: string, pick?: number) =>
    `/v1/campaigns/${encodeURIComponent(id)}/export?as=${encodeURIComponent(form)}` +
    (pick === undefined ? "" : `&pick=${pick}`),
  runs: (id: string, block: string) =>
    `/v1/campaigns/${encodeURIComponent(id)}/runs?block=${encodeURIComponent(block)}`,
  training: "/v1/training/events",
  stop_training: "/v1/training/stop",
  service: "/v1/service/events",
  tasks: (limit: number, before: number | null, outcome: string) =>
    `/v1/tasks?limit=${limit}` +
    (before === null ? "" : `&before=${before}`) +
    (outcome === "" ? "" : `&outcome=${encodeURIComponent(outcome)}`),
  task: (id: string) => `/v1/tasks/${encodeURIComponent(id)}`,
  wait: (id: string) => `/v1/tasks/${encodeURIComponent(id)}/wait?timeout_s=25`,
};
