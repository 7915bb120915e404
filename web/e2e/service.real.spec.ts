// SPDX-License-Identifier: Apache-2.0
import { type Page, expect, test } from "@playwright/test";
import { Home, freePort, needHone } from "./real";
import { expectAccessible, scrollThrough, watchErrors } from "./support";

needHone();

const kRight = `extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
`;
const kWrong = kRight.replace("a[i] + b[i]", "a[i] - b[i]");
const kHostile = '<img src=x onerror="window.injected=1"><script>window.injected=1</script>';
const kBroken = `#error ${kHostile}\n`;

let home: Home;
let base = "";

async function submit(id: string, source: string): Promise<void> {
  const answer = await fetch(`${base}v1/tasks?wait_s=60`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${home.token("submit")}`,
    },
    body: JSON.stringify({
      id,
      domain: "compute",
      options: { problem: "vector_add" },
      candidate: { source },
    }),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
}

test.beforeAll(async () => {
  test.setTimeout(180_000);
  home = new Home();
  const port = await freePort();
  const server = await home.serve("serve", "--port", String(port), "--workers", "1");
  base = server.base;
  await submit("right-1", kRight);
  await submit("wrong-1", kWrong);
  await submit("broken-1", kBroken);
});
test.afterAll(() => home.close());

function withToken(page: Page): Promise<void> {
  return page.addInitScript(
    (value) => sessionStorage.setItem("hone-token", value),
    home.token("submit"),
  );
}

test("a browser that asks for / is shown the service", async ({ page }) => {
  await page.goto(base);
  expect(new URL(page.url()).pathname).toBe("/ui/");
  await expect(page.locator("main h1")).toBeVisible();
  await expect(page).toHaveTitle("Service · Hone");
  await expect(page.getByRole("link", { name: "Service" })).toHaveAttribute("aria-current", "page");
});

test("reading needs a token, and the page asks for it", async ({ page }) => {
  await page.goto(`${base}ui/#/service`);
  await page.getByRole("button", { name: "Enter a token" }).click();
  await page.locator("input[type=password]").fill(home.token("submit"));
  await page.getByRole("button", { name: "Use this token" }).click();
  await expect(page.getByText("Queue by priority")).toBeVisible();
  await expect(page.getByRole("link", { name: "right-1" }).first()).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the service and its tasks, ${colorScheme}: no console error, no serious finding of axe`, async ({
    browser,
  }) => {
    const context = await browser.newContext({ colorScheme });
    for (const [hash, words] of [
      ["#/service", "Queue by priority"],
      ["#/tasks/right-1", "candidate and the reference"],
      ["#/tasks/wrong-1", "Evidence"],
      ["#/tasks/broken-1", "Evidence"],
      ["#/campaigns", "There are no campaigns in this store yet"],
    ] as const) {
      const page = await context.newPage();
      await withToken(page);
      const errors = watchErrors(page);
      await page.goto(`${base}ui/${hash}`);
      await expect(page.getByText(words).first()).toBeVisible();
      await scrollThrough(page);
      await expectAccessible(page);
      expect(errors, hash).toEqual([]);
      await page.close();
    }
    await context.close();
  });
}

test("a task's page has source, times and timeline", async ({ page }) => {
  await withToken(page);
  await page.goto(`${base}ui/#/tasks/right-1`);
  await expect(page.getByText("out[i] = a[i] + b[i]")).toBeVisible();
  await expect(page.getByText(/samples of the candidate \(median/)).toBeVisible();
  await expect(page.locator(".timeline li").first()).toContainText("submitted");
  await expect(page.locator(".timeline li").last()).toContainText("settled");
});

test("what the compiler repeats of a hostile source stays text", async ({ page }) => {
  await withToken(page);
  await page.goto(`${base}ui/#/tasks/broken-1`);
  await expect(page.getByText("onerror=").first()).toBeVisible();
  expect(await page.evaluate(() => "injected" in window)).toBe(false);
  expect(await page.locator("#app img, #app script").count()).toBe(0);
});

test("what is settled while one looks appears by itself", async ({ page }) => {
  test.setTimeout(120_000);
  await withToken(page);
  await page.goto(`${base}ui/#/service`);
  await expect(page.getByRole("link", { name: "right-1" }).first()).toBeVisible();
  await submit("later-1", `${kRight}// later\n`);
  await expect(page.getByRole("row", { name: /later-1/ }).getByText("accepted")).toBeVisible();
});
