// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { ageText, clockText, millis, timeText, utcText } from "./time";

const kTime = "2026-11-15T23:47:27.123456Z";

describe("times", () => {
  it("are shown in the reader's zone, with its date", () => {
    expect(timeText(kTime, "UTC")).toBe("15 Nov 2026, 23:47:27");
    expect(timeText(kTime, "Asia/Kolkata")).toBe("16 Nov 2026, 05:17:27");
    expect(timeText(kTime, "America/Los_Angeles")).toBe("15 Nov 2026, 15:47:27");
    expect(clockText(kTime, "Europe/Berlin")).toBe("00:47:27");
  });

  it("follow daylight saving", () => {
    expect(clockText("2026-07-01T12:00:00Z", "Europe/Berlin")).toBe("14:00:00");
    expect(clockText("2026-12-01T12:00:00Z", "Europe/Berlin")).toBe("13:00:00");
  });

  it("are also said in UTC", () => {
    expect(utcText(kTime)).toBe("2026-11-15 23:47:27 UTC");
  });

  it("with microseconds are understood", () => {
    expect(millis(kTime)).toBe(Date.UTC(2026, 10, 15, 23, 47, 27, 123));
  });

  it("that are missing are a dash", () => {
    expect(timeText(null)).toBe("–");
    expect(timeText("nonsense")).toBe("–");
    expect(utcText("")).toBe("");
  });
});

describe("ages", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  it("are coarse, and never in the future", () => {
    expect(ageText("2026-11-15T11:59:58Z", now)).toBe("now");
    expect(ageText("2026-11-15T12:00:30Z", now)).toBe("now");
    expect(ageText("2026-11-15T11:59:20Z", now).replace(/\u00a0/g, " ")).toBe("40 s ago");
    expect(ageText("2026-11-15T09:10:00Z", now).replace(/\u00a0/g, " ")).toBe("2 h ago");
    expect(ageText("2026-11-12T12:00:00Z", now).replace(/\u00a0/g, " ")).toBe("3 d ago");
  });
});
