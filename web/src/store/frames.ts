// SPDX-License-Identifier: Apache-2.0
// Drawing, at most once a frame and never for long: what does not fit into a frame's share is
// drawn in the next one, oldest request first.

const kBudgetMs = 12;

const waiting = new Map<object, () => void>();
let is_planned = false;

// Draws soon; asking again before that changes only what is drawn.
export function drawSoon(owner: object, draw: () => void): void {
  waiting.set(owner, draw);
  plan();
}

export function forget(owner: object): void {
  waiting.delete(owner);
}

function plan(): void {
  if (is_planned) return;
  is_planned = true;
  requestAnimationFrame(() => {
    is_planned = false;
    const start = performance.now();
    for (const [owner, draw] of waiting) {
      waiting.delete(owner);
      draw();
      if (performance.now() - start > kBudgetMs) break;
    }
    if (waiting.size > 0) plan();
  });
}
