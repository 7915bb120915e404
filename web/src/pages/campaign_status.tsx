// SPDX-License-Identifier: Apache-2.0
import type { Estimate, Verdict } from "../api/records";
import { Stat, type Tone } from "../parts/basics";
import { useNow } from "../parts/hooks";
import { Limits } from "../parts/limits";
import { kVerdicts } from "../parts/words";
import { isLogRatio } from "../plots/learning";
import {
  countText,
  durationText,
  intervalOf,
  kNothing,
  metricInterval,
  numberText,
  pText,
  rangeText,
  rewardText,
  shareOf,
  shareText,
  signedShareText,
} from "../text/format";
import { millis } from "../text/time";
import type { ViewProps } from "./view_props";

const kPhases: Record<string, string> = {
  gate: "A/A gate",
  search: "search",
  trial: "search",
  finals: "finals",
  proof: "proof",
  ablation: "ablation",
};

interface Proven {
  name: string;
  text: string;
  detail: string;
  tone: Tone;
}

function provenName({ kind, proof, front }: Verdict): string {
  if (kind === "suspicious") return "Proven on fresh runs, but suspicious";
  if (kind === "gain" || kind === "front") return "Proven on fresh runs";
  const is_measured = front.length > 0 || (proof?.reward.count ?? 0) > 0;
  return is_measured ? "Measured on fresh runs" : "Verdict";
}

// What fresh runs have shown, with the sign of the terminal; null before there is a verdict, and
// where nothing was measured from which one could say anything.
export function provenOf({ campaign, store }: ViewProps): Proven | null {
  const verdict = store.verdict ?? campaign.verdict;
  if (!verdict) return null;
  const { kind, proof } = verdict;
  const named = { name: provenName(verdict), tone: kVerdicts[kind].tone };
  if (verdict.front.length > 0) {
    const better = verdict.front.filter((point) => point.is_gain).length;
    const text = countText(better, "point");
    return { ...named, text, detail: "of a trade-off, better in some objective" };
  }
  if (!proof || proof.reward.count === 0) {
    if (kind === "not_enough" || kind === "does_not_run") return null;
    const detail = proof ? "the winner failed its proof" : "nothing was worth a proof";
    return { ...named, text: "no gain", detail };
  }
  const only = campaign.objectives.length === 1 ? campaign.objectives[0] : undefined;
  const is_log = isLogRatio(campaign);
  const gain = intervalOf(proof.reward, is_log, campaign.confidence);
  const change = metricInterval(gain, is_log && only?.direction === "lower_is_better");
  const sure = `${numberText(100 * campaign.confidence)} %`;
  return {
    ...named,
    text: signedShareText(change.effect),
    detail: `${only?.metric ?? "over all objectives"}, ${sure}: ${rangeText(change.low, change.high)}`,
  };
}

export function StatusBar({ campaign, store, is_live }: ViewProps) {
  const now = useNow(1000);
  const { line } = campaign;
  const progress = store.progress;
  const best = store.best === null ? undefined : store.trials[store.best];
  const best_reward = best?.reward ?? progress?.best?.reward ?? null;
  const is_share = campaign.reward_is_share;
  const current = currentOf({ campaign, store, is_live });
  const proven = provenOf({ campaign, store, is_live });
  const elapsed = is_live
    ? (progress?.elapsed_s ?? (now - millis(line.created)) / 1000)
    : (millis(line.updated) - millis(line.created)) / 1000;
  const share =
    progress && progress.planned > 0 ? Math.min(1, progress.done / progress.planned) : null;
  return (
    <section class="status" aria-label="Status">
      <dl>
        {proven && (
          <Stat name={proven.name} detail={proven.detail} tone={proven.tone} is_loud>
            {proven.text}
          </Stat>
        )}
        <Stat name="Phase" detail={progress?.message || undefined}>
          {phaseText({ campaign, store, is_live })}
        </Stat>
        <Stat
          name="Trial"
          detail={store.added > 0 ? `and ${store.added} of the finals` : undefined}
        >
          {is_live ? store.asked : line.trials} <span class="faint">of {line.most_trials}</span>
        </Stat>
        <Stat
          name="Elapsed"
          detail={`measured ${durationText(progress?.measured_s ?? store.measured_s)}`}
        >
          {durationText(elapsed)}
        </Stat>
        <Stat name="Remaining" detail={is_live ? "at most, as planned" : undefined}>
          {is_live ? durationText(progress?.remaining_s) : kNothing}
        </Stat>
        {!proven && (
          <Stat name={is_live ? "Current reward" : "Last reward"} detail={current.detail}>
            {current.text}
          </Stat>
        )}
        <Stat
          name="Search's best, an estimate"
          detail={reachText(best_reward, is_share, best?.number ?? null)}
        >
          <span class={proven ? "stat-text" : ""}>{rewardText(best_reward?.mean, is_share)}</span>
        </Stat>
        <Stat name="Runs">{(progress?.runs ?? store.runs).toLocaleString("en-US")}</Stat>
        {store.journal && (
          <Stat name="Journal" tone={store.journal.is_clean ? "calm" : "good"}>
            <span class="stat-text">{store.journal.sentence}</span>
          </Stat>
        )}
      </dl>
      {is_live && share !== null && (
        <progress
          value={share}
          max={1}
          aria-label={`Progress of the phase: ${Math.round(share * 100)} per cent`}
        />
      )}
    </section>
  );
}

