// SPDX-License-Identifier: Apache-2.0
import type { StreamMessage } from "../api/sse";
import type {
  Block,
  JournalState,
  LogLine,
  Pressure,
  Progress,
  Resource,
  Trial,
  VerdictEvent,
} from "../api/events";
import type { Verdict, Effect } from "../api/records";
import { Cloud, Column } from "./columns";
import { Subscribers } from "./subscribers";

const kMaxLogLines = 2000;
const kMaxPressure = 1800;
const kMaxKeptBlocks = 16; // Of each trial, with their metrics.
const kMaxKeptTrials = 5000; // With their blocks; the oldest are forgotten first.

// How much of its runs' time something of the machine waited, over one comparison.
export interface BlockPressure {
  position: number;
  cpu: number | null;
  memory: number | null;
  io: number | null;
}

export interface BlockNote {
  at: string;
  name: string;
  outcome: string;
  reason: string;
  marks: string[];
}

// Everything that is known of one campaign, folded from its events. Folding an event costs the
// same however many came before; what is derived is worked out when it is drawn.
export class CampaignStore extends Subscribers {
  last_id: number | null = null;
  version = 0; // Grows with every change.

  readonly trials: Trial[] = []; // By number; may have holes.
  readonly trial_x = new Column();
  readonly trial_mean = new Column(); // By number; NaN without an estimate.
  readonly best_mean = new Column(); // The estimate of the best when so many trials were known.
  readonly samples = new Cloud(); // Each pair of the search: trial, reward.
  readonly gate_blocks: Block[] = [];
  readonly proof_blocks: Block[] = [];
  readonly blocks_of = new Map<number, Block[]>();
  readonly notes: BlockNote[] = []; // Tripwires: what was marked or failed.
  readonly log: LogLine[] = [];
  readonly pressure: Pressure[] = []; // As of now, while it runs.
  readonly block_pressure: BlockPressure[] = []; // As it was stored with the runs.
  blocks = 0;
  runs = 0;
  measured_s = 0;
  best: number | null = null; // The best trial so far, as the search sees it.
  latest_trial: number | null = null;
  first_at = "";
  last_at = "";
  verdict: Verdict | null = null;
  sentence = ""; // Of the verdict.
  asked = 0; // Trials of the search …
  added = 0; // … and those that the finals added.
  ablation: Effect[] | null = null;
  progress: Progress | null = null; // Of a campaign that this server runs itself.
  latest_phase = ""; // Of the runs that came last, whoever made them.
  journal: JournalState | null = null;
  has_ended = false;

  // False: events between the last one and this were missed.
  take(message: StreamMessage): boolean {
    if (message.id !== null && message.id !== "") {
      const id = Number(message.id);
      if (this.last_id !== null && id <= this.last_id) return true;
      if (this.last_id !== null && id > this.last_id + 1) return false;
      this.fold(message.event, message.data);
      this.last_id = id;
    } else {
      this.fold(message.event, message.data);
    }
    ++this.version;
    return true;
  }

  private fold(event: string, data: string): void {
    if (event === "end") {
      this.has_ended = true;
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      return; // A message that is cut short says nothing; its id still counts.
    }
    this.foldValue(event, value);
  }

  foldValue(event: string, value: unknown): void {
    switch (event) {
      case "block":
        return this.takeBlock(value as Block);
      case "trial":
        return this.takeTrial(value as Trial);
      case "verdict":
        this.verdict = (value as VerdictEvent).verdict;
        this.sentence = (value as VerdictEvent).sentence;
        this.ablation = (value as VerdictEvent).ablation;
        return;
      case "progress":
        this.progress = value as Progress;
        return;
      case "journal":
        this.journal = value as JournalState;
        return;
      case "pressure":
        return keep(this.pressure, value as Pressure, kMaxPressure);
      case "log":
        return this.takeLog(value as LogLine);
    }
  }

  private takeBlock(block: Block): void {
    ++this.blocks;
    this.runs += 2 * block.pairs.rewards.length;
    this.measured_s += block.seconds ?? 0;
    this.first_at ||= block.at;
    this.last_at = block.at;
    if (block.marks.length > 0 || block.outcome !== "accepted") {
      keep(
        this.notes,
        {
          at: block.at,
          name: block.name,
          outcome: block.outcome,
          reason: block.reason,
          marks: block.marks,
        },
        kMaxLogLines,
      );
    }
    const pressure = pressureOf(block);
    if (pressure) keep(this.block_pressure, pressure, kMaxPressure);
    this.latest_phase = block.phase;
    if (block.phase === "gate") this.gate_blocks.push(block);
    if (block.phase === "proof") this.proof_blocks.push(block);
    if (block.trial === null || (block.phase !== "trial" && block.phase !== "finals")) return;
    for (const reward of block.pairs.rewards) {
      if (reward !== null) this.samples.push(block.trial, reward);
    }
    this.latest_trial = block.trial;
    const kept = this.blocks_of.get(block.trial);
    if (kept) return keep(kept, block, kMaxKeptBlocks);
    this.blocks_of.set(block.trial, [block]);
    if (this.blocks_of.size <= kMaxKeptTrials) return;
    for (const oldest of this.blocks_of.keys()) return void this.blocks_of.delete(oldest);
  }

  private takeTrial(trial: Trial): void {
    if (!this.trials[trial.number]) ++this[trial.is_asked ? "asked" : "added"];
    this.trials[trial.number] = trial;
    for (let at = this.trial_x.length; at <= trial.number; ++at) this.trial_x.push(at);
    this.trial_mean.set(trial.number, trial.reward?.mean ?? NaN);
    this.first_at ||= trial.at;
    this.last_at = trial.at;
    this.best = trial.best;
    const best = trial.best === null ? undefined : this.trials[trial.best];
    this.best_mean.set(this.trial_x.length - 1, best?.reward?.mean ?? NaN);
  }

  private takeLog(line: LogLine): void {
    const last = this.log[this.log.length - 1];
    // A server that was started again counts from the beginning.
    if (last && line.sequence <= last.sequence && line.at <= last.at) return;
    keep(this.log, line, kMaxLogLines);
  }
}

function meanOf(shares: (number | null)[]): number | null {
  const known = shares.filter((share): share is number => share !== null);
  return known.length === 0 ? null : known.reduce((sum, share) => sum + share, 0) / known.length;
}

// None where the runs did not record it.
function pressureOf(block: Block): BlockPressure | null {
  const of = (resource: Resource) => {
    const pairs = block.pairs.pressure?.[resource];
    return pairs ? meanOf([...pairs.candidate, ...pairs.baseline]) : null;
  };
  const [cpu, memory, io] = [of("cpu"), of("memory"), of("io")];
  if (cpu === null && memory === null && io === null) return null;
  return { position: block.position, cpu, memory, io };
}

export function counts(trial: Trial): boolean {
  return trial.reward !== null && trial.is_within_limits && trial.outcome === "accepted";
}

// Appends; drops a quarter of the oldest once there are too many, so that it costs little each.
function keep<T>(list: T[], item: T, max: number): void {
  list.push(item);
  if (list.length > max) list.splice(0, Math.max(1, list.length - Math.ceil(max * 0.75)));
}
