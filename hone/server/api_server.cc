// SPDX-License-Identifier: Apache-2.0
#include "hone/server/api_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/log.h"
#include "hone/server/campaigns/campaign_routes.h"
#include "hone/server/environments/environment_routes.h"
#include "hone/server/http/thread_pool.h"
#include "hone/server/kernelgym/kernelgym_routes.h"
#include "hone/server/live/task_waiters.h"
#include "hone/server/live/timer_queue.h"
#include "hone/server/page/api_page.h"
#include "hone/server/page/openapi.h"
#include "hone/server/page/page.h"
#include "hone/server/service/service_routes.h"
#include "hone/server/service/v1_routes.h"

namespace hone::server {
namespace {

constexpr std::chrono::milliseconds kSweepMaxOften{100};
constexpr std::chrono::milliseconds kSweepMinOften{10'000};
constexpr std::size_t kSweepMax = 1000;  // Results forgotten in one call.

void LogSettled(const Settled& settled, const Settlement& settlement) {
  const auto* const evaluation = std::get_if<Evaluation>(&settlement.end);
  const auto* const drop = std::get_if<Settlement::Drop>(&settlement.end);
  LogEvent(LogLevel::kNote, "settled",
           {{"task", settled.task},
            {"outcome", WordFor(settlement)},
            {"worker", evaluation != nullptr ? evaluation->provenance.worker : ""},
            {"reason", evaluation != nullptr ? evaluation->reason : drop->reason}});
}

class ListeningApiServer final : public ApiServer {
 public:
  ListeningApiServer(TaskQueue& queue, Clock& clock, ApiSettings settings)
      : settings_(std::move(settings)),
        queue_(queue),
        clock_(clock),
        stats_(clock),
        timers_(clock),
        waiters_(
            queue, timers_, [this](std::function<void()> work) { pool_->Post(std::move(work)); },
            [this](const Settled& settled, const Settlement& settlement) {
              open_.Remove(settled.task);
              stats_.CountSettled(settlement);
              stats_.history().NoteSettled(settled.task, WordFor(settlement));
              LogSettled(settled, settlement);
            }),
        service_(queue, clock, waiters_, stats_, open_, settings_.service),
        watch_(service_, timers_,
               [this](std::function<void()> work) { pool_->Post(std::move(work)); }),
        board_(MakeBoard()),
        environments_(MakeEnvironments()),
        app_(Router(AllRoutes(service_, watch_, board_.get(), environments_.get(),
                              !settings_.access.tokens.is_empty())),
             settings_.access, clock, stats_) {}

  ~ListeningApiServer() override {
    sweeper_.request_stop();
    TurnAway();
    http_.reset();
    waiters_.Stop();
    pool_.reset();  // What they still run uses the rest.
    quick_pool_.reset();
  }

  Result<void> Listen() {
    auto http = StartHttpServer(
        settings_.http, app_,
        {[this](std::function<void()> work) { pool_->Post(std::move(work)); },
         [this](std::function<void()> work) { quick_pool_->Post(std::move(work)); }});
    if (!http) return http.error();
    http_ = std::move(*http);
    if (settings_.kept.count() > 0) {
      sweeper_ = std::jthread([this](const std::stop_token& stop) { Sweep(stop); });
    }
    return {};
  }

  std::uint16_t port() const override { return http_->port(); }
  HttpServer::Counts Count() const override { return http_->Count(); }

  bool Drain(std::chrono::milliseconds wait_timeout) override { return http_->Drain(wait_timeout); }
  void TurnAway() override {
    waiters_.Close();
    watch_.poller().Close();
    if (board_) board_->Close();
    if (environments_) environments_->Close();
  }

 private:
  std::unique_ptr<CampaignBoard> MakeBoard() {
    if (!settings_.campaigns) return nullptr;
    return std::make_unique<CampaignBoard>(
        *settings_.campaigns, clock_, timers_,
        [this](std::function<void()> work) { pool_->Post(std::move(work)); });
  }

  std::unique_ptr<EnvironmentBoard> MakeEnvironments() {
    if (!settings_.environments) return nullptr;
    return std::make_unique<EnvironmentBoard>(
        *settings_.environments, service_, timers_,
        [this](std::function<void()> work) { pool_->Post(std::move(work)); });
  }

  // Forgets old results, so that neither memory nor disk grows for ever.
  void Sweep(const std::stop_token& stop) {
    const auto pause = std::clamp(settings_.kept / 4, kSweepMaxOften, kSweepMinOften);
    while (!stop.stop_requested()) {
      const auto forgotten = queue_.ForgetSettledBefore(clock_.Wall() - settings_.kept, kSweepMax);
      if (!forgotten) Log(LogLevel::kWarning, "old results: {}", forgotten.error().message);
      const bool is_done = !forgotten || *forgotten < static_cast<std::int64_t>(kSweepMax);
      if (is_done) SleepUntilStop(clock_, pause, stop);
    }
  }

  const ApiSettings settings_;
  TaskQueue& queue_;
  Clock& clock_;
  std::unique_ptr<ThreadPool> pool_ = std::make_unique<ThreadPool>(settings_.threads);
  std::unique_ptr<ThreadPool> quick_pool_ = std::make_unique<ThreadPool>(1);
  Stats stats_;
  OpenTasks open_;
  TimerQueue timers_;
  TaskWaiters waiters_;
  Service service_;
  ServiceWatch watch_;
  std::unique_ptr<CampaignBoard> board_;
  std::unique_ptr<EnvironmentBoard> environments_;
  ApiApp app_;
  std::unique_ptr<HttpServer> http_;
  std::jthread sweeper_;
};

}  // namespace

bool IsLoopback(const std::string& address) {
  in_addr four{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) {
    return (ntohl(four.s_addr) >> 24U) == 127;
  }
  return address == "::1";
}

std::vector<Route> AllRoutes(Service& service, ServiceWatch& watch, CampaignBoard* campaigns,
                             EnvironmentBoard* environments, bool needs_token) {
  std::vector<Route> routes = KernelGymRoutes(service);
  const auto add = [&routes](std::vector<Route> more) {
    routes.insert(routes.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  };
  add(KernelGymSystemRoutes(service));
  for (Route& route : routes) {
    if (route.path == "/") route.handler = PageOr(std::move(route.handler), "/ui/");
  }
  add(V1Routes(service));
  add(ServiceRoutes(service, watch));
  add({AboutRoute(
      {service.settings().version, needs_token, needs_token, campaigns != nullptr, true},
      service.clock())});
  if (campaigns != nullptr) add(CampaignRoutes(*campaigns, Access::kAnyToken));
  if (environments != nullptr) add(EnvironmentRoutes(*environments));
  const Json document = OpenApiDocument(routes, service.settings().version);
  add({OpenApiRoute(routes, service.settings().version)});
  add(ApiPageRoutes(document));
  add(PageRoutes("/ui"));
  return routes;
}

Result<std::unique_ptr<ApiServer>> StartApiServer(TaskQueue& queue, Clock& clock,
                                                  ApiSettings settings) {
  if (settings.access.tokens.is_empty() && !IsLoopback(settings.http.address)) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: others can reach this address, and there is no token; whoever "
                    "connects could run code here. Give tokens (--token-file), or listen on "
                    "127.0.0.1",
                    settings.http.address)};
  }
  auto server = std::make_unique<ListeningApiServer>(queue, clock, std::move(settings));
  if (auto listening = server->Listen(); !listening) return listening.error();
  return std::unique_ptr<ApiServer>(std::move(server));
}

}  // namespace hone::server
