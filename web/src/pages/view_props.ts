// SPDX-License-Identifier: Apache-2.0
import type { Campaign } from "../api/types";
import type { CampaignStore } from "../store/campaign_store";

// What every part of a campaign's page is shown from.
export interface ViewProps {
  campaign: Campaign;
  store: CampaignStore;
  is_live: boolean;
}
