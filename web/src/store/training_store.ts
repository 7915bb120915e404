// SPDX-License-Identifier: Apache-2.0
import type { StreamMessage } from "../api/sse";
import type { Update } from "../api/events";
import type { Training } from "../api/types";
import { Column } from "./columns";
import { Subscribers } from "./subscribers";

export const kSteps = "time/total_timesteps";
export const kReward = "rollout/ep_rew_mean";

// Everything that is known of a training, folded from its events.
export class TrainingStore extends Subscribers {
  last_id: number | null = null;
  version = 0; // Grows with every change.
  training: Training | null = null;
  has_ended = false;
  best = NaN; // The highest mean reward.
  first_live = -1; // The first update that this process made; -1: none yet.
  readonly at = new Column(); // Seconds since the beginning, for each update.
  private columns = new Map<string, Column>();

  get updates(): number {
    return this.at.length;
  }

  column(name: string): Column {
    return this.columns.get(name) ?? new Column();
  }

  last(name: string): number {
    return this.column(name).at(this.updates - 1);
  }

  // Steps a second of late; NaN if that is not known.
  get speed(): number {
    const last = this.updates - 1;
    if (this.first_live < 0 || last <= this.first_live) return NaN;
    let from = last - 1;
    while (from > this.first_live && this.at.at(last) - this.at.at(from) < 2) --from;
    const steps = this.column(kSteps);
    return (steps.at(last) - steps.at(from)) / (this.at.at(last) - this.at.at(from));
  }

  // Numbers of updates only rise, also from one training to the next; some may be left out.
  take(message: StreamMessage): boolean {
    if (message.id !== null && message.id !== "") {
      const id = Number(message.id);
      if (this.last_id !== null && id <= this.last_id) return true;
      this.last_id = id;
    }
    if (message.event === "training") this.takeTraining(JSON.parse(message.data) as Training);
    if (message.event === "update") this.takeUpdate(JSON.parse(message.data) as Update);
    if (message.event === "end") this.has_ended = true;
    ++this.version;
    return true;
  }

  private takeTraining(training: Training): void {
    if (training.began !== this.training?.began) this.forget(training);
    this.training = training;
  }

  private forget(next: Training): void {
    this.columns = new Map(next.columns.map((name) => [name, new Column()]));
    this.at.length = 0;
    this.has_ended = false;
    this.best = NaN;
    this.first_live = -1;
  }

  private takeUpdate(update: Update): void {
    if (!this.training) return;
    if (update.at_s !== null && this.first_live < 0) this.first_live = this.updates;
    this.at.push(update.at_s ?? NaN);
    this.training.columns.forEach((name, which) =>
      this.columns.get(name)?.push(update.values[which] ?? NaN),
    );
    const reward = this.last(kReward);
    if (!(reward <= this.best) && Number.isFinite(reward)) this.best = reward;
  }
}
