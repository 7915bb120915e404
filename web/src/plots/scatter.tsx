// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type uPlot from "uplot";
import type { Ink } from "../theme";
import { blend, clipped, rangeOf } from "./draw";
import { type Key, type Table, Figure, axis } from "./figure";

// The dots of a plot, as columns.
export interface Dots {
  x: Float64Array;
  y: Float64Array;
  age: Float64Array; // 0 is the first trial, 1 the newest: later is stronger.
  ringed: number[]; // Those that stand out: the best, or proven.
  errors: Map<number, { x: [number, number]; y: [number, number] }>;
  text: (at: number) => string;
}

export interface ScatterProps {
  title: string;
  caption: ComponentChildren;
  dots: () => Dots; // Asked only when the plot is drawn.
  front?: { x: number; y: number }[]; // By falling x.
  x_label: string;
  y_label: string;
  x_text: (value: number) => string;
  y_text: (value: number) => string;
  x_splits?: number[]; // For categories.
  x_range?: [number, number];
  must_x?: number[];
  must_y?: number[];
  keys?: Key[];
  table?: () => Table;
  height?: number;
  version: unknown;
  empty?: string | null;
  level?: 3 | 4;
}

const kShades = 12;
const kNear = 24; // Pixels from the pointer within which a dot is read out.

export function makeDots(count: number, text: (at: number) => string): Dots {
  return {
    x: new Float64Array(count),
    y: new Float64Array(count),
    age: new Float64Array(count),
    ringed: [],
    errors: new Map(),
    text,
  };
}

interface Places {
  x: Float64Array; // Pixels on the canvas; NaN outside.
  y: Float64Array;
}

// Linear on both axes, so two points tell the whole way from values to pixels.
function placesOf(u: uPlot, dots: Dots): Places {
  const x0 = u.valToPos(0, "x", true);
  const y0 = u.valToPos(0, "y", true);
  const dx = u.valToPos(1, "x", true) - x0;
  const dy = u.valToPos(1, "y", true) - y0;
  return { x: dots.x.map((x) => x0 + dx * x), y: dots.y.map((y) => y0 + dy * y) };
}

// Dots that would cover each other are drawn once, the newest on top.
function drawDots(u: uPlot, dots: Dots, colours: Ink): void {
  const ratio = devicePixelRatio || 1;
  const count = dots.x.length;
  const radius = (count > 2000 ? 1.5 : count > 300 ? 2.2 : 3.2) * ratio;
  const cell = (count > 300 ? 2 : 1) * ratio;
  const columns = Math.ceil(u.ctx.canvas.width / cell) + 1;
  const taken = new Uint8Array(columns * (Math.ceil(u.ctx.canvas.height / cell) + 1));
  const places = placesOf(u, dots);
  const shades = Array.from({ length: kShades }, (_, at) =>
    blend(colours.grey, colours.blue, 0.15 + (0.85 * at) / (kShades - 1)),
  );
  clipped(u, (context) => {
    let shade = -1;
    for (let at = count - 1; at >= 0; --at) {
      const x = places.x[at] as number;
      const y = places.y[at] as number;
      if (!(x >= 0 && y >= 0)) continue;
      const place = Math.floor(y / cell) * columns + Math.floor(x / cell);
      if (taken[place]) continue;
      taken[place] = 1;
      const wanted = Math.round((dots.age[at] as number) * (kShades - 1));
      if (wanted !== shade) context.fillStyle = shades[(shade = wanted)] ?? colours.blue;
      if (count > 300) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      else drawDisc(context, x, y, radius);
    }
    for (const at of dots.ringed) drawRing(u, context, dots, places, at, radius, colours);
  });
}

function drawDisc(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.fill();
}

