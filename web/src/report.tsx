// SPDX-License-Identifier: Apache-2.0
// The plots of `hone report`: the same as on the campaign's page, from a document in the file.
// Without script the file still has its text and tables.
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import type { Campaign } from "./api/types";
import { ReportView } from "./pages/campaign_view";
import { drawEverything } from "./plots/figure";
import { CampaignStore } from "./store/campaign_store";
import "./style/tokens.css";
import "./style/parts";
import "./style/report.css";
import { startTheme, takeInkFrom } from "./theme";

interface ReportDocument {
  campaign: Campaign;
  events: { id?: number; kind: string; data: unknown }[];
}

function start(): void {
  const source = document.getElementById("campaign");
  const place = document.getElementById("plots");
  if (!source || !place) return;
  const { campaign, events } = JSON.parse(source.textContent ?? "") as ReportDocument;
  const store = new CampaignStore();
  for (const { kind, data } of events) store.foldValue(kind, data);
  store.has_ended = true;
  ++store.version;
  takeInkFrom(place);
  startTheme();
  drawEverything();
  render(<ReportView campaign={campaign} store={store} is_live={false} />, place);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
