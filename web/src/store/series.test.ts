// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { Column } from "./columns";
import { decimate, histogram, importance, paretoFront, smooth } from "./series";

describe("decimate", () => {
  const count = 50000;
  const x = Float64Array.from({ length: count }, (_, at) => at);
  const y = Float64Array.from({ length: count }, (_, at) => Math.sin(at / 300));

  it("leaves few points alone", () => {
    expect(decimate([0, 1, 2], [5, NaN, 7], 100)).toEqual({ x: [0, 1, 2], y: [5, null, 7] });
  });

  it("keeps at most four points for each column, first and last among them", () => {
    const line = decimate(x, y, 400);
    expect(line.x.length).toBeLessThanOrEqual(4 * 401);
    expect(line.x[0]).toBe(0);
    expect(line.x[line.x.length - 1]).toBe(count - 1);
    expect(line.x).toEqual([...line.x].sort((a, b) => a - b));
  });

  it("loses no peak", () => {
    const spiked = Float64Array.from(y);
    spiked[31234] = 99;
    spiked[4321] = -99;
    const line = decimate(x, spiked, 300);
    expect(line.y).toContain(99);
    expect(line.y).toContain(-99);
  });

  it("keeps a column without numbers as a gap", () => {
    const holed = Float64Array.from(y);
    holed.fill(NaN, 20000, 30000);
    expect(decimate(x, holed, 100).y).toContain(null);
  });
});

describe("smooth", () => {
  it("is the mean of the neighbours, fewer at the ends", () => {
    expect([...smooth([1, 2, 3, 4, 9], 1)]).toEqual([1.5, 2, 3, 16 / 3, 6.5]);
  });

  it("leaves gaps out and keeps them", () => {
    const smoothed = smooth([1, NaN, 3], 1);
    expect(smoothed[0]).toBe(1);
    expect(smoothed[1]).toBeNaN();
    expect(smoothed[2]).toBe(3);
  });

  it("takes a reach beyond the list", () => {
    expect([...smooth([2, 4], 10)]).toEqual([3, 3]);
  });
});

describe("histogram", () => {
  it("counts every value once, the highest in the last bin", () => {
    const bins = histogram([[0, 1, 2, 10], [5]], 5);
    expect(bins.length).toBe(5);
    expect(bins.map((bin) => bin.counts[0])).toEqual([2, 1, 0, 0, 1]);
    expect(bins.reduce((sum, bin) => sum + (bin.counts[1] ?? 0), 0)).toBe(1);
  });

  it("makes one bin of equal values and none of nothing", () => {
    expect(histogram([[3, 3, 3]], 10).map((bin) => bin.counts[0])).toEqual([3]);
    expect(histogram([[], [NaN]], 10)).toEqual([]);
  });
});

describe("paretoFront", () => {
  it("keeps what no other beats in both", () => {
    const front = paretoFront([
      { x: 1, y: 1 },
      { x: 2, y: 0 },
      { x: 0, y: 3 },
      { x: 0.5, y: 0.5 },
      { x: 2, y: -1 },
      { x: NaN, y: 9 },
    ]);
    expect(front).toEqual([
      { x: 2, y: 0 },
      { x: 1, y: 1 },
      { x: 0, y: 3 },
    ]);
  });
});

describe("importance", () => {
  const values = Array.from({ length: 200 }, (_, at) => (at * 0.618034) % 1);

  it("is near one for what decides, and near nothing for what does not", () => {
    const effects = values.map((value) => (value - 0.5) ** 2);
    const others = values.map((_, at) => (at * 0.754877) % 1);
    expect(importance(values, effects, false)).toBeGreaterThan(0.8);
    expect(importance(others, effects, false)).toBeLessThan(0.1);
  });

  it("groups categories by value", () => {
    const kinds = values.map((value) => Math.floor(value * 3));
    expect(
      importance(
        kinds,
        kinds.map((kind) => (kind === 1 ? 1 : 0)),
        true,
      ),
    ).toBeCloseTo(1);
  });

  it("says nothing of a few trials, or of one value", () => {
    expect(importance([1, 2], [1, 2], false)).toBeNaN();
    expect(
      importance(
        values.map(() => 1),
        values,
        false,
      ),
    ).toBeNaN();
  });
});

describe("Column", () => {
  it("grows, and fills holes with gaps", () => {
    const column = new Column();
    for (let at = 0; at < 1000; ++at) column.push(at);
    column.set(1002, 7);
    expect(column.length).toBe(1003);
    expect(column.at(999)).toBe(999);
    expect(column.at(1000)).toBeNaN();
    expect(column.at(1002)).toBe(7);
  });
});
