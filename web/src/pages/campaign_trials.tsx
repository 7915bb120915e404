// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Trial } from "../api/events";
import { Panel } from "../parts/basics";
import { usePaced } from "../parts/hooks";
import { OutcomeBadge } from "../parts/words";
import { countText, estimateText } from "../text/format";
import type { ViewProps } from "./view_props";

const kPageSize = 20;

type Order = "best" | "newest" | "failed";

export function ordered(trials: Trial[], order: Order): Trial[] {
  const known = trials.filter((trial): trial is Trial => Boolean(trial));
  if (order === "newest") return known.reverse();
  if (order === "failed") return known.filter((trial) => trial.outcome !== "accepted").reverse();
  return known.sort((a, b) => (b.reward?.mean ?? -Infinity) - (a.reward?.mean ?? -Infinity));
}

export function TrialsPanel({ campaign, store }: ViewProps) {
  const [order, setOrder] = useState<Order>("best");
  const [page, setPage] = useState(0);
  const found = usePaced(`${store.version}${order}`, () => ordered(store.trials.slice(), order));
  const pages = Math.max(1, Math.ceil(found.length / kPageSize));
  const at = Math.min(page, pages - 1);
  return (
    <Panel
      title="Trials"
      wide
      actions={
        <label class="inline">
          Order{" "}
          <select
            value={order}
            onChange={(event) => {
              setOrder(event.currentTarget.value as Order);
              setPage(0);
            }}
          >
            <option value="best">best first</option>
            <option value="newest">newest first</option>
            <option value="failed">failed only</option>
          </select>
        </label>
      }
    >
      {found.length === 0 ? (
        <p class="empty">{order === "failed" ? "No trial failed." : "Nothing was tried yet."}</p>
      ) : (
        <TrialTable
          trials={found.slice(at * kPageSize, (at + 1) * kPageSize)}
          is_share={campaign.reward_is_share}
        />
      )}
      {pages > 1 && (
        <p class="row">
          <button type="button" disabled={at === 0} onClick={() => setPage(at - 1)}>
            Previous
          </button>
          <span class="hint">
            {at + 1} of {countText(pages, "page")}
          </span>
          <button type="button" disabled={at >= pages - 1} onClick={() => setPage(at + 1)}>
            Next
          </button>
        </p>
      )}
    </Panel>
  );
}

function TrialTable({ trials, is_share }: { trials: Trial[]; is_share: boolean }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Trials">
      <table>
        <thead>
          <tr>
            <th scope="col">Trial</th>
            <th scope="col">Reward ±2 se</th>
            <th scope="col">Pairs</th>
            <th scope="col">Outcome</th>
            <th scope="col">Race</th>
            <th scope="col">Changes</th>
          </tr>
        </thead>
        <tbody>
          {trials.map((trial) => (
            <tr key={trial.number}>
              <th scope="row">{trial.number}</th>
              <td class="number">{estimateText(trial.reward, is_share)}</td>
              <td class="number">{trial.reward?.count ?? 0}</td>
              <td>
                <OutcomeBadge outcome={trial.outcome} />
              </td>
              <td>
                {trial.race}
                {trial.is_finalist ? " · finalist" : ""}
                {trial.is_within_limits ? "" : " · breaks a limit"}
              </td>
              <td class="changes">{trial.reason || trial.changes}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
