// SPDX-License-Identifier: Apache-2.0
#include "hone/server/dashboard_server.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "hone/server/alarms.h"
#include "hone/server/api_server.h"
#include "hone/server/campaign_routes.h"
#include "hone/server/openapi.h"
#include "hone/server/page.h"
#include "hone/server/thread_pool.h"

namespace hone {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::chrono::milliseconds kLastWords{1'000};  // For what those who watch get at the end.

std::vector<Route> RoutesOf(CampaignBoard& board, const AccessSettings& access) {
  AboutFacts facts;
  facts.version = board.settings().version;
  facts.controls_need_token = !access.tokens.is_empty();
  facts.has_campaigns = true;
  std::vector<Route> routes{AboutRoute(facts, board.clock())};
  for (auto&& more : {CampaignRoutes(board, Access::kAnyone)}) {
    routes.insert(routes.end(), more.begin(), more.end());
  }
  routes.push_back(OpenApiRoute(routes, facts.version));
  const auto pages = PageRoutes("");
  routes.insert(routes.end(), pages.begin(), pages.end());
  return routes;
}

class Server final : public DashboardServer {
 public:
  Server(Clock& clock, DashboardSettings settings)
      : settings_(std::move(settings)),
        stats_(clock),
        alarms_(clock),
        board_(settings_.campaigns, clock, alarms_,
               [this](std::function<void()> work) { pool_->Post(std::move(work)); }),
        app_(Router(RoutesOf(board_, settings_.access)), settings_.access, clock, stats_) {}

  ~Server() override {
    board_.Close();
    if (http_) http_->AwaitStreams(kLastWords);
    http_.reset();
    pool_.reset();  // What it still runs uses the rest.
  }

  Result<void> Listen() {
    auto http = StartHttpServer(
        settings_.http, app_, [this](std::function<void()> work) { pool_->Post(std::move(work)); });
    if (!http) return http.error();
    http_ = std::move(*http);
    return {};
  }

  std::uint16_t port() const override { return http_->port(); }
  CampaignBoard& board() override { return board_; }

 private:
  const DashboardSettings settings_;
  std::unique_ptr<ThreadPool> pool_ = std::make_unique<ThreadPool>(kThreads);
  Stats stats_;
  Alarms alarms_;
  CampaignBoard board_;
  ApiApp app_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace

Result<std::unique_ptr<DashboardServer>> StartDashboard(Clock& clock, DashboardSettings settings) {
  if (!IsLoopback(settings.http.address)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: the dashboard is for this machine alone; for others there is "
                             "hone serve, which asks for tokens",
                             settings.http.address)};
  }
  auto server = std::make_unique<Server>(clock, std::move(settings));
  if (auto listening = server->Listen(); !listening) return listening.error();
  return std::unique_ptr<DashboardServer>(std::move(server));
}

}  // namespace hone
