// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { drawSoon, forget } from "../store/frames";
import { type Colour, type Ink, ink, onPrint, onTheme } from "../theme";

export interface Key {
  mark: "dot" | "line" | "dash" | "band" | "bar" | "cross";
  colour: Colour;
  text: string;
}

export interface Table {
  head: string[];
  rows: ComponentChildren[][];
  left_out?: number;
}

export interface FigureProps {
  title: string;
  caption: ComponentChildren; // Says in words what the plot shows; it is its text alternative.
  keys?: Key[];
  table?: () => Table;
  height?: number;
  version: unknown; // The plot is drawn again when this changes.
  shape?: unknown; // The plot is made anew when this changes.
  options: (ink: Ink) => Partial<uPlot.Options> & { series: uPlot.Series[] };
  data: (columns: number) => uPlot.AlignedData;
  x_range?: () => [number, number];
  y_range?: () => [number, number];
  under?: (u: uPlot, ink: Ink) => void; // Drawn below the series.
  over?: (u: uPlot, ink: Ink) => void; // Drawn above them.
  readout?: (u: uPlot, at: number) => string;
  empty?: string | null; // Shown instead of the plot.
  level?: 3 | 4;
}

export function Figure(props: FigureProps) {
  const id = useId();
  const Heading = props.level === 4 ? "h4" : "h3";
  return (
    <figure class="figure">
      <div class="figure-head">
        <Heading id={`${id}t`}>{props.title}</Heading>
        {props.keys && !props.empty && <Keys keys={props.keys} />}
      </div>
      {props.empty ? (
        <p class="empty">{props.empty}</p>
      ) : (
        <>
          <div role="img" aria-labelledby={`${id}t`} aria-describedby={`${id}c`}>
            <Canvas {...props} />
          </div>
          <figcaption id={`${id}c`}>{props.caption}</figcaption>
          {props.table && <TableBelow title={props.title} make={props.table} />}
        </>
      )}
    </figure>
  );
}

export function Keys({ keys }: { keys: Key[] }) {
  return (
    <ul class="keys">
      {keys.map((key) => (
        <li key={key.text}>
          <span class={`mark mark-${key.mark} is-${key.colour}`} aria-hidden="true" />
          {key.text}
        </li>
      ))}
    </ul>
  );
}

// The numbers of a plot, made only when someone asks for them.
export function TableBelow({ title, make }: { title: string; make: () => Table }) {
  const [is_open, setOpen] = useState(false);
  return (
    <details class="numbers" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Numbers<span class="unseen"> of: {title}</span>
      </summary>
      {is_open && <DataTable {...make()} label={title} />}
    </details>
  );
}

