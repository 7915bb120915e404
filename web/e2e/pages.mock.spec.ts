// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "@playwright/test";
import { type Server, startMock } from "./servers";
import { countsOf, expectAccessible, scrollThrough, watchErrors } from "./support";

let server: Server;
test.beforeAll(async () => {
  server = await startMock(["--pace", "30", "--training"]);
});
test.afterAll(() => server.stop());

const kPages: [string, string, string][] = [
  ["campaigns", "#/campaigns", "8 campaigns"],
  ["a finished campaign", "#/campaigns/nginx-8", "The winner beat the baseline"],
  ["a live campaign", "#/campaigns/nginx-9", "originals safe on disk"],
  ["a trade-off", "#/campaigns/front-2", "The line joins"],
  ["a stopped campaign", "#/campaigns/stopped-1", "hone resume stopped-1"],
  ["compare", "#/compare/nginx-8,ppo-4,front-2", "Best estimate so far, by trial"],
  ["a training", "#/training", "Mean reward of the last 100 episodes"],
  ["the service", "#/service", "Queue by priority"],
  ["a task", "#/tasks/task-994", "compiler output"],
  ["a waiting task", "#/tasks/task-997", "Ahead of it"],
  ["no such campaign", "#/campaigns/none-1", "hone runs lists them"],
  ["no such page", "#/nonsense", "There is no such page"],
];

for (const scheme of ["light", "dark"] as const) {
  for (const [name, hash, words] of kPages) {
    test(`${name}, ${scheme}: no console error, no serious finding of axe`, async ({ browser }) => {
      const context = await browser.newContext({ colorScheme: scheme });
      const page = await context.newPage();
      const errors = watchErrors(page, [/status of 404/]);
      await page.goto(`${server.base}${hash}`);
      await expect(page.getByText(words).first()).toBeVisible();
      await scrollThrough(page);
      await expectAccessible(page);
      expect(errors).toEqual([]);
      await context.close();
    });
  }
}

test("nothing is wider than a phone", async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  for (const [name, hash, words] of kPages) {
    await page.goto(`${server.base}${hash}`);
    await expect(page.getByText(words).first()).toBeVisible();
    await scrollThrough(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, name).toBeLessThanOrEqual(360);
  }
  await context.close();
});

test("the same page works under /ui/", async ({ page }) => {
  const errors = watchErrors(page);
  await page.goto(`${server.base}ui/#/service`);
  await expect(page.getByText("Queue by priority")).toBeVisible();
  expect(errors).toEqual([]);
});

test("everything can be reached by keyboard", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns`);
  await expect(page.getByText("8 campaigns")).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByText("Skip to the content")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
  await page.getByLabel("Choose nginx-8 to compare").focus();
  await page.keyboard.press("Space");
  await page.getByLabel("Choose ppo-4 to compare").focus();
  await page.keyboard.press("Space");
  await page.getByRole("link", { name: "Compare 2" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Compare" })).toBeVisible();
});

test("filters leave what matches", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns`);
  await page.getByLabel("State").selectOption("no_gain");
  await expect(page.getByText("2 campaigns of 8")).toBeVisible();
  await page.getByLabel("Search").fill("file-reads");
  await expect(page.getByText("1 campaign of 8")).toBeVisible();
  await page.getByLabel("State").selectOption("");
  await page.getByLabel("Search").fill("new disk");
  await expect(page.getByText("1 campaign of 8")).toBeVisible();
  await page.getByLabel("Search").fill("nothing like it");
  await expect(page.getByText("No campaign matches")).toBeVisible();
});

test("every plot has words and numbers beside it", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns/nginx-8`);
  await expect(page.getByText("The winner beat the baseline")).toBeVisible();
  await expect.poll(async () => (await countsOf(page)).trials).toBe(60);
  const figures = page.locator("figure:has([role=img])");
  expect(await figures.count()).toBeGreaterThan(8);
  for (const figure of await figures.all()) {
    expect((await figure.locator("figcaption").innerText()).length).toBeGreaterThan(10);
    await figure.locator("summary").click();
    await expect(figure.locator("table tbody tr")).not.toHaveCount(0);
  }
});

test("a run's own output can be opened", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns/nginx-8`);
  await page.getByRole("combobox", { name: "Comparison" }).selectOption("proof/0");
  await page.getByText("Run 2, candidate").click();
  await expect(page.getByText("requests_per_second: 91000")).toBeVisible();
});

