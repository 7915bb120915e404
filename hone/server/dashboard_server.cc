// SPDX-License-Identifier: Apache-2.0
#include "hone/server/dashboard_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "hone/server/api_server.h"
#include "hone/server/campaigns/campaign_routes.h"
#include "hone/server/campaigns/training_routes.h"
#include "hone/server/http/thread_pool.h"
#include "hone/server/live/timer_queue.h"
#include "hone/server/page/openapi.h"
#include "hone/server/page/page.h"

namespace hone::server {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::chrono::milliseconds kLastWords{1'000};  // For what those who watch get at the end.

std::vector<Route> RoutesOf(const DashboardSettings& settings, CampaignBoard& board,
                            TrainingBoard& training) {
  AboutFacts facts;
  facts.version = board.settings().version;
  facts.controls_need_token = !settings.access.tokens.is_empty();
  facts.has_campaigns = true;
  facts.has_training = settings.has_training;
  std::vector<Route> routes{AboutRoute(facts, board.clock())};
  const auto add = [&](std::vector<Route> more) {
    std::move(more.begin(), more.end(), std::back_inserter(routes));
  };
  add(CampaignRoutes(board, Access::kAnyone));
  if (settings.has_training) add(TrainingRoutes(training, Access::kAnyone));
  routes.push_back(OpenApiRoute(routes, facts.version));
  add(PageRoutes(""));
  return routes;
}

class ListeningDashboardServer final : public DashboardServer {
 public:
  ListeningDashboardServer(Clock& clock, DashboardSettings settings)
      : settings_(std::move(settings)),
        stats_(clock),
        timers_(clock),
        board_(settings_.campaigns, clock, timers_, post_),
        training_(clock, timers_, post_),
        app_(Router(RoutesOf(settings_, board_, training_)), settings_.access, clock, stats_) {}

  ~ListeningDashboardServer() override {
    board_.Close();
    training_.Close();
    if (http_) http_->AwaitStreams(kLastWords);
    http_.reset();
    pool_.reset();  // What it still runs uses the rest.
  }

  Result<void> Listen() {
    auto http = StartHttpServer(settings_.http, app_, {post_, post_});
    if (!http) return http.error();
    http_ = std::move(*http);
    return {};
  }

  std::uint16_t port() const override { return http_->port(); }
  CampaignBoard& board() override { return board_; }
  TrainingBoard& training() override { return training_; }

 private:
  const DashboardSettings settings_;
  std::unique_ptr<ThreadPool> pool_ = std::make_unique<ThreadPool>(kThreads);
  const Post post_ = [this](std::function<void()> work) { pool_->Post(std::move(work)); };
  Stats stats_;
  TimerQueue timers_;
  CampaignBoard board_;
  TrainingBoard training_;
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
  auto server = std::make_unique<ListeningDashboardServer>(clock, std::move(settings));
  if (auto listening = server->Listen(); !listening) return listening.error();
  return std::unique_ptr<DashboardServer>(std::move(server));
}

}  // namespace hone::server
