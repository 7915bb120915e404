// SPDX-License-Identifier: Apache-2.0
#include "hone/app/service/http_shell.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "hone/server/api_server.h"

namespace hone::app {
namespace {

constexpr std::size_t kShellThreads = 4;
constexpr std::chrono::milliseconds kLastWords{1'000};

}  // namespace

HttpShell::HttpShell(Clock& clock)
    : clock_(clock),
      pool_(std::make_unique<server::ThreadPool>(kShellThreads)),
      stats_(clock),
      timers_(clock) {}

HttpShell::~HttpShell() {
  StopListening();
  EndThreads();
}

Result<void> HttpShell::Listen(std::vector<server::Route> routes, const server::HttpSettings& http,
                               const server::AccessSettings& access, std::string_view risk) {
  if (access.tokens.is_empty() && !server::IsLoopback(http.address)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: others can reach this address, and there is no token; whoever "
                             "connects could {}. Give tokens (--token-file), or listen on "
                             "127.0.0.1",
                             http.address, risk)};
  }
  app_ =
      std::make_unique<server::ApiApp>(server::Router(std::move(routes)), access, clock_, stats_);
  auto listening = server::StartHttpServer(http, *app_, {post_, post_});
  if (!listening) return listening.error();
  http_ = std::move(*listening);
  return {};
}

void HttpShell::StopListening() {
  if (http_) http_->AwaitStreams(kLastWords);
  http_.reset();
}

void HttpShell::EndThreads() { pool_.reset(); }

}  // namespace hone::app
