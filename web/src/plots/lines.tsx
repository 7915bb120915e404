// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import uPlot from "uplot";
import { decimate } from "../store/series";
import type { Colour, Ink } from "../theme";
import { rangeOf } from "./draw";
import { type Key, type Table, Figure, axis } from "./figure";

export interface LineSeries {
  name: string;
  colour: Colour;
  y: (number | null)[];
  is_dashed?: boolean;
  has_points?: boolean;
  is_dots?: boolean; // Points alone, not joined.
  is_stepped?: boolean;
}

export interface LinesProps {
  title: string;
  caption: ComponentChildren;
  x: number[]; // Seconds since 1970 if is_time.
  lines: LineSeries[];
  is_time?: boolean;
  x_label?: string;
  y_label: string;
  y_text: (value: number) => string;
  x_text?: (value: number) => string;
  must_y?: number[];
  table?: () => Table;
  height?: number;
  version: unknown;
  empty?: string | null;
  under?: (u: uPlot, ink: Ink) => void;
  x_range?: () => [number, number];
  level?: 3 | 4;
}

const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const shortClock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

// "12:47", with seconds where the marks are closer than a minute.
export function clockMarks(values: number[]): string[] {
  const step = values.length > 1 ? (values[1] as number) - (values[0] as number) : 60;
  return values.map((value) => (step < 60 ? clock : shortClock).format(value * 1000));
}

function dataOf(props: LinesProps, columns: number): uPlot.AlignedData {
  if (props.x.length <= 4 * columns || props.lines.length !== 1) {
    return [props.x, ...props.lines.map((line) => line.y)];
  }
  const line = decimate(
    props.x,
    (props.lines[0]?.y ?? []).map((y) => y ?? NaN),
    columns,
  );
  return [line.x, line.y];
}

function markOf(line: LineSeries): Key["mark"] {
  if (line.is_dots) return "dot";
  return line.is_dashed ? "dash" : "line";
}

export function LinesFigure(props: LinesProps) {
  const x_text = props.is_time
    ? (value: number) => clock.format(value * 1000)
    : (props.x_text ?? String);
  return (
    <Figure
      {...props}
      keys={
        props.lines.length > 1
          ? props.lines.map((line) => ({
              mark: markOf(line),
              colour: line.colour,
              text: line.name,
            }))
          : undefined
      }
      shape={props.lines.map((line) => line.name).join("|") + props.y_label}
      options={(colours) => optionsOf(props, colours)}
      data={(columns) => dataOf(props, columns)}
      y_range={() =>
        rangeOf(
          props.lines.map((line) => line.y.map((y) => y ?? NaN)),
          props.must_y,
        )
      }
      readout={(u, at) =>
        `${x_text(u.data[0][at] as number)}: ` +
        props.lines
          .map((line, which) => {
            const value = u.data[which + 1]?.[at];
            return `${line.name} ${typeof value === "number" ? props.y_text(value) : "\u2013"}`;
          })
          .join(", ")
      }
    />
  );
}

function optionsOf(props: LinesProps, colours: Ink) {
  const marks = props.is_time
    ? (_u: uPlot, values: number[]) => clockMarks(values)
    : (_u: uPlot, values: number[]) => values.map(props.x_text ?? String);
  return {
    scales: { x: { time: props.is_time ?? false } },
    axes: [
      axis(colours, { label: props.x_label, values: marks, space: 70 }),
      axis(colours, {
        label: props.y_label,
        size: 58,
        values: (_u, values) => values.map(props.y_text),
      }),
    ],
    series: [
      {},
      ...props.lines.map((line) => ({
        stroke: colours[line.colour],
        width: line.is_dots ? 0 : 1.5,
        ...(line.is_dots ? { paths: () => null } : {}),
        ...(line.is_stepped ? { paths: uPlot.paths.stepped?.({ align: 1 }) } : {}),
        dash: line.is_dashed ? [5, 4] : undefined,
        points: {
          show: line.has_points ?? false,
          size: line.is_dots ? 8 : 6,
          width: line.is_dots ? 0 : 1,
          fill: colours[line.colour],
          stroke: colours.surface,
        },
        spanGaps: false,
      })),
    ],
  };
}
