// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { ApiError, paths, post } from "../api/client";
import type { Campaign, Control } from "../api/types";
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
      session.tell(await sendControl(campaign.line.id, verb, session.askToken));
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

// What to tell the reader; a refusal for want of a token asks for one, and tries once more.
async function sendControl(
  id: string,
  verb: Verb,
  askToken: (why: string) => Promise<boolean>,
): Promise<string> {
  for (let attempt = 0; ; ++attempt) {
    try {
      const { control } = await post<{ control: Control }>(paths.control(id, verb));
      return kSaid[control] ?? control;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!error.needsToken || attempt > 0) return `Refused: ${error.message}`;
      const why = `To ${verb} a campaign needs a token of the role admin: a line of the file "tokens" beside the store.`;
      if (!(await askToken(why))) return "Nothing was done: it needs a token of the role admin.";
    }
  }
}
