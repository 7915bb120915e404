// SPDX-License-Identifier: Apache-2.0
import { useRef, useState } from "preact/hooks";
import { paths } from "../api/client";
import type { Control, Training, TrainingState } from "../api/types";
import { Badge, Loading, Panel, Stat, Time, type Tone, Trouble } from "../parts/basics";
import { sendControl } from "../parts/control";
import { useNow } from "../parts/hooks";
import { Live } from "../parts/live";
import { ConfirmDialog, useSession, useShownConnection } from "../parts/session";
import { useStream } from "../parts/use_stream";
import { LinesFigure } from "../plots/lines";
import { TrainingStore, kReward, kSteps } from "../store/training_store";
import { countText, durationText, kNothing, numberText, shareText } from "../text/format";
import { millis } from "../text/time";

const kStates: Record<TrainingState, { tone: Tone; text: string }> = {
  training: { tone: "busy", text: "training" },
  stopping: { tone: "warn", text: "stopping" },
  evaluating: { tone: "busy", text: "being evaluated" },
  done: { tone: "good", text: "done" },
  stopped: { tone: "calm", text: "stopped before its end" },
  failed: { tone: "bad", text: "failed" },
};

const kSaid: Partial<Record<Control, string>> = {
  stopping: "It stops after the current update; what was learnt is saved.",
};

interface Plot {
  column: string;
  title: string;
  says: string; // What it is, and what to look for.
  y_label: string;
  is_share?: boolean;
}

const kPanels: { title: string; plots: Plot[] }[] = [
  {
    title: "Policy",
    plots: [
      {
        column: "train/approx_kl",
        title: "How far it moves",
        says: "Approximate KL divergence from the policy that collected the steps. Much above 0.02: the updates are too large.",
        y_label: "KL divergence",
      },
      {
        column: "train/clip_fraction",
        title: "Clipped samples",
        says: "Share of the samples whose probability moved to the bound of the clip range.",
        y_label: "share",
        is_share: true,
      },
      {
        column: "train/entropy_loss",
        title: "Entropy loss",
        says: "Minus the entropy of the policy: it rises as the policy makes up its mind.",
        y_label: "loss",
      },
      {
        column: "train/policy_gradient_loss",
        title: "Policy loss",
        says: "Of the clipped objective; it is near 0 and noisy by nature.",
        y_label: "loss",
      },
    ],
  },
  {
    title: "Value and course",
    plots: [
      {
        column: "train/explained_variance",
        title: "Explained variance",
        says: "1: the value network predicts the returns; 0 or below: it knows nothing of them.",
        y_label: "of the returns",
      },
      {
        column: "train/value_loss",
        title: "Value loss",
        says: "Mean squared error of the predicted returns.",
        y_label: "loss",
      },
      {
        column: "rollout/ep_len_mean",
        title: "Episode length",
        says: "Steps of an episode, mean of the last ones.",
        y_label: "steps",
      },
      {
        column: "train/learning_rate",
        title: "Learning rate",
        says: "Step size of the optimiser, by its schedule.",
        y_label: "rate",
      },
    ],
  },
];

// A training of the process that serves the page, followed as it goes.
export function TrainingPage() {
  const session = useSession();
  const store = useRef(new TrainingStore()).current;
  const { connection, reload } = useStream(paths.training, store);
  useShownConnection(connection);
  const { training } = store;
  if (connection.kind === "refused") {
    const askToken = () => void session.askToken("Reading needs a token here.").then(reload);
    return (
      <>
        <h1>Training</h1>
        <Trouble error={connection.error} retry={reload} askToken={askToken} />
      </>
    );
  }
  if (!training) {
    return (
      <>
        <h1>Training</h1>
        <Loading what="the training" />
      </>
    );
  }
  const state = kStates[training.state];
  return (
    <>
      <div class="title">
        <h1>{training.environment}</h1>
        <Badge tone={state.tone}>{state.text}</Badge>
        <p class="faint">
          {training.algorithm}, seed {training.seed}, {training.is_live ? "began" : "last saved"}{" "}
          <Time at={training.began} />
        </p>
        <span class="spring" />
        <StopButton training={training} />
      </div>
      <Status store={store} training={training} />
      <Outcome training={training} />
      <div class="grid">
        <Live store={store} because={[training.began]}>
          {() => <RewardPanel store={store} training={training} />}
        </Live>
        {kPanels.map(({ title, plots }) => (
          <Panel key={title} title={title}>
            {plots.map((plot) => (
              <Live key={plot.column} store={store} because={[training.began]}>
                {() => <Curve store={store} plot={plot} empty="No update yet." />}
              </Live>
            ))}
          </Panel>
        ))}
        <SettingsPanel training={training} />
      </div>
    </>
  );
}

function StopButton({ training }: { training: Training }) {
  const session = useSession();
  const [is_asked, ask] = useState(false);
  if (training.state !== "training" && training.state !== "stopping") return null;
  const send = async () =>
    session.tell(await sendControl(paths.stop_training, kSaid, "To stop a training", session));
  return (
    <div class="row" role="group" aria-label="Controls">
      <button type="button" disabled={training.state === "stopping"} onClick={() => ask(true)}>
        Stop
      </button>
      {is_asked && (
        <ConfirmDialog
          title="Stop the training?"
          text={
            training.folder
              ? "It ends after the current update. The policy is saved, and hone train ppo --resume goes on with it."
              : "It ends after the current update. This training is kept nowhere (no --output), so its policy is lost."
          }
          action="Stop the training"
          done={(is_sure) => {
            ask(false);
            if (is_sure) void send();
          }}
        />
      )}
    </div>
  );
}

