// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "preact/hooks";
import { type ApiError, paths } from "../api/client";
import type { StreamState } from "../api/stream";
import type { Campaign } from "../api/types";
import { useFetched } from "../parts/hooks";
import { useStream } from "../parts/use_stream";
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
  const store = useRef(new CampaignStore()).current;
  const stage = useRef("");
  useEffect(() => {
    if (!value || value.is_read) return;
    const timer = setTimeout(reload, kReadMs);
    return () => clearTimeout(timer);
  }, [value, reload]);
  const is_lost = value === null && error !== null; // Then there is nothing to follow.
  const { connection } = useStream(is_lost ? null : paths.events(id), store, () => {
    const now = `${store.progress?.phase ?? ""}|${store.progress?.control ?? ""}|${store.verdict !== null}|${store.has_ended}`;
    if (stage.current !== "" && now !== stage.current) reload();
    stage.current = now;
  });
  return { campaign: value, store, connection, error, reload };
}
