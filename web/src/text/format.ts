// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them. A minus is a real minus; the space before a unit does not break.

import type { Assignment, Estimate, LimitCheck, PairedTest, Value } from "../api/records";
import type { Interval } from "../api/types";

export const kNoBreak = "\u00a0";
export const kMinus = "\u2212";
export const kNothing = "\u2013";

function isNumber(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

// Four digits that count: "1,012", "0.9876", "3.1e+9".
export function numberText(value: number | null | undefined): string {
  if (!isNumber(value)) return kNothing;
  if (value === 0) return "0";
  const size = Math.abs(value);
  const sign = value < 0 ? kMinus : "";
  if (size >= 1e9 || size < 1e-4) {
    return (
      sign +
      size
        .toExponential(2)
        .replace(/\.?0+e/, "e")
        .replace("e-", `e${kMinus}`)
    );
  }
  if (size >= 1000) return sign + Math.round(size).toLocaleString("en-US");
  return sign + String(Number(size.toPrecision(4)));
}

export function countText(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en-US")}${kNoBreak}${count === 1 ? noun : plural}`;
}

// As many decimals as say something about a share of this size.
function percentDigits(percent: number): number {
  const size = Math.abs(percent);
  return size >= 100 ? 0 : size >= 0.95 || size === 0 ? 1 : 2;
}

// "10.2 %", of a share of 0.102.
export function shareText(share: number | null | undefined): string {
  if (!isNumber(share)) return kNothing;
  const percent = 100 * share;
  const text = Math.abs(percent).toFixed(percentDigits(percent));
  return `${percent < 0 && Number(text) !== 0 ? kMinus : ""}${text}${kNoBreak}%`;
}

// "+10.2 %", "−0.31 %", "±0 %" only for a true zero.
export function signedShareText(share: number | null | undefined): string {
  if (!isNumber(share)) return kNothing;
  const percent = 100 * share;
  const text = Math.abs(percent).toFixed(percentDigits(percent));
  const sign = Number(text) === 0 ? "\u00b1" : percent > 0 ? "+" : kMinus;
  return `${sign}${text}${kNoBreak}%`;
}

function endText(end: number | null, is_low: boolean): string {
  if (isNumber(end)) return signedShareText(end);
  return is_low ? `${kMinus}∞` : "+∞";
}

// "+8.1 % to +12.4 %"; an end that the data do not bound is infinite.
export function rangeText(low: number | null, high: number | null): string {
  return `${endText(low, true)} to ${endText(high, false)}`;
}

// "+10.2 % (95 %: +8.1 % to +12.4 %)"
export function intervalText(interval: Interval): string {
  const confidence = `${numberText(100 * interval.confidence)}${kNoBreak}%`;
  return `${signedShareText(interval.effect)} (${confidence}: ${rangeText(interval.low, interval.high)})`;
}

// A log-ratio as a share: 0.0953 is 10 per cent. Other rewards are shares already.
export function shareOf(value: number | null, is_log_ratio: boolean): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  return is_log_ratio ? Math.expm1(value) : value;
}

export function intervalOf(test: PairedTest, is_log_ratio: boolean, confidence: number): Interval {
  return {
    effect: shareOf(test.effect, is_log_ratio),
    low: shareOf(test.interval[0], is_log_ratio),
    high: shareOf(test.interval[1], is_log_ratio),
    confidence,
  };
}

// "p99_ms ≤ 20: holds, +29.0 % to spare (95 %: +28.3 % to +29.7 %)"
export function limitText({ limit, margin, holds }: LimitCheck, confidence: number): string {
  const sign = limit.is_upper ? "\u2264" : "\u2265";
  const bound = `${numberText(limit.bound)}${limit.is_relative ? "x" : ""}`;
  const spare = intervalOf(margin, false, confidence);
  const range = `${numberText(100 * confidence)}${kNoBreak}%: ${rangeText(spare.low, spare.high)}`;
  return `${limit.metric} ${sign} ${bound}: ${holds ? "holds" : "not shown to hold"}, ${signedShareText(spare.effect)} to spare (${range})`;
}

// A gain as the change of its metric, with the sign that the terminal gives it: where less is
// better, a gain of 10 % in the ratio is a change of −9.1 %.
export function metricChange(gain: number, is_lower: boolean): number {
  return is_lower ? 1 / (1 + gain) - 1 : gain;
}

export function metricInterval(gain: Interval, is_lower: boolean): Interval {
  if (!is_lower) return gain;
  const turned = (end: number | null) => (end === null ? null : metricChange(end, true));
  return {
    ...gain,
    effect: turned(gain.effect),
    low: turned(gain.high),
    high: turned(gain.low),
  };
}

// A reward, as a share or as a plain number.
export function rewardText(reward: number | null | undefined, is_share: boolean): string {
  if (!isNumber(reward)) return kNothing;
  return is_share ? signedShareText(reward) : signedNumberText(reward);
}

export function signedNumberText(value: number | null | undefined): string {
  if (!isNumber(value)) return kNothing;
  return value > 0 ? `+${numberText(value)}` : numberText(value);
}

// "+5.2 % ± 1.1 %": twice the standard error.
export function estimateText(estimate: Estimate | null, is_share: boolean): string {
  if (!estimate) return kNothing;
  const mean = rewardText(estimate.mean, is_share);
  if (!isNumber(estimate.standard_error)) return mean;
  const reach = 2 * estimate.standard_error;
  return `${mean} ± ${is_share ? shareText(reach) : numberText(reach)}`;
}

export function pText(p: number | null | undefined): string {
  if (!isNumber(p)) return kNothing;
  return p < 0.0001
    ? `p${kNoBreak}<${kNoBreak}0.0001`
    : `p${kNoBreak}=${kNoBreak}${Number(p.toPrecision(2))}`;
}

// "12.3 s", "4 min 10 s", "3 h 5 min", "2 d 4 h"
export function durationText(seconds: number | null | undefined): string {
  if (!isNumber(seconds)) return kNothing;
  const unit = (value: string, name: string) => `${value}${kNoBreak}${name}`;
  if (seconds < 0) return unit("0", "s");
  if (seconds < 0.001 && seconds > 0)
    return unit(numberText(Number((seconds * 1e6).toPrecision(3))), "µs");
  if (seconds < 1 && seconds > 0)
    return unit(numberText(Number((seconds * 1e3).toPrecision(3))), "ms");
  if (seconds < 60) return unit(String(Number(seconds.toFixed(seconds < 10 ? 1 : 0))), "s");
  const whole = Math.round(seconds);
  if (whole < 3600) return twoUnits(Math.floor(whole / 60), "min", whole % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return twoUnits(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(seconds / 3600);
  return twoUnits(Math.floor(hours / 24), "d", hours % 24, "h");
}

function twoUnits(large: number, large_name: string, small: number, small_name: string): string {
  const first = `${large}${kNoBreak}${large_name}`;
  return small === 0 ? first : `${first} ${small}${kNoBreak}${small_name}`;
}

export function valueText(value: Value | null | undefined): string {
  if (value === null || value === undefined) return kNothing;
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : numberText(value);
  if (Array.isArray(value)) return value.join(" ");
  return String(value);
}

// The exact text of a value, as a file of settings wants it.
export function exactText(value: Value): string {
  return Array.isArray(value) ? value.join(" ") : String(value);
}

// "name = value" for each, as most files of settings have it.
export function settingsText(assignment: Assignment): string {
  return Object.keys(assignment)
    .sort()
    .map((name) => `${name} = ${exactText(assignment[name] ?? "")}\n`)
    .join("");
}
