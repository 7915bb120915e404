// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hone/server/dashboard_server.h"
#include "hone/server/server_for_test.h"

namespace hone::server {

inline constexpr const char* kAdminToken = "an-admin-token-for-tests";
inline constexpr const char* kSubmitToken = "a-submit-token-for-tests";

// A header with the token.
std::string Bearer(const char* token);

// A dashboard on a port of its own, with a token of each role unless told otherwise.
class RunningDashboard {
 public:
  struct Choice {
    bool has_tokens = true;
    bool has_training = false;
  };
  RunningDashboard(const std::filesystem::path& store, const Choice& choice);
  explicit RunningDashboard(const std::filesystem::path& store)
      : RunningDashboard(store, Choice{}) {}

  Reply Ask(const std::string& method, const std::string& target,
            const std::string& more_headers = "") const;

  // All events of a campaign that is done.
  std::vector<SentEvent> Events(const std::string& id, const std::string& after = "") const;

  DashboardServer& server() { return *server_; }

 private:
  std::unique_ptr<DashboardServer> server_;
};

}  // namespace hone::server
