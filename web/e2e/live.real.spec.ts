// SPDX-License-Identifier: Apache-2.0
import { type Page, expect, test } from "@playwright/test";
import { Home, freePort, needHone } from "./real";

needHone();

let home: Home;
test.beforeEach(() => {
  home = new Home();
});
test.afterEach(() => home.close());

// How often each address under /v1 was asked for.
function countRequests(page: Page): Map<string, number> {
  const counts = new Map<string, number>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/")) counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
  });
  return counts;
}

test("the lists of campaigns and tasks follow what happens, and nothing is asked for twice", async ({
  browser,
}) => {
  test.setTimeout(180_000);
  const port = await freePort();
  const { base } = await home.serve("serve", "--port", String(port), "--workers", "1");
  const context = await browser.newContext();
  await context.addInitScript(
    (value) => sessionStorage.setItem("hone-token", value),
    home.token("submit"),
  );
  const [campaigns, service] = [await context.newPage(), await context.newPage()];
  const counts = [countRequests(campaigns), countRequests(service)];
  await campaigns.goto(`${base}ui/#/campaigns`);
  await service.goto(`${base}ui/#/service`);
  await expect(campaigns.getByText("There are no campaigns in this store yet")).toBeVisible();
  await expect(service.getByText("Nothing waits.")).toBeVisible();

  // A campaign of another process appears, counts its trials and ends.
  const card = campaigns.locator(".card", { hasText: "toy-1" });
  const tuner = await home.tune(
    ...["toy", "-o", "noise=0.03", "-o", "duration_ms=15", "--trials", "12", "--dashboard=0"],
  );
  await expect(card.locator(".badge", { hasText: "running" })).toBeVisible();
  const trials = async () => Number(/(\d+) of 12/.exec(await card.innerText())?.[1]);
  await expect.poll(trials, { timeout: 60000 }).toBeGreaterThan(2);
  await expect(card.locator(".badge", { hasText: /gain/ })).toBeVisible({ timeout: 120000 });
  await tuner.stop("SIGINT");

  // One task is settled, one waits for a worker that is not there, until it is cancelled.
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${base}v1/tasks${path}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${home.token("submit")}`,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(answer.ok, path).toBe(true);
  };
  const task = {
    domain: "compute",
    options: { problem: "vector_add" },
    candidate: {
      source:
        'extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {\n' +
        "  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];\n}\n",
    },
  };
  const row = (id: string) =>
    service.getByRole("region", { name: "Tasks" }).getByRole("row", { name: id });
  await ask("POST", "", { ...task, id: "waits-1", needs: { names: ["moon"], memory_mib: 0 } });
  await expect(row("waits-1").getByText("waiting")).toBeVisible();
  await expect(service.getByRole("row", { name: /^0 1 / })).toBeVisible(); // Priority 0: one waits.
  await ask("POST", "", { ...task, id: "seen-1" });
  await expect(row("seen-1").getByText("accepted")).toBeVisible({ timeout: 60000 });
  await ask("DELETE", "/waits-1");
  await expect(row("waits-1").locator(".badge")).toContainText("cancelled");
  await expect(service.getByText("Nothing waits.")).toBeVisible();

  expect(Object.fromEntries(counts[0] ?? [])).toEqual({
    "/v1/about": 1,
    "/v1/campaigns/events": 1,
  });
  expect(Object.fromEntries(counts[1] ?? [])).toEqual({ "/v1/about": 1, "/v1/service/events": 1 });
  await context.close();
});

test("after a restart of the server both lists are whole again", async ({ page }) => {
  test.setTimeout(120_000);
  const port = String(await freePort());
  home.run("tune", "toy", "--trials", "3", "--quiet", "--json");
  let board = await home.serve("dashboard", "--port", port);
  await page.goto(`${board.base}#/campaigns`);
  await expect(page.getByRole("link", { name: "toy-1" })).toBeVisible();
  await board.stop("SIGKILL");
  await expect(page.getByText("Connection lost, trying again")).toBeVisible();
  home.run("tune", "toy", "--trials", "3", "--quiet", "--json");
  board = await home.serve("dashboard", "--port", port);
  await expect(page.getByText("Connection lost")).toBeHidden({ timeout: 20000 });
  await expect(page.getByText("2 campaigns")).toBeVisible();
});
