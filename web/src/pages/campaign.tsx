// SPDX-License-Identifier: Apache-2.0
import { Loading, Trouble } from "../parts/basics";
import { useSession, useShownConnection } from "../parts/session";
import { Label, LineWords, StateBadge } from "../parts/words";
import { CampaignView } from "./campaign_view";
import { Controls } from "./campaign_controls";
import { useCampaign } from "./use_campaign";

export function CampaignPage({ id }: { id: string }) {
  const session = useSession();
  const { campaign, store, connection, error, reload } = useCampaign(id);
  useShownConnection(connection);
  const askToken = () => void session.askToken("Reading needs a token here.").then(reload);
  if (!campaign) {
    return (
      <>
        <h1>{id}</h1>
        {error ? (
          <Trouble error={error} retry={reload} askToken={askToken} />
        ) : (
          <Loading what="the campaign" />
        )}
      </>
    );
  }
  const { line } = campaign;
  return (
    <>
      <div class="title">
        <h1>{line.id}</h1>
        <Label line={line} />
        <StateBadge line={line} />
        <p class="faint">
          <LineWords line={line} />
        </p>
        <span class="spring" />
        <Controls campaign={campaign} store={store} reload={reload} />
      </div>
      {campaign.note && <p class="note">{campaign.note}</p>}
      {connection.kind === "refused" && (
        <Trouble error={connection.error} retry={() => location.reload()} askToken={askToken} />
      )}
      <CampaignView
        campaign={campaign}
        store={store}
        is_live={line.state === "running" && !store.has_ended}
      />
    </>
  );
}
