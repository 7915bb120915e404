// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system says. Plots are told when the colours change.

export type Theme = "system" | "light" | "dark";

const kKey = "hone-theme";
const listeners = new Set<() => void>();
const printers = new Set<() => void>();

export function theme(): Theme {
  try {
    const stored = localStorage.getItem(kKey);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

const system = () => matchMedia("(prefers-color-scheme: dark)");

function show(value: Theme): void {
  const is_dark = value === "system" ? system().matches : value === "dark";
  document.documentElement.dataset.theme = is_dark ? "dark" : "light";
  cached = null;
  for (const listener of listeners) listener();
}

export function setTheme(value: Theme): void {
  try {
    if (value === "system") localStorage.removeItem(kKey);
    else localStorage.setItem(kKey, value);
  } catch {
    // Storage is off: the choice holds until the page is loaded again.
  }
  show(value);
}

export function startTheme(): void {
  show(theme());
  system().addEventListener("change", () => show(theme()));
  addEventListener("beforeprint", () => {
    show("light"); // Paper is.
    for (const draw of printers) draw();
  });
  addEventListener("afterprint", () => show(theme()));
}

// Called before the page is printed, with the colours of paper; what it draws is on the paper.
export function onPrint(draw: () => void): () => void {
  printers.add(draw);
  return () => printers.delete(draw);
}

export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const kColours = [
  "ink",
  "faint",
  "grid",
  "surface",
  "blue",
  "orange",
  "green",
  "purple",
  "amber",
  "sky",
  "red",
  "grey",
] as const;

export type Colour = (typeof kColours)[number];
export type Ink = Record<Colour, string>;

let cached: Ink | null = null;
let source: Element | null = null;

// Where the colours are defined, if not on the whole page.
export function takeInkFrom(element: Element): void {
  source = element;
  cached = null;
}

// The colours of the style sheet, for canvases.
export function ink(): Ink {
  if (cached) return cached;
  const style = getComputedStyle(source ?? document.documentElement);
  const made = {} as Ink;
  for (const name of kColours) made[name] = style.getPropertyValue(`--${name}`).trim() || "#888";
  cached = made;
  return made;
}

// The order in which several series take their colours; neighbours differ in lightness too.
export const kSeries: Colour[] = [
  "blue",
  "orange",
  "green",
  "purple",
  "amber",
  "sky",
  "red",
  "grey",
];
