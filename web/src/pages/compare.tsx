// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useState } from "preact/hooks";
import { hrefs } from "../routes";
import type { Campaign } from "../api/types";
import { Empty, Loading, Panel, Time, Trouble } from "../parts/basics";
import { useSession } from "../parts/session";
import { Label, StateBadge } from "../parts/words";
import { IntervalTable } from "../plots/intervals";
import { LinesFigure } from "../plots/lines";
import type { CampaignStore } from "../store/campaign_store";
import { kSeries } from "../theme";
import { durationText, rewardText, shareText, shareOf, valueText } from "../text/format";
import { isLogRatio } from "../plots/learning";
import { bestOf } from "./campaign_best";
import { useCampaign } from "./use_campaign";

const kMaxShown = 6;

interface Entry {
  campaign: Campaign;
  store: CampaignStore;
}

export function ComparePage({ ids }: { ids: string[] }) {
  const shown = ids.slice(0, kMaxShown);
  const [entries, setEntries] = useState<Record<string, Entry & { version: number }>>({});
  const keep = useCallback((id: string, entry: Entry) => {
    const { version } = entry.store;
    setEntries((old) => {
      const is_known = old[id]?.version === version && old[id].campaign === entry.campaign;
      return is_known ? old : { ...old, [id]: { ...entry, version } };
    });
  }, []);
  if (shown.length < 2) {
    return (
      <>
        <h1>Compare</h1>
        <Empty>
          <p>
            Two campaigns or more are needed.{" "}
            <a href={hrefs.campaigns}>Choose them from the list.</a>
          </p>
        </Empty>
      </>
    );
  }
  const ready = shown.flatMap((id) => entries[id] ?? []);
  return (
    <>
      <h1>Compare</h1>
      {ids.length > kMaxShown && (
        <p class="hint">
          The first {kMaxShown} of {ids.length} are shown.
        </p>
      )}
      {shown.map((id) => (
        <Follow key={id} id={id} keep={keep} />
      ))}
      {ready.length >= 2 && <Comparison entries={ready} />}
    </>
  );
}

// Follows one campaign, and shows nothing itself but trouble.
function Follow({ id, keep }: { id: string; keep: (id: string, entry: Entry) => void }) {
  const session = useSession();
  const { campaign, store, error, reload } = useCampaign(id);
  useEffect(() => {
    if (campaign) keep(id, { campaign, store });
  }, [id, keep, campaign, store, store.version]);
  if (!campaign && error) {
    const askToken = () => void session.askToken("Reading needs a token here.").then(reload);
    return <Trouble error={error} retry={reload} askToken={askToken} />;
  }
  return campaign ? null : <Loading what={id} />;
}

function Comparison({ entries }: { entries: Entry[] }) {
  const version = entries
    .map((entry) => `${entry.campaign.line.id}${entry.store.version}`)
    .join("|");
  const warning = differences(entries);
  return (
    <div class="grid">
      <Panel title="Verdicts" wide hint={warning}>
        <div class="scroll" tabIndex={0} role="region" aria-label="Verdicts">
          <IntervalTable
            head="Campaign"
            detail_head="Verdict"
            effect_head="Gain with interval"
            rows={entries.map(({ campaign }) => ({
              name: <a href={hrefs.campaign(campaign.line.id)}>{campaign.line.id}</a>,
              detail: campaign.line.verdict?.sentence ?? "no verdict yet",
              interval: campaign.line.verdict?.gain ?? null,
              absent: "none",
            }))}
          />
        </div>
      </Panel>
      <Panel title="Best so far" wide>
        <BestCurves entries={entries} version={version} />
      </Panel>
      <Panel title="Side by side" wide>
        <SideBySide entries={entries} />
      </Panel>
      <Panel title="Best configurations" wide>
        <Configurations entries={entries} />
      </Panel>
    </div>
  );
}

// Why the numbers may not be comparable.
export function differences(entries: Entry[]): string | undefined {
  const distinct = (of: (entry: Entry) => string) => new Set(entries.map(of)).size > 1;
  const found: string[] = [];
  if (distinct((entry) => entry.campaign.line.domain)) found.push("domains");
  if (distinct((entry) => entry.campaign.line.workload)) found.push("workloads");
  if (distinct((entry) => entry.campaign.line.objectives.join())) found.push("objectives");
  if (distinct((entry) => entry.campaign.machine["cpu"] ?? "")) found.push("processors");
  if (distinct((entry) => entry.campaign.machine["kernel"] ?? "")) found.push("kernels");
  return found.length === 0 ? undefined : `Compare with care: different ${found.join(", ")}.`;
}

