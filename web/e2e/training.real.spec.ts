// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "@playwright/test";
import type { Training } from "../src/api/types";
import { Home, needHone } from "./real";
import { expectAccessible, watchErrors } from "./support";

needHone();

let home: Home;
test.beforeEach(() => {
  home = new Home();
});
test.afterEach(() => home.close());

const curve = (folder: string) => `${home.folder}/${folder}`;

test("a training is shown from its first update to its score", async ({ page }) => {
  const errors = watchErrors(page);
  const words = ["train", "ppo", "--steps", "60000", "--episodes", "300"];
  const trainer = await home.serve(...words, "--dashboard=0");
  await page.goto(trainer.base);
  await expect(page.getByRole("heading", { name: "CartPole-v1" })).toBeVisible();
  await expect(page.getByText("Mean reward of the last 100 episodes").first()).toBeVisible();
  await expect(page.getByText(/Score \d+ ± /)).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(/over 300\sepisodes/)).toBeVisible();
  await expect(page.locator(".status")).toContainText("60,000");
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test("stop needs a token; then what was learnt is saved, and can be gone on with", async ({
  page,
}) => {
  const errors = watchErrors(page, [/status of 40[13]/]);
  const folder = curve("long");
  const trainer = await home.serve(
    ...["train", "ppo", "--steps", "50000000", "--episodes", "1"],
    ...["--output", folder, "--dashboard=0"],
  );
  await page.goto(trainer.base);
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Stop the training" }).click();
  await page.getByRole("dialog").getByLabel("Token").fill(home.token("submit"));
  await page.getByRole("button", { name: "Use this token" }).click();
  await expect(page.getByText("Refused: ")).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Stop the training" }).click();
  await page.getByRole("dialog").getByLabel("Token").fill(home.token("admin"));
  await page.getByRole("button", { name: "Use this token" }).click();
  await expect(page.getByText(`hone train ppo --resume ${folder}`)).toBeVisible();
  await expect(page.getByText("stopped before its end")).toBeVisible();
  expect(errors).toEqual([]);

  const reached = Number(/after (\d+) steps/.exec(trainer.output)?.[1]);
  expect(reached).toBeGreaterThan(0);
  const again = await home.serve("train", "ppo", "--resume", folder, "--dashboard=0");
  await page.goto(again.base);
  await expect(page.getByText("since it was resumed")).toBeVisible();
  // The first points are those of the process before.
  await page.getByText("Numbers").first().click();
  await expect(page.getByRole("region", { name: /^Table: Mean reward/ })).toBeVisible();
  const answer = await fetch(`${again.base}v1/training`);
  const first = (await answer.json()) as Training;
  expect(first.steps).toBe(reached);
});

test("another process's training is not mixed with the one before", async ({ page }) => {
  const trainer = await home.serve("train", "ppo", "--steps", "50000000", "--dashboard=0");
  await page.goto(`${trainer.base}#/training`);
  await expect(page.locator(".status")).toContainText("of 50,000,000");
  const port = new URL(trainer.base).port;
  await trainer.stop("SIGKILL");
  await expect(page.getByText("Connection lost")).toBeVisible();
  await home.serve("train", "ppo", "--env", "Pendulum-v1", `--dashboard=${port}`);
  await expect(page.getByRole("heading", { name: "Pendulum-v1" })).toBeVisible();
  await expect(page.getByText("Connection lost")).toBeHidden();
});

test("a training that was kept is shown again", async ({ page }) => {
  const errors = watchErrors(page);
  const folder = curve("kept");
  const done = home.run("train", "ppo", "--steps", "20000", "--episodes", "1", "--output", folder);
  expect(done.status).toBe(0);
  const server = await home.serve("dashboard", "--port", "0", "--training", folder);
  await page.goto(server.base);
  await expect(page.getByRole("heading", { name: "CartPole-v1" })).toBeVisible();
  await expect(page.locator(".status")).toContainText("20,000");
  await expect(page.getByText("It was kept without a score.")).toBeVisible();
  await expect(page.getByText("last saved")).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop" })).toBeHidden();
  expect(errors).toEqual([]);
});