function Status({ store, training }: { store: TrainingStore; training: Training }) {
  const now = useNow(1000);
  const steps = store.updates > 0 ? store.last(kSteps) : training.steps;
  const share = training.total_steps > 0 ? steps / training.total_steps : 0;
  const is_training = training.state === "training";
  const known = store.updates > 0 ? store.at.at(store.updates - 1) : NaN;
  const elapsed = is_training ? (now - millis(training.began)) / 1000 : known;
  const speed = store.speed;
  const remaining = is_training ? (training.total_steps - steps) / speed : NaN;
  return (
    <section class="status" aria-label="Status">
      <dl>
        <Stat name="Steps" detail={`of ${training.total_steps.toLocaleString("en-US")}`}>
          {steps.toLocaleString("en-US")}
        </Stat>
        <Stat name="Updates">
          {store.updates > 0 ? store.last("train/n_updates").toLocaleString("en-US") : "0"}
        </Stat>
        <Stat
          name="Elapsed"
          detail={training.steps > 0 && is_training ? "since it was resumed" : undefined}
        >
          {durationText(elapsed)}
        </Stat>
        <Stat name="Remaining">{durationText(remaining)}</Stat>
        <Stat name="Speed" detail="steps a second">
          {Number.isFinite(speed) ? Math.round(speed).toLocaleString("en-US") : kNothing}
        </Stat>
        <Stat name="Mean reward" detail={windowText(training)}>
          {numberText(store.last(kReward))}
        </Stat>
        <Stat name="Best mean reward">{numberText(store.best)}</Stat>
      </dl>
      {is_training && (
        <progress
          value={Math.min(1, share)}
          max={1}
          aria-label={`Progress: ${Math.round(share * 100)} per cent`}
        />
      )}
    </section>
  );
}

function windowText(training: Training): string {
  return `of the last ${training.settings.stats_window_size ?? "100"} episodes`;
}

// How it ended, in one sentence.
function Outcome({ training }: { training: Training }) {
  const { score, folder } = training;
  if (training.state === "failed") {
    return (
      <section class="verdict is-open" aria-label="Outcome">
        <p class="verdict-sentence">It failed: {training.message}</p>
      </section>
    );
  }
  const is_done = training.state === "done";
  if (!is_done && training.state !== "stopped") return null;
  return (
    <section class={`verdict ${is_done ? "is-gain" : "is-open"}`} aria-label="Outcome">
      <p class="verdict-sentence">
        <span aria-hidden="true">{is_done ? "✓" : "○"}</span>{" "}
        {score
          ? `Score ${numberText(score.mean)} ± ${numberText(score.deviation)} over ${countText(score.episodes, "episode")} without exploration.`
          : "It was kept without a score."}
      </p>
      <p class="faint">
        {score && "The deviation is between the episodes of this one policy. "}
        {folder && `The policy and its curve are in ${folder}. `}
        {!is_done && folder && (
          <>
            To go on: <code>hone train ppo --resume {folder}</code>
          </>
        )}
      </p>
    </section>
  );
}

function RewardPanel({ store, training }: { store: TrainingStore; training: Training }) {
  return (
    <Panel title="Learning curve" wide>
      <Curve
        store={store}
        plot={{
          column: kReward,
          title: `Mean reward ${windowText(training)}`,
          says: "While it explores, before any normalisation.",
          y_label: "mean reward",
        }}
        height={300}
        empty="No episode has ended yet."
      />
    </Panel>
  );
}

const kMaxRows = 500;

function Curve(props: { store: TrainingStore; plot: Plot; height?: number; empty: string }) {
  const { store, plot } = props;
  const values = store.column(plot.column);
  const text = plot.is_share ? shareText : numberText;
  const steps = Array.from(store.column(kSteps).view());
  const y = Array.from(values.view(), (value) => (Number.isFinite(value) ? value : null));
  const known = y.some((value) => value !== null);
  return (
    <LinesFigure
      title={plot.title}
      caption={`${plot.says}${known ? ` Now ${text(store.last(plot.column))}.` : ""}`}
      x={steps}
      lines={[{ name: plot.y_label, colour: "blue", y }]}
      x_label="steps"
      x_text={numberText}
      y_label={plot.y_label}
      y_text={text}
      height={props.height}
      version={store.version}
      empty={known ? null : props.empty}
      table={() => ({
        head: ["Steps", plot.y_label],
        rows: steps
          .map((step, at) => [step.toLocaleString("en-US"), text(y[at] ?? NaN)])
          .slice(-kMaxRows),
        left_out: Math.max(0, steps.length - kMaxRows),
      })}
    />
  );
}

function SettingsPanel({ training }: { training: Training }) {
  return (
    <Panel title="Settings" hint="By their names in Stable-Baselines3.">
      <div class="scroll" role="region" aria-label="Settings" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(training.settings).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
