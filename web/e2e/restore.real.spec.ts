// SPDX-License-Identifier: Apache-2.0
// Changes kernel parameters of this machine, which is the point; each is put back, by the program
// and, should that fail, by the test.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { Home, needHone } from "./real";
import { watchErrors } from "./support";

needHone();

const kFiles: Record<string, string> = {
  "vm.swappiness": "/proc/sys/vm/swappiness",
  "vm.page-cluster": "/proc/sys/vm/page-cluster",
};

function valuesNow(): Record<string, string> {
  const read = (file: string) => readFileSync(file, "utf8").trim();
  return Object.fromEntries(Object.entries(kFiles).map(([name, file]) => [name, read(file)]));
}

function whyNot(): string {
  if (process.getuid?.() !== 0) return "only root may change kernel parameters";
  try {
    for (const file of Object.values(kFiles)) writeFileSync(file, readFileSync(file));
    return "";
  } catch (error) {
    return `kernel parameters cannot be written here: ${String(error)}`;
  }
}

test("restore now puts back every parameter that a real sysctl campaign has changed", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const obstacle = whyNot();
  if (obstacle) console.log(`skipped: ${obstacle}`);
  test.skip(obstacle !== "", obstacle);
  const before = valuesNow();
  const home = new Home();
  try {
    const script = home.write(
      "bench.sh",
      '#!/bin/sh\nsleep 0.2\necho "score: 1000$(date +%N | cut -c1-2)"\n',
    );
    const workload = home.write(
      "workload.json",
      JSON.stringify({
        name: "restore",
        benchmark: { command: [script] },
        metrics: [{ name: "score", unit: "1/s", direction: "higher_is_better" }],
        parameters: Object.keys(kFiles),
      }),
    );
    mkdirSync(join(home.folder, "state"));
    process.env["HONE_STATE"] = join(home.folder, "state"); // A journal of our own.
    const tuner = await home.tune(workload, "--trials", "300", "--dashboard=0");
    await expect
      .poll(async () => (await fetch(`${tuner.base}v1/campaigns/restore-1`)).status)
      .toBe(200);
    const errors = watchErrors(page, [/ERR_CONNECTION_REFUSED|^request: |status of 401/]);
    await page.goto(`${tuner.base}#/campaigns/restore-1`);

    // Candidates and the baseline take turns: the page is caught while a candidate is in force.
    const journal = page.locator("section.panel", { hasText: "Journal" });
    const entries = journal.getByRole("region", { name: "Changed parameters" }).getByRole("row");
    await expect(journal.getByText(/[12] parameters? changed, originals safe on disk/)).toBeVisible(
      {
        timeout: 60000,
      },
    );
    for (const row of (await entries.allInnerTexts()).slice(1)) {
      const [name = "", original, now] = row.split(/\s+/);
      expect(original, row).toBe(before[name]);
      expect(now, row).not.toBe(original);
    }
    await expect.poll(valuesNow, { intervals: [20] }).not.toEqual(before); // /proc itself says so.

    await page.getByRole("button", { name: "Restore now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore now" }).click();
    await page.locator("input[type=password]").fill(home.token("admin"));
    await page.getByRole("button", { name: "Use this token" }).click();
    await expect(journal.getByText(/no parameter is changed/)).toBeVisible();
    await expect.poll(() => tuner.process.exitCode).not.toBeNull();
    expect(valuesNow()).toEqual(before);
    expect(tuner.output).toContain("Everything is back: all 2 parameters read as before");
    await expect(page.getByText("Everything is back").first()).toBeVisible(); // In the log.
    expect(errors).toEqual([]);
  } finally {
    delete process.env["HONE_STATE"];
    await home.close();
    for (const [name, file] of Object.entries(kFiles)) {
      if (valuesNow()[name] !== before[name]) writeFileSync(file, before[name] ?? "");
    }
  }
});
