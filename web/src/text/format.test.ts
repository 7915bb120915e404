// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import {
  durationText,
  estimateText,
  intervalOf,
  intervalText,
  limitText,
  metricChange,
  metricInterval,
  numberText,
  pText,
  rangeText,
  shareText,
  signedShareText,
  valueText,
} from "./format";

// As it reads: with plain spaces.
const plain = (text: string) => text.replace(/\u00a0/g, " ");

describe("a gain as the change of its metric", () => {
  it("has the sign of the terminal where less is better", () => {
    expect(metricChange(0.1, false)).toBe(0.1);
    expect(plain(signedShareText(metricChange(0.1, true)))).toBe("−9.1 %");
  });

  it("turns its interval around", () => {
    const gain = { effect: 1, low: 0, high: null, confidence: 0.95 };
    expect(metricInterval(gain, true)).toEqual({ ...gain, effect: -0.5, low: null, high: 0 });
    expect(metricInterval(gain, false)).toEqual(gain);
  });
});

describe("a limit", () => {
  const limit = { metric: "p99_ms", is_upper: true, bound: 20, is_relative: false };

  it("is said with what was to spare, in shares of its bound", () => {
    const margin = { count: 12, effect: 0.29, interval: [0.28, null], p_value: 0.001 } as never;
    expect(plain(limitText({ limit, margin, holds: true }, 0.95))).toBe(
      "p99_ms ≤ 20: holds, +29.0 % to spare (95 %: +28.0 % to +∞)",
    );
  });

  it("that was not shown to hold is not called broken", () => {
    const margin = { count: 12, effect: -0.05, interval: [-0.2, 0.1], p_value: 0.4 } as never;
    const relative = { ...limit, is_upper: false, bound: 0.9, is_relative: true };
    expect(plain(limitText({ limit: relative, margin, holds: false }, 0.95))).toBe(
      "p99_ms ≥ 0.9x: not shown to hold, −5.0 % to spare (95 %: −20.0 % to +10.0 %)",
    );
  });
});

describe("numbers", () => {
  it("have four digits that count", () => {
    expect(numberText(1012.4)).toBe("1,012");
    expect(numberText(0.98765)).toBe("0.9877");
    expect(numberText(-3.1e9)).toBe("−3.1e+9");
    expect(numberText(2e-7)).toBe("2e−7");
    expect(numberText(0)).toBe("0");
  });

  it("that are missing are a dash", () => {
    for (const missing of [null, undefined, NaN, Infinity]) expect(numberText(missing)).toBe("–");
  });
});

describe("shares", () => {
  it("are said in per cent with as many digits as help", () => {
    expect(plain(signedShareText(0.1024))).toBe("+10.2 %");
    expect(plain(signedShareText(-0.0031))).toBe("−0.31 %");
    expect(plain(signedShareText(2.5))).toBe("+250 %");
    expect(plain(signedShareText(0))).toBe("±0.0 %");
    expect(plain(signedShareText(-0.00001))).toBe("±0.00 %");
    expect(plain(shareText(-0.00001))).toBe("0.00 %");
    expect(shareText(null)).toBe("–");
  });

  it("break in no place within a number", () => {
    expect(signedShareText(0.1)).not.toContain(" ");
  });
});

describe("intervals", () => {
  it("name effect, confidence and both ends", () => {
    const text = intervalText({ effect: 0.102, low: 0.081, high: 0.124, confidence: 0.95 });
    expect(plain(text)).toBe("+10.2 % (95 %: +8.1 % to +12.4 %)");
  });

  it("say an end that nothing bounds", () => {
    expect(plain(rangeText(null, 0.05))).toBe("−∞ to +5.0 %");
    expect(plain(rangeText(-0.05, null))).toBe("−5.0 % to +∞");
  });

  it("turn log-ratios into shares", () => {
    const test = {
      count: 12,
      effect: 0.0845316,
      interval: [0.0491, 0.115] as [number, number],
      p_value: 0.001,
    };
    expect(intervalOf(test, true, 0.95).effect).toBeCloseTo(0.0882, 4);
    expect(intervalOf(test, false, 0.95).effect).toBe(0.0845316);
    const open = { ...test, interval: [null, null] as [null, null] };
    expect(intervalOf(open, true, 0.95).low).toBeNull();
  });
});

describe("estimates", () => {
  it("carry twice their standard error", () => {
    expect(plain(estimateText({ mean: 0.05, standard_error: 0.01, count: 8 }, true))).toBe(
      "+5.0 % ± 2.0 %",
    );
    expect(plain(estimateText({ mean: 0.05, standard_error: null, count: 1 }, true))).toBe(
      "+5.0 %",
    );
    expect(estimateText({ mean: 12.5, standard_error: 0.5, count: 8 }, false)).toBe("+12.5 ± 1");
    expect(estimateText(null, true)).toBe("–");
  });
});

describe("durations", () => {
  it("use the two units that matter", () => {
    expect(plain(durationText(0.0000123))).toBe("12.3 µs");
    expect(plain(durationText(0.25))).toBe("250 ms");
    expect(plain(durationText(9.96))).toBe("10 s");
    expect(plain(durationText(59.9))).toBe("60 s");
    expect(plain(durationText(250))).toBe("4 min 10 s");
    expect(plain(durationText(3600))).toBe("1 h");
    expect(plain(durationText(11100))).toBe("3 h 5 min");
    expect(plain(durationText(190000))).toBe("2 d 5 h");
    expect(plain(durationText(0))).toBe("0 s");
    expect(durationText(null)).toBe("–");
  });
});

describe("other words", () => {
  it("say small p-values as a bound", () => {
    expect(plain(pText(0.00001))).toBe("p < 0.0001");
    expect(plain(pText(0.0312))).toBe("p = 0.031");
  });

  it("show values of every kind", () => {
    expect([41, 0.35, true, "bbr", [1, 2]].map((value) => valueText(value))).toEqual([
      "41",
      "0.35",
      "true",
      "bbr",
      "1 2",
    ]);
  });
});
