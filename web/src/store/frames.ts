// SPDX-License-Identifier: Apache-2.0
// Work for the screen, at most once a frame and never for long. A frame holds either one rendering
// of a part of the page, or as much drawing as fits into its share; the rest waits for the next
// one, oldest request first.

const kBudgetMs = 12;

const draws = new Map<object, () => void>();
const renders = new Map<object, () => void>();
let is_planned = false;

// Draws soon; asking again before that changes only what is drawn.
export function drawSoon(owner: object, draw: () => void): void {
  draws.set(owner, draw);
  plan();
}

// The same for what makes the page render.
export function renderSoon(owner: object, render: () => void): void {
  renders.set(owner, render);
  plan();
}

export function forget(owner: object): void {
  draws.delete(owner);
  renders.delete(owner);
}

function plan(): void {
  if (is_planned) return;
  is_planned = true;
  requestAnimationFrame(() => {
    is_planned = false;
    if (!renderOne()) drawSome();
    if (draws.size + renders.size > 0) plan();
  });
}

let was_render = false;

// Takes turns with drawing where both wait.
function renderOne(): boolean {
  if (renders.size === 0 || (was_render && draws.size > 0)) {
    was_render = false;
    return false;
  }
  was_render = true;
  for (const [owner, render] of renders) {
    renders.delete(owner);
    render();
    return true;
  }
  return false;
}

function drawSome(): void {
  const start = performance.now();
  for (const [owner, draw] of draws) {
    draws.delete(owner);
    draw();
    if (performance.now() - start > kBudgetMs) return;
  }
}
