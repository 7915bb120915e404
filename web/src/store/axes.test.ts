// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { axisOf } from "./axes";

describe("axisOf", () => {
  it("bends a logarithmic range and says its values unbent", () => {
    const axis = axisOf({
      name: "n",
      kind: "integer",
      low: 1,
      high: 1000,
      is_log: true,
      baseline: 10,
    });
    expect(axis.place(100)).toBeCloseTo(2);
    expect(axis.text(2)).toBe("100");
    expect(axis.place(0)).toBeNaN();
  });

  it("gives categories their place in the list", () => {
    const axis = axisOf({
      name: "c",
      kind: "category",
      choices: ["cubic", "bbr"],
      baseline: "cubic",
    });
    expect(axis.place("bbr")).toBe(1);
    expect(axis.place("reno")).toBeNaN();
    expect(axis.text(0)).toBe("cubic");
  });

  it("knows booleans", () => {
    const axis = axisOf({ name: "b", kind: "boolean", baseline: true });
    expect([axis.place(false), axis.place(true)]).toEqual([0, 1]);
  });

  it("reaches to a baseline outside the range", () => {
    expect(axisOf({ name: "n", kind: "integer", low: 10, high: 20, baseline: 50 }).high).toBe(50);
  });

  it("takes the range from what was tried where there is none", () => {
    const axis = axisOf({ name: "t", kind: "ordered_parts", baseline: [1, 2, 6] }, [
      [1, 2, 3],
      [1, 2, 9],
    ]);
    expect([axis.low, axis.high]).toEqual([3, 9]);
  });
});
