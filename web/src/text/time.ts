// SPDX-License-Identifier: Apache-2.0
// Times arrive in UTC and are shown in the reader's zone; the title says them in UTC.

import { durationText, kNothing } from "./format";

export function millis(time: string | null | undefined): number {
  return time ? Date.parse(time) : NaN;
}

function formatted(
  time: string,
  zone: string | undefined,
  parts: Intl.DateTimeFormatOptions,
): string {
  return new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: zone, hourCycle: "h23" }).format(
    millis(time),
  );
}

// "15 Nov 2026, 12:47:27"
export function timeText(time: string | null | undefined, zone?: string): string {
  if (!time || Number.isNaN(millis(time))) return kNothing;
  return formatted(time, zone, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}

// "12:47:27"
export function clockText(time: string | null | undefined, zone?: string): string {
  if (!time || Number.isNaN(millis(time))) return kNothing;
  return formatted(time, zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

// "2026-11-15 11:47:27 UTC"
export function utcText(time: string | null | undefined): string {
  const at = millis(time);
  if (Number.isNaN(at)) return "";
  return `${new Date(at).toISOString().replace("T", " ").slice(0, 19)} UTC`;
}

// "4 min ago"
export function ageText(time: string | null | undefined, now: number): string {
  const at = millis(time);
  if (Number.isNaN(at)) return kNothing;
  const seconds = Math.max(0, (now - at) / 1000);
  if (seconds < 5) return "now";
  const coarse = durationText(seconds < 60 ? Math.round(seconds) : seconds);
  return `${coarse.split(" ")[0] ?? coarse} ago`;
}
