// SPDX-License-Identifier: Apache-2.0
#include "hone/server/dashboard_for_test.h"

#include <fmt/format.h>

#include <utility>

namespace hone::server {

std::string Bearer(const char* token) { return fmt::format("Authorization: Bearer {}\r\n", token); }

RunningDashboard::RunningDashboard(const std::filesystem::path& store, const Choice& choice) {
  DashboardSettings settings;
  settings.http.port = 0;
  settings.has_training = choice.has_training;
  settings.campaigns.store = store;
  settings.campaigns.version = "test";
  settings.campaigns.make = [](const tune::CampaignHistory& history, const std::string& form,
                               std::optional<std::size_t> pick) {
    if (form != "json") return Result<ExportedFile>(Error{Errc::kInvalidArgument, "as: json"});
    return Result<ExportedFile>(ExportedFile{history.campaign.id + ".json", "text/x",
                                             pick ? fmt::format("point {}\n", *pick) : "{}\n"});
  };
  if (choice.has_tokens) {
    settings.access.tokens = *TokenBook::Parse(
        fmt::format("admin {}\nsubmit {}\n", kAdminToken, kSubmitToken), "tokens");
  }
  server_ = *StartDashboard(SystemClock(), std::move(settings));
}

Reply RunningDashboard::Ask(const std::string& method, const std::string& target,
                            const std::string& more_headers) const {
  TestClient client(server_->port());
  client.Send(RequestText(method, target, "", more_headers));
  return client.Receive();
}

std::vector<SentEvent> RunningDashboard::Events(const std::string& id,
                                                const std::string& after) const {
  return EventsIn(Ask("GET", "/v1/campaigns/" + id + "/events",
                      after.empty() ? "" : "Last-Event-ID: " + after + "\r\n")
                      .body);
}

}  // namespace hone::server