export function DataTable({ head, rows, left_out, label }: Table & { label: string }) {
  return (
    <div class="scroll" role="region" aria-label={`Table: ${label}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((text) => (
              <th scope="col" key={text}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left_out ? (
        <p class="hint">{left_out.toLocaleString("en-US")} more are not listed here.</p>
      ) : null}
    </div>
  );
}

// A uPlot that follows its width, its theme and its data; while out of sight it is not drawn.
function Canvas(props: FigureProps) {
  const place = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const live = useRef<LivePlot | null>(null);
  useEffect(() => {
    if (!place.current || !readout.current) return;
    const plot = new LivePlot(place.current, readout.current, () => latest.current);
    live.current = plot;
    return () => plot.close();
  }, [props.shape, props.height]);
  useEffect(() => live.current?.update(), [props.version]);
  return (
    <div class="canvas-box">
      <div ref={place} class="canvas" />
      <div ref={readout} class="readout" aria-hidden="true" />
    </div>
  );
}

let is_lazy = true;

// For a report, which may be printed: also plots that nobody scrolled to.
export function drawEverything(): void {
  is_lazy = false;
}

class LivePlot {
  private plot: uPlot | null = null;
  private is_visible = !is_lazy;
  private is_stale = true;
  private is_zoomed = false;
  private readonly resize: ResizeObserver;
  private readonly sight: IntersectionObserver;
  private readonly off_theme: () => void;
  private readonly off_print: () => void;

  constructor(
    private readonly place: HTMLDivElement,
    private readonly readout: HTMLDivElement,
    private readonly props: () => FigureProps,
  ) {
    this.place.style.height = `${this.height()}px`;
    this.resize = new ResizeObserver(() => this.follow());
    this.resize.observe(place);
    this.sight = new IntersectionObserver((entries) => {
      this.is_visible = !is_lazy || entries.some((entry) => entry.isIntersecting);
      if (this.is_visible && this.is_stale) this.request();
    });
    this.sight.observe(place);
    this.off_theme = onTheme(() => this.remake());
    this.off_print = onPrint(() => this.draw()); // Also where nobody scrolled to it.
  }

  update(): void {
    this.is_stale = true;
    if (this.is_visible) this.request();
  }

  close(): void {
    forget(this);
    this.resize.disconnect();
    this.sight.disconnect();
    this.off_theme();
    this.off_print();
    this.plot?.destroy();
    this.plot = null;
  }

  private request(): void {
    drawSoon(this, () => this.draw());
  }

  private height(): number {
    return this.props().height ?? 220;
  }

  private follow(): void {
    const width = this.place.clientWidth;
    if (!this.plot || width === 0 || this.plot.width === width) return;
    drawSoon(this, () => {
      this.plot?.setSize({ width: this.place.clientWidth, height: this.height() });
      this.draw();
    });
  }

  private remake(): void {
    this.plot?.destroy();
    this.plot = null;
    this.update();
  }

  private draw(): void {
    const width = this.place.clientWidth;
    if (width === 0) return;
    this.is_stale = false;
    const data = this.props().data(width);
    if (!this.plot) this.plot = this.make(width, data);
    else if (this.is_zoomed) {
      this.plot.setData(data, false);
      this.plot.redraw(false);
    } else this.plot.setData(data);
  }

  private make(width: number, data: uPlot.AlignedData): uPlot {
    const made = this.props().options(ink());
    const range = (which: "x_range" | "y_range") =>
      this.props()[which] ? { range: () => this.props()[which]?.() ?? [0, 1] } : {};
    const options: uPlot.Options = {
      width,
      height: this.height(),
      legend: { show: false },
      ...made,
      scales: {
        ...made.scales,
        x: { time: false, ...this.xRange(), ...made.scales?.x },
        y: { ...range("y_range"), ...made.scales?.y } as uPlot.Scale,
      },
      cursor: { y: false, points: { show: false }, ...made.cursor },
      hooks: {
        drawAxes: [(u) => this.props().under?.(u, ink())],
        draw: [(u) => this.props().over?.(u, ink())],
        setSelect: [(u) => void (this.is_zoomed ||= u.select.width > 0)],
        setCursor: [(u) => this.read(u)],
      },
    };
    const plot = new uPlot(options, data, this.place);
    plot.over.addEventListener("dblclick", () => {
      this.is_zoomed = false;
      this.request();
    });
    return plot;
  }

  // While the reader looks at a part of the axis, that part stays.
  private xRange(): Partial<uPlot.Scale> {
    if (!this.props().x_range) return {};
    return {
      range: (_u, low, high) =>
        this.is_zoomed ? [low, high] : (this.props().x_range?.() ?? [low, high]),
    };
  }

  private read(u: uPlot): void {
    const at = u.cursor.idx;
    const text = at === null || at === undefined ? "" : (this.props().readout?.(u, at) ?? "");
    if (this.readout.textContent !== text) this.readout.textContent = text;
  }
}

export const kFont = '11px system-ui, -apple-system, "Segoe UI", sans-serif';

// An axis in our colours.
export function axis(colours: Ink, made: Partial<uPlot.Axis>): uPlot.Axis {
  return {
    stroke: colours.faint,
    font: kFont,
    labelFont: kFont,
    labelSize: 14,
    labelGap: 0,
    gap: 4,
    size: 24,
    grid: { stroke: colours.grid, width: 1 },
    ticks: { stroke: colours.grid, width: 1, size: 4 },
    ...made,
  };
}
