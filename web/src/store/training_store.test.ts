// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { TrainingStore, kReward, kSteps } from "./training_store";

const training = (began: string, more: object = {}) => ({
  id: null,
  event: "training",
  data: JSON.stringify({ began, columns: [kSteps, kReward], steps: 0, ...more }),
});
const update = (id: number, at_s: number | null, ...values: (number | null)[]) => ({
  id: String(id),
  event: "update",
  data: JSON.stringify({ at_s, values }),
});

describe("TrainingStore", () => {
  it("keeps the numbers of every update, and gaps as gaps", () => {
    const store = new TrainingStore();
    store.take(training("a"));
    store.take(update(5, 1, 100, null));
    store.take(update(6, 2, 200, 7));
    store.take(update(9, 3, 300, 6));
    expect(Array.from(store.column(kSteps).view())).toEqual([100, 200, 300]);
    expect(store.column(kReward).at(0)).toBeNaN();
    expect(store.last(kReward)).toBe(6);
    expect(store.best).toBe(7);
    expect(store.last_id).toBe(9);
  });

  it("takes no update twice", () => {
    const store = new TrainingStore();
    store.take(training("a"));
    store.take(update(5, 1, 100, 1));
    store.take(update(5, 1, 100, 1));
    expect(store.updates).toBe(1);
  });

  it("tells the speed from what this process did alone", () => {
    const store = new TrainingStore();
    store.take(training("a", { steps: 1000 }));
    store.take(update(1, null, 500, 1));
    store.take(update(2, null, 1000, 1));
    expect(store.speed).toBeNaN();
    store.take(update(3, 1, 1200, 1));
    expect(store.speed).toBeNaN();
    store.take(update(4, 2, 1500, 1));
    expect(store.speed).toBe(300);
  });

  it("forgets one training when another begins", () => {
    const store = new TrainingStore();
    store.take(training("a"));
    store.take(update(5, 1, 100, 9));
    store.take(training("a", { state: "evaluating" }));
    expect(store.updates).toBe(1);
    store.take(training("b"));
    expect(store.updates).toBe(0);
    expect(store.best).toBeNaN();
    store.take(update(6, 1, 10, 2));
    expect(Array.from(store.column(kReward).view())).toEqual([2]);
  });
});
