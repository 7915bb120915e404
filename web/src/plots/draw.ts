// SPDX-License-Identifier: Apache-2.0
import type uPlot from "uplot";

const kCell = 2; // CSS pixels: points that would cover each other are drawn once.

export function clipped(u: uPlot, draw: (context: CanvasRenderingContext2D) => void): void {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  draw(u.ctx);
  u.ctx.restore();
}

// Many points: one square for each cell of pixels that holds any. The cost of drawing is bounded
// by the area, however many points there are.
export function drawCloud(
  u: uPlot,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  colour: string,
  size_css: number,
): void {
  const ratio = devicePixelRatio || 1;
  const cell = kCell * ratio;
  const size = Math.max(1, Math.round(size_css * ratio));
  const { left, top, width, height } = u.bbox;
  const columns = Math.ceil(width / cell) + 1;
  const rows = Math.ceil(height / cell) + 1;
  const taken = new Uint8Array(columns * rows);
  const x0 = u.valToPos(0, "x", true);
  const y0 = u.valToPos(0, "y", true);
  const dx = u.valToPos(1, "x", true) - x0;
  const dy = u.valToPos(1, "y", true) - y0;
  clipped(u, (context) => {
    context.fillStyle = colour;
    for (let at = 0; at < x.length; ++at) {
      const px = x0 + dx * (x[at] as number) - left;
      const py = y0 + dy * (y[at] as number) - top;
      if (!(px >= 0 && px <= width && py >= 0 && py <= height)) continue;
      const place = Math.floor(py / cell) * columns + Math.floor(px / cell);
      if (taken[place]) continue;
      taken[place] = 1;
      context.fillRect(
        Math.round(left + px - size / 2),
        Math.round(top + py - size / 2),
        size,
        size,
      );
    }
  });
}

// A band from `low` to `high` over the whole width, with a line in its middle.
export function drawBand(u: uPlot, low: number, high: number, fill: string, line: string): void {
  clipped(u, (context) => {
    const upper = u.valToPos(high, "y", true);
    const lower = u.valToPos(low, "y", true);
    context.fillStyle = fill;
    context.fillRect(u.bbox.left, upper, u.bbox.width, Math.max(1, lower - upper));
    context.strokeStyle = line;
    context.lineWidth = devicePixelRatio || 1;
    const middle = Math.round(u.valToPos((low + high) / 2, "y", true)) + 0.5;
    context.beginPath();
    context.moveTo(u.bbox.left, middle);
    context.lineTo(u.bbox.left + u.bbox.width, middle);
    context.stroke();
  });
}

// The same upright: from `low` to `high` on the x axis, over the whole height.
export function drawColumn(u: uPlot, low: number, high: number, fill: string, line: string): void {
  clipped(u, (context) => {
    const left = u.valToPos(low, "x", true);
    const right = u.valToPos(high, "x", true);
    context.fillStyle = fill;
    context.fillRect(left, u.bbox.top, Math.max(1, right - left), u.bbox.height);
    context.strokeStyle = line;
    context.lineWidth = 2 * (devicePixelRatio || 1);
    const middle = Math.round((left + right) / 2) + 0.5;
    context.beginPath();
    context.moveTo(middle, u.bbox.top);
    context.lineTo(middle, u.bbox.top + u.bbox.height);
    context.stroke();
  });
}

export function withAlpha(colour: string, alpha: number): string {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour)?.[1];
  if (!hex) return colour;
  return `#${hex}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, "0")}`;
}

// Between two colours: 0 is the first, 1 the second.
export function blend(first: string, second: string, share: number): string {
  const part = (colour: string, at: number) => parseInt(colour.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) =>
    Math.round(part(first, at) * (1 - share) + part(second, at) * share)
      .toString(16)
      .padStart(2, "0"),
  );
  return `#${mixed.join("")}`;
}

export interface Range {
  low: number;
  high: number;
}

// Of all finite numbers, and of what must be seen in any case; widened a little.
export function rangeOf(lists: ArrayLike<number>[], must: number[] = []): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const see = (value: number) => {
    if (!Number.isFinite(value)) return;
    if (value < low) low = value;
    if (value > high) high = value;
  };
  must.forEach(see);
  for (const list of lists) for (let at = 0; at < list.length; ++at) see(list[at] as number);
  if (low > high) return [-1, 1];
  const room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 0.01;
  return [low - room, high + room];
}
