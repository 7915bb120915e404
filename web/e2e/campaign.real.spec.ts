// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "@playwright/test";
import { Home, freePort, needHone, storeWithPoints, storedCounts } from "./real";
import { Server } from "./servers";
import { countsOf, expectAccessible, expectSmooth, scrollThrough, watchErrors } from "./support";

needHone();

let home: Home;
test.beforeEach(() => {
  home = new Home();
});
test.afterEach(() => home.close());

// Some seconds of measuring, so that there is something to watch.
const kSlowToy = ["toy", "-o", "noise=0.03", "-o", "duration_ms=15", "--trials", "14"];
const kLost =
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|^request: /;

// The campaign is stored a moment after the server is up.
async function knows(base: string, id: string): Promise<void> {
  await expect.poll(async () => (await fetch(`${base}v1/campaigns/${id}`)).status).toBe(200);
}

test("a live toy campaign, from its first point to its verdict", async ({ page }) => {
  test.setTimeout(180_000);
  const errors = watchErrors(page, [kLost]);
  const port = await freePort();
  const tuner = await home.tune(...kSlowToy, `--dashboard=${port}`);
  await knows(tuner.base, "toy-1");
  await page.goto(tuner.base); // Where one campaign runs, the page opens it.
  await expect(page.getByRole("heading", { name: "toy-1" })).toBeVisible();
  await expect(page.locator(".badge", { hasText: "running" })).toBeVisible();
  await expect
    .poll(async () => (await countsOf(page)).pairs, { timeout: 60000 })
    .toBeGreaterThan(1);
  const early = await countsOf(page);
  await expect(page.getByText("Phase")).toBeVisible();
  await expect(page.locator(".verdict-sentence")).toBeVisible({ timeout: 120000 });
  const late = await countsOf(page);
  expect(late.pairs).toBeGreaterThan(early.pairs);
  const said = await page.locator(".verdict-sentence").innerText();
  const kind = /gain[^%]*|trade-off/i.exec(said.replace(/\u00a0/g, " "))?.[0].trim() ?? said; // "Gain: +7.5"
  await tuner.stop("SIGINT");
  const board = await home.serve("dashboard", "--port", String(port)); // The open page finds it.
  const stored = await storedCounts(board.base, "toy-1");
  await expect.poll(() => countsOf(page), { timeout: 30000 }).toEqual(stored);
  await page.reload();
  await expect(page.locator(".verdict-sentence")).toContainText(kind);
  await expect.poll(() => countsOf(page)).toEqual(stored);
  expect(errors).toEqual([]);
});

test("a campaign of another process, through a server that is killed and started again", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const port = String(await freePort());
  home.run("tune", "toy", "--trials", "3", "--quiet", "--json"); // There is a store to look at.
  let board = await home.serve("dashboard", "--port", port);
  const tuner = await home.tune(...kSlowToy, "--dashboard=0");
  await knows(board.base, "toy-2");
  await page.goto(`${board.base}#/campaigns/toy-2`);
  await expect
    .poll(async () => (await countsOf(page)).pairs, { timeout: 60000 })
    .toBeGreaterThan(3);
  await board.stop("SIGKILL");
  await expect(page.getByText("Connection lost, trying again")).toBeVisible();
  board = await home.serve("dashboard", "--port", port);
  await expect(page.getByText("Connection lost")).toBeHidden({ timeout: 20000 });
  await expect(page.locator(".verdict-sentence")).toBeVisible({ timeout: 120000 });
  await tuner.stop("SIGINT");
  const stored = await storedCounts(board.base, "toy-2");
  await expect.poll(() => countsOf(page)).toEqual(stored);
});