function phaseText({ campaign, store, is_live }: ViewProps): string {
  const control = store.progress?.control;
  if (!is_live)
    return campaign.line.state === "done" || store.verdict ? "done" : campaign.line.state;
  if (control === "paused" || control === "pausing" || control === "stopping") return control;
  const phase = store.progress?.phase ?? store.latest_phase;
  return kPhases[phase] ?? (phase || "starting");
}

function currentOf({ campaign, store, is_live }: ViewProps): { text: string; detail?: string } {
  const is_share = campaign.reward_is_share;
  const current = is_live ? store.progress?.current : null;
  const last = store.trials[store.trials.length - 1];
  const reward = current ? current.reward : (last?.reward ?? null);
  const number = current ? current.trial : (last?.number ?? null);
  return { text: rewardText(reward?.mean, is_share), detail: reachText(reward, is_share, number) };
}

// "± 3.4 %, trial 51"
function reachText(reward: Estimate | null, is_share: boolean, trial: number | null): string {
  const reach = reward ? 2 * (reward.standard_error ?? NaN) : NaN;
  const parts: string[] = [];
  if (Number.isFinite(reach)) parts.push(`± ${is_share ? shareText(reach) : numberText(reach)}`);
  if (trial !== null) parts.push(`trial ${trial}`);
  return parts.join(", ");
}

// The verdict in one sentence, and what it rests on.
export function VerdictBanner({ campaign, store, is_live }: ViewProps) {
  const verdict = store.verdict ?? campaign.verdict;
  const line = campaign.line.verdict;
  if (!verdict && !line) {
    return is_live ? null : (
      <section class="verdict is-open" aria-label="Verdict">
        <p class="verdict-sentence">No verdict: the campaign was stopped before its end.</p>
        <p>
          {campaign.line.last_error && <>{campaign.line.last_error} </>}
          To go on: <code>hone resume {campaign.line.id} --dashboard</code>
        </p>
      </section>
    );
  }
  const kind = verdict?.kind ?? line?.kind ?? "no_gain";
  return (
    <section class={`verdict is-${kind}`} aria-label="Verdict">
      <p class="verdict-sentence">
        <span aria-hidden="true">{kVerdicts[kind].sign}</span>{" "}
        {sentenceOf({ campaign, store, is_live })}
      </p>
      <p class="faint">{verdict && detailsOf(verdict, campaign)}</p>
      <Limits checks={verdict?.proof?.limits ?? []} confidence={campaign.confidence} />
      {verdict?.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {campaign.suspicions.map((text) => (
        <p key={text} class="warn">
          {text}
        </p>
      ))}
      {verdict?.output?.map(({ what, text }) => (
        <figure key={what} class="output">
          <figcaption class="faint">{what}</figcaption>
          <pre>{text}</pre>
        </figure>
      ))}
      {campaign.aftermath && <p>{campaign.aftermath}</p>}
    </section>
  );
}

function sentenceOf({ campaign, store }: ViewProps): string {
  return store.sentence || campaign.line.verdict?.sentence || store.verdict?.reason || "";
}

function detailsOf(verdict: Verdict, campaign: ViewProps["campaign"]): string {
  const parts: string[] = [];
  if (verdict.reason && verdict.reason !== campaign.line.verdict?.sentence)
    parts.push(verdict.reason);
  if (verdict.proof) {
    parts.push(`${pText(verdict.proof.adjusted_p)}, ${verdict.proof.reward.count} fresh pairs.`);
    if (verdict.proof.failure) parts.push(verdict.proof.failure);
  }
  const detectable = shareOf(verdict.detectable, isLogRatio(campaign));
  const gain = verdict.front.length > 0 ? "a gain of one objective" : "a gain";
  if (detectable)
    parts.push(
      `The proof would have shown ${gain} of ${shareText(detectable)} in 8 of 10 cases, had the search found it.`,
    );
  return parts.join(" ");
}
