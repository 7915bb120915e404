// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "@playwright/test";
import { startMock } from "./servers";
import { countsOf, expectSmooth, scrollThrough, watchErrors } from "./support";

const kPairsOfLive = 232; // Of the made-up live campaign, to its end.

test("after a restart of the server no point is missing and none is doubled", async ({ page }) => {
  const start = String(Date.now());
  let server = await startMock(["--start", start, "--pace", "60"]);
  const port = new URL(server.base).port;
  await page.goto(`${server.base}#/campaigns/nginx-9`);
  await expect
    .poll(async () => (await countsOf(page)).trials, { timeout: 20000 })
    .toBeGreaterThan(3);
  await server.stop("SIGKILL");
  await expect(page.getByText("Connection lost, trying again")).toBeVisible();
  const before = await countsOf(page);
  server = await startMock(["--start", start, "--pace", "60", "--port", port]);
  await expect(page.getByText("Connection lost")).toBeHidden({ timeout: 20000 });
  await expect.poll(async () => (await countsOf(page)).trials, { timeout: 30000 }).toBe(60);
  await expect.poll(async () => (await countsOf(page)).pairs).toBe(kPairsOfLive);
  expect(before.trials).toBeLessThan(60);
  await server.stop();
});

test("two browsers see the same", async ({ browser }) => {
  const server = await startMock(["--pace", "20"]);
  const pages = await Promise.all([0, 1].map(async () => (await browser.newContext()).newPage()));
  await Promise.all(pages.map((page) => page.goto(`${server.base}#/campaigns/nginx-9`)));
  for (const page of pages) {
    await expect
      .poll(async () => countsOf(page), { timeout: 30000 })
      .toEqual({ pairs: kPairsOfLive, trials: 60 });
  }
  await Promise.all(pages.map((page) => page.context().close()));
  await server.stop();
});

test("50,000 points are drawn in small pieces", async ({ page }) => {
  const server = await startMock(["--points", "52000"]);
  const errors = watchErrors(page);
  await expectSmooth(page, server.base, async () => {
    await page.evaluate(() => void (location.hash = "#/campaigns/huge-1"));
    await expect
      .poll(async () => (await countsOf(page)).pairs, { timeout: 40000 })
      .toBeGreaterThan(49000);
    await scrollThrough(page);
  });
  expect(errors).toEqual([]);
  await server.stop();
});
