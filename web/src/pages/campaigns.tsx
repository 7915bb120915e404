// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { paths } from "../api/client";
import type { CampaignLine } from "../api/types";
import { Empty, Loading, Time, Trouble } from "../parts/basics";
import { useNow } from "../parts/hooks";
import { useSession } from "../parts/session";
import { useWatched } from "../parts/use_stream";
import { kVerdicts, Label, LineWords, StateBadge } from "../parts/words";
import { hrefs } from "../routes";
import { foldCampaigns } from "../store/watched";
import { countText, rangeText, signedShareText } from "../text/format";
import { ageText } from "../text/time";

const kPageSize = 100;

export interface CampaignFilter {
  text: string;
  state: string;
  domain: string;
}

export function matches(line: CampaignLine, filter: CampaignFilter): boolean {
  if (filter.domain !== "" && line.domain !== filter.domain) return false;
  const state = line.state === "done" ? (line.verdict?.kind ?? "done") : line.state;
  if (filter.state !== "" && state !== filter.state) return false;
  const words = `${line.id} ${line.label} ${line.domain} ${line.workload} ${line.engine} ${line.objectives.join(" ")}`;
  return filter.text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.toLowerCase().includes(word));
}

// `opens_running`: where one campaign runs, it is what the reader came for.
export function CampaignsPage({ opens_running }: { opens_running?: boolean }) {
  const session = useSession();
  const { value, error, reload } = useWatched(paths.campaign_list, foldCampaigns);
  const is_decided = useRef(false);
  useEffect(() => {
    if (!value || is_decided.current) return;
    is_decided.current = true;
    const running = value.filter((line) => line.state === "running");
    if (opens_running && running.length === 1 && running[0])
      location.replace(hrefs.campaign(running[0].id));
  }, [value, opens_running]);
  const askToken = () => void session.askToken("Reading needs a token here.").then(reload);
  return (
    <>
      <h1>Campaigns</h1>
      {error && <Trouble error={error} retry={reload} askToken={askToken} />}
      {!error && !value && <Loading what="the campaigns" />}
      {value && value.length === 0 && <NoCampaigns />}
      {value && value.length > 0 && <CampaignList lines={value} />}
    </>
  );
}

function NoCampaigns() {
  return (
    <Empty>
      <h2>There are no campaigns in this store yet</h2>
      <p>Start one, and it appears here:</p>
      <pre class="verbatim">hone tune toy --dashboard</pre>
    </Empty>
  );
}

function CampaignList({ lines }: { lines: CampaignLine[] }) {
  const [filter, setFilter] = useState<CampaignFilter>({ text: "", state: "", domain: "" });
  const [chosen, choose] = useState<string[]>([]);
  const [max, setMax] = useState(kPageSize);
  const found = useMemo(() => lines.filter((line) => matches(line, filter)), [lines, filter]);
  const toggle = (id: string) =>
    choose((old) => (old.includes(id) ? old.filter((other) => other !== id) : [...old, id]));
  return (
    <>
      <Filters lines={lines} filter={filter} setFilter={setFilter} />
      <div class="row compare-bar">
        <p class="hint" role="status">
          {countText(found.length, "campaign")}
          {found.length < lines.length ? ` of ${lines.length}` : ""}
          {chosen.length > 0 ? `, ${chosen.length} chosen` : ""}
        </p>
        <span class="spring" />
        {chosen.length >= 2 ? (
          <a class="button primary" href={hrefs.compare(chosen)}>
            Compare {chosen.length}
          </a>
        ) : (
          <span class="hint">Choose two or more to compare them.</span>
        )}
      </div>
      {found.length === 0 ? (
        <Empty>
          <p>No campaign matches. Change the filters above.</p>
        </Empty>
      ) : (
        <ul class="cards" aria-label="Campaigns">
          {found.slice(0, max).map((line) => (
            <Card
              key={line.id}
              line={line}
              is_chosen={chosen.includes(line.id)}
              toggle={() => toggle(line.id)}
            />
          ))}
        </ul>
      )}
      {found.length > max && (
        <p>
          <button type="button" onClick={() => setMax(max + kPageSize)}>
            Show {Math.min(kPageSize, found.length - max)} more
          </button>
        </p>
      )}
    </>
  );
}

function Filters(props: {
  lines: CampaignLine[];
  filter: CampaignFilter;
  setFilter: (filter: CampaignFilter) => void;
}) {
  const { filter, setFilter } = props;
  const domains = [...new Set(props.lines.map((line) => line.domain))].sort();
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search
        <input
          type="search"
          value={filter.text}
          placeholder="id, label, workload …"
          onInput={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
        />
      </label>
      <label>
        State
        <select
          value={filter.state}
          onChange={(event) => setFilter({ ...filter, state: event.currentTarget.value })}
        >
          <option value="">all</option>
          <option value="running">running</option>
          <option value="stopped">stopped</option>
          {Object.entries(kVerdicts).map(([kind, { word }]) => (
            <option key={kind} value={kind}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label>
        Domain
        <select
          value={filter.domain}
          onChange={(event) => setFilter({ ...filter, domain: event.currentTarget.value })}
        >
          <option value="">all</option>
          {domains.map((domain) => (
            <option key={domain} value={domain}>
              {domain}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

function Card(props: { line: CampaignLine; is_chosen: boolean; toggle: () => void }) {
  const { line } = props;
  const now = useNow(15000);
  const gain = line.verdict?.gain ?? null;
  const share = line.most_trials > 0 ? Math.min(1, line.trials / line.most_trials) : 0;
  return (
    <li class={`card ${props.is_chosen ? "is-chosen" : ""}`}>
      <input
        type="checkbox"
        checked={props.is_chosen}
        onChange={props.toggle}
        aria-label={`Choose ${line.id} to compare`}
      />
      <div class="card-name">
        <a href={hrefs.campaign(line.id)}>{line.id}</a>
        <Label line={line} />
        <StateBadge line={line} />
        <span class="faint">
          <LineWords line={line} /> · {line.objectives.join(", ")}
        </span>
      </div>
      <div class="card-gain">
        {gain ? (
          <>
            <strong>{signedShareText(gain.effect)}</strong>
            <span class="faint"> {rangeText(gain.low, gain.high)}</span>
          </>
        ) : (
          <span class="faint">{gainless(line)}</span>
        )}
      </div>
      <div class="card-trials">
        {line.trials} of {line.most_trials} trials
        {line.state === "running" && <progress value={share} max={1} aria-label="Trials done" />}
      </div>
      <div class="card-age">
        <span class="faint">{ageText(line.updated, now)}</span> <Time at={line.created} />
      </div>
      {line.last_error && <p class="card-error">{line.last_error}</p>}
    </li>
  );
}

function gainless(line: CampaignLine): string {
  if (line.verdict?.kind === "no_gain") return "no gain that can be shown";
  if (line.verdict) return line.verdict.sentence;
  return line.state === "running" ? "no verdict yet" : "no verdict";
}
