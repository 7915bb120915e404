// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

#include "hone/base/clock.h"

namespace hone::server {

// How many connections each client has, and how fast it asks: a token bucket for each address.
// Not safe for concurrent use. Its memory is bounded by the clients that are connected now or were
// within the time in which a bucket fills.
class ClientLimits {
 public:
  struct Settings {
    std::size_t connections = 0;     // Of one client.
    double requests_per_second = 0;  // Of one client; 0: as many as it likes.
    double burst = 0;                // What a bucket holds.
  };

  explicit ClientLimits(Settings settings) : settings_(settings) {}

  bool Register(const std::string& client,
                Clock::Monotonic now);  // False: it has too many; do not call Leave.
  void Leave(const std::string& client);

  // Zero if the client may ask now; else how long until it may.
  std::chrono::duration<double> Ask(const std::string& client, Clock::Monotonic now);

  std::size_t size() const { return clients_.size(); }

 private:
  struct Client {
    std::size_t connections = 0;
    double tokens = 0;
    Clock::Monotonic filled;  // When `tokens` was right.
  };

  Client& Find(const std::string& client, Clock::Monotonic now);
  void Forget(Clock::Monotonic now);
  double Filled(const Client& client, Clock::Monotonic now) const;

  const Settings settings_;
  std::unordered_map<std::string, Client> clients_;
  std::size_t sweep_at_ = 1024;  // Forgotten are the idle ones when there are so many.
};

}  // namespace hone::server
