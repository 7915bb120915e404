// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { paths } from "../api/client";
import type { Campaign, Control } from "../api/types";
import { sendControl } from "../parts/control";
import { ConfirmDialog, useSession } from "../parts/session";
import type { CampaignStore } from "../store/campaign_store";

type Verb = "pause" | "resume" | "stop" | "restore";

const kQuestions: Partial<Record<Verb, { title: string; text: string; action: string }>> = {
  stop: {
    title: "Stop the search?",
    text: "The search ends after the current run, and the verdict is given on what there is.",
    action: "Stop the search",
  },
  restore: {
    title: "Restore now?",
    text: "The campaign ends at once without a verdict, and every parameter gets its original value back. hone resume can go on with it later.",
    action: "Restore now",
  },
};

const kSaid: Record<Control, string> = {
  running: "The campaign goes on.",
  pausing: "It pauses after the current run.",
  paused: "The campaign is paused.",
  stopping: "It is stopping.",
  done: "The campaign is done.",
};

export function Controls(props: { campaign: Campaign; store: CampaignStore; reload: () => void }) {
  const session = useSession();
  const [asked, ask] = useState<Verb | null>(null);
  const [is_busy, setBusy] = useState(false);
  const { campaign, store } = props;
  if (!campaign.is_live || store.has_ended || store.progress?.control === "done") return null;
  const control = store.progress?.control ?? "running";
  const send = async (verb: Verb) => {
    setBusy(true);
    try {
      const path = paths.control(campaign.line.id, verb);
      session.tell(await sendControl(path, kSaid, `To ${verb} a campaign`, session));
    } finally {
      setBusy(false);
    }
  };
  const choose = (verb: Verb) => (kQuestions[verb] ? ask(verb) : void send(verb));
  const question = asked && kQuestions[asked];
  const is_paused = control === "paused" || control === "pausing";
  return (
    <div class="row" role="group" aria-label="Controls">
      <button
        type="button"
        disabled={is_busy || control === "stopping"}
        onClick={() => choose(is_paused ? "resume" : "pause")}
      >
        {is_paused ? "Resume" : "Pause"}
      </button>
      <button
        type="button"
        disabled={is_busy || control === "stopping"}
        onClick={() => choose("stop")}
      >
        Stop
      </button>
      <button type="button" class="danger" disabled={is_busy} onClick={() => choose("restore")}>
        Restore now
      </button>
      {asked && question && (
        <ConfirmDialog
          {...question}
          done={(is_sure) => {
            ask(null);
            if (is_sure) void send(asked);
          }}
        />
      )}
    </div>
  );
}
