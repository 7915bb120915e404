// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "hone/base/clock.h"
#include "hone/base/redis/redis_address.h"
#include "hone/core/result.h"
#include "hone/eval/queue/task_queue.h"

namespace hone {

struct RedisSettings {
  RedisAddress address;
  std::string name = "hone";  // Of the queue: its keys are "{name}:…", all in one cluster slot.

  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds reply_timeout{
      5'000};                                  // Then the connection is given up, and made again.
  std::chrono::milliseconds give_up{30'000};   // A call fails (kUnavailable) after this long.
  std::chrono::milliseconds heartbeat{5'000};  // How soon a silent or emptied server is noticed.
  int max_connections = 16;                    // Besides the one that listens.

  std::chrono::hours keep_settled{24 * 7};  // Then forgotten, whether or not anyone asks for it.
  std::int64_t max_settled = 1'000'000;     // The oldest beyond these are forgotten.
  bool is_time_from_clock = false;          // For tests: the time of `clock`, not of the server.
};

// A queue in a Redis (7 or newer) that any number of processes on any number of machines share.
// docs/redis.md says how to set one up. What a call has stored when it returns is as durable as
// that Redis: with appendonly and appendfsync always it survives a power cut.
//
// Leases, deadlines and all times that are told are the server's, one clock for all machines.
//
// A lost connection is made again, with growing pauses, and the log says so; a call whose reply was
// lost is repeated, and does its work once. A call waits that way for `give_up` at most. Asked to
// stop, a call that has sent something still waits for the reply, for `reply_timeout` at most.
//
// If the server loses its contents (FLUSHALL, a restart without persistence), the tasks are
// unknown from then on; who waits for one is told within `heartbeat`.
//
// Evaluations and tasks beyond JsonLimits are refused: they could not be read back. A task whose
// stored form was damaged is abandoned when its turn comes, and holds up nobody.
// `clock` outlives the queue.
Result<std::unique_ptr<TaskQueue>> MakeRedisQueue(const RedisSettings& settings, Clock& clock);

}  // namespace hone
