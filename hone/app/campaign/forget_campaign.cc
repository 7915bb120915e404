// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/forget_campaign.h"

#include "hone/app/stored/stored_run.h"
#include "hone/eval/sqlite/sqlite_queue.h"

namespace hone::app {

Result<ForgottenCampaign> ForgetCampaign(const std::filesystem::path& store, Clock& clock,
                                         const std::string& run) {
  auto reading = OpenForReading(store, clock);  // Makes no file where there is none.
  if (!reading) return reading.error();
  const auto found = reading->Find(run);
  if (!found) return found.error();
  auto campaigns = tune::CampaignStore::Open(store, clock);
  if (!campaigns) return campaigns.error();
  const auto lock = campaigns->Lock(found->id);
  if (!lock) return lock.error();
  const auto forgotten = ForgetTasksOf(store, found->id, clock);
  if (!forgotten) return forgotten.error();
  if (auto gone = campaigns->Forget(found->id); !gone) return gone.error();
  return ForgottenCampaign{found->id, *forgotten};
}

}  // namespace hone::app