test("two browsers at once see the same, and one that reads nothing slows nobody", async ({
  browser,
}) => {
  test.setTimeout(180_000);
  const tuner = await home.tune(...kSlowToy, "--dashboard=0");
  await knows(tuner.base, "toy-1");
  const stuck = await fetch(`${tuner.base}v1/campaigns/toy-1/events`).catch(() => null); // Never read.
  const pages = await Promise.all([0, 1].map(async () => (await browser.newContext()).newPage()));
  await Promise.all(pages.map((page) => page.goto(`${tuner.base}#/campaigns/toy-1`)));
  for (const page of pages)
    await expect(page.locator(".verdict-sentence")).toBeVisible({ timeout: 120000 });
  const [first, second] = await Promise.all(pages.map((page) => countsOf(page)));
  expect(first).toEqual(second);
  expect(first?.pairs).toBeGreaterThan(20);
  await stuck?.body?.cancel().catch(() => undefined);
  await Promise.all(pages.map((page) => page.context().close()));
});

test("stop is refused without the right token, and works with it", async ({ page }) => {
  test.setTimeout(180_000);
  const tuner = await home.tune(
    "toy",
    "-o",
    "duration_ms=20",
    "--trials",
    "400",
    "--no-ablation",
    "--dashboard=0",
  );
  const token = home.token("admin");
  await knows(tuner.base, "toy-1");
  await page.goto(`${tuner.base}#/campaigns/toy-1`);
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  const stop = async () => {
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Stop the search" }).click();
  };
  await stop();
  await page.locator("input[type=password]").fill(home.token("submit"));
  await page.getByRole("button", { name: "Use this token" }).click();
  await expect(page.getByText("Refused:")).toBeVisible();
  await expect(page.locator(".badge", { hasText: "running" })).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator("input[type=password]").fill(token);
  await page.getByRole("button", { name: "Use this token" }).click();
  await expect(page.getByRole("button", { name: "Resume" })).toBeVisible();
  await expect(page.locator(".stat-value", { hasText: "paused" })).toBeVisible({ timeout: 20000 });
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await stop();
  await expect(page.locator(".verdict-sentence")).toBeVisible({ timeout: 120000 });
  expect(addresses.filter((address) => address.includes(token))).toEqual([]);
});

test("a page of another site can neither read nor stop", async () => {
  const tuner = await home.tune("toy", "-o", "duration_ms=60", "--trials", "50", "--dashboard=0");
  const foreign = await fetch(`${tuner.base}v1/campaigns/toy-1/stop`, {
    method: "POST",
    headers: {
      Origin: "http://evil.example",
      "Content-Type": "application/json",
      Authorization: `Bearer ${home.token("admin")}`,
    },
    body: "{}",
  });
  expect(foreign.status).toBe(403);
  const read = await fetch(`${tuner.base}v1/campaigns`, {
    headers: { Origin: "http://evil.example" },
  });
  expect(read.status).toBe(403);
});

const kHostile = '<img src=x onerror="window.injected=1"><script>window.injected=1</script>';

test("a benchmark that prints markup injects nothing", async ({ page }) => {
  test.setTimeout(120_000);
  const errors = watchErrors(page);
  const script = home.write(
    "bench.sh",
    `#!/bin/sh\necho "requests_per_s: 10$(date +%N | cut -c1-3)"\necho '${kHostile}' >&2\necho '${kHostile}'\n`,
  );
  const workload = home.write(
    "workload.json",
    JSON.stringify({
      name: kHostile,
      target: "namespace",
      benchmark: { command: [script] },
      metrics: [{ name: "requests_per_s", unit: kHostile, direction: "higher_is_better" }],
      parameters: ["net.ipv4.tcp_congestion_control"],
    }),
  );
  const done = home.run("tune", workload, "--yes", "--quiet", "--trials", "2");
  test.skip(done.status === 2, `no network namespaces here: ${done.output}`);
  const board = await home.serve("dashboard", "--port", "0");
  const listed = (await (await fetch(`${board.base}v1/campaigns`)).json()) as {
    campaigns: { id: string }[];
  };
  expect(listed.campaigns.length, done.output).toBe(1);
  for (const hash of ["#/campaigns", `#/campaigns/${listed.campaigns[0]?.id}`]) {
    await page.goto(`${board.base}${hash}`);
    await expect(page.getByText("onerror=").first()).toBeVisible();
    await scrollThrough(page);
    expect(await page.evaluate(() => "injected" in window)).toBe(false);
    expect(await page.locator("#app img, #app script").count()).toBe(0);
  }
  expect(errors).toEqual([]);
});

