// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/server/api_app.h"
#include "hone/server/campaigns/campaign_board.h"
#include "hone/server/environments/environment_board.h"
#include "hone/server/http/http_server.h"
#include "hone/server/service/service.h"
#include "hone/server/service/service_watch.h"

namespace hone::server {

struct ApiSettings {
  HttpSettings http;
  AccessSettings access;
  ServiceSettings service;
  std::optional<CampaignSettings> campaigns;  // Those of this machine, shown beside the service.
  std::optional<EnvironmentSettings> environments;  // For clients that train models elsewhere.
  std::size_t threads = 8;  // For handlers, which block in calls to the queue.
  std::chrono::milliseconds kept{7 * 86'400'000};  // How long results are kept; 0: for ever.
};

// The whole API over a queue: KernelGYM's at the root, /v1, /openapi.json, and the dashboard's page
// under /ui. Workers are not its business.
class ApiServer {
 public:
  virtual ~ApiServer() = default;  // Stops.

  virtual std::uint16_t port() const = 0;
  virtual HttpServer::Counts Count() const = 0;

  // Refuses new requests and waits up to `wait_timeout` for those that are being answered. True:
  // all were. May be called again.
  virtual bool Drain(std::chrono::milliseconds wait_timeout) = 0;

  virtual void TurnAway() = 0;  // Answers those who still wait with 503.
};

// Listens from now on. `queue` and `clock` outlive the server. kInvalidArgument if it would listen
// beyond this machine without tokens; kUnavailable if the port is taken.
Result<std::unique_ptr<ApiServer>> StartApiServer(TaskQueue& queue, Clock& clock,
                                                  ApiSettings settings);

// The table of all routes, for the description and its tests. Boards may be null.
std::vector<Route> AllRoutes(Service& service, ServiceWatch& watch, CampaignBoard* campaigns,
                             EnvironmentBoard* environments, bool needs_token);

bool IsLoopback(const std::string& address);

}  // namespace hone::server
