// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { homeOf, hrefs, parseRoute } from "./routes";

describe("routes", () => {
  it("are read from behind the #", () => {
    expect(parseRoute("")).toEqual({ page: "home" });
    expect(parseRoute("#/")).toEqual({ page: "home" });
    expect(parseRoute("#/campaigns")).toEqual({ page: "campaigns" });
    expect(parseRoute("#/campaigns/toy-7")).toEqual({ page: "campaign", id: "toy-7" });
    expect(parseRoute("#/service")).toEqual({ page: "service" });
    expect(parseRoute("#/nonsense/1")).toEqual({ page: "unknown", path: "/nonsense/1" });
    expect(parseRoute("#/tasks")).toEqual({ page: "unknown", path: "/tasks" });
  });

  it("take each campaign to compare once", () => {
    expect(parseRoute("#/compare/a,b,a")).toEqual({ page: "compare", ids: ["a", "b"] });
    expect(parseRoute("#/compare/")).toEqual({ page: "compare", ids: [] });
  });

  it("carry any id there and back", () => {
    for (const id of ["toy-7", "a/b", "c1,x", "50 %", "<b>", "ü"]) {
      expect(parseRoute(hrefs.campaign(id))).toEqual({ page: "campaign", id });
      expect(parseRoute(hrefs.task(id))).toEqual({ page: "task", id });
      expect(parseRoute(hrefs.compare([id, "z"]))).toEqual({ page: "compare", ids: [id, "z"] });
    }
  });

  it("survive a broken escape", () => {
    expect(parseRoute("#/tasks/%E0%A4%A")).toEqual({ page: "task", id: "%E0%A4%A" });
  });
});

describe("homeOf", () => {
  it("is what the server was started for", () => {
    expect(homeOf({ has_training: false, has_service: true })).toBe("service");
    expect(homeOf({ has_training: true, has_service: false })).toBe("training");
    expect(homeOf({ has_training: false, has_service: false })).toBe("campaigns");
    expect(homeOf(null)).toBe("campaigns");
  });
});
