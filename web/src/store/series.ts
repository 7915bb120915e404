// SPDX-License-Identifier: Apache-2.0
// Lines made of many numbers, for few pixels. NaN is a gap everywhere.

export interface Line {
  x: number[];
  y: (number | null)[];
}

// At most four points for each column of pixels: first, lowest, highest, last. What is drawn from
// them looks the same as all points joined. `x` must not fall.
export function decimate(x: ArrayLike<number>, y: ArrayLike<number>, columns: number): Line {
  const count = Math.min(x.length, y.length);
  if (count <= 4 * columns) return copyOf(x, y, count);
  const first = x[0] as number;
  const width = ((x[count - 1] as number) - first) / columns || 1;
  const line: Line = { x: [], y: [] };
  let start = 0;
  while (start < count) {
    const column = Math.floor(((x[start] as number) - first) / width);
    let end = start + 1;
    while (end < count && Math.floor(((x[end] as number) - first) / width) === column) ++end;
    pushColumn(line, x, y, start, end);
    start = end;
  }
  return line;
}

function copyOf(x: ArrayLike<number>, y: ArrayLike<number>, count: number): Line {
  const line: Line = { x: [], y: [] };
  for (let at = 0; at < count; ++at) pushPoint(line, x[at] as number, y[at] as number);
  return line;
}

function pushPoint(line: Line, x: number, y: number): void {
  line.x.push(x);
  line.y.push(Number.isFinite(y) ? y : null);
}

function pushColumn(
  line: Line,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  start: number,
  end: number,
): void {
  let low = -1;
  let high = -1;
  for (let at = start; at < end; ++at) {
    const value = y[at] as number;
    if (!Number.isFinite(value)) continue;
    if (low < 0 || value < (y[low] as number)) low = at;
    if (high < 0 || value > (y[high] as number)) high = at;
  }
  if (low < 0) return pushPoint(line, x[start] as number, NaN);
  const chosen = [...new Set([start, low, high, end - 1])].sort((a, b) => a - b);
  for (const at of chosen) {
    if (Number.isFinite(y[at] as number)) pushPoint(line, x[at] as number, y[at] as number);
  }
}

// The mean of the values around each, `reach` to both sides, fewer at the ends; gaps are left out
// of the mean and stay gaps.
export function smooth(y: ArrayLike<number>, reach: number): Float64Array {
  const count = y.length;
  const smoothed = new Float64Array(count).fill(NaN);
  let sum = 0;
  let members = 0;
  const add = (at: number, sign: number) => {
    const value = y[at] as number;
    if (!Number.isFinite(value)) return;
    sum += sign * value;
    members += sign;
  };
  for (let at = 0; at < Math.min(reach, count); ++at) add(at, 1);
  for (let at = 0; at < count; ++at) {
    if (at + reach < count) add(at + reach, 1);
    if (at - reach - 1 >= 0) add(at - reach - 1, -1);
    if (Number.isFinite(y[at] as number) && members > 0) smoothed[at] = sum / members;
  }
  return smoothed;
}

// A tenth of all to both sides, between 1 and 200.
export function smoothingReach(count: number): number {
  return Math.max(1, Math.min(200, Math.round(count / 20)));
}

export interface Bin {
  from: number;
  to: number;
  counts: number[]; // For each group of values.
}

// Equal bins over all groups together; a value at the upper end is in the last bin.
export function histogram(groups: number[][], bins: number): Bin[] {
  const all = groups.flat().filter(Number.isFinite);
  if (all.length === 0) return [];
  const low = all.reduce((a, b) => Math.min(a, b));
  const high = all.reduce((a, b) => Math.max(a, b));
  const width = (high - low) / bins || Math.abs(low) * 0.01 || 1;
  const made: Bin[] = Array.from({ length: high > low ? bins : 1 }, (_, at) => ({
    from: low + at * width,
    to: low + (at + 1) * width,
    counts: groups.map(() => 0),
  }));
  groups.forEach((group, which) => {
    for (const value of group.filter(Number.isFinite)) {
      const bin = made[Math.min(made.length - 1, Math.floor((value - low) / width))];
      if (bin) bin.counts[which] = (bin.counts[which] ?? 0) + 1;
    }
  });
  return made;
}

export interface Point {
  x: number;
  y: number;
}

// Those that no other beats in both, by falling x: more is better in each.
export function paretoFront<T extends Point>(points: T[]): T[] {
  const sorted = points
    .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y))
    .sort((a, b) => b.x - a.x || b.y - a.y);
  const front: T[] = [];
  let highest = -Infinity;
  for (const point of sorted) {
    if (point.y <= highest) continue;
    highest = point.y;
    front.push(point);
  }
  return front;
}

// Which share of the variation of `effects` goes along with `values`: the correlation ratio over
// groups of equal size (or equal category), corrected for the number of groups (epsilon squared).
export function importance(values: number[], effects: number[], is_category: boolean): number {
  const pairs = values
    .map((value, at) => ({ value, effect: effects[at] as number }))
    .filter((pair) => Number.isFinite(pair.value) && Number.isFinite(pair.effect))
    .sort((a, b) => a.value - b.value);
  const groups = groupsOf(pairs, is_category);
  if (pairs.length < 8 || groups.length < 2) return NaN;
  const mean = pairs.reduce((sum, pair) => sum + pair.effect, 0) / pairs.length;
  let total = 0;
  let within = 0;
  for (const group of groups) {
    const own = group.reduce((sum, effect) => sum + effect, 0) / group.length;
    for (const effect of group) {
      total += (effect - mean) ** 2;
      within += (effect - own) ** 2;
    }
  }
  const spare = pairs.length - groups.length;
  if (total === 0 || spare <= 0) return NaN;
  return Math.max(0, 1 - within / spare / (total / (pairs.length - 1)));
}

function groupsOf(pairs: { value: number; effect: number }[], is_category: boolean): number[][] {
  const wanted = Math.max(2, Math.min(8, Math.floor(Math.sqrt(pairs.length / 2))));
  const min_size = is_category ? 1 : Math.ceil(pairs.length / wanted);
  const groups: number[][] = [];
  let last_value = NaN;
  for (const pair of pairs) {
    const group = groups[groups.length - 1];
    const is_new = !group || (pair.value !== last_value && group.length >= min_size);
    if (is_new) groups.push([pair.effect]);
    else group.push(pair.effect);
    last_value = pair.value;
  }
  return groups;
}
