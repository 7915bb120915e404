// SPDX-License-Identifier: Apache-2.0
import type { Block, Resource } from "../api/events";
import { Panel } from "../parts/basics";
import { type LineSeries, LinesFigure } from "../plots/lines";
import { countText, numberText, shareText } from "../text/format";
import { clockText, millis } from "../text/time";
import type { ViewProps } from "./view_props";

const kResources: { key: Resource; name: string; colour: LineSeries["colour"] }[] = [
  { key: "cpu", name: "processor", colour: "blue" },
  { key: "memory", name: "memory", colour: "orange" },
  { key: "io", name: "input/output", colour: "green" },
];

function linesOf(y: (resource: Resource) => (number | null)[]): LineSeries[] {
  return kResources.map(({ key, name, colour }) => ({
    name,
    colour,
    y: y(key),
    is_dashed: key === "memory",
  }));
}

export function PressurePanel(props: ViewProps) {
  const { store, is_live } = props;
  return (
    <Panel title="Host pressure">
      {is_live || store.block_pressure.length === 0 ? (
        <PressureNow {...props} />
      ) : (
        <PressureOfRuns {...props} />
      )}
    </Panel>
  );
}

function PressureNow({ store, is_live }: ViewProps) {
  const points = store.pressure;
  const last = points[points.length - 1];
  return (
    <LinesFigure
      title="Share of time in which something waited"
      caption={
        last
          ? `Pressure stall information, mean over 10 s. Now: processor ${numberText(last.cpu)} %, memory ${numberText(last.memory)} %, input and output ${numberText(last.io)} %, load ${numberText(last.load)}.`
          : ""
      }
      x={points.map((point) => millis(point.at) / 1000)}
      lines={linesOf((resource) => points.map((point) => point[resource]))}
      is_time
      y_label="per cent"
      y_text={(value) => `${numberText(value)} %`}
      must_y={[0, 5]}
      height={180}
      version={store.version}
      empty={
        points.length === 0
          ? is_live
            ? "The first numbers come within seconds."
            : "These runs did not record it."
          : null
      }
      table={() => ({
        head: ["Time", "Processor", "Memory", "Input/output", "Load"],
        rows: points
          .slice(-100)
          .map((point) => [
            clockText(point.at),
            `${numberText(point.cpu)} %`,
            `${numberText(point.memory)} %`,
            `${numberText(point.io)} %`,
            numberText(point.load),
          ]),
        left_out: Math.max(0, points.length - 100),
      })}
    />
  );
}

// Of a campaign that has ended: as it was stored with its runs.
function PressureOfRuns({ store }: ViewProps) {
  const blocks = store.block_pressure;
  return (
    <LinesFigure
      title="Share of the runs' time in which something waited"
      caption={`Pressure stall information over ${countText(blocks.length, "comparison")}, in their order.`}
      x={blocks.map((block) => block.position)}
      lines={linesOf((resource) => blocks.map((block) => block[resource]))}
      x_label="run"
      y_label=""
      y_text={shareText}
      must_y={[0, 0.05]}
      height={180}
      version={store.version}
      table={() => ({
        head: ["From run", "Processor", "Memory", "Input/output"],
        rows: blocks
          .slice(-100)
          .map((block) => [
            block.position,
            shareText(block.cpu),
            shareText(block.memory),
            shareText(block.io),
          ]),
        left_out: Math.max(0, blocks.length - 100),
      })}
    />
  );
}

// The larger share of both runs of each pair.
export function pairPressure(blocks: Block[], resource: Resource): (number | null)[] {
  return blocks.flatMap((block) => {
    const pairs = block.pairs.pressure?.[resource];
    return block.pairs.rewards.map((_, at) => {
      const shares = [pairs?.candidate[at], pairs?.baseline[at]];
      const known = shares.filter((share): share is number => typeof share === "number");
      return known.length === 0 ? null : Math.max(...known);
    });
  });
}

// Below a plot of these pairs; nothing where their runs did not record it.
export function PressureUnder({ blocks, version }: { blocks: Block[]; version: number }) {
  const lines = linesOf((resource) => pairPressure(blocks, resource));
  const pairs = lines[0]?.y.length ?? 0;
  if (lines.every((line) => line.y.every((share) => share === null))) return null;
  return (
    <LinesFigure
      level={4}
      title="Host pressure meanwhile"
      caption="The share of a run's time in which some task of the machine waited; the larger of both runs of a pair."
      x={Array.from({ length: pairs }, (_, at) => at + 1)}
      lines={lines}
      x_range={() => [0.5, pairs + 0.5]}
      x_label="pair, in the order of the runs"
      y_label=""
      x_text={(value) => (Number.isInteger(value) ? String(value) : "")}
      y_text={shareText}
      must_y={[0, 0.05]}
      height={120}
      version={version}
      table={() => ({
        head: ["Pair", "Processor", "Memory", "Input/output"],
        rows: Array.from({ length: pairs }, (_, at) => [
          at + 1,
          ...lines.map((line) => shareText(line.y[at])),
        ]),
      })}
    />
  );
}
