// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/client_limits.h"

#include <algorithm>

namespace hone::server {
namespace {

constexpr std::size_t kMinSweep = 1024;

}  // namespace

double ClientLimits::Filled(const Client& client, Clock::Monotonic now) const {
  const double seconds = std::chrono::duration<double>(now - client.filled).count();
  return std::min(settings_.burst, client.tokens + seconds * settings_.requests_per_second);
}

ClientLimits::Client& ClientLimits::Find(const std::string& client, Clock::Monotonic now) {
  const auto found = clients_.find(client);
  if (found != clients_.end()) return found->second;
  if (clients_.size() >= sweep_at_) Forget(now);
  return clients_.emplace(client, Client{0, settings_.burst, now}).first->second;
}

void ClientLimits::Forget(Clock::Monotonic now) {
  std::erase_if(clients_, [&](const auto& entry) {
    return entry.second.connections == 0 && Filled(entry.second, now) >= settings_.burst;
  });
  sweep_at_ = std::max(kMinSweep, 2 * clients_.size());
}

bool ClientLimits::Register(const std::string& client, Clock::Monotonic now) {
  Client& found = Find(client, now);
  if (found.connections >= settings_.connections) return false;
  ++found.connections;
  return true;
}

void ClientLimits::Leave(const std::string& client) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || found->second.connections == 0) return;
  --found->second.connections;
}

std::chrono::duration<double> ClientLimits::Ask(const std::string& client, Clock::Monotonic now) {
  if (settings_.requests_per_second <= 0) return {};
  Client& found = Find(client, now);
  found.tokens = Filled(found, now);
  found.filled = now;
  if (found.tokens < 1) {
    return std::chrono::duration<double>((1 - found.tokens) / settings_.requests_per_second);
  }
  found.tokens -= 1;
  return {};
}

}  // namespace hone::server
