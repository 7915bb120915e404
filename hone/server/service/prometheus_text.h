// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hone/eval/queue/task_queue.h"
#include "hone/server/service/machine_use.h"
#include "hone/server/service/stats.h"

namespace hone::server {

// Everything that is measured about a server at one moment.
struct Measured {
  Stats::Snapshot stats;
  QueueCounts queue;
  std::vector<WorkerCard> workers;
  MachineUse machine;
  std::size_t waiters = 0;
};

// In the text form of Prometheus 0.0.4. Written by hand: most of these numbers are read from the
// queue when they are asked for, which a registry of counters that live in this process does not
// fit, and the form is a dozen lines.
std::string PrometheusText(const Measured& measured);

}  // namespace hone::server
