// SPDX-License-Identifier: Apache-2.0
// Places of the page, kept behind the #, so that it works under / and /ui/ alike.

export type Route =
  | { page: "home" }
  | { page: "campaigns" }
  | { page: "campaign"; id: string }
  | { page: "compare"; ids: string[] }
  | { page: "training" }
  | { page: "service" }
  | { page: "task"; id: string }
  | { page: "unknown"; path: string };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parseRoute(hash: string): Route {
  const path = hash.replace(/^#/, "");
  const [, page = "", ...rest] = path.split("/");
  const operand = rest.join("/");
  if (page === "") return { page: "home" };
  if (page === "campaigns" && operand === "") return { page: "campaigns" };
  if (page === "campaigns") return { page: "campaign", id: decoded(operand) };
  if (page === "compare") {
    const ids = [...new Set(operand.split(",").filter(Boolean).map(decoded))];
    return { page: "compare", ids };
  }
  if (page === "training" && operand === "") return { page: "training" };
  if (page === "service" && operand === "") return { page: "service" };
  if (page === "tasks" && operand !== "") return { page: "task", id: decoded(operand) };
  return { page: "unknown", path };
}

export type Place = "campaigns" | "training" | "service";

// What a server opens on: that for which it was started.
export function homeOf(has: { has_training: boolean; has_service: boolean } | null): Place {
  if (has?.has_training) return "training";
  return has?.has_service ? "service" : "campaigns";
}

export const hrefs = {
  campaigns: "#/campaigns",
  campaign: (id: string) => `#/campaigns/${encodeURIComponent(id)}`,
  compare: (ids: string[]) => `#/compare/${ids.map(encodeURIComponent).join(",")}`,
  training: "#/training",
  service: "#/service",
  task: (id: string) => `#/tasks/${encodeURIComponent(id)}`,
};
