// SPDX-License-Identifier: Apache-2.0
import type { Campaign } from "../api/types";
import { LearningFigure } from "../plots/learning";
import { Panel } from "../parts/basics";
import type { CampaignStore } from "../store/campaign_store";
import { BestPanel } from "./campaign_best";
import { GatePanel, JournalPanel, LogPanel, MachinePanel, PressurePanel } from "./campaign_machine";
import { ParameterPanels } from "./campaign_parameters";
import { EpisodesFigure, FrontFigure, RaceFigure, StabilityFigure } from "./campaign_plots";
import { StatusBar, VerdictBanner } from "./campaign_status";
import { TrialsPanel } from "./campaign_trials";

export interface ViewProps {
  campaign: Campaign;
  store: CampaignStore;
  is_live: boolean;
}

// Everything about one campaign; the report shows the same.
export function CampaignView({ campaign, store, is_live }: ViewProps) {
  const props = { campaign, store, is_live };
  return (
    <>
      <StatusBar {...props} />
      <VerdictBanner {...props} />
      <div class="grid">
        <CampaignPlots {...props} />
        <BestPanel {...props} />
        <ParameterPanels {...props} />
        <TrialsPanel {...props} />
        <GatePanel {...props} />
        <PressurePanel {...props} />
        <JournalPanel {...props} />
        <LogPanel {...props} />
        <MachinePanel {...props} />
      </div>
    </>
  );
}

export function CampaignPlots(props: ViewProps) {
  return (
    <>
      <Panel title="Search" wide>
        <LearningFigure campaign={props.campaign} store={props.store} />
      </Panel>
      <Panel title="Race">
        <RaceFigure {...props} />
      </Panel>
      <Panel title="Performance and stability">
        <StabilityFigure {...props} />
      </Panel>
      {props.campaign.objectives.length > 1 && (
        <Panel title="Trade-off">
          <FrontFigure {...props} />
        </Panel>
      )}
      <Panel title="Over time">
        <EpisodesFigure {...props} />
      </Panel>
    </>
  );
}
