// SPDX-License-Identifier: Apache-2.0
#include "hone/app/stored/stored_run.h"

#include <fmt/format.h>

#include <system_error>

#include "hone/eval/sqlite/evaluation_store.h"

namespace hone::app {

Result<tune::CampaignStore> OpenForReading(const std::filesystem::path& store, Clock& clock) {
  std::error_code ignored;
  if (!std::filesystem::exists(store, ignored)) {
    return Error{Errc::kNotFound,
                 fmt::format("{}: no campaign is stored there yet; start one: hone tune toy",
                             store.string())};
  }
  return tune::CampaignStore::Open(store, clock, Database::Mode::kReadOnly);
}

Result<tune::CampaignHistory> LoadRun(const std::filesystem::path& store, Clock& clock,
                                      const std::string& run) {
  auto campaigns = OpenForReading(store, clock);
  if (!campaigns) return campaigns.error();
  auto evaluations = EvaluationStore::Open(store);
  if (!evaluations) return evaluations.error();
  return tune::LoadHistory(*campaigns, *evaluations, run);
}

}  // namespace hone::app
