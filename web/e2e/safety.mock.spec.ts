// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "@playwright/test";
import { type Server, startMock } from "./servers";
import { scrollThrough, watchErrors } from "./support";

let server: Server;
test.beforeAll(async () => {
  server = await startMock(["--pace", "30"]);
});
test.afterAll(() => server.stop());

for (const hash of [
  "#/campaigns",
  "#/campaigns/hostile-1",
  "#/tasks/hostile",
  "#/compare/hostile-1,nginx-8",
]) {
  test(`text that looks like markup stays text on ${hash}`, async ({ page }) => {
    const errors = watchErrors(page);
    await page.goto(`${server.base}${hash}`);
    await expect(page.getByText('<img src=x onerror="window.injected=1">').first()).toBeVisible();
    await scrollThrough(page);
    for (const summary of await page.locator("figure summary").all()) await summary.click();
    expect(await page.evaluate(() => "injected" in window)).toBe(false);
    expect(await page.locator("#app img, #app script").count()).toBe(0);
    expect(errors).toEqual([]);
  });
}

test("controls are refused without the token, and work with it", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns/nginx-9`);
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Stop the search" }).click();
  await page.locator("input[type=password]").fill("not-the-token");
  await page.getByRole("button", { name: "Use this token" }).click();
  await expect(
    page.getByText("Refused: campaign nginx-9: to stop it needs a token of the role admin"),
  ).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator("input[type=password]").fill("admin-token");
  await page.getByRole("button", { name: "Use this token" }).click();
  await expect(page.getByText("It pauses after the current run.")).toBeVisible();
  expect(addresses.filter((address) => address.includes("token"))).toEqual([]);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("admin-token");
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText("The campaign goes on.")).toBeVisible();
});

test("restore asks first, and cancelling does nothing", async ({ page }) => {
  await page.goto(`${server.base}#/campaigns/nginx-9`);
  const posts: string[] = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
  await page.getByRole("button", { name: "Restore now" }).click();
  await expect(page.getByText("every parameter gets its original value back")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(posts).toEqual([]);
});