function drawRing(
  u: uPlot,
  context: CanvasRenderingContext2D,
  dots: Dots,
  places: Places,
  at: number,
  radius: number,
  colours: Ink,
): void {
  const ratio = devicePixelRatio || 1;
  const x = places.x[at] as number;
  const y = places.y[at] as number;
  const error = dots.errors.get(at);
  if (error) {
    context.strokeStyle = colours.ink;
    context.lineWidth = ratio;
    context.beginPath();
    context.moveTo(u.valToPos(error.x[0], "x", true), y);
    context.lineTo(u.valToPos(error.x[1], "x", true), y);
    context.moveTo(x, u.valToPos(error.y[0], "y", true));
    context.lineTo(x, u.valToPos(error.y[1], "y", true));
    context.stroke();
  }
  context.fillStyle = colours.blue;
  drawDisc(context, x, y, radius);
  context.strokeStyle = colours.orange;
  context.lineWidth = 2 * ratio;
  context.beginPath();
  context.arc(x, y, radius + 3 * ratio, 0, 7);
  context.stroke();
}

function drawFront(u: uPlot, front: { x: number; y: number }[], colour: string): void {
  clipped(u, (context) => {
    context.strokeStyle = colour;
    context.lineWidth = 1.5 * (devicePixelRatio || 1);
    context.beginPath();
    front.forEach((point, at) => {
      const px = u.valToPos(point.x, "x", true);
      const py = u.valToPos(point.y, "y", true);
      if (at === 0) return context.moveTo(px, py);
      const before = front[at - 1];
      if (before) context.lineTo(px, u.valToPos(before.y, "y", true));
      context.lineTo(px, py);
    });
    context.stroke();
  });
}

function drawZero(u: uPlot, colour: string): void {
  clipped(u, (context) => {
    const y = Math.round(u.valToPos(0, "y", true)) + 0.5;
    context.strokeStyle = colour;
    context.setLineDash([4, 4]);
    context.beginPath();
    context.moveTo(u.bbox.left, y);
    context.lineTo(u.bbox.left + u.bbox.width, y);
    context.stroke();
  });
}

// The dot nearest to the pointer, or none near enough.
function nearest(u: uPlot, dots: Dots): number | null {
  const left = u.cursor.left ?? -1;
  const top = u.cursor.top ?? -1;
  if (left < 0 || top < 0) return null;
  const ratio = devicePixelRatio || 1;
  const places = placesOf(u, dots);
  const x0 = left * ratio + u.bbox.left;
  const y0 = top * ratio + u.bbox.top;
  let best: number | null = null;
  let closest = (kNear * ratio) ** 2;
  for (let at = 0; at < dots.x.length; ++at) {
    const far = ((places.x[at] as number) - x0) ** 2 + ((places.y[at] as number) - y0) ** 2;
    if (far < closest) {
      closest = far;
      best = at;
    }
  }
  return best;
}

export function ScatterFigure(props: ScatterProps) {
  const drawn = useRef<Dots>(makeDots(0, () => ""));
  return (
    <Figure
      {...props}
      shape={`${props.x_label}|${props.y_label}|${props.x_splits?.join() ?? ""}`}
      options={(colours) => optionsOf(props, colours)}
      data={() => {
        drawn.current = props.dots();
        const [low, high] = props.x_range ?? rangeOf([drawn.current.x], props.must_x);
        return [
          [low, high],
          [null, null],
        ];
      }}
      x_range={() => props.x_range ?? rangeOf([drawn.current.x], props.must_x)}
      y_range={() => rangeOf([drawn.current.y], props.must_y)}
      under={(u, colours) => drawZero(u, colours.faint)}
      over={(u, colours) => {
        if (props.front) drawFront(u, props.front, colours.orange);
        drawDots(u, drawn.current, colours);
      }}
      readout={(u) => {
        const at = nearest(u, drawn.current);
        return at === null ? "" : drawn.current.text(at);
      }}
    />
  );
}

function optionsOf(props: ScatterProps, colours: Ink) {
  const splits = props.x_splits;
  return {
    axes: [
      axis(colours, {
        label: props.x_label || undefined,
        values: (_u, values) => values.map(props.x_text),
        ...(splits ? { splits: () => splits } : { space: 64 }),
      }),
      axis(colours, {
        label: props.y_label || undefined,
        size: 58,
        values: (_u, values) => values.map(props.y_text),
      }),
    ],
    series: [{}, { show: true, stroke: "transparent", points: { show: false }, paths: () => null }],
  };
}
