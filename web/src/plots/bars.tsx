// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import type uPlot from "uplot";
import type { Colour, Ink } from "../theme";
import { clipped, rangeOf } from "./draw";
import { type Table, Figure, axis } from "./figure";

export interface BarGroup {
  name: string;
  colour: Colour;
  values: number[]; // One for each bar.
}

export interface BarsProps {
  title: string;
  caption: ComponentChildren;
  edges: [number, number][]; // From and to of each bar on the x axis.
  groups: BarGroup[];
  layout: "stacked" | "beside";
  x_label?: string;
  y_label: string;
  x_marks: (values: number[]) => string[];
  y_text: (value: number) => string;
  bar_text: (at: number) => string;
  must_x?: number[]; // What must be seen on the x axis besides the bars.
  under?: (u: uPlot, ink: Ink) => void;
  table?: () => Table;
  height?: number;
  version: unknown;
  empty?: string | null;
  level?: 3 | 4;
}

function total(groups: BarGroup[], at: number): number {
  return groups.reduce((sum, group) => sum + (group.values[at] ?? 0), 0);
}

function drawBars(u: uPlot, props: BarsProps, colours: Ink): void {
  const zero = u.valToPos(0, "y", true);
  const is_stacked = props.layout === "stacked";
  clipped(u, (context) => {
    props.edges.forEach(([from, to], at) => {
      const left = u.valToPos(from, "x", true);
      const full = u.valToPos(to, "x", true) - left;
      const gap = full > 6 ? Math.min(3, full * 0.15) : 0;
      const width = (full - gap) / (is_stacked ? 1 : props.groups.length);
      let floor = 0;
      props.groups.forEach((group, which) => {
        const value = group.values[at] ?? 0;
        if (value === 0) return;
        const x = left + gap / 2 + (is_stacked ? 0 : which * width);
        const top = u.valToPos(is_stacked ? floor + value : value, "y", true);
        const bottom = is_stacked ? u.valToPos(floor, "y", true) : zero;
        context.fillStyle = colours[group.colour];
        context.fillRect(x, Math.min(top, bottom), Math.max(1, width), Math.abs(bottom - top));
        floor += value;
      });
    });
  });
}

export function BarsFigure(props: BarsProps) {
  const middles = props.edges.map(([from, to]) => (from + to) / 2);
  const heights = props.edges.map((_, at) =>
    props.layout === "stacked"
      ? total(props.groups, at)
      : Math.max(...props.groups.map((group) => group.values[at] ?? 0)),
  );
  const lows = props.edges.map((_, at) =>
    Math.min(0, ...props.groups.map((group) => group.values[at] ?? 0)),
  );
  return (
    <Figure
      {...props}
      keys={
        props.groups.length > 1
          ? props.groups.map((group) => ({
              mark: "bar" as const,
              colour: group.colour,
              text: group.name,
            }))
          : undefined
      }
      shape={props.y_label + (props.x_label ?? "")}
      options={(colours) => ({
        axes: [
          axis(colours, {
            label: props.x_label,
            values: (_u, values) => props.x_marks(values),
            grid: { show: false },
            space: 64,
          }),
          axis(colours, {
            label: props.y_label,
            size: 58,
            values: (_u, values) => values.map(props.y_text),
          }),
        ],
        series: [{}, { stroke: "transparent", points: { show: false }, paths: () => null }],
      })}
      data={() => [middles, heights]}
      x_range={() => {
        const first = props.edges[0]?.[0] ?? 0;
        const last = props.edges[props.edges.length - 1]?.[1] ?? 1;
        if (!props.must_x) return [first, last];
        return rangeOf([[first, last]], props.must_x);
      }}
      y_range={() => {
        const [low, high] = rangeOf([heights, lows], [0]);
        return lows.some((value) => value < 0) ? [low, high] : [0, high];
      }}
      over={(u, colours) => drawBars(u, props, colours)}
      readout={(_u, at) => props.bar_text(at)}
    />
  );
}
