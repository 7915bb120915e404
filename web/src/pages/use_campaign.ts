// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, paths } from "../api/client";
import { EventStream, type StreamState } from "../api/stream";
import type { Campaign } from "../api/types";
import { useFetched, usePacedRender } from "../parts/hooks";
import { CampaignStore } from "../store/campaign_store";

const kReadMs = 1000; // Until a long history is read.

export interface CampaignUse {
  campaign: Campaign | null;
  store: CampaignStore;
  connection: StreamState;
  error: ApiError | null;
  reload: () => void;
}

// A campaign and its events, followed as long as the page shows it.
export function useCampaign(id: string): CampaignUse {
  const { value, error, reload } = useFetched<Campaign>(paths.campaign(id));
  const [connection, setConnection] = useState<StreamState>({ kind: "connecting" });
  const store = useRef(new CampaignStore()).current;
  const render = usePacedRender(() => store.notify());
  useEffect(() => {
    if (!value || value.is_read) return;
    const timer = setTimeout(reload, kReadMs);
    return () => clearTimeout(timer);
  }, [value]);
  const is_lost = value === null && error !== null; // Then there is nothing to follow.
  useEffect(() => {
    if (is_lost) return;
    let stage = "";
    const stream = new EventStream({
      path: paths.events(id),
      lastId: () => store.last_id,
      take: (message) => {
        const is_taken = store.take(message);
        const now = `${store.progress?.phase ?? ""}|${store.progress?.control ?? ""}|${store.verdict !== null}|${store.has_ended}`;
        if (stage !== "" && now !== stage) reload();
        stage = now;
        render();
        return is_taken;
      },
      onState: (state) => {
        setConnection(state);
        render();
      },
    });
    return () => stream.close();
  }, [id, is_lost]);
  return { campaign: value, store, connection, error, reload };
}
