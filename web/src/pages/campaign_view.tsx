// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { LearningFigure } from "../plots/learning";
import { Panel } from "../parts/basics";
import { Live } from "../parts/live";
import { BestPanel } from "./campaign_best";
import { CounterPanel } from "./campaign_counters";
import { FrontPanel } from "./campaign_front";
import { GatePanel, JournalPanel, LogPanel, MachinePanel } from "./campaign_machine";
import {
  AblationPanel,
  ImportancePanel,
  ParallelPanel,
  ParameterPanel,
} from "./campaign_parameters";
import { EpisodesFigure, StabilityFigure } from "./campaign_plots";
import { PressurePanel } from "./campaign_pressure";
import { ProofPanel } from "./campaign_proof";
import { RaceFigure } from "./campaign_race";
import { RunsPanel } from "./campaign_runs";
import { StatusBar, VerdictBanner } from "./campaign_status";
import { TrialsPanel } from "./campaign_trials";
import type { ViewProps } from "./view_props";

type Part = (props: ViewProps) => ComponentChildren;

const kParts: Part[] = [
  SearchPanel,
  RacePanel,
  StabilityPanel,
  FrontPanel,
  EpisodesPanel,
  BestPanel,
  CounterPanel,
  ParallelPanel,
  ImportancePanel,
  AblationPanel,
  ParameterPanel,
  TrialsPanel,
  RunsPanel,
  GatePanel,
  PressurePanel,
  JournalPanel,
  LogPanel,
  MachinePanel,
];

// What the report shows besides its own text and tables.
const kReportParts: Part[] = [
  ProofPanel,
  SearchPanel,
  RacePanel,
  StabilityPanel,
  FrontPanel,
  EpisodesPanel,
  ParallelPanel,
  ImportancePanel,
  AblationPanel,
  ParameterPanel,
  GatePanel,
];

// Everything about one campaign.
export function CampaignView(props: ViewProps) {
  return (
    <>
      <StatusBar {...props} />
      <VerdictBanner {...props} />
      <Parts parts={kParts} {...props} />
    </>
  );
}

export function ReportView(props: ViewProps) {
  return <Parts parts={kReportParts} {...props} />;
}

function Parts({ parts, ...props }: ViewProps & { parts: Part[] }) {
  return (
    <div class="grid">
      {parts.map((Part) => (
        <Live key={Part.name} store={props.store} because={[props.campaign, props.is_live]}>
          {() => <Part {...props} />}
        </Live>
      ))}
    </div>
  );
}

function SearchPanel({ campaign, store }: ViewProps) {
  return (
    <Panel title="Search" wide>
      <LearningFigure campaign={campaign} store={store} />
    </Panel>
  );
}

function RacePanel(props: ViewProps) {
  return (
    <Panel title="Race">
      <RaceFigure {...props} />
    </Panel>
  );
}

function StabilityPanel(props: ViewProps) {
  return (
    <Panel title="Performance and stability">
      <StabilityFigure {...props} />
    </Panel>
  );
}

function EpisodesPanel(props: ViewProps) {
  return (
    <Panel title="Over time">
      <EpisodesFigure {...props} />
    </Panel>
  );
}
