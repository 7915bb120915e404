// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "hone/domains/sysctl/probes/probe.h"
#include "hone/domains/sysctl/probes/tcp_wire.h"

namespace hone::sysctl {

// What the tcp probe asks of a server.
struct TcpLoad {
  TcpPlace server;
  TcpMode mode = TcpMode::kBulk;
  int streams = 1;  // Connections at once.
  double seconds = 0.5;
  std::uint32_t chunk_bytes = 0;  // kBulk: of one send.
  std::uint32_t request_bytes = 0;
  std::uint32_t response_bytes = 0;
};

// One thread, on new connections. kUnavailable: the server cannot be reached or went away.
Result<std::vector<ProbeReading>> RunTcpLoad(const TcpLoad& load, const ProbeSeries& series);

// "p50_us" and "p99_us" of times in seconds; none if there is none.
std::vector<ProbeReading> PercentilesOf(const std::vector<double>& seconds);

}  // namespace hone::sysctl
