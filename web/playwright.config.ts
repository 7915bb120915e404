// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "@playwright/test";

// Specs named *.mock.spec.ts run against made-up data; *.real.spec.ts against the program that the
// environment variable HONE names, and are skipped, with that reason, where it names none.
export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  timeout: 60_000,
  expect: { timeout: 15_000 },
  workers: 1,
  reporter: [["list"]],
  use: {
    launchOptions: {
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    },
    viewport: { width: 1280, height: 900 },
  },
});
