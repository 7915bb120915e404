// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/server/api_app.h"
#include "hone/server/http/http_server.h"
#include "hone/server/http/router.h"
#include "hone/server/http/thread_pool.h"
#include "hone/server/live/timer_queue.h"
#include "hone/server/service/stats.h"

namespace hone::app {

// What a small server consists of besides its routes: threads, timers, the socket. It ends in two
// steps, between which its owner lets go of what his answers wait for.
class HttpShell {
 public:
  explicit HttpShell(Clock& clock);  // Which outlives it.
  HttpShell(const HttpShell&) = delete;
  HttpShell& operator=(const HttpShell&) = delete;
  ~HttpShell();

  server::TimerQueue& timers() { return timers_; }
  const server::Post& post() const { return post_; }

  // Listens from now on. kInvalidArgument if others than this machine's could reach it without a
  // token, who could then do `risk`; kUnavailable if the port is taken.
  Result<void> Listen(std::vector<server::Route> routes, const server::HttpSettings& http,
                      const server::AccessSettings& access, std::string_view risk);
  std::uint16_t port() const { return http_->port(); }

  // Nobody connects any more; streams have a moment for their last words.
  void StopListening();
  void EndThreads();  // What they still run has ended then.

 private:
  Clock& clock_;
  std::unique_ptr<server::ThreadPool> pool_;
  const server::Post post_ = [this](std::function<void()> work) { pool_->Post(std::move(work)); };
  server::Stats stats_;
  server::TimerQueue timers_;
  std::unique_ptr<server::ApiApp> app_;
  std::unique_ptr<server::HttpServer> http_;
};

}  // namespace hone::app
