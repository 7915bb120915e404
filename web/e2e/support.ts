// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Page, expect } from "@playwright/test";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Everything that the page complained about. `allowed` are complaints of the browser itself about
// answers that a test provokes.
export function watchErrors(page: Page, allowed: RegExp[] = []): string[] {
  const errors: string[] = [];
  const note = (text: string) => {
    if (!allowed.some((pattern) => pattern.test(text))) errors.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      note(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => note(`exception: ${error.message}`));
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText !== "net::ERR_ABORTED") note(`request: ${request.url()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url.startsWith("blob:") || url.startsWith("data:")) return;
    if (page.url() !== "about:blank" && new URL(url).origin !== new URL(page.url()).origin)
      note(`foreign: ${url}`);
  });
  return errors;
}

interface AxeResult {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary?: string }[] }[];
}

// The serious findings of axe, each with a place. It is evaluated past the page's own policy.
export async function seriousFindings(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as unknown;
  };
  await evaluate(`${axe};undefined`);
  const found = (await evaluate("axe.run(document, { resultTypes: ['violations'] })")) as AxeResult;
  await session.detach();
  return found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map(
      (one) =>
        `${one.id}: ${one.nodes.map((node) => `${node.html.slice(0, 160)} (${node.failureSummary?.slice(0, 200)})`).join("; ")}`,
    );
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await seriousFindings(page)).toEqual([]);
}

// Every section of the page has been in sight once, so that what is drawn late is drawn.
export async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
      scrollTo(0, y);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    scrollTo(0, 0);
  });
}

// "1,234 pairs of 56 trials and 1 of the finals" under the learning curve.
export async function countsOf(page: Page): Promise<{ pairs: number; trials: number }> {
  const text = await page
    .locator("figcaption", { hasText: /pairs?\s+of\s.*trials?/ })
    .first()
    .innerText();
  const found = /([\d,]+)\s+pairs?\s+of\s+([\d,]+)\s+trials?/.exec(text.replace(/\u00a0/g, " "));
  if (!found) throw new Error(`no counts in: ${text}`);
  const number = (part: string | undefined) => Number((part ?? "").replace(/,/g, ""));
  return { pairs: number(found[1]), trials: number(found[2]) };
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

// The processor time of each piece of work of a page's main thread, ms.
function tasksOf(trace: TraceEvent[]): number[] {
  const threads = new Map<string, string>();
  for (const event of trace) {
    if (event.name === "thread_name")
      threads.set(`${event.pid}/${event.tid}`, event.args.name ?? "");
  }
  return trace
    .filter((event) => event.ph === "X" && event.name === "RunTask")
    .filter((event) => threads.get(`${event.pid}/${event.tid}`) === "CrRendererMain")
    .map((event) => (event.tdur ?? event.dur ?? 0) / 1000);
}

// The longest piece of work of the page's main thread during `action`, ms of processor time.
async function longestTask(page: Page, action: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error("no browser");
  await browser.startTracing(page, {
    categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"],
  });
  await action();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  return Math.max(0, ...tasksOf(traceEvents));
}

// Work of a known amount: what a page may do between two frames, on any machine.
async function sortTexts(page: Page): Promise<void> {
  const sort = () =>
    page.evaluate(() => {
      const texts = Array.from({ length: 200_000 }, (_, i) => String((i * 7919) % 200_003));
      return texts.sort().length;
    });
  await sort();
  await sort(); // A trace that ends at once may lack its last task.
}

// What `action` gives the page at `base` to do, it does in small pieces: none takes as much
// processor time as sorting 200,000 texts does. A clock would measure the others on the machine;
// the longest frame by the clock is bench/dashboard's.
export async function expectSmooth(
  page: Page,
  base: string,
  action: () => Promise<void>,
): Promise<void> {
  await page.goto(`${base}#/nothing`);
  const sorting = await longestTask(page, () => sortTexts(page));
  const longest = await longestTask(page, action);
  console.log(`longest piece ${longest.toFixed(0)} ms; sorting ${sorting.toFixed(0)} ms`);
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(sorting);
}