test("the theme that was chosen holds after a reload", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns`);
  await page.getByLabel("Colours").selectOption("dark");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("times are in the reader's zone", async ({ browser }) => {
  const context = await browser.newContext({ timezoneId: "Asia/Kolkata" });
  const page = await context.newPage();
  await page.goto(`${server.base}#/campaigns`);
  const time = page.locator(".card", { hasText: "nginx-8" }).locator("time");
  await expect(time).toHaveText("15 Nov 2026, 14:30:00");
  await expect(time).toHaveAttribute("title", "2026-11-15 09:00:00 UTC");
  await context.close();
});

test("every point of a trade-off is downloaded by itself", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns/front-2`);
  const asked = page.waitForRequest(/export\?as=sysctl\.d&pick=2$/);
  await page.getByRole("group", { name: "Download point 2" }).getByText("sysctl.d").click();
  await asked;
  await expect(page.getByText("for latency_ms lower is better")).toBeVisible();
  await expect(page.getByText(/latency_ms \+5\.1\s%/)).toBeVisible();
});

test("a campaign is shown with its label and its note", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns`);
  await expect(page.locator(".card", { hasText: "nginx-8" })).toContainText("new disk");
  await page.goto(`${server.base}#/campaigns/nginx-8`);
  await expect(page.locator(".title")).toContainText("new disk");
  await expect(page.locator(".note")).toContainText("The fans are loud.");
  await page.goto(`${server.base}#/compare/nginx-8,ppo-4`);
  await expect(page.getByRole("row", { name: "Label new disk" })).toBeVisible();
});

test("every limit stands with what it was asked of", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns/front-2`);
  const points = page.locator(".front-point");
  await expect(points.nth(0)).toContainText("Limit memory_mib ≤ 1.2x: holds, +9.0");
  await expect(points.nth(2)).toContainText("not shown to beat the baseline within the limits");
  await expect(points.nth(2)).toContainText("Limit memory_mib ≤ 1.2x: not shown to hold");
  await page.goto(`${server.base}#/campaigns/nginx-8`);
  await expect(page.locator(".verdict")).toContainText("Limit latency_ms ≤ 1.2x: holds");
});

test("what is proven is the loudest number, and the search's best an estimate", async ({
  page,
}) => {
  await page.goto(`${server.base}#/campaigns/nginx-8`);
  const proven = page.locator(".stat.is-loud");
  await expect(proven).toContainText("Proven on fresh runs");
  await expect(proven.locator(".stat-value")).toHaveText(/^\+11\.9\s%$/);
  await expect(page.getByText("Search's best, an estimate")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Importance" })).toHaveCount(0);
});

test("all plots are on paper, in the colours of paper", async ({ browser }) => {
  const context = await browser.newContext({ colorScheme: "dark" });
  const page = await context.newPage();
  await page.goto(`${server.base}#/campaigns/nginx-8`);
  await expect.poll(async () => (await countsOf(page)).trials).toBe(60);
  await expect(page.getByText("Settings of the campaign").first()).toBeAttached();
  const undrawn = await page.evaluate(() => {
    dispatchEvent(new Event("beforeprint")); // What is not drawn now is not on the paper.
    return document.querySelectorAll(".canvas:not(:has(canvas))").length;
  });
  expect(undrawn).toBe(0);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  await expect(page.locator(".top")).toBeHidden();
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await context.close();
});

test("the best configuration is copied and downloaded", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${server.base}#/campaigns/nginx-8`);
  await page.getByRole("button", { name: "Copy" }).click();
  await expect(page.getByText("Copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    "net.ipv4.tcp_congestion_control = bbr\n",
  );
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "sysctl.d" }).click();
  expect((await saved).suggestedFilename()).toBe("nginx-8.sysctl.d");
});
