// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import type { Interval } from "../api/types";
import { intervalText, rangeText, signedShareText } from "../text/format";

export interface IntervalRow {
  name: ComponentChildren;
  detail?: ComponentChildren;
  interval: Interval | null;
  absent?: string; // Why there is none.
}

function spanOf(rows: IntervalRow[]): [number, number] {
  let low = 0;
  let high = 0;
  for (const { interval } of rows) {
    if (!interval) continue;
    for (const end of [interval.low, interval.high, interval.effect]) {
      if (end === null || !Number.isFinite(end)) continue;
      low = Math.min(low, end);
      high = Math.max(high, end);
    }
  }
  const room = (high - low) * 0.06 || 0.01;
  return [low - room, high + room];
}

// Effects with their intervals under one another on one scale; the numbers stand beside them.
export function IntervalTable(props: {
  head: string;
  detail_head?: string;
  effect_head?: string;
  rows: IntervalRow[];
}) {
  const [low, high] = spanOf(props.rows);
  const place = (value: number) => (100 * (value - low)) / (high - low);
  return (
    <table class="intervals">
      <thead>
        <tr>
          <th scope="col">{props.head}</th>
          {props.detail_head && <th scope="col">{props.detail_head}</th>}
          <th scope="col">{props.effect_head ?? "Effect"}</th>
          <th scope="col" class="whisker-head">
            <span class="ends">
              <span>{signedShareText(low)}</span>
              <span class="unseen"> to </span>
              <span>{signedShareText(high)}</span>
            </span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row, at) => (
          <tr key={at}>
            <th scope="row">{row.name}</th>
            {props.detail_head && (
              <td>
                <bdi>{row.detail}</bdi>
              </td>
            )}
            <td class="number">
              {row.interval ? (
                <>
                  <strong>{signedShareText(row.interval.effect)}</strong>
                  <span class="faint range">{rangeText(row.interval.low, row.interval.high)}</span>
                </>
              ) : (
                <span class="faint">{row.absent ?? "not measured"}</span>
              )}
            </td>
            <td class="whisker-cell">
              {row.interval && <Whisker interval={row.interval} place={place} zero={place(0)} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Whisker(props: { interval: Interval; place: (value: number) => number; zero: number }) {
  const { interval, place, zero } = props;
  const from = interval.low === null ? 0 : place(interval.low);
  const to = interval.high === null ? 100 : place(interval.high);
  const is_sure = (interval.low ?? -1) > 0 || (interval.high ?? 1) < 0;
  return (
    <svg
      class={`whisker ${is_sure ? "is-sure" : ""}`}
      viewBox="0 0 100 16"
      preserveAspectRatio="none"
      role="img"
      aria-label={intervalText(interval)}
    >
      <line class="zero" x1={zero} x2={zero} y1="0" y2="16" />
      <line class="reach" x1={from} x2={to} y1="8" y2="8" />
      {interval.effect !== null && (
        <rect class="middle" x={place(interval.effect) - 0.8} y="3" width="1.6" height="10" />
      )}
    </svg>
  );
}
