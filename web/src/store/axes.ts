// SPDX-License-Identifier: Apache-2.0
import type { Parameter, Value } from "../api/records";
import { valueText } from "../text/format";

// A parameter as a line of numbers: logarithms where its range is logarithmic, and places in the
// list of choices where it has no order.
export interface ParameterAxis {
  name: string;
  is_category: boolean;
  low: number;
  high: number;
  place: (value: Value | undefined) => number; // NaN if it has none.
  text: (place: number) => string;
  splits?: number[];
}

function numberOf(value: Value | null | undefined): number {
  if (value === null) return NaN;
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (Array.isArray(value)) return value[value.length - 1] ?? NaN;
  return value === undefined ? NaN : Number(value);
}

function choicesOf(parameter: Parameter): string[] | null {
  if (parameter.choices && parameter.choices.length > 0) return parameter.choices;
  if (parameter.kind === "boolean" || parameter.kind === "bool") return ["false", "true"];
  if (typeof parameter.baseline === "string" && Number.isNaN(Number(parameter.baseline))) {
    return [parameter.baseline];
  }
  return null;
}

// `seen` are values that were tried; they tell the range where the parameter has none.
export function axisOf(parameter: Parameter, seen: (Value | undefined)[] = []): ParameterAxis {
  const choices = choicesOf(parameter);
  if (choices) return categoryAxis(parameter, choices);
  if (parameter.low !== undefined && parameter.high !== undefined) return numberAxis(parameter);
  const numbers = seen.map(numberOf).filter(Number.isFinite);
  const low = numbers.reduce((a, b) => Math.min(a, b), numberOf(parameter.baseline));
  const high = numbers.reduce((a, b) => Math.max(a, b), numberOf(parameter.baseline));
  return numberAxis({ ...parameter, low, high: high > low ? high : low + 1 });
}

function categoryAxis(parameter: Parameter, choices: string[]): ParameterAxis {
  const known = [...choices];
  return {
    name: parameter.name,
    is_category: true,
    low: -0.5,
    high: choices.length - 0.5,
    place: (value) => {
      if (value === undefined) return NaN;
      const at = known.indexOf(valueText(value));
      return at < 0 ? NaN : at;
    },
    text: (place) => known[Math.round(place)] ?? "",
    splits: choices.map((_, at) => at),
  };
}

function numberAxis(parameter: Parameter): ParameterAxis {
  const low = parameter.low ?? 0;
  const is_log = (parameter.is_log ?? false) && low > 0;
  const bend = (value: number) => (is_log ? Math.log10(value) : value);
  const base = numberOf(parameter.baseline);
  const ends = [low, parameter.high ?? low + 1, base].filter(
    (end) => Number.isFinite(end) && (!is_log || end > 0),
  );
  return {
    name: parameter.name,
    is_category: false,
    low: bend(Math.min(...ends)),
    high: bend(Math.max(...ends)),
    place: (value) => {
      const number = numberOf(value);
      return is_log && number <= 0 ? NaN : bend(number);
    },
    text: (place) => {
      const value = is_log ? 10 ** place : place;
      const rounded = Number(value.toPrecision(3));
      return compact(rounded);
    },
  };
}

// "24", "0.35", "4.1 M": short enough for the mark of an axis.
export function compact(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${Number((value / 1e9).toPrecision(3))}\u00a0G`;
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}\u00a0M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}\u00a0k`;
  return String(value).replace("-", "\u2212");
}