test("every page about campaigns: no console error, no serious finding of axe, light and dark", async ({
  browser,
}) => {
  test.setTimeout(180_000);
  for (const seed of ["1", "2"])
    home.run(
      "tune",
      "toy",
      "-o",
      "noise=0.03",
      "--trials",
      "12",
      "--seed",
      seed,
      "--quiet",
      "--json",
    );
  home.run(
    "tune",
    "toy",
    "--objective",
    "throughput",
    "--objective",
    "stability",
    "--front",
    "--trials",
    "12",
    "--quiet",
    "--json",
  );
  const board = await home.serve("dashboard", "--port", "0");
  const hashes = [
    "#/campaigns",
    "#/campaigns/toy-1",
    "#/campaigns/toy-3",
    "#/compare/toy-1,toy-2",
    "#/campaigns/none-1",
    "#/service",
  ];
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ colorScheme });
    for (const hash of hashes) {
      const page = await context.newPage();
      const errors = watchErrors(page, [/status of 404/]);
      await page.goto(`${board.base}${hash}`);
      await expect(page.locator("main h1")).toBeVisible();
      await page.waitForTimeout(600);
      await scrollThrough(page);
      await expectAccessible(page);
      expect(errors, hash).toEqual([]);
      await page.close();
    }
    await context.close();
  }
});

test("first data is on screen within a second", async ({ page }) => {
  home.run("tune", "toy", "-o", "noise=0.03", "--trials", "12", "--quiet", "--json");
  const board = await home.serve("dashboard", "--port", "0");
  await page.goto(`${board.base}#/campaigns/toy-1`);
  await expect.poll(async () => (await countsOf(page)).pairs).toBeGreaterThan(5);
  await page.reload();
  await expect
    .poll(async () => (await countsOf(page)).pairs, { intervals: [20] })
    .toBeGreaterThan(5);
  const took = await page.evaluate(() => performance.now());
  console.log(`data on screen after less than ${took.toFixed(0)} ms`);
  expect(took).toBeLessThan(10000); // The figure is bench/dashboard's; here others may use the machine.
});

test("downloads are what hone export writes", async ({ page }) => {
  home.run("tune", "toy", "-o", "noise=0.02", "--trials", "12", "--quiet", "--json");
  const board = await home.serve("dashboard", "--port", "0");
  await page.goto(`${board.base}#/campaigns/toy-1`);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "csv", exact: true }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/^toy-1.*csv$/);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe(home.run("export", "toy-1", "--as", "csv").output);
});

test("the report is one file that draws its plots and asks for nothing", async ({ page }) => {
  home.run("tune", "toy", "-o", "noise=0.02", "--trials", "12", "--quiet", "--json");
  const path = home.write("report.html", "");
  const made = home.run("report", "toy-1", "-o", path);
  expect(made.status, made.output).toBe(0);
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on(
    "request",
    (request) =>
      request.url().startsWith("file:") ||
      request.url().startsWith("data:") ||
      errors.push(request.url()),
  );
  await page.goto(`file://${path}`);
  await expect(page.locator("#plots canvas").first()).toBeVisible();
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test("50,000 points of a real campaign are drawn in small pieces @slow", async ({ page }) => {
  test.setTimeout(600_000);
  const store = storeWithPoints();
  const board = await Server.start(
    process.env["HONE"] ?? "",
    ["dashboard", "--port", "0", "--store", store],
    /http:\/\/127\.0\.0\.1:\d+\//,
  );
  try {
    await expectSmooth(page, board.base, async () => {
      await page.evaluate(() => void (location.hash = "#/campaigns/toy-1"));
      await expect
        .poll(async () => (await countsOf(page)).pairs, { timeout: 60000 })
        .toBeGreaterThan(49000);
      await scrollThrough(page);
    });
  } finally {
    await board.stop("SIGKILL");
  }
});
