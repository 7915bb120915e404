// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import uPlot from "uplot";
import type { Ink } from "../theme";
import { blend, clipped, rangeOf } from "./draw";
import { type Key, type Table, Figure, axis } from "./figure";

export interface Dot {
  x: number;
  y: number;
  age: number; // 0 is the first trial, 1 the newest: later is stronger.
  text: string;
  is_ringed?: boolean; // Stands out: the best, or proven.
  error?: { x: [number, number]; y: [number, number] };
}

export interface ScatterProps {
  title: string;
  caption: ComponentChildren;
  dots: Dot[];
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

const kMostDots = 20000;

function drawDots(u: uPlot, dots: Dot[], colours: Ink): void {
  const ratio = devicePixelRatio || 1;
  const radius = (dots.length > 2000 ? 1.5 : dots.length > 300 ? 2.2 : 3.2) * ratio;
  const seen = new Set<number>();
  clipped(u, (context) => {
    for (const dot of dots) {
      const px = u.valToPos(dot.x, "x", true);
      const py = u.valToPos(dot.y, "y", true);
      const cell = Math.round(px / ratio) * 8192 + Math.round(py / ratio);
      if (seen.has(cell) && !dot.is_ringed) continue;
      seen.add(cell);
      if (dot.error) drawError(u, context, dot, colours.ink);
      context.fillStyle = blend(colours.grey, colours.blue, 0.15 + 0.85 * dot.age);
      context.beginPath();
      context.arc(px, py, radius, 0, 7);
      context.fill();
      if (!dot.is_ringed) continue;
      context.strokeStyle = colours.orange;
      context.lineWidth = 2 * ratio;
      context.beginPath();
      context.arc(px, py, radius + 3 * ratio, 0, 7);
      context.stroke();
    }
  });
}

function drawError(u: uPlot, context: CanvasRenderingContext2D, dot: Dot, colour: string): void {
  if (!dot.error) return;
  const { x, y } = dot.error;
  context.strokeStyle = colour;
  context.lineWidth = devicePixelRatio || 1;
  context.beginPath();
  context.moveTo(u.valToPos(x[0], "x", true), u.valToPos(dot.y, "y", true));
  context.lineTo(u.valToPos(x[1], "x", true), u.valToPos(dot.y, "y", true));
  context.moveTo(u.valToPos(dot.x, "x", true), u.valToPos(y[0], "y", true));
  context.lineTo(u.valToPos(dot.x, "x", true), u.valToPos(y[1], "y", true));
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

export function ScatterFigure(props: ScatterProps) {
  const { dots } = props;
  const step = Math.ceil(dots.length / kMostDots);
  const shown = dots.filter((dot, at) => at % step === 0 || dot.is_ringed);
  shown.sort((a, b) => a.x - b.x);
  const x = shown.map((dot) => dot.x);
  const y = shown.map((dot) => dot.y);
  return (
    <Figure
      {...props}
      shape={`${props.x_label}|${props.y_label}|${props.x_splits?.join() ?? ""}`}
      options={(colours) => optionsOf(props, colours)}
      data={() => [x, y]}
      x_range={() => props.x_range ?? rangeOf([x], props.must_x)}
      y_range={() => rangeOf([y], props.must_y)}
      under={(u, colours) => drawZero(u, colours.faint)}
      over={(u, colours) => {
        if (props.front) drawFront(u, props.front, colours.orange);
        drawDots(u, shown, colours);
      }}
      readout={(_u, at) => shown[at]?.text ?? ""}
    />
  );
}

function optionsOf(props: ScatterProps, colours: Ink) {
  const splits = props.x_splits;
  return {
    axes: [
      axis(colours, {
        label: props.x_label,
        values: (_u, values) => values.map(props.x_text),
        ...(splits ? { splits: () => splits } : { space: 64 }),
      }),
      axis(colours, {
        label: props.y_label,
        size: 58,
        values: (_u, values) => values.map(props.y_text),
      }),
    ],
    series: [{}, { show: true, stroke: "transparent", points: { show: false }, paths: () => null }],
  };
}
