#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Pictures of pages, light and dark: node scripts/shoot.mjs BASE FOLDER NAME=HASH… [--width N] [--token T] [--full]
import { chromium } from "@playwright/test";

const [base, folder, ...rest] = process.argv.slice(2);
const flag = (name) => {
  const at = rest.indexOf(`--${name}`);
  return at < 0 ? null : rest.splice(at, 2)[1];
};
const width = Number(flag("width") ?? 1280);
const height = Number(flag("height") ?? 1400);
const token = flag("token");
const wait = Number(flag("wait") ?? 1200);
const only = flag("scheme");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
for (const scheme of only ? [only] : ["light", "dark"]) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  for (const shot of rest) {
    const at = shot.indexOf("=");
    const page = await context.newPage();
    page.on(
      "console",
      (message) => message.type() === "error" && console.log(`${shot}: ${message.text()}`),
    );
    page.on("pageerror", (error) => console.log(`${shot}: ${error.stack}`));
    if (token)
      await page.addInitScript((value) => sessionStorage.setItem("hone-token", value), token);
    await page.goto(`${base}${shot.slice(at + 1)}`);
    await page.waitForTimeout(wait);
    await page.screenshot({
      path: `${folder}/${shot.slice(0, at)}-${scheme}.png`,
      fullPage: process.env.FULL === "1",
    });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) console.log(`${shot}: ${wide} px too wide`);
    await page.close();
  }
  await context.close();
}
await browser.close();