function BestCurves({ entries, version }: { entries: Entry[]; version: string }) {
  const longest = Math.max(...entries.map(({ store }) => store.trials.length));
  const step = Math.max(1, Math.ceil(longest / 2000));
  const x: number[] = [];
  for (let at = 0; at < longest; at += step) x.push(at);
  const lines = entries.map(({ campaign, store }, which) => {
    return {
      name: campaign.line.id,
      colour: kSeries[which % kSeries.length] ?? "blue",
      is_dashed: which % 2 === 1,
      is_stepped: true,
      y: x.map((at) => {
        const value = store.best_mean.at(at);
        return Number.isNaN(value) ? null : value;
      }),
    };
  });
  const is_share = entries.every(({ campaign }) => campaign.reward_is_share);
  const last = (y: (number | null)[]) => [...y].reverse().find((value) => value !== null) ?? null;
  return (
    <LinesFigure
      title="Best estimate so far, by trial"
      caption={
        lines.map((line) => `${line.name}: ${rewardText(last(line.y), is_share)}`).join("; ") +
        ". Estimates of the search, not proofs."
      }
      x={x}
      lines={lines}
      x_label="trial"
      y_label="reward"
      y_text={(value) => rewardText(value, is_share)}
      must_y={[0]}
      height={280}
      version={version}
      empty={longest === 0 ? "None of them has tried anything yet." : null}
      table={() => ({
        head: ["Trial", ...lines.map((line) => line.name)],
        rows: x
          .slice(0, 500)
          .map((at, row) => [at, ...lines.map((line) => rewardText(line.y[row], is_share))]),
        left_out: Math.max(0, x.length - 500),
      })}
    />
  );
}

type Row = [string, (entry: Entry) => preact.ComponentChildren];

function SideBySide({ entries }: { entries: Entry[] }) {
  const has_labels = entries.some(({ campaign }) => campaign.line.label !== "");
  const labels: Row[] = [["Label", ({ campaign }) => <Label line={campaign.line} />]];
  const rows: Row[] = [
    ...(has_labels ? labels : []),
    ["State", ({ campaign }) => <StateBadge line={campaign.line} />],
    ["Domain", ({ campaign }) => campaign.line.domain],
    ["Workload", ({ campaign }) => campaign.line.workload],
    ["Engine", ({ campaign }) => campaign.line.engine],
    ["Objectives", ({ campaign }) => campaign.line.objectives.join(", ")],
    ["Started", ({ campaign }) => <Time at={campaign.line.created} />],
    [
      "Trials",
      ({ campaign, store }) =>
        `${Math.max(store.trials.length, campaign.line.trials)} of ${campaign.line.most_trials}`,
    ],
    ["Runs", ({ store }) => store.runs.toLocaleString("en-US")],
    ["Measured", ({ store }) => durationText(store.measured_s)],
    [
      "Noise of a pair",
      ({ campaign }) => shareText(shareOf(campaign.gate?.noise ?? null, isLogRatio(campaign))),
    ],
    ["Kernel", ({ campaign }) => campaign.machine["kernel"] ?? "–"],
    ["Processor", ({ campaign }) => campaign.machine["cpu"] ?? "–"],
  ];
  return (
    <EntryTable
      label="Side by side"
      entries={entries}
      rows={rows.map(([name, cell]) => ({ name, cells: entries.map(cell), is_different: false }))}
    />
  );
}

function Configurations({ entries }: { entries: Entry[] }) {
  const bests = entries.map(({ campaign, store }) => bestOf(campaign, store));
  const names = [...new Set(bests.flatMap((best) => Object.keys(best?.assignment ?? {})))].sort();
  if (names.length === 0) return <p class="empty">None of them has a candidate yet.</p>;
  const rows = names.map((name) => {
    const cells = bests.map((best) => valueText(best?.assignment[name]));
    return { name, cells, is_different: new Set(cells).size > 1 };
  });
  return <EntryTable label="Best configurations" entries={entries} rows={rows} />;
}

function EntryTable(props: {
  label: string;
  entries: Entry[];
  rows: { name: string; cells: preact.ComponentChildren[]; is_different: boolean }[];
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.label}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">What</span>
            </th>
            {props.entries.map(({ campaign }) => (
              <th scope="col" key={campaign.line.id}>
                {campaign.line.id}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.name} class={row.is_different ? "is-different" : ""}>
              <th scope="row">{row.name}</th>
              {row.cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
